/* What is wrong with a URL, in the order and in the words of Go. */
#include "cel/go_url.h"

#include "base/go_quote.h"
#include "cel/go_address.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

enum url_part { /* that has rules of its own for characters and escapes */
                URL_PART_HOST,
                URL_PART_ZONE,
                URL_PART_OTHER
};

/* ---- characters ---- */

static size_t url_position(struct slice text, char mark) {
        const char *at = text.len ? memchr(text.ptr, mark, text.len) : NULL;

        return at ? (size_t)(at - text.ptr) : text.len;
}

static size_t url_last_position(struct slice text, char mark) {
        for (size_t i = text.len; i > 0; i--) {
                if (text.ptr[i - 1] == mark)
                        return i - 1;
        }
        return text.len;
}

static struct slice url_before(struct slice text, size_t at) {
        return slice_make(text.ptr, at < text.len ? at : text.len);
}

static struct slice url_from(struct slice text, size_t at) {
        return at < text.len ? slice_make(text.ptr + at, text.len - at) : SLICE_EMPTY;
}

static bool is_in(unsigned char c, const char *set) {
        return c != '\0' && strchr(set, c);
}

static bool is_letter_or_digit(unsigned char c) {
        return c < 0x80 && isalnum(c);
}

static bool is_host_character(unsigned char c) {
        return is_letter_or_digit(c) || is_in(c, "-_.~!$&'()*+,;=:[]<>\"");
}

/* ---- escapes ---- */

/* Whether the escape at the start of the text, which is well-formed, may stand in that part. */
static bool is_escape_allowed(struct slice text, enum url_part part) {
        unsigned byte = (unsigned)(hex_value(text.ptr[1]) << 4 | hex_value(text.ptr[2]));

        if (part == URL_PART_OTHER || byte == '%')
                return true;
        if (part == URL_PART_HOST)
                return byte >= 0x80;
        return byte == ' ' || is_host_character((unsigned char)byte);
}

static const char *escapes_problem(struct arena *arena, struct slice text, enum url_part part) {
        for (size_t i = 0; i < text.len; i++) {
                struct slice here = url_before(url_from(text, i), 1);

                if (*here.ptr == '%') {
                        here = url_before(url_from(text, i), 3);
                        if (here.len < 3 || !isxdigit((unsigned char)here.ptr[1]) ||
                            !isxdigit((unsigned char)here.ptr[2]) || !is_escape_allowed(here, part))
                                return arena_printf(arena, "invalid URL escape %s",
                                                    go_quoted(arena, here));
                        i += 2;
                } else if (part != URL_PART_OTHER && (unsigned char)*here.ptr < 0x80 &&
                           !is_host_character((unsigned char)*here.ptr)) {
                        return arena_printf(arena, "invalid character %s in host name",
                                            go_quoted(arena, here));
                }
        }
        return NULL;
}

/* ---- authority ---- */

/* Nothing, or a colon and digits. */
static const char *port_problem(struct arena *arena, struct slice port) {
        bool is_valid = port.len == 0 || *port.ptr == ':';

        for (size_t i = 1; i < port.len; i++)
                is_valid = is_valid && isdigit((unsigned char)port.ptr[i]);
        return is_valid ? NULL
                        : arena_printf(arena, "invalid port %s after host", go_quoted(arena, port));
}

/* An address of IPv6, with all that is escaped in it. */
static const char *literal_problem(struct arena *arena, struct slice literal) {
        CLEANUP(buf_release) struct buf plain = { 0 };
        struct go_address address;

        (void)url_unescape(literal, false, &plain);
        const char *problem = go_address_parse(arena, buf_view(&plain), &address);
        if (problem)
                return arena_printf(arena, "invalid host: %s", problem);
        return address.is_v6 ? NULL : "invalid IP-literal";
}

/* "[...]:80". */
static const char *bracket_problem(struct arena *arena, struct slice host) {
        size_t end = url_last_position(host, ']'), zone = 0;

        if (end == host.len)
                return "missing ']' in host";
        const char *problem = port_problem(arena, url_from(host, end + 1));
        struct slice literal = slice_make(host.ptr + 1, end - 1);
        while (zone < literal.len &&
               !slice_has_prefix(url_from(literal, zone), SLICE_LITERAL("%25")))
                zone++;
        if (!problem)
                problem = escapes_problem(arena, url_before(literal, zone), URL_PART_HOST);
        if (!problem)
                problem = escapes_problem(arena, url_from(literal, zone), URL_PART_ZONE);
        return problem ? problem : literal_problem(arena, literal);
}

static bool is_http(struct slice scheme) {
        return (scheme.len == 4 && strncasecmp(scheme.ptr, "http", 4) == 0) ||
               (scheme.len == 5 && strncasecmp(scheme.ptr, "https", 5) == 0);
}

/* Other schemes have lists of hosts, of which only the last port is read. */
static const char *host_problem(struct arena *arena, struct slice scheme, struct slice host) {
        size_t bracket = url_last_position(host, '['), colon;

        if (bracket < host.len)
                return bracket > 0 ? "invalid IP-literal" : bracket_problem(arena, host);
        colon = is_http(scheme) ? url_position(host, ':') : url_last_position(host, ':');
        const char *problem = port_problem(arena, url_from(host, colon));
        return problem ? problem : escapes_problem(arena, host, URL_PART_HOST);
}

static const char *user_problem(struct arena *arena, struct slice user) {
        size_t colon = url_position(user, ':');

        for (size_t i = 0; i < user.len; i++) {
                unsigned char c = (unsigned char)user.ptr[i];

                if (!is_letter_or_digit(c) && !is_in(c, "-._:~!$&'()*+,;=%@"))
                        return "net/url: invalid userinfo";
        }
        const char *problem = escapes_problem(arena, url_before(user, colon), URL_PART_OTHER);
        return problem ? problem : escapes_problem(arena, url_from(user, colon), URL_PART_OTHER);
}

static const char *authority_problem(struct arena *arena, struct slice scheme,
                                     struct slice authority) {
        size_t at = url_last_position(authority, '@');
        bool has_user = at < authority.len;
        const char *problem =
                host_problem(arena, scheme, has_user ? url_from(authority, at + 1) : authority);

        if (problem || !has_user)
                return problem;
        return user_problem(arena, url_before(authority, at));
}

/* ---- all of it ---- */

/* Length of the scheme, which a colon ends; the length of the text when there is none. */
static size_t scheme_length(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = (unsigned char)text.ptr[i];

                if (c == ':')
                        return i;
                if (c >= 0x80 || !(isalpha(c) || (i > 0 && (isdigit(c) || is_in(c, "+-.")))))
                        break;
        }
        return text.len;
}

static bool has_control_character(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
                        return true;
        }
        return false;
}

/* Of what stands between the scheme and the query. */
static const char *hierarchy_problem(struct arena *arena, struct slice scheme, struct slice rest,
                                     enum url_form form) {
        const char *problem = NULL;
        bool has_authority =
                slice_has_prefix(rest, SLICE_LITERAL("//")) &&
                (scheme.len || (form == URL_ANY && !slice_has_prefix(rest, SLICE_LITERAL("///"))));

        if (rest.len == 0 || *rest.ptr != '/') {
                if (scheme.len)
                        return NULL; /* opaque */
                if (form == URL_REQUEST)
                        return "invalid URI for request";
                if (url_position(rest, ':') < url_position(rest, '/'))
                        return "first path segment in URL cannot contain colon";
        }
        if (has_authority) {
                size_t end = url_position(url_from(rest, 2), '/') + 2;

                problem = authority_problem(arena, scheme, url_from(url_before(rest, end), 2));
                rest = url_from(rest, end);
        }
        return problem ? problem : escapes_problem(arena, rest, URL_PART_OTHER);
}

static const char *part_problem(struct arena *arena, struct slice text, enum url_form form) {
        size_t colon = scheme_length(text);
        bool has_scheme = colon < text.len;
        struct slice rest = has_scheme ? url_from(text, colon + 1) : text;

        if (has_control_character(text))
                return "net/url: invalid control character in URL";
        if (text.len == 0 && form == URL_REQUEST)
                return "empty url";
        if (slice_is(text, "*"))
                return NULL;
        if (has_scheme && colon == 0)
                return "missing protocol scheme";
        return hierarchy_problem(arena, has_scheme ? url_before(text, colon) : SLICE_EMPTY,
                                 url_before(rest, url_position(rest, '?')), form);
}

const char *go_url_problem(struct arena *arena, struct slice text, enum url_form form) {
        size_t hash = form == URL_ANY ? url_position(text, '#') : text.len;
        struct slice shown = url_before(text, hash);
        const char *problem = part_problem(arena, shown, form);

        if (!problem) {
                problem = escapes_problem(arena, url_from(text, hash + 1), URL_PART_OTHER);
                shown = text;
        }
        return problem ? arena_printf(arena, "parse %s: %s", go_quoted(arena, shown), problem)
                       : NULL;
}
