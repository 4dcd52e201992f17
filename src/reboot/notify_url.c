/* Services of notification URLs: one row and one function each. */
#include "reboot/notify_url_priv.h"

#include "base/util.h"
#include <string.h>

/* Whatever may not stand in a URL, and would begin another line of a request or a mail. */
static bool has_control(struct slice text) {
        for (size_t i = 0; i < text.len; i++)
                if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
                        return true;
        return false;
}

static bool split_url(struct slice text, struct service_url *url) {
        struct slice authority, part;
        const char *colon = memmem(text.ptr, text.len, "://", 3);

        if (!colon || has_control(text))
                return false;
        struct slice scheme = slice_make(text.ptr, (size_t)(colon - text.ptr));
        struct slice rest = slice_make(colon + 3, (size_t)(text.ptr + text.len - colon - 3));
        slice_split(&scheme, '+', &url->service);
        url->is_custom = scheme.ptr;
        url->scheme = scheme;
        if (url->is_custom && !slice_is(scheme, "http") && !slice_is(scheme, "https"))
                return false;
        slice_split(&rest, '#', &part);
        url->fragment = rest;
        rest = part;
        slice_split(&rest, '?', &part);
        url->query = rest;
        rest = part;
        slice_split(&rest, '/', &authority);
        url->path = rest;
        while (rest.ptr && url->part_count < PATH_PARTS_MAX && slice_split(&rest, '/', &part))
                if (part.len > 0)
                        url->parts[url->part_count++] = part;
        for (size_t i = authority.len; i > 0; i--)
                if (authority.ptr[i - 1] == '@') {
                        rest = slice_make(authority.ptr, i - 1);
                        slice_split(&rest, ':', &url->user);
                        url->password = rest;
                        authority = slice_make(authority.ptr + i, authority.len - i);
                        break;
                }
        url->host = authority;
        return url->service.len > 0 && (url->host.len > 0 || slice_is(url->service, "logger"));
}

/* ---- services; false: something is missing ---- */

/* slack://xoxb:A-B-C@channel: a bot or a user, not a hook */
static bool to_slack_api(const struct service_url *url, struct notify_requests *requests) {
        const struct slice more[] = { SLICE_LITERAL("channel"), url->host,
                                      SLICE_LITERAL("username"), notify_url_text(url, "botname") };

        if (url->password.len == 0)
                return false;
        notify_url_add(url, requests, SLICE_LITERAL("slack.com"), "/api/chat.postMessage",
                       notify_url_json(url, "text", more, ARRAY_LEN(more)));
        requests->items[0].header =
                arena_printf(url->arena, "Authorization: Bearer " SLICE_FMT "-" SLICE_FMT,
                             SLICE_ARG(url->user), SLICE_ARG(url->password));
        return true;
}

static bool to_slack(const struct service_url *url, struct notify_requests *requests) {
        struct slice name = url->user, parts[3] = { url->host, SLICE_EMPTY, SLICE_EMPTY };

        if (slice_has_prefix(url->user, SLICE_LITERAL("xox")) && url->part_count == 0)
                return to_slack_api(url, requests);
        if (slice_is(url->user, "hook")) { /* slack://hook:A-B-C@webhook */
                struct slice rest = url->password;

                for (int i = 0; i < 3; i++)
                        if (!rest.ptr || !slice_split(&rest, '-', &parts[i]))
                                return false;
                name = SLICE_EMPTY;
        } else if (url->part_count == 2) {
                parts[1] = url->parts[0];
                parts[2] = url->parts[1];
        } else {
                return false;
        }
        const struct slice more[] = { SLICE_LITERAL("username"), name };
        notify_url_add(url, requests, SLICE_LITERAL("hooks.slack.com"),
                       arena_printf(url->arena, "/services/" SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT,
                                    SLICE_ARG(parts[0]), SLICE_ARG(parts[1]), SLICE_ARG(parts[2])),
                       notify_url_json(url, "text", more, 2));
        return true;
}

static struct slice teams_body(const struct service_url *url) {
        const struct slice more[] = {
                SLICE_LITERAL("@type"),    SLICE_LITERAL("MessageCard"),
                SLICE_LITERAL("@context"), SLICE_LITERAL("http://schema.org/extensions"),
                SLICE_LITERAL("summary"),  url->message
        };

        return notify_url_json(url, "text", more, ARRAY_LEN(more));
}

static bool to_teams(const struct service_url *url, struct notify_requests *requests) {
        struct slice host = notify_url_query(url, "host");

        if (url->user.len == 0 || url->part_count < 2 || host.len == 0)
                return false;
        notify_url_add(url, requests, host,
                       arena_printf(url->arena,
                                    "/webhookb2/" SLICE_FMT "@" SLICE_FMT
                                    "/IncomingWebhook/" SLICE_FMT "/" SLICE_FMT,
                                    SLICE_ARG(url->user), SLICE_ARG(url->host),
                                    SLICE_ARG(url->parts[0]), SLICE_ARG(url->parts[1])),
                       teams_body(url));
        return true;
}

static bool to_discord(const struct service_url *url, struct notify_requests *requests) {
        if (url->user.len == 0)
                return false;
        notify_url_add(url, requests, SLICE_LITERAL("discord.com"),
                       arena_printf(url->arena, "/api/webhooks/" SLICE_FMT "/" SLICE_FMT,
                                    SLICE_ARG(url->host), SLICE_ARG(url->user)),
                       notify_url_json(url, "content", NULL, 0));
        return true;
}

static bool to_generic(const struct service_url *url, struct notify_requests *requests) {
        bool is_json = slice_is(notify_url_query(url, "template"), "json") ||
                       slice_is(notify_url_query(url, "template"), "JSON");

        notify_url_add(url, requests, url->host,
                       arena_printf(url->arena, "/" SLICE_FMT, SLICE_ARG(url->path)),
                       is_json ? notify_url_json(url, "message", NULL, 0)
                               : arena_slice(url->arena, url->message));
        return true;
}

static bool to_gotify(const struct service_url *url, struct notify_requests *requests) {
        const struct slice more[] = { SLICE_LITERAL("title"), notify_url_text(url, "title") };
        struct buf path = { 0 };

        if (url->part_count == 0)
                return false;
        for (size_t i = 0; i + 1 < url->part_count; i++)
                buf_printf(&path, "/" SLICE_FMT, SLICE_ARG(url->parts[i]));
        buf_printf(&path, "/message?token=" SLICE_FMT, SLICE_ARG(url->parts[url->part_count - 1]));
        notify_url_add(url, requests, url->host, notify_url_keep(&path, url->arena).ptr,
                       notify_url_json(url, "message", more, ARRAY_LEN(more)));
        return true;
}

static bool to_ntfy(const struct service_url *url, struct notify_requests *requests) {
        if (url->part_count != 1)
                return false;
        notify_url_add(url, requests, url->host,
                       arena_printf(url->arena, "/" SLICE_FMT, SLICE_ARG(url->parts[0])),
                       arena_slice(url->arena, url->message));
        requests->items[requests->count - 1].content_type = SLICE_LITERAL("text/plain");
        requests->items[requests->count - 1].username = notify_url_decoded(url, url->user);
        requests->items[requests->count - 1].password = notify_url_decoded(url, url->password);
        return true;
}

static bool to_telegram(const struct service_url *url, struct notify_requests *requests) {
        struct slice chats = notify_url_query(url, "chats"), chat;
        const char *path = arena_printf(url->arena, "/bot" SLICE_FMT "%s" SLICE_FMT "/sendMessage",
                                        SLICE_ARG(url->user), url->password.len ? ":" : "",
                                        SLICE_ARG(url->password));

        while (chats.ptr && slice_split(&chats, ',', &chat)) {
                const struct slice more[] = { SLICE_LITERAL("chat_id"), chat };

                notify_url_add(url, requests, SLICE_LITERAL("api.telegram.org"), path,
                               notify_url_json(url, "text", more, ARRAY_LEN(more)));
        }
        return requests->count > 0 && url->user.len > 0;
}

static struct slice matrix_login(const struct service_url *url) {
        struct buf body = { 0 };

        buf_text(&body,
                 "{\"type\":\"m.login.password\",\"identifier\":{\"type\":\"m.id.user\",\"user\":");
        buf_json_string(&body, slice_of(notify_url_decoded(url, url->user)));
        buf_text(&body, "},\"password\":");
        buf_json_string(&body, slice_of(notify_url_decoded(url, url->password)));
        buf_char(&body, '}');
        return notify_url_keep(&body, url->arena);
}

/* Without a user the password is an access token; with one it is a login. */
static bool to_matrix(const struct service_url *url, struct notify_requests *requests) {
        const struct slice more[] = { SLICE_LITERAL("msgtype"), SLICE_LITERAL("m.text") };
        struct slice rooms = notify_url_query(url, "rooms"), room;
        bool logs_in = url->user.len > 0;

        if (url->password.len == 0)
                return false;
        while (rooms.ptr && slice_split(&rooms, ',', &room)) {
                notify_url_add(url, requests, url->host,
                               arena_printf(url->arena,
                                            "/_matrix/client/r0/rooms/" SLICE_FMT
                                            "/send/m.room.message?access_token=" SLICE_FMT,
                                            SLICE_ARG(room),
                                            SLICE_ARG(logs_in ? SLICE_EMPTY : url->password)),
                               notify_url_json(url, "body", more, ARRAY_LEN(more)));
                if (logs_in) {
                        requests->items[requests->count - 1].login = matrix_login(url);
                        requests->items[requests->count - 1].login_path =
                                "/_matrix/client/r0/login";
                }
        }
        return requests->count > 0;
}

static bool to_hook(const struct service_url *url, struct notify_requests *requests,
                    size_t tokens) {
        struct slice channel = url->part_count > tokens ? url->parts[tokens] : SLICE_EMPTY;
        const struct slice more[] = { SLICE_LITERAL("username"), url->user,
                                      SLICE_LITERAL("channel"), channel };
        struct buf path = { 0 };

        if (url->part_count < tokens)
                return false;
        buf_text(&path, "/hooks");
        for (size_t i = 0; i < tokens; i++)
                buf_printf(&path, "/" SLICE_FMT, SLICE_ARG(url->parts[i]));
        notify_url_add(url, requests, url->host, notify_url_keep(&path, url->arena).ptr,
                       notify_url_json(url, "text", more, ARRAY_LEN(more)));
        return true;
}

static bool to_mattermost(const struct service_url *url, struct notify_requests *requests) {
        return to_hook(url, requests, 1);
}

static bool to_rocketchat(const struct service_url *url, struct notify_requests *requests) {
        return to_hook(url, requests, 2);
}

static enum notify_tls mail_tls(const struct service_url *url) {
        struct slice how = notify_url_query(url, "encryption"),
                     starts = notify_url_query(url, "useStartTLS");

        if (slice_is(how, "ImplicitTLS"))
                return NOTIFY_TLS_ALWAYS;
        if (slice_is(how, "ExplicitTLS"))
                return NOTIFY_TLS_UPGRADE;
        return slice_is(how, "None") || (starts.len > 0 && !notify_url_is_yes(starts))
                       ? NOTIFY_TLS_NEVER
                       : NOTIFY_TLS_IF_OFFERED;
}

static const char *mail_head(const struct service_url *url, const struct notify_mail *mail) {
        const char *name = notify_url_decoded(url, notify_url_query(url, "fromName"));
        const char *subject = notify_url_decoded(url, notify_url_query(url, "subject"));
        CLEANUP(buf_release) struct buf head = { 0 };

        buf_printf(&head, "From: %s <%s>\r\nTo: ", name ? name : "kured", mail->from);
        for (size_t i = 0; i < mail->to_count; i++)
                buf_printf(&head, "%s<%s>", i ? ", " : "", mail->to[i]);
        buf_printf(&head,
                   "\r\nSubject: %s\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; "
                   "charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n",
                   subject ? subject : "Node reboots");
        return arena_string(url->arena, buf_view(&head));
}

/* A line end in an address or a subject would start another header. */
static bool is_one_line(const char *text) {
        return !strpbrk(text, "\r\n<>");
}

static void set_recipients(const struct service_url *url, struct notify_mail *mail) {
        struct slice to = notify_url_query(url, "toAddresses"), address;

        if (to.len == 0)
                to = notify_url_query(url, "to");
        while (to.ptr && slice_split(&to, ',', &address) && mail->to_count < NOTIFY_REQUESTS_MAX)
                if (address.len > 0)
                        mail->to[mail->to_count++] = notify_url_decoded(url, address);
}

static bool is_mail_whole(const struct service_url *url, const struct notify_mail *mail) {
        const char *subject = notify_url_decoded(url, notify_url_query(url, "subject"));
        const char *name = notify_url_decoded(url, notify_url_query(url, "fromName"));
        const char *client = notify_url_decoded(url, notify_url_query(url, "clientHost"));
        const char *const lines[] = { mail->from, subject, name, client };

        if (!mail->from)
                return false;
        for (size_t i = 0; i < ARRAY_LEN(lines); i++)
                if (lines[i] && !is_one_line(lines[i]))
                        return false;
        for (size_t i = 0; i < mail->to_count; i++)
                if (!is_one_line(mail->to[i]))
                        return false;
        return mail->to_count > 0;
}

static bool to_smtp(const struct service_url *url, struct notify_requests *requests) {
        struct notify_mail *mail = &requests->mail;
        const char *client = notify_url_decoded(url, notify_url_query(url, "clientHost"));

        *mail = (struct notify_mail){ .tls = mail_tls(url),
                                      .username = notify_url_decoded(url, url->user),
                                      .password = notify_url_decoded(url, url->password),
                                      .from = notify_url_decoded(
                                              url, notify_url_query(url, "fromAddress")),
                                      .text = arena_slice(url->arena, url->message) };
        if (!mail->from)
                mail->from = notify_url_decoded(url, notify_url_query(url, "from"));
        set_recipients(url, mail);
        if (!is_mail_whole(url, mail))
                return false;
        mail->server = arena_printf(url->arena, "%s://" SLICE_FMT "/%s",
                                    mail->tls == NOTIFY_TLS_ALWAYS ? "smtps" : "smtp",
                                    SLICE_ARG(url->host), client ? client : "localhost");
        mail->head = mail_head(url, mail);
        requests->is_mail = true;
        return true;
}

static const struct {
        const char *name;
        bool (*make)(const struct service_url *url, struct notify_requests *requests);
        const char *custom_key; /* member of the message in a custom address; NULL = the text */
} services[] = {
        { "slack", to_slack, "text" },
        { "teams", to_teams, "text" },
        { "discord", to_discord, "content" },
        { "generic", to_generic, NULL },
        { "gotify", to_gotify, "message" },
        { "ntfy", to_ntfy, NULL },
        { "telegram", to_telegram, "text" },
        { "matrix", to_matrix, "body" },
        { "rocketchat", to_rocketchat, "text" },
        { "mattermost", to_mattermost, "text" },
        { "smtp", to_smtp, NULL },
        { "bark", notify_bark, NULL },
        { "googlechat", notify_googlechat, NULL },
        { "hangouts", notify_googlechat, NULL },
        { "ifttt", notify_ifttt, NULL },
        { "join", notify_join, NULL },
        { "logger", notify_logger, NULL },
        { "opsgenie", notify_opsgenie, NULL },
        { "pushbullet", notify_pushbullet, NULL },
        { "pushover", notify_pushover, NULL },
        { "zulip", notify_zulip, NULL },
};

static void add_custom(const struct service_url *url, struct notify_requests *requests,
                       const char *key) {
        struct slice body =
                key ? notify_url_json(url, key, NULL, 0) : arena_slice(url->arena, url->message);

        if (slice_is(url->service, "teams"))
                body = teams_body(url);
        notify_url_add(url, requests, url->host,
                       arena_printf(url->arena, "/" SLICE_FMT "%s" SLICE_FMT, SLICE_ARG(url->path),
                                    url->query.len ? "?" : "", SLICE_ARG(url->query)),
                       body);
        requests->items[0].server = arena_printf(url->arena, SLICE_FMT "://" SLICE_FMT,
                                                 SLICE_ARG(url->scheme), SLICE_ARG(url->host));
}

int notify_url_requests(struct slice text, struct slice message, struct arena *arena,
                        struct notify_requests *ret_requests, struct err *err) {
        struct service_url url = { .message = message, .arena = arena };
        bool is_made = false;

        *ret_requests = (struct notify_requests){ 0 };
        if (!split_url(text, &url))
                return err_set(err, BERTH_ERR_INVALID,
                               "expected a notification URL such as slack://A/B/C");
        for (size_t i = 0; i < ARRAY_LEN(services); i++) {
                if (!slice_is(url.service, services[i].name))
                        continue;
                is_made = true;
                if (url.is_custom)
                        add_custom(&url, ret_requests, services[i].custom_key);
                else if (!services[i].make(&url, ret_requests))
                        return err_set(err, BERTH_ERR_INVALID,
                                       "the notification URL for %s lacks something, or has "
                                       "what is not supported",
                                       services[i].name);
        }
        if (!is_made)
                return err_set(err, BERTH_ERR_INVALID,
                               "notification service \"" SLICE_FMT "\" is not supported",
                               SLICE_ARG(url.service));
        return 0;
}

struct slice notify_slack_hook(struct slice hook, struct arena *arena) {
        struct slice prefix = SLICE_LITERAL("https://hooks.slack.com/services/"), rest, part;
        size_t count = 0;

        if (!slice_has_prefix(hook, prefix))
                return SLICE_EMPTY;
        hook = slice_make(hook.ptr + prefix.len, hook.len - prefix.len);
        rest = hook;
        while (slice_split(&rest, '/', &part))
                if (part.len > 0)
                        count++;
        if (count != 3)
                return SLICE_EMPTY;
        return slice_of(arena_printf(arena, "slack://" SLICE_FMT, SLICE_ARG(hook)));
}
