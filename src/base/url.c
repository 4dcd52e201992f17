/* Reading URLs. What Go lets pass passes, what it refuses is refused. */
#include "base/url.h"

#include <ctype.h>
#include <string.h>

/* ---- characters ---- */

static bool is_unreserved(char c) {
        return isalnum((unsigned char)c) || (c != '\0' && strchr("-_.~", c));
}

static bool is_one_of(char c, const char *set) {
        return c != '\0' && strchr(set, c);
}

/* The byte of an escape that begins there; -1 when it is none. */
static int escape_at(struct slice text, size_t at) {
        if (text.len - at < 3 || hex_value(text.ptr[at + 1]) < 0 || hex_value(text.ptr[at + 2]) < 0)
                return -1;
        return hex_value(text.ptr[at + 1]) * 16 + hex_value(text.ptr[at + 2]);
}

static size_t url_find(struct slice text, char mark) {
        const char *at = text.len ? memchr(text.ptr, mark, text.len) : NULL;
        return at ? (size_t)(at - text.ptr) : text.len;
}

static struct slice url_behind(struct slice text, size_t at) {
        return at >= text.len ? SLICE_EMPTY : slice_make(text.ptr + at, text.len - at);
}

static const char *escape_problem(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] == '%' && escape_at(text, i) < 0)
                        return "invalid URL escape";
        }
        return NULL;
}

/* ---- authority ---- */

static const char *port_problem(struct slice port) {
        for (size_t i = 1; i < port.len; i++) {
                if (!isdigit((unsigned char)port.ptr[i]))
                        return "invalid port after host";
        }
        return port.len > 0 && port.ptr[0] != ':' ? "invalid port after host" : NULL;
}

/* Escapes in a host stand for bytes beyond ASCII, or for the percent sign of a zone. */
static const char *host_characters_problem(struct slice host) {
        for (size_t i = 0; i < host.len; i++) {
                char c = host.ptr[i];
                int byte = c == '%' ? escape_at(host, i) : 0;
                if (c == '%' && byte < 0x80 && byte != '%')
                        return "invalid URL escape";
                if (c != '%' && (unsigned char)c < 0x80 && !is_unreserved(c) &&
                    !is_one_of(c, "!$&'()*+,;=:[]<>\""))
                        return "invalid character in host name";
        }
        return NULL;
}

static const char *host_problem(struct slice host) {
        const char *problem;
        size_t colon = host.len;
        if (host.len > 0 && host.ptr[0] == '[') {
                size_t end = host.len;
                while (end > 0 && host.ptr[end - 1] != ']')
                        end--;
                problem = end == 0 ? "missing ']' in host" : port_problem(url_behind(host, end));
        } else {
                while (colon > 0 && host.ptr[colon - 1] != ':')
                        colon--;
                problem = colon == 0 ? NULL : port_problem(url_behind(host, colon - 1));
        }
        return problem ? problem : host_characters_problem(host);
}

static const char *user_problem(struct slice user) {
        for (size_t i = 0; i < user.len; i++) {
                if (!is_unreserved(user.ptr[i]) && !is_one_of(user.ptr[i], ":!$&'()*+,;=%@"))
                        return "invalid userinfo";
        }
        return escape_problem(user);
}

static const char *take_authority(struct slice authority, struct url *url) {
        const char *problem = NULL;
        size_t at = authority.len;
        while (at > 0 && authority.ptr[at - 1] != '@')
                at--;
        url->host = url_behind(authority, at);
        if (at > 0) {
                url->user = slice_make(authority.ptr, at - 1);
                problem = user_problem(url->user);
        }
        return problem ? problem : host_problem(url->host);
}

/* ---- parts ---- */

static bool is_scheme_character(char c, bool is_first) {
        if (isalpha((unsigned char)c))
                return true;
        return !is_first && (isdigit((unsigned char)c) || is_one_of(c, "+-."));
}

/* Length of the scheme with its colon; 0 = none. */
static size_t scheme_length(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] == ':')
                        return i + 1;
                if (!is_scheme_character(text.ptr[i], i == 0))
                        return 0;
        }
        return 0;
}

static const char *characters_problem(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
                        return "invalid control character in URL";
        }
        return NULL;
}

static const char *take_path(struct slice rest, enum url_form form, struct url *url) {
        const char *problem = NULL;
        bool has_authority = slice_has_prefix(rest, SLICE_LITERAL("//")) &&
                             (url->scheme.len > 0 ||
                              (form == URL_ANY && !slice_has_prefix(rest, SLICE_LITERAL("///"))));
        if (rest.len == 0 || rest.ptr[0] != '/') {
                if (url->scheme.len > 0)
                        return NULL; /* opaque */
                if (form == URL_REQUEST)
                        return "invalid URI for request";
                if (url_find(rest, ':') < url_find(rest, '/'))
                        return "first path segment contains a colon";
        }
        if (has_authority) {
                struct slice authority = url_behind(rest, 2);
                size_t end = url_find(authority, '/');
                problem = take_authority(slice_make(authority.ptr, end), url);
                rest = url_behind(authority, end);
        }
        url->path = rest;
        return problem ? problem : escape_problem(rest);
}

const char *url_parse(struct slice text, enum url_form form, struct url *ret_url) {
        const char *problem = characters_problem(text);
        size_t scheme, end = form == URL_ANY ? url_find(text, '#') : text.len;
        *ret_url = (struct url){ .fragment = url_behind(text, end + 1) };
        text = slice_make(text.ptr, end);
        if (problem)
                return problem;
        if (text.len == 0 && form == URL_REQUEST)
                return "empty url";
        if (slice_is(text, "*")) {
                ret_url->path = text;
                return NULL;
        }
        scheme = scheme_length(text);
        if (scheme == 1)
                return "missing protocol scheme";
        if (scheme > 0)
                ret_url->scheme = slice_make(text.ptr, scheme - 1);
        text = url_behind(text, scheme);
        end = url_find(text, '?');
        ret_url->query = url_behind(text, end + 1);
        problem = take_path(slice_make(text.ptr, end), form, ret_url);
        return problem ? problem : escape_problem(ret_url->fragment);
}

/* ---- escapes ---- */

bool url_unescape(struct slice part, bool is_query, struct buf *out) {
        if (escape_problem(part))
                return false;
        for (size_t i = 0; i < part.len; i++) {
                if (part.ptr[i] == '%') {
                        buf_char(out, (char)escape_at(part, i));
                        i += 2;
                } else {
                        buf_char(out, is_query && part.ptr[i] == '+' ? ' ' : part.ptr[i]);
                }
        }
        return true;
}

static bool is_escaped_well(struct slice path) {
        for (size_t i = 0; i < path.len; i++) {
                if (!is_unreserved(path.ptr[i]) && !is_one_of(path.ptr[i], "!$&'()*+,;=:@[]%/"))
                        return false;
        }
        return true;
}

void url_escape_path(struct slice path, struct buf *out) {
        struct buf plain = { 0 };
        if (is_escaped_well(path)) {
                buf_slice(out, path);
                return;
        }
        (void)url_unescape(path, false, &plain);
        for (size_t i = 0; i < plain.len; i++) {
                char c = plain.data[i];
                if (is_unreserved(c) || is_one_of(c, "$&+,/:;=@"))
                        buf_char(out, c);
                else
                        buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
        }
        buf_release(&plain);
}
