/* Texts as Go's %q prints them. */
#include "schema/go_quote.h"

#include "base/utf8.h"
#include "base/util.h"
#include <string.h>

/* What does not print, but for what no script has yet. */
static const struct {
        uint32_t first, last;
} hidden[] = {
        { 0x7f, 0xa0 },        { 0xad, 0xad },     { 0x61c, 0x61c },   { 0x6dd, 0x6dd },
        { 0x70f, 0x70f },      { 0x1680, 0x1680 }, { 0x180e, 0x180e }, { 0x2000, 0x200f },
        { 0x2028, 0x202f },    { 0x205f, 0x206f }, { 0x3000, 0x3000 }, { 0xd800, 0xf8ff },
        { 0xfeff, 0xfeff },    { 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0xe0000, 0xe0fff },
        { 0xf0000, 0x10ffff },
};

static bool is_hidden(uint32_t rune) {
        for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
                if (rune >= hidden[i].first && rune <= hidden[i].last)
                        return true;
        return false;
}

static uint32_t rune_of(const char *text, size_t length) {
        static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
        uint32_t rune = (unsigned char)text[0] & masks[length];

        for (size_t i = 1; i < length; i++)
                rune = rune << 6 | ((unsigned char)text[i] & 0x3f);
        return rune;
}

bool go_rune_prints(struct slice text, size_t *ret_length, uint32_t *ret_rune) {
        size_t length = utf8_sequence_len(text);

        *ret_length = length ? length : 1;
        *ret_rune = length ? rune_of(text.ptr, length) : 0xfffd;
        return *ret_rune >= 0x20 && !is_hidden(*ret_rune);
}

static void write_control(unsigned char c, struct buf *out) {
        static const char names[] = "abtnvfr"; /* from 7 on */

        if (c >= 7 && c < 7 + sizeof(names) - 1)
                buf_printf(out, "\\%c", names[c - 7]);
        else
                buf_printf(out, "\\x%02x", c);
}

void go_quote_write(struct slice text, struct buf *out) {
        buf_char(out, '"');
        while (text.len > 0) {
                unsigned char c = (unsigned char)text.ptr[0];
                size_t length = utf8_sequence_len(text);

                if (c == '"' || c == '\\')
                        buf_printf(out, "\\%c", c);
                else if (c < 0x20 || c == 0x7f || length == 0)
                        write_control(c, out);
                else if (is_hidden(rune_of(text.ptr, length)))
                        buf_printf(out, length == 4 ? "\\U%08x" : "\\u%04x",
                                   rune_of(text.ptr, length));
                else
                        buf_slice(out, slice_make(text.ptr, length));
                length += length == 0;
                text = slice_make(text.ptr + length, text.len - length);
        }
        buf_char(out, '"');
}
