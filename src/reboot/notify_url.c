/* Services of notification URLs: one row and one function each. */
#include "reboot/notify_url.h"

#include "base/buf.h"
#include "base/util.h"
#include <stdbool.h>
#include <strings.h>

#define PATH_PARTS_MAX 8

struct service_url {
        struct slice service;
        bool is_custom;      /* service+https://: the rest is the address itself */
        struct slice scheme; /* of a custom one */
        struct slice user, password, host, path, query;
        size_t part_count;
        struct slice parts[PATH_PARTS_MAX]; /* of the path */
        struct slice message;
        struct arena *arena;
};

/* Names of parameters are written in any case. */
static struct slice query_get(const struct service_url *url, const char *name) {
        struct slice rest = url->query, item, key;

        while (rest.ptr && slice_split(&rest, '&', &item)) {
                struct slice value = item;

                if (slice_split(&value, '=', &key) && key.len == strlen(name) &&
                    strncasecmp(key.ptr, name, key.len) == 0)
                        return value.ptr ? value : SLICE_EMPTY;
        }
        return SLICE_EMPTY;
}

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
        return url->service.len > 0 && url->host.len > 0;
}

/* ---- bodies ---- */

static struct slice notify_url_keep(struct buf *text, struct arena *arena) {
        struct slice copy = arena_slice(arena, buf_view(text));

        buf_release(text);
        return copy;
}

/* {"key":"message"} with more text members where they are not empty */
static struct slice json_body(const struct service_url *url, const char *key,
                              const struct slice *more, size_t more_count) {
        struct buf body = { 0 };

        buf_printf(&body, "{\"%s\":", key);
        buf_json_string(&body, url->message);
        for (size_t i = 0; i + 1 < more_count; i += 2) {
                if (more[i + 1].len == 0)
                        continue;
                buf_char(&body, ',');
                buf_json_string(&body, more[i]);
                buf_char(&body, ':');
                buf_json_string(&body, more[i + 1]);
        }
        buf_char(&body, '}');
        return notify_url_keep(&body, url->arena);
}

static bool is_yes(struct slice text) {
        static const char *const words[] = { "yes", "Yes", "true", "1" };

        for (size_t i = 0; i < ARRAY_LEN(words); i++)
                if (slice_is(text, words[i]))
                        return true;
        return false;
}

static bool has_tls(const struct service_url *url) {
        return !is_yes(query_get(url, "disabletls")) && !slice_is(query_get(url, "scheme"), "http");
}

static void notify_url_add(const struct service_url *url, struct notify_requests *requests,
                           struct slice host, const char *path, struct slice body) {
        if (requests->count == NOTIFY_REQUESTS_MAX)
                return;
        requests->items[requests->count++] = (struct notify_request){
                .server = arena_printf(url->arena, "%s://" SLICE_FMT,
                                       has_tls(url) ? "https" : "http", SLICE_ARG(host)),
                .path = slice_of(path),
                .content_type = SLICE_LITERAL("application/json"),
                .body = body,
        };
}

/* ---- services; false: something is missing ---- */

static bool to_slack(const struct service_url *url, struct notify_requests *requests) {
        struct slice name = url->user, parts[3] = { url->host, SLICE_EMPTY, SLICE_EMPTY };

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
                       json_body(url, "text", more, 2));
        return true;
}

static struct slice teams_body(const struct service_url *url) {
        const struct slice more[] = {
                SLICE_LITERAL("@type"),    SLICE_LITERAL("MessageCard"),
                SLICE_LITERAL("@context"), SLICE_LITERAL("http://schema.org/extensions"),
                SLICE_LITERAL("summary"),  url->message
        };

        return json_body(url, "text", more, ARRAY_LEN(more));
}

static bool to_teams(const struct service_url *url, struct notify_requests *requests) {
        struct slice host = query_get(url, "host");

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
                       json_body(url, "content", NULL, 0));
        return true;
}

static bool to_generic(const struct service_url *url, struct notify_requests *requests) {
        bool is_json = slice_is(query_get(url, "template"), "json") ||
                       slice_is(query_get(url, "template"), "JSON");

        notify_url_add(url, requests, url->host,
                       arena_printf(url->arena, "/" SLICE_FMT, SLICE_ARG(url->path)),
                       is_json ? json_body(url, "message", NULL, 0)
                               : arena_slice(url->arena, url->message));
        return true;
}

static bool to_gotify(const struct service_url *url, struct notify_requests *requests) {
        const struct slice more[] = { SLICE_LITERAL("title"), query_get(url, "title") };
        struct buf path = { 0 };

        if (url->part_count == 0)
                return false;
        for (size_t i = 0; i + 1 < url->part_count; i++)
                buf_printf(&path, "/" SLICE_FMT, SLICE_ARG(url->parts[i]));
        buf_printf(&path, "/message?token=" SLICE_FMT, SLICE_ARG(url->parts[url->part_count - 1]));
        notify_url_add(url, requests, url->host, notify_url_keep(&path, url->arena).ptr,
                       json_body(url, "message", more, ARRAY_LEN(more)));
        return true;
}

static int hex_digit(char c) {
        if (c >= '0' && c <= '9')
                return c - '0';
        if (c >= 'a' && c <= 'f')
                return c - 'a' + 10;
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Without %XX; NULL for nothing. */
static const char *notify_url_decoded(const struct service_url *url, struct slice text) {
        char *plain = arena_alloc(url->arena, text.len + 1);
        size_t len = 0;

        for (size_t i = 0; i < text.len; i++) {
                bool is_code = text.ptr[i] == '%' && i + 2 < text.len &&
                               hex_digit(text.ptr[i + 1]) >= 0 && hex_digit(text.ptr[i + 2]) >= 0;

                plain[len++] = is_code ? (char)(hex_digit(text.ptr[i + 1]) * 16 +
                                                hex_digit(text.ptr[i + 2]))
                                       : text.ptr[i];
                i += is_code ? 2 : 0;
        }
        plain[len] = '\0';
        return len > 0 ? plain : NULL;
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
        struct slice chats = query_get(url, "chats"), chat;
        const char *path = arena_printf(url->arena, "/bot" SLICE_FMT "%s" SLICE_FMT "/sendMessage",
                                        SLICE_ARG(url->user), url->password.len ? ":" : "",
                                        SLICE_ARG(url->password));

        while (chats.ptr && slice_split(&chats, ',', &chat)) {
                const struct slice more[] = { SLICE_LITERAL("chat_id"), chat };

                notify_url_add(url, requests, SLICE_LITERAL("api.telegram.org"), path,
                               json_body(url, "text", more, ARRAY_LEN(more)));
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
        struct slice rooms = query_get(url, "rooms"), room;
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
                               json_body(url, "body", more, ARRAY_LEN(more)));
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
                       json_body(url, "text", more, ARRAY_LEN(more)));
        return true;
}

static bool to_mattermost(const struct service_url *url, struct notify_requests *requests) {
        return to_hook(url, requests, 1);
}

static bool to_rocketchat(const struct service_url *url, struct notify_requests *requests) {
        return to_hook(url, requests, 2);
}

static enum notify_tls mail_tls(const struct service_url *url) {
        struct slice how = query_get(url, "encryption"), starts = query_get(url, "useStartTLS");

        if (slice_is(how, "ImplicitTLS"))
                return NOTIFY_TLS_ALWAYS;
        if (slice_is(how, "ExplicitTLS"))
                return NOTIFY_TLS_UPGRADE;
        return slice_is(how, "None") || (starts.len > 0 && !is_yes(starts)) ? NOTIFY_TLS_NEVER
                                                                            : NOTIFY_TLS_IF_OFFERED;
}

static const char *mail_head(const struct service_url *url, const struct notify_mail *mail) {
        const char *name = notify_url_decoded(url, query_get(url, "fromName"));
        const char *subject = notify_url_decoded(url, query_get(url, "subject"));
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
        struct slice to = query_get(url, "toAddresses"), address;

        if (to.len == 0)
                to = query_get(url, "to");
        while (to.ptr && slice_split(&to, ',', &address) && mail->to_count < NOTIFY_REQUESTS_MAX)
                if (address.len > 0)
                        mail->to[mail->to_count++] = notify_url_decoded(url, address);
}

static bool is_mail_whole(const struct service_url *url, const struct notify_mail *mail) {
        const char *subject = notify_url_decoded(url, query_get(url, "subject"));
        const char *name = notify_url_decoded(url, query_get(url, "fromName"));
        const char *client = notify_url_decoded(url, query_get(url, "clientHost"));
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
        const char *client = notify_url_decoded(url, query_get(url, "clientHost"));

        *mail = (struct notify_mail){ .tls = mail_tls(url),
                                      .username = notify_url_decoded(url, url->user),
                                      .password = notify_url_decoded(url, url->password),
                                      .from = notify_url_decoded(url,
                                                                 query_get(url, "fromAddress")),
                                      .text = arena_slice(url->arena, url->message) };
        if (!mail->from)
                mail->from = notify_url_decoded(url, query_get(url, "from"));
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
};

static void add_custom(const struct service_url *url, struct notify_requests *requests,
                       const char *key) {
        struct slice body =
                key ? json_body(url, key, NULL, 0) : arena_slice(url->arena, url->message);

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
