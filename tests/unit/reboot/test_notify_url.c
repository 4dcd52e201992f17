/* Service URLs as requests, and the deprecated Slack hook. */
#include "reboot/notify_url.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct notify_case {
        const char *url, *server, *path, *body; /* server NULL = refused */
};

static void addresses_services(void **state) {
        static const struct notify_case cases[] = {
                { "slack://A/B/C", "https://hooks.slack.com", "/services/A/B/C",
                  "{\"text\":\"hi \\\"x\\\"\"}" },
                { "slack://bot@A/B/C", "https://hooks.slack.com", "/services/A/B/C",
                  "{\"text\":\"hi \\\"x\\\"\",\"username\":\"bot\"}" },
                { "slack://hook:A-B-C@webhook", "https://hooks.slack.com", "/services/A/B/C",
                  "{\"text\":\"hi \\\"x\\\"\"}" },
                { "discord://token@id", "https://discord.com", "/api/webhooks/id/token",
                  "{\"content\":\"hi \\\"x\\\"\"}" },
                { "generic://host:8080/a/b?disabletls=yes", "http://host:8080", "/a/b",
                  "hi \"x\"" },
                { "generic+http://host/a?b=c", "http://host", "/a?b=c", "hi \"x\"" },
                { "gotify://host/token", "https://host", "/message?token=token",
                  "{\"message\":\"hi \\\"x\\\"\"}" },
                { "ntfy://ntfy.sh/topic", "https://ntfy.sh", "/topic", "hi \"x\"" },
                { "telegram://1:t@telegram?chats=@c", "https://api.telegram.org",
                  "/bot1:t/sendMessage", "{\"text\":\"hi \\\"x\\\"\",\"chat_id\":\"@c\"}" },
                { "rocketchat://bot@host/A/B/ops", "https://host", "/hooks/A/B",
                  "{\"text\":\"hi \\\"x\\\"\",\"username\":\"bot\",\"channel\":\"ops\"}" },
                { "mattermost://host/token", "https://host", "/hooks/token",
                  "{\"text\":\"hi \\\"x\\\"\"}" },
                { "matrix://:tok@host/?rooms=!r", "https://host",
                  "/_matrix/client/r0/rooms/!r/send/m.room.message?access_token=tok",
                  "{\"body\":\"hi \\\"x\\\"\",\"msgtype\":\"m.text\"}" },
                { "teams://g@t/a/o?host=x.webhook.office.com", "https://x.webhook.office.com",
                  "/webhookb2/g@t/IncomingWebhook/a/o", NULL },
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
                if (cases[i].body)
                        assert_string_equal(requests.items[0].body.ptr, cases[i].body);
        }
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
                cmocka_unit_test(addresses_services),
                cmocka_unit_test(converts_slack_hooks),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
