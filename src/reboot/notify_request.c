/* Parameters, bodies and requests of notification services. */
#include "reboot/notify_url_priv.h"

#include "base/url.h"
#include "base/util.h"
#include <strings.h>

struct slice notify_url_keep(struct buf *text, struct arena *arena) {
        struct slice copy = arena_slice(arena, buf_view(text));

        buf_release(text);
        return copy;
}

struct slice notify_url_query(const struct service_url *url, const char *name) {
        struct slice rest = url->query, item, key;

        while (rest.ptr && slice_split(&rest, '&', &item)) {
                struct slice value = item;

                if (slice_split(&value, '=', &key) && key.len == strlen(name) &&
                    strncasecmp(key.ptr, name, key.len) == 0)
                        return value.ptr ? value : SLICE_EMPTY;
        }
        return SLICE_EMPTY;
}

struct slice notify_url_text(const struct service_url *url, const char *name) {
        struct buf plain = { 0 };

        if (!url_unescape(notify_url_query(url, name), true, &plain))
                buf_slice(&plain, notify_url_query(url, name));
        return notify_url_keep(&plain, url->arena);
}

static int hex_digit(char c) {
        if (c >= '0' && c <= '9')
                return c - '0';
        if (c >= 'a' && c <= 'f')
                return c - 'a' + 10;
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

const char *notify_url_decoded(const struct service_url *url, struct slice text) {
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

struct slice notify_url_json(const struct service_url *url, const char *key,
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

bool notify_url_is_yes(struct slice text) {
        static const char *const words[] = { "yes", "Yes", "true", "1" };

        for (size_t i = 0; i < ARRAY_LEN(words); i++)
                if (slice_is(text, words[i]))
                        return true;
        return false;
}

static bool has_tls(const struct service_url *url) {
        return !notify_url_is_yes(notify_url_query(url, "disabletls")) &&
               !slice_is(notify_url_query(url, "scheme"), "http");
}

void notify_url_add(const struct service_url *url, struct notify_requests *requests,
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
