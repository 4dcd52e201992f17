/* Texts as Go's %q prints them. */
#include "base/go_quote.h"

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

bool go_rune_prints(struct slice text, size_t *ret_length, uint32_t *ret_rune) {
        size_t length = utf8_decode(text, ret_rune);

        *ret_length = length ? length : 1;
        if (length == 0)
                *ret_rune = 0xfffd;
        return *ret_rune >= 0x20 && !is_hidden(*ret_rune);
}

/* Of what does not print, or has a meaning between the quotes. */
static void write_escape(uint32_t rune, struct buf *out) {
        static const char names[] = "abtnvfr"; /* from 7 on */

        if (rune == '"' || rune == '\'' || rune == '\\')
                buf_printf(out, "\\%c", (int)rune);
        else if (rune >= 7 && rune < 7 + sizeof(names) - 1)
                buf_printf(out, "\\%c", names[rune - 7]);
        else if (rune < 0x20 || rune == 0x7f)
                buf_printf(out, "\\x%02x", rune);
        else
                buf_printf(out, rune > 0xffff ? "\\U%08x" : "\\u%04x", rune);
}

void go_quote_write(struct slice text, struct buf *out) {
        buf_char(out, '"');
        while (text.len > 0) {
                uint32_t rune;
                size_t length;
                bool prints = go_rune_prints(text, &length, &rune);

                if (utf8_sequence_len(text) == 0)
                        buf_printf(out, "\\x%02x", (unsigned char)text.ptr[0]);
                else if (!prints || rune == '"' || rune == '\\')
                        write_escape(rune, out);
                else
                        buf_slice(out, slice_make(text.ptr, length));
                text = slice_make(text.ptr + length, text.len - length);
        }
        buf_char(out, '"');
}

void go_quote_byte(unsigned char byte, struct buf *out) {
        buf_char(out, '\'');
        if (byte < 0x20 || is_hidden(byte) || byte == '\'' || byte == '\\')
                write_escape(byte, out);
        else
                buf_code_point(out, byte);
        buf_char(out, '\'');
}

const char *go_quoted(struct arena *arena, struct slice text) {
        CLEANUP(buf_release) struct buf out = { 0 };

        go_quote_write(text, &out);
        return arena_slice(arena, buf_view(&out)).ptr;
}
