/* Request paths with query parameters. */
#include "client/url_query.h"

#include <string.h>

static bool is_unreserved(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.' || c == '~';
}

void url_escape(struct buf *url, struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if (is_unreserved(text.ptr[i]))
                        buf_char(url, text.ptr[i]);
                else
                        buf_printf(url, "%%%02X", (unsigned char)text.ptr[i]);
        }
}

void url_query_text(struct buf *url, const char *name, struct slice value) {
        bool has_query = url->len && memchr(url->data, '?', url->len);

        buf_char(url, has_query ? '&' : '?');
        buf_text(url, name);
        buf_char(url, '=');
        url_escape(url, value);
}

void url_query_u64(struct buf *url, const char *name, uint64_t value) {
        url_query_text(url, name, SLICE_EMPTY);
        buf_u64(url, value);
}
