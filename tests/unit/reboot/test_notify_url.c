/* Service URLs as requests, and the deprecated Slack hook. */
#include "reboot/notify_url.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct notify_case {
        const char *url, *server, *path, *body; /* server NULL = refused */
        const char *header;
};

#define ID "0a1b2c3d-0000-1111-2222-333344445555"
#define TOKEN "o.aaaaaaaaaabbbbbbbbbbccccccccccdd" /* as long as Pushbullet's */

static const struct notify_case cases[] = {
        { "slack://A/B/C", "https://hooks.slack.com", "/services/A/B/C",
          "{\"text\":\"hi \\\"x\\\"\"}" },
        { "slack://bot@A/B/C", "https://hooks.slack.com", "/services/A/B/C",
          "{\"text\":\"hi \\\"x\\\"\",\"username\":\"bot\"}" },
        { "slack://hook:A-B-C@webhook", "https://hooks.slack.com", "/services/A/B/C",
          "{\"text\":\"hi \\\"x\\\"\"}" },
        { "discord://token@id", "https://discord.com", "/api/webhooks/id/token",
          "{\"content\":\"hi \\\"x\\\"\"}" },
        { "generic://host:8080/a/b?disabletls=yes", "http://host:8080", "/a/b", "hi \"x\"" },
        { "generic+http://host/a?b=c", "http://host", "/a?b=c", "hi \"x\"" },
        { "gotify://host/token", "https://host", "/message?token=token",
          "{\"message\":\"hi \\\"x\\\"\"}" },
        { "ntfy://ntfy.sh/topic", "https://ntfy.sh", "/topic", "hi \"x\"" },
        { "telegram://1:t@telegram?chats=@c", "https://api.telegram.org", "/bot1:t/sendMessage",
          "{\"text\":\"hi \\\"x\\\"\",\"chat_id\":\"@c\"}" },
        { "rocketchat://bot@host/A/B/ops", "https://host", "/hooks/A/B",
          "{\"text\":\"hi \\\"x\\\"\",\"username\":\"bot\",\"channel\":\"ops\"}" },
        { "mattermost://host/token", "https://host", "/hooks/token",
          "{\"text\":\"hi \\\"x\\\"\"}" },
        { "matrix://:tok@host/?rooms=!r", "https://host",
          "/_matrix/client/r0/rooms/!r/send/m.room.message?access_token=tok",
          "{\"body\":\"hi \\\"x\\\"\",\"msgtype\":\"m.text\"}" },
        { "teams://g@t/a/o?host=x.webhook.office.com", "https://x.webhook.office.com",
          "/webhookb2/g@t/IncomingWebhook/a/o", NULL },
        { "slack://xoxb:A-B-C@C01?botname=k", "https://slack.com", "/api/chat.postMessage",
          "{\"text\":\"hi \\\"x\\\"\",\"channel\":\"C01\",\"username\":\"k\"}",
          "Authorization: Bearer xoxb-A-B-C" },
        { "bark://:k%2f1@host/a?title=A+b&badge=3&sound=bell", "https://host", "/a/push",
          "{\"body\":\"hi \\\"x\\\"\",\"device_key\":\"k/1\",\"title\":\"A b\","
          "\"sound\":\"bell\",\"badge\":3}" },
        { "bark://:k@host?scheme=http", "http://host", "/push", NULL },
        { "googlechat://chat.googleapis.com/v1/spaces/F/messages?token=b%3D&key=a",
          "https://chat.googleapis.com", "/v1/spaces/F/messages?key=a&token=b%3D",
          "{\"text\":\"hi \\\"x\\\"\"}" },
        { "hangouts://h/v1?key=a&token=b", "https://h", "/v1?key=a&token=b", NULL },
        { "ifttt://hook?events=gone&value1=a+b", "https://maker.ifttt.com",
          "/trigger/gone/with/key/hook",
          "{\"value1\":\"a b\",\"value2\":\"hi \\\"x\\\"\",\"value3\":\"\"}" },
        { "join://Token:k@join/?devices=a,b&title=T", "https://joinjoaomgcd.appspot.com",
          "/_ah/api/messaging/v1/sendPush?apikey=k&deviceIds=a%2Cb&text=hi%20%22x%22"
          "&title=T",
          "" },
        { "opsgenie://api.opsgenie.com/k-1", "https://api.opsgenie.com", "/v2/alerts",
          "{\"message\":\"hi \\\"x\\\"\"}", "Authorization: GenieKey k-1" },
        { "opsgenie://h:8/k?title=T&description=more&tags=a,b&priority=P2&details=x:1,y:2"
          "&responders=team:ops,user:me@x.org&visibleTo=schedule:" ID,
          "https://h:8", "/v2/alerts",
          "{\"message\":\"T\",\"description\":\"hi \\\"x\\\"\\nmore\",\"priority\":\"P2\","
          "\"tags\":[\"a\",\"b\"],\"responders\":[{\"type\":\"team\",\"name\":\"ops\"},"
          "{\"type\":\"user\",\"username\":\"me@x.org\"}],\"visibleTo\":[{\"type\":"
          "\"schedule\",\"id\":\"" ID "\"}],\"details\":{\"x\":\"1\",\"y\":\"2\"}}",
          "Authorization: GenieKey k" },
        { "pushbullet://" TOKEN "/device", "https://api.pushbullet.com", "/v2/pushes",
          "{\"type\":\"note\",\"title\":\"Node reboots\",\"body\":\"hi \\\"x\\\"\","
          "\"device_iden\":\"device\"}",
          "Access-Token: " TOKEN },
        { "pushbullet://" TOKEN "/me@x.org?title=T", "https://api.pushbullet.com", "/v2/pushes",
          "{\"type\":\"note\",\"title\":\"T\",\"body\":\"hi \\\"x\\\"\","
          "\"email\":\"me@x.org\"}" },
        { "pushbullet://" TOKEN "/#ops", "https://api.pushbullet.com", "/v2/pushes",
          "{\"type\":\"note\",\"title\":\"Node reboots\",\"body\":\"hi \\\"x\\\"\","
          "\"channel_tag\":\"ops\"}" },
        { "pushbullet://" TOKEN, "https://api.pushbullet.com", "/v2/pushes",
          "{\"type\":\"note\",\"title\":\"Node reboots\",\"body\":\"hi \\\"x\\\"\"}" },
        { "pushover://shoutrrr:tok@user/?devices=a,b&priority=-1", "https://api.pushover.net",
          "/1/messages.json", "device=a%2Cb&user=user&token=tok&message=hi%20%22x%22&priority=-1" },
        { "zulip://bot%40x.org:key@chat.x.org?stream=ops&topic=Node+news", "https://chat.x.org",
          "/api/v1/messages", "type=stream&to=ops&content=hi%20%22x%22&topic=Node%20news" },
        { "bark://host", NULL, NULL, NULL },
        { "bark://:k@host?badge=many", NULL, NULL, NULL },
        { "googlechat://h/v1?token=b", NULL, NULL, NULL },
        { "ifttt://hook", NULL, NULL, NULL },
        { "ifttt://hook?events=a&messagevalue=4", NULL, NULL, NULL },
        { "join://Token:k@join", NULL, NULL, NULL },
        { "join://join?devices=a", NULL, NULL, NULL },
        { "opsgenie://h", NULL, NULL, NULL },
        { "opsgenie://h/a%0d%0aX:b", NULL, NULL, NULL },
        { "opsgenie://h/k?responders=ops", NULL, NULL, NULL },
        { "opsgenie://h/k?responders=schedule:ops", NULL, NULL, NULL },
        { "opsgenie://h/k?details=x", NULL, NULL, NULL },
        { "pushbullet://short/device", NULL, NULL, NULL },
        { "pushover://user", NULL, NULL, NULL },
        { "pushover://x:tok@user?priority=9", NULL, NULL, NULL },
        { "zulip://chat.x.org?stream=ops", NULL, NULL, NULL },
        { "slack://xoxb@C01", NULL, NULL, NULL },
        { "slack://A/B", NULL, NULL, NULL },
        { "teams://g@t/a/o", NULL, NULL, NULL },
        { "telegram://telegram?chats=c", NULL, NULL, NULL },
        { "carrier-pigeon://coop", NULL, NULL, NULL },
        { "no url", NULL, NULL, NULL },
        { "generic+ftp://host/a", NULL, NULL, NULL },
        { "generic+file:///etc/passwd", NULL, NULL, NULL },
        { "generic://host\r\nX: y/a", NULL, NULL, NULL },
        { "slack://A/B/C\x7f", NULL, NULL, NULL },
        { "smtp://h/?from=a@b&to=c@d&clientHost=x%0ay", NULL, NULL, NULL },
};

static void addresses_services(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(arena_release) struct arena arena;
                struct notify_requests requests;
                int code;

                arena_init(&arena, 0);
                code = notify_url_requests(slice_of(cases[i].url), SLICE_LITERAL("hi \"x\""),
                                           &arena, &requests, NULL);
                if ((code == 0) != !!cases[i].server)
                        fail_msg("%s", cases[i].url);
                if (code < 0)
                        continue;
                assert_int_equal(requests.count, 1);
                assert_string_equal(requests.items[0].server, cases[i].server);
                assert_string_equal(requests.items[0].path.ptr, cases[i].path);
                if (cases[i].body && cases[i].body[0])
                        assert_string_equal(requests.items[0].body.ptr, cases[i].body);
                if (cases[i].body)
                        assert_int_equal(requests.items[0].body.len, strlen(cases[i].body));
                if (cases[i].header)
                        assert_string_equal(requests.items[0].header, cases[i].header);
        }
}

/* The title ends before a character that does not fit; the whole message follows. */
static void cuts_long_titles(void **state) {
        CLEANUP(arena_release) struct arena arena;
        struct notify_requests requests;
        char message[200];

        (void)state;
        arena_init(&arena, 0);
        memset(message, 'a', sizeof(message));
        memcpy(message + 129, "\xc3\xa4", 2);
        assert_int_equal(notify_url_requests(SLICE_LITERAL("opsgenie://h/k"),
                                             slice_make(message, sizeof(message)), &arena,
                                             &requests, NULL),
                         0);
        const char *body = requests.items[0].body.ptr;
        assert_int_equal(strcspn(body + strlen("{\"message\":\""), "\""), 129);
        assert_non_null(strstr(body, "\"description\":\"aaa"));
}

static void takes_what_is_only_logged(void **state) {
        CLEANUP(arena_release) struct arena arena;
        struct notify_requests requests;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(notify_url_requests(SLICE_LITERAL("logger://"), SLICE_LITERAL("x"), &arena,
                                             &requests, NULL),
                         0);
        assert_true(requests.is_logged && requests.count == 0);
}

static void asks_for_every_event(void **state) {
        CLEANUP(arena_release) struct arena arena;
        struct notify_requests requests;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(notify_url_requests(SLICE_LITERAL("ifttt://h?events=a,b"),
                                             SLICE_LITERAL("x"), &arena, &requests, NULL),
                         0);
        assert_int_equal(requests.count, 2);
        assert_string_equal(requests.items[1].path.ptr, "/trigger/b/with/key/h");
}

static void converts_slack_hooks(void **state) {
        CLEANUP(arena_release) struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        assert_true(slice_is(
                notify_slack_hook(SLICE_LITERAL("https://hooks.slack.com/services/A/B/C"), &arena),
                "slack://A/B/C"));
        assert_int_equal(
                notify_slack_hook(SLICE_LITERAL("https://hooks.slack.com/services/A/B"), &arena)
                        .len,
                0);
        assert_int_equal(notify_slack_hook(SLICE_LITERAL("https://other/"), &arena).len, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(addresses_services),        cmocka_unit_test(cuts_long_titles),
                cmocka_unit_test(takes_what_is_only_logged), cmocka_unit_test(asks_for_every_event),
                cmocka_unit_test(converts_slack_hooks),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
