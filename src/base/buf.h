/* Growing byte buffer with a mandatory maximum. */
#pragma once

#include "base/slice.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUF_MAX_DEFAULT ((size_t)1 << 31)

struct buf {
        char *data; /* NUL-terminated whenever non-NULL */
        size_t len, cap, max;
        bool overflowed; /* an append was refused because of max; sticky until buf_clear */
};

void buf_init(struct buf *buf, size_t max); /* 0 = BUF_MAX_DEFAULT; a zeroed struct is valid too */
void buf_release(struct buf *buf);          /* accepts a zeroed struct; leaves it zeroed */
void buf_clear(struct buf *buf);            /* keeps the memory */
bool buf_reserve(struct buf *buf, size_t extra);
bool buf_append(struct buf *buf, const void *data, size_t size);
bool buf_slice(struct buf *buf, struct slice text);
bool buf_text(struct buf *buf, const char *text);
bool buf_char(struct buf *buf, char c);
bool buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool buf_vprintf(struct buf *buf, const char *format, va_list args)
        __attribute__((format(printf, 2, 0)));
bool buf_u64(struct buf *buf, uint64_t value);            /* decimal */
bool buf_code_point(struct buf *buf, uint32_t code);      /* as UTF-8; up to 0x1fffff */
bool buf_json_string(struct buf *buf, struct slice text); /* quoted and escaped as JSON */
bool buf_json_plain(struct buf *buf, struct slice text);  /* quoted; needs no escape */
/* The same for a name of any text, with a comma before it unless it is the first. */
bool buf_json_member(struct buf *buf, struct slice name, bool is_first);
bool buf_json_key(struct buf *buf, const char *name); /* "name": of a name that needs no escape */
struct slice buf_view(const struct buf *buf);
/* Hands the memory over (free with free()); the buffer is empty afterwards. NULL only when empty.
 */
char *buf_take(struct buf *buf, size_t *ret_len);
