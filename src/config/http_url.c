/* Syntax of URLs, as strict as Go's net/url. */
#include "config/http_url.h"

#include <ctype.h>

static bool is_scheme_character(char c, bool is_first) {
        if (isalpha((unsigned char)c))
                return true;
        return !is_first && (isdigit((unsigned char)c) || c == '+' || c == '-' || c == '.');
}

/* Length of the scheme with its colon; 0 = none. A colon in front is a problem. */
static size_t scheme_length(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] == ':')
                        return i + 1;
                if (!is_scheme_character(text.ptr[i], i == 0))
                        return 0;
        }
        return 0;
}

static size_t find_any(struct slice text, const char *set) {
        size_t at = 0;
        while (at < text.len && !strchr(set, text.ptr[at]))
                at++;
        return at;
}

static const char *port_problem(struct slice port) {
        for (size_t i = 1; i < port.len; i++) {
                if (!isdigit((unsigned char)port.ptr[i]))
                        return "invalid port";
        }
        return port.len > 0 && port.ptr[0] != ':' ? "invalid port" : NULL;
}

static const char *host_problem(struct slice host) {
        if (slice_has_prefix(host, SLICE_LITERAL("["))) {
                size_t end = find_any(host, "]");
                if (end == host.len)
                        return "missing ']' in host";
                return port_problem(slice_make(host.ptr + end + 1, host.len - end - 1));
        }
        if (find_any(host, " \"<>\\^`{|}") < host.len)
                return "invalid character in host name";
        size_t colon = host.len;
        while (colon > 0 && host.ptr[colon - 1] != ':')
                colon--;
        if (colon == 0)
                return NULL;
        return port_problem(slice_make(host.ptr + colon - 1, host.len - colon + 1));
}

static const char *escape_problem(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] != '%')
                        continue;
                if (i + 2 >= text.len || !isxdigit((unsigned char)text.ptr[i + 1]) ||
                    !isxdigit((unsigned char)text.ptr[i + 2]))
                        return "invalid escape";
        }
        return NULL;
}

static const char *authority_problem(struct slice rest) {
        struct slice host = slice_make(rest.ptr, find_any(rest, "/?#"));
        for (size_t i = host.len; i > 0; i--) {
                if (host.ptr[i - 1] == '@') {
                        host = slice_make(host.ptr + i, host.len - i);
                        break;
                }
        }
        return host_problem(host);
}

const char *http_url_problem(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
                        return "invalid control character";
        }
        size_t scheme = scheme_length(text);
        if (scheme == 1)
                return "missing scheme";
        struct slice rest = slice_make(text.ptr + scheme, text.len - scheme);
        if (scheme == 0 && find_any(rest, ":") < find_any(rest, "/?#"))
                return "first path segment contains a colon";
        const char *problem = escape_problem(slice_make(rest.ptr, find_any(rest, "?")));
        if (!problem && slice_has_prefix(rest, SLICE_LITERAL("//")))
                problem = authority_problem(slice_make(rest.ptr + 2, rest.len - 2));
        return problem;
}
