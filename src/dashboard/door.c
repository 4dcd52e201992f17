/* Token, cookie, Host and Origin. */
#include "dashboard/door.h"

#include "base/url.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int door_init(struct door *door, const char *hosts, struct err *err) {
        struct slice rest = slice_of(hosts), host;

        *door = (struct door){ 0 };
        while (slice_split(&rest, ',', &host)) {
                if (door->host_count == DOOR_HOSTS_MAX)
                        return err_set(err, BERTH_ERR_USAGE, "expected at most %d names of hosts",
                                       DOOR_HOSTS_MAX);
                door->hosts[door->host_count++] = slice_trim(host);
        }
        if (token_make(door->token, err) < 0)
                return err->code;
        return token_make(door->secret, err);
}

void door_name_cookie(struct door *door, uint16_t port) {
        snprintf(door->cookie, sizeof(door->cookie), "berth_dashboard_%u", (unsigned)port);
}

/* ---- secrets ---- */

/* Takes as long whatever differs, so that time says nothing. */
static bool is_secret(struct slice given, const char *secret) {
        size_t length = strlen(secret);
        unsigned char difference = given.len != length;

        for (size_t i = 0; i < length; i++)
                difference |= (unsigned char)(secret[i] ^ (i < given.len ? given.ptr[i] : 0));
        return difference == 0;
}

static bool has_cookie(const struct door *door, const struct http_request *request) {
        struct slice rest = http_request_header(request, "Cookie"), pair, name;

        while (slice_split(&rest, ';', &pair)) {
                pair = slice_trim(pair);
                if (!slice_split(&pair, '=', &name) || !pair.ptr)
                        continue;
                if (slice_is(name, door->cookie) && is_secret(pair, door->secret))
                        return true;
        }
        return false;
}

static bool has_bearer(const struct door *door, const struct http_request *request) {
        static const struct slice scheme = SLICE_INIT("Bearer ");
        struct slice given = request->authorization;

        if (given.len < scheme.len || strncasecmp(given.ptr, scheme.ptr, scheme.len) != 0)
                return false;
        return is_secret(slice_make(given.ptr + scheme.len, given.len - scheme.len), door->token);
}

/* "/?token=..." only: no other address takes one. */
static bool is_first_visit(const struct door *door, struct slice target) {
        static const struct slice start = SLICE_INIT("/?token=");

        return slice_has_prefix(target, start) &&
               is_secret(slice_make(target.ptr + start.len, target.len - start.len), door->token);
}

/* ---- names ---- */

/* "[::1]:80" and "localhost:80" without their ports. */
static struct slice host_without_port(struct slice host) {
        const char *end;

        if (host.len && host.ptr[0] == '[') {
                end = memchr(host.ptr, ']', host.len);
                return end ? slice_make(host.ptr + 1, (size_t)(end - host.ptr) - 1) : SLICE_EMPTY;
        }
        end = host.len ? memchr(host.ptr, ':', host.len) : NULL;
        return end ? slice_make(host.ptr, (size_t)(end - host.ptr)) : host;
}

static bool is_number(struct slice host) {
        char text[INET6_ADDRSTRLEN];
        unsigned char address[16];

        if (host.len == 0 || host.len >= sizeof(text))
                return false;
        memcpy(text, host.ptr, host.len);
        text[host.len] = '\0';
        return inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1;
}

static bool is_same_name(struct slice a, struct slice b) {
        return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

bool door_knows_host(const struct door *door, struct slice host) {
        struct slice name = host_without_port(host);

        if (is_number(name))
                return true;
        if (name.len == 0)
                return false;
        for (size_t i = 0; i < door->host_count; i++)
                if (is_same_name(name, door->hosts[i]))
                        return true;
        return is_same_name(name, SLICE_LITERAL("localhost"));
}

/* What a page of another origin sends; pages of our own send none with GET, or our Host. A
 * browser names the origin of every POST: without one only a script with the token may ask. */
static bool is_foreign(const struct door *door, const struct http_request *request) {
        struct slice origin = http_request_header(request, "Origin");
        struct slice site = http_request_header(request, "Sec-Fetch-Site");
        bool is_read = slice_is(request->method, "GET");
        struct url url;

        if (slice_is(site, "cross-site") &&
            slice_has_prefix(request->target, SLICE_LITERAL("/api")))
                return true;
        if (!is_read && site.len && !slice_is(site, "same-origin"))
                return true;
        if (!origin.len)
                return !is_read && !has_bearer(door, request);
        return url_parse(origin, URL_ANY, &url) ||
               !is_same_name(url.host, http_request_header(request, "Host"));
}

enum door_answer door_ask(const struct door *door, const struct http_request *request) {
        if (!door_knows_host(door, http_request_header(request, "Host")))
                return DOOR_WRONG_HOST;
        if (is_foreign(door, request))
                return DOOR_WRONG_ORIGIN;
        if (is_first_visit(door, request->target))
                return DOOR_FIRST_VISIT;
        return has_cookie(door, request) || has_bearer(door, request) ? DOOR_OPEN : DOOR_NO_KEY;
}

void door_cookie_write(const struct door *door, bool is_secure, struct buf *out) {
        buf_printf(out, "%s=%s; Path=/; HttpOnly; SameSite=Strict%s", door->cookie, door->secret,
                   is_secure ? "; Secure" : "");
}
