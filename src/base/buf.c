/* Growing byte buffer: doubles its memory, never holds more than its maximum. */
#include "base/buf.h"

#include "base/utf8.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_MIN_CAP ((size_t)64)

static size_t max_of(const struct buf *buf) {
        return buf->max ? buf->max : BUF_MAX_DEFAULT;
}

void buf_init(struct buf *buf, size_t max) {
        *buf = (struct buf){ .max = max ? max : BUF_MAX_DEFAULT };
}

void buf_release(struct buf *buf) {
        free(buf->data);
        *buf = (struct buf){ 0 };
}

void buf_clear(struct buf *buf) {
        buf->len = 0;
        buf->overflowed = false;
        if (buf->data)
                buf->data[0] = '\0';
}

bool buf_reserve(struct buf *buf, size_t extra) {
        size_t max = max_of(buf);
        if (buf->len > max || extra > max - buf->len) {
                buf->overflowed = true;
                return false;
        }
        size_t need = buf->len + extra + 1;
        if (need <= buf->cap)
                return true;
        size_t cap = buf->cap ? buf->cap : BUF_MIN_CAP;
        while (cap < need)
                cap = cap > SIZE_MAX / 2 ? need : cap * 2;
        if (cap - 1 > max)
                cap = max + 1 > need ? max + 1 : need;
        char *data = realloc(buf->data, cap);
        if (!data) {
                buf->overflowed = true;
                return false;
        }
        data[buf->len] = '\0';
        buf->data = data;
        buf->cap = cap;
        return true;
}

/* The limit was looked at when the memory grew. */
static bool has_room(const struct buf *buf, size_t size) {
        return buf->cap - buf->len > size;
}

bool buf_append(struct buf *buf, const void *data, size_t size) {
        if (!has_room(buf, size) && !buf_reserve(buf, size))
                return false;
        if (size)
                memcpy(buf->data + buf->len, data, size);
        buf->len += size;
        buf->data[buf->len] = '\0';
        return true;
}

bool buf_slice(struct buf *buf, struct slice text) {
        return buf_append(buf, text.ptr, text.len);
}

bool buf_text(struct buf *buf, const char *text) {
        return buf_append(buf, text, strlen(text));
}

bool buf_char(struct buf *buf, char c) {
        if (!has_room(buf, 1) && !buf_reserve(buf, 1))
                return false;
        buf->data[buf->len++] = c;
        buf->data[buf->len] = '\0';
        return true;
}

bool buf_printf(struct buf *buf, const char *format, ...) {
        va_list args;
        va_start(args, format);
        bool is_done = buf_vprintf(buf, format, args);
        va_end(args);
        return is_done;
}

bool buf_vprintf(struct buf *buf, const char *format, va_list args) {
        va_list again;
        va_copy(again, args);
        size_t space = buf->cap - buf->len;
        int len = vsnprintf(space ? buf->data + buf->len : NULL, space, format, args);
        assert(len >= 0);
        bool is_done = buf_reserve(buf, (size_t)len);
        if (is_done && (size_t)len >= space)
                vsnprintf(buf->data + buf->len, (size_t)len + 1, format, again);
        va_end(again);
        if (is_done)
                buf->len += (size_t)len;
        else if (buf->data)
                buf->data[buf->len] = '\0';
        return is_done;
}

bool buf_u64(struct buf *buf, uint64_t value) {
        char digits[20];
        size_t at = sizeof(digits);
        do {
                digits[--at] = (char)('0' + value % 10);
                value /= 10;
        } while (value);
        return buf_append(buf, digits + at, sizeof(digits) - at);
}

/* Writes the escape for an ASCII character that JSON does not allow literally. */
static bool json_escape(struct buf *buf, unsigned char c) {
        static const char short_for[] = "b\bf\fn\nr\rt\t\"\"\\\\";
        for (size_t i = 0; i + 1 < sizeof(short_for); i += 2) {
                if ((unsigned char)short_for[i + 1] == c) {
                        char escape[2] = { '\\', short_for[i] };
                        return buf_append(buf, escape, 2);
                }
        }
        return buf_printf(buf, "\\u%04x", c);
}

static bool is_plain(unsigned char c) {
        return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Whether one of eight bytes is not plain. Where none is above 0x7f, a subtraction borrows into the
 * highest bit of a byte only if some byte is less than what is taken away. */
static bool has_special(uint64_t bytes) {
        const uint64_t each = UINT64_MAX / 255;
        uint64_t quotes = bytes ^ (each * '"'), backslashes = bytes ^ (each * '\\');

        return (bytes | (bytes - each * 0x20) | (quotes - each) | (backslashes - each)) &
               (each * 0x80);
}

static uint64_t load_bytes(const char *at, size_t size) {
        uint64_t bytes = 0;

        memcpy(&bytes, at, size);
        return bytes;
}

/* How many bytes at the beginning JSON prints as they are. */
static size_t plain_len(struct slice text) {
        size_t i = 0;
        for (; i + 8 <= text.len; i += 8) {
                if (has_special(load_bytes(text.ptr + i, 8)))
                        break;
        }
        while (i < text.len && is_plain((unsigned char)text.ptr[i]))
                i++;
        return i;
}

/* Whether JSON prints all of it as it is: in words, the last of which overlaps the one before. */
static bool is_plain_text(struct slice text) {
        if (text.len >= 8) {
                const char *at = text.ptr, *last = at + text.len - 8;

                for (; at < last; at += 8) {
                        if (has_special(load_bytes(at, 8)))
                                return false;
                }
                return !has_special(load_bytes(last, 8));
        }
        if (text.len >= 4)
                return !has_special(load_bytes(text.ptr, 4) | load_bytes(text.ptr + text.len - 4, 4)
                                                                      << 32);
        for (size_t i = 0; i < text.len; i++) {
                if (!is_plain((unsigned char)text.ptr[i]))
                        return false;
        }
        return true;
}

/* Bytes that are not UTF-8 become U+FFFD one by one, as Go's encoder writes them. */
static bool json_body(struct buf *buf, struct slice text) {
        bool is_done = true;
        while (text.len > 0 && is_done) {
                size_t plain = plain_len(text);
                is_done = buf_append(buf, text.ptr, plain);
                text = slice_make(text.ptr + plain, text.len - plain);
                if (text.len == 0 || !is_done)
                        break;
                size_t len = utf8_sequence_len(text);
                if (len == 1)
                        is_done = json_escape(buf, (unsigned char)text.ptr[0]);
                else if (len == 0)
                        is_done = buf_text(buf, "\\ufffd");
                else
                        is_done = buf_append(buf, text.ptr, len);
                len += !len;
                text = slice_make(text.ptr + len, text.len - len);
        }
        return is_done;
}

static bool json_string_escaped(struct buf *buf, struct slice text) {
        size_t len_before = buf->len;
        if (buf_char(buf, '"') && json_body(buf, text) && buf_char(buf, '"'))
                return true;
        buf->len = len_before;
        if (buf->data)
                buf->data[len_before] = '\0';
        return false;
}

bool buf_code_point(struct buf *buf, uint32_t code) {
        char text[UTF8_BYTES_MAX];

        return buf_slice(buf, slice_make(text, utf8_encode(code, text)));
}

bool buf_json_string(struct buf *buf, struct slice text) {
        return is_plain_text(text) ? buf_json_plain(buf, text) : json_string_escaped(buf, text);
}

bool buf_json_plain(struct buf *buf, struct slice text) {
        if (!has_room(buf, text.len + 2) && !buf_reserve(buf, text.len + 2))
                return false;
        char *to = buf->data + buf->len;
        *to = '"';
        if (text.len)
                memcpy(to + 1, text.ptr, text.len);
        memcpy(to + 1 + text.len, "\"", 2);
        buf->len += text.len + 2;
        return true;
}

bool buf_json_member(struct buf *buf, struct slice name, bool is_first) {
        if (!is_plain_text(name))
                return (is_first || buf_char(buf, ',')) && json_string_escaped(buf, name) &&
                       buf_char(buf, ':');
        if (!has_room(buf, name.len + 4) && !buf_reserve(buf, name.len + 4))
                return false;
        char *to = buf->data + buf->len;
        if (!is_first)
                *to++ = ',';
        *to++ = '"';
        if (name.len)
                memcpy(to, name.ptr, name.len);
        to += name.len;
        memcpy(to, "\":", 3);
        buf->len = (size_t)(to + 2 - buf->data);
        return true;
}

bool buf_json_key(struct buf *buf, const char *name) {
        size_t size = strlen(name);

        if (!buf_reserve(buf, size + 3))
                return false;
        buf_char(buf, '"');
        buf_append(buf, name, size);
        return buf_append(buf, "\":", 2);
}

struct slice buf_view(const struct buf *buf) {
        return slice_make(buf->data, buf->len);
}

char *buf_take(struct buf *buf, size_t *ret_len) {
        char *data = buf->data;
        if (ret_len)
                *ret_len = buf->len;
        *buf = (struct buf){ .max = buf->max };
        return data;
}
