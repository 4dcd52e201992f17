/* Notifications for telephones, chats and alert services, each as its own page of its interface
 * says; the URLs are those of shoutrrr 0.8. */
#include "reboot/notify_url_priv.h"

#include "base/utf8.h"
#include "base/util.h"

#define OPSGENIE_TITLE_MAX 130
#define PUSHBULLET_TOKEN_LEN 34
#define ZULIP_TOPIC_MAX 60 /* characters */

/* A line end would begin another header. */
static bool is_header_part(const char *text) {
        return text && !text[strcspn(text, "\r\n")];
}

/* ---- forms and members ---- */

static void form_add(struct buf *form, const char *name, struct slice value) {
        buf_printf(form, "%s%s=", form->len ? "&" : "", name);
        for (size_t i = 0; i < value.len; i++) {
                char c = value.ptr[i];
                bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                                (c >= 'a' && c <= 'z') || strchr("-._~", c);

                if (is_plain && c)
                        buf_char(form, c);
                else
                        buf_printf(form, "%%%02X", (unsigned char)c);
        }
}

static void form_add_text(struct buf *form, const struct service_url *url, const char *name) {
        struct slice value = notify_url_text(url, name);

        if (value.len > 0)
                form_add(form, name, value);
}

static struct notify_request *last_request(struct notify_requests *requests) {
        return &requests->items[requests->count - 1];
}

static void add_form(const struct service_url *url, struct notify_requests *requests,
                     struct slice host, const char *path, struct buf *form) {
        notify_url_add(url, requests, host, path, notify_url_keep(form, url->arena));
        last_request(requests)->content_type = SLICE_LITERAL("application/x-www-form-urlencoded");
}

static void push_member_name(struct buf *body, const char *name) {
        buf_char(body, body->len ? ',' : '{');
        buf_json_string(body, slice_of(name));
        buf_char(body, ':');
}

static void push_member(struct buf *body, const char *name, struct slice value) {
        if (value.len == 0)
                return;
        push_member_name(body, name);
        buf_json_string(body, value);
}

static struct slice body_end(struct buf *body, const struct service_url *url) {
        buf_char(body, '}');
        return notify_url_keep(body, url->arena);
}

/* A whole number within the bounds; the fallback where there is none. */
static bool push_number(const struct service_url *url, const char *name, int64_t fallback,
                        int64_t min, int64_t max, int64_t *ret_number) {
        struct slice text = notify_url_text(url, name);

        *ret_number = fallback;
        return text.len == 0 ||
               (slice_to_i64(text, ret_number) && *ret_number >= min && *ret_number <= max);
}

/* ---- services ---- */

bool notify_bark(const struct service_url *url, struct notify_requests *requests) {
        static const char *const texts[] = { "title", "sound",    "icon", "group",
                                             "url",   "category", "copy" };
        bool has_end = slice_has_suffix(url->path, SLICE_LITERAL("/"));
        struct buf body = { 0 };
        int64_t badge;

        if (url->password.len == 0 || !push_number(url, "badge", 0, 0, INT32_MAX, &badge))
                return false;
        push_member(&body, "body", url->message);
        push_member(&body, "device_key", slice_of(notify_url_decoded(url, url->password)));
        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                push_member(&body, texts[i], notify_url_text(url, texts[i]));
        push_member_name(&body, "badge");
        buf_u64(&body, (uint64_t)badge);
        notify_url_add(url, requests, url->host,
                       arena_printf(url->arena, "/" SLICE_FMT "%spush", SLICE_ARG(url->path),
                                    url->path.len == 0 || has_end ? "" : "/"),
                       body_end(&body, url));
        return true;
}

bool notify_googlechat(const struct service_url *url, struct notify_requests *requests) {
        struct buf query = { 0 };

        if (notify_url_query(url, "key").len == 0)
                return false;
        form_add(&query, "key", notify_url_text(url, "key"));
        form_add(&query, "token", notify_url_text(url, "token"));
        const char *text = notify_url_keep(&query, url->arena).ptr;
        notify_url_add(url, requests, url->host,
                       arena_printf(url->arena, "/" SLICE_FMT "?%s", SLICE_ARG(url->path), text),
                       notify_url_json(url, "text", NULL, 0));
        return true;
}

bool notify_ifttt(const struct service_url *url, struct notify_requests *requests) {
        struct slice events = notify_url_query(url, "events"), event;
        struct buf body = { 0 };
        int64_t place, title;

        if (!push_number(url, "messagevalue", 2, 1, 3, &place) ||
            !push_number(url, "titlevalue", 0, 0, 3, &title) || title == place)
                return false;
        for (int i = 1; i <= 3; i++) {
                const char *name = arena_printf(url->arena, "value%d", i);

                push_member_name(&body, name);
                buf_json_string(&body, i == place ? url->message : notify_url_text(url, name));
        }
        struct slice text = body_end(&body, url);
        while (events.ptr && slice_split(&events, ',', &event))
                if (event.len > 0)
                        notify_url_add(url, requests, SLICE_LITERAL("maker.ifttt.com"),
                                       arena_printf(url->arena,
                                                    "/trigger/" SLICE_FMT "/with/key/" SLICE_FMT,
                                                    SLICE_ARG(event), SLICE_ARG(url->host)),
                                       text);
        return requests->count > 0;
}

bool notify_join(const struct service_url *url, struct notify_requests *requests) {
        struct buf query = { 0 };

        if (url->password.len == 0 || notify_url_query(url, "devices").len == 0)
                return false;
        form_add(&query, "apikey", slice_of(notify_url_decoded(url, url->password)));
        form_add(&query, "deviceIds", notify_url_text(url, "devices"));
        form_add(&query, "text", url->message);
        form_add_text(&query, url, "title");
        form_add_text(&query, url, "icon");
        const char *text = notify_url_keep(&query, url->arena).ptr;
        notify_url_add(url, requests, SLICE_LITERAL("joinjoaomgcd.appspot.com"),
                       arena_printf(url->arena, "/_ah/api/messaging/v1/sendPush?%s", text),
                       SLICE_EMPTY);
        last_request(requests)->content_type = SLICE_LITERAL("text/plain");
        return true;
}

/* Every notice is in the log anyway. */
bool notify_logger(const struct service_url *url, struct notify_requests *requests) {
        (void)url;
        requests->is_logged = true;
        return true;
}

/* Where the message ends that fits into a title, whole characters only. */
static size_t title_len(struct slice message) {
        size_t len = message.len < OPSGENIE_TITLE_MAX ? message.len : OPSGENIE_TITLE_MAX;

        while (len < message.len && len > 0 && ((unsigned char)message.ptr[len] & 0xc0) == 0x80)
                len--;
        return len;
}

static bool is_opsgenie_id(struct slice text) {
        static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

        if (text.len != sizeof(form) - 1)
                return false;
        for (size_t i = 0; i < text.len; i++) {
                bool is_hex = text.ptr[i] && strchr("0123456789abcdef", text.ptr[i]);

                if (form[i] == 'x' ? !is_hex : text.ptr[i] != '-')
                        return false;
        }
        return true;
}

/* team:NAME, user:NAME, or any type with an id, as a list of objects */
static bool opsgenie_people(struct buf *body, const struct service_url *url, const char *name) {
        struct slice rest = notify_url_text(url, name), item;
        bool is_first = true;

        if (rest.len == 0)
                return true;
        push_member_name(body, name);
        buf_char(body, '[');
        while (rest.ptr && slice_split(&rest, ',', &item)) {
                struct slice who = item, type;
                struct buf person = { 0 };

                if (!slice_split(&who, ':', &type) || !who.ptr)
                        return false;
                const char *key = is_opsgenie_id(who)      ? "id"
                                  : slice_is(type, "team") ? "name"
                                  : slice_is(type, "user") ? "username"
                                                           : NULL;
                if (!key)
                        return false;
                push_member(&person, "type", type);
                push_member(&person, key, who);
                buf_text(body, is_first ? "" : ",");
                buf_slice(body, body_end(&person, url));
                is_first = false;
        }
        buf_char(body, ']');
        return true;
}

static void opsgenie_list(struct buf *body, const struct service_url *url, const char *name) {
        struct slice rest = notify_url_text(url, name), item;
        const char *separator = "[";

        if (rest.len == 0)
                return;
        push_member_name(body, name);
        while (rest.ptr && slice_split(&rest, ',', &item)) {
                buf_text(body, separator);
                buf_json_string(body, item);
                separator = ",";
        }
        buf_char(body, ']');
}

static bool opsgenie_details(struct buf *body, const struct service_url *url) {
        struct slice rest = notify_url_text(url, "details"), item, key;
        struct buf details = { 0 };

        if (rest.len == 0)
                return true;
        while (rest.ptr && slice_split(&rest, ',', &item)) {
                if (!slice_split(&item, ':', &key) || !item.ptr) {
                        buf_release(&details);
                        return false;
                }
                push_member_name(&details, arena_string(url->arena, key));
                buf_json_string(&details, item);
        }
        push_member_name(body, "details");
        buf_slice(body, body_end(&details, url));
        return true;
}

/* What does not fit into the title is in the description, before the one of the URL. */
static void opsgenie_message(struct buf *body, const struct service_url *url) {
        struct slice title = notify_url_text(url, "title"), message = url->message;
        struct slice more = notify_url_text(url, "description");

        if (title.len == 0) {
                title = slice_make(message.ptr, title_len(message));
                message = title.len == message.len ? SLICE_EMPTY : message;
        }
        push_member(body, "message", title);
        push_member(body, "description",
                    slice_of(arena_printf(url->arena, SLICE_FMT "%s" SLICE_FMT, SLICE_ARG(message),
                                          message.len && more.len ? "\n" : "", SLICE_ARG(more))));
}

bool notify_opsgenie(const struct service_url *url, struct notify_requests *requests) {
        static const char *const texts[] = {
                "alias", "entity", "source", "priority", "user", "note"
        };
        const char *key = notify_url_decoded(url, url->path);
        CLEANUP(buf_release) struct buf body = { 0 };

        if (!is_header_part(key))
                return false;
        opsgenie_message(&body, url);
        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                push_member(&body, texts[i], notify_url_text(url, texts[i]));
        opsgenie_list(&body, url, "actions");
        opsgenie_list(&body, url, "tags");
        if (!opsgenie_people(&body, url, "responders") ||
            !opsgenie_people(&body, url, "visibleTo") || !opsgenie_details(&body, url))
                return false;
        notify_url_add(url, requests, url->host, "/v2/alerts", body_end(&body, url));
        last_request(requests)->header =
                arena_printf(url->arena, "Authorization: GenieKey %s", key);
        return true;
}

/* A mail address, #channel or device; "" = every device of the account */
static void pushbullet_add(const struct service_url *url, struct notify_requests *requests,
                           const char *kind, struct slice target) {
        struct slice title = notify_url_text(url, "title");
        struct buf body = { 0 };

        push_member(&body, "type", SLICE_LITERAL("note"));
        push_member(&body, "title", title.len ? title : SLICE_LITERAL("Node reboots"));
        push_member(&body, "body", url->message);
        push_member(&body, kind, target);
        notify_url_add(url, requests, SLICE_LITERAL("api.pushbullet.com"), "/v2/pushes",
                       body_end(&body, url));
        last_request(requests)->header =
                arena_printf(url->arena, "Access-Token: " SLICE_FMT, SLICE_ARG(url->host));
}

bool notify_pushbullet(const struct service_url *url, struct notify_requests *requests) {
        if (url->host.len != PUSHBULLET_TOKEN_LEN)
                return false;
        for (size_t i = 0; i < url->part_count; i++) {
                const char *target = notify_url_decoded(url, url->parts[i]);
                const char *at = target ? strchr(target, '@') : NULL;
                bool is_mail = at && strchr(at, '.');

                pushbullet_add(url, requests, is_mail ? "email" : "device_iden", slice_of(target));
        }
        if (url->fragment.len > 0)
                pushbullet_add(url, requests, "channel_tag",
                               slice_of(notify_url_decoded(url, url->fragment)));
        else if (url->part_count == 0)
                pushbullet_add(url, requests, "device_iden", SLICE_EMPTY);
        return true;
}

bool notify_pushover(const struct service_url *url, struct notify_requests *requests) {
        struct slice devices = notify_url_text(url, "devices");
        struct buf form = { 0 };
        int64_t priority;

        if (url->password.len == 0 || !push_number(url, "priority", 0, -2, 1, &priority))
                return false;
        form_add(&form, "device", devices);
        form_add(&form, "user", url->host);
        form_add(&form, "token", slice_of(notify_url_decoded(url, url->password)));
        form_add(&form, "message", url->message);
        form_add_text(&form, url, "title");
        buf_printf(&form, "&priority=%d", (int)priority);
        add_form(url, requests, SLICE_LITERAL("api.pushover.net"), "/1/messages.json", &form);
        return true;
}

bool notify_zulip(const struct service_url *url, struct notify_requests *requests) {
        struct slice topic = notify_url_text(url, "topic");
        struct buf form = { 0 };
        size_t characters = 0;

        for (size_t i = 0; i < topic.len; i++)
                characters += ((unsigned char)topic.ptr[i] & 0xc0) != 0x80;
        if (url->user.len == 0 || url->password.len == 0 || characters > ZULIP_TOPIC_MAX)
                return false;
        form_add(&form, "type", SLICE_LITERAL("stream"));
        form_add(&form, "to", notify_url_text(url, "stream"));
        form_add(&form, "content", url->message);
        if (topic.len > 0)
                form_add(&form, "topic", topic);
        add_form(url, requests, url->host, "/api/v1/messages", &form);
        last_request(requests)->username = notify_url_decoded(url, url->user);
        last_request(requests)->password = notify_url_decoded(url, url->password);
        return true;
}
