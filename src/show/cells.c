/* Characters, their widths, and those that a terminal must not get. */
#include "show/cells.h"

#include "base/utf8.h"
#include "base/util.h"

struct code_range {
        uint32_t first, last;
};

/* Controls of C1, of direction, and separators of lines: never to a terminal. */
static const struct code_range unsafe[] = {
        { 0x80, 0x9f },     { 0x61c, 0x61c },     { 0x200e, 0x200f },   { 0x2028, 0x202e },
        { 0x2060, 0x206f }, { 0xfff0, 0xfffb },   { 0xfffe, 0xffff },   { 0xe000, 0xf8ff },
        { 0xfeff, 0xfeff }, { 0xe0000, 0xe0fff }, { 0xf0000, 0x10ffff }
};
/* Marks that join the character before them, joiners and variants: they are left out. */
static const struct code_range joined[] = {
        { 0xad, 0xad },     { 0x300, 0x36f },   { 0x483, 0x489 },    { 0x591, 0x5c7 },
        { 0x610, 0x61a },   { 0x64b, 0x65f },   { 0x670, 0x670 },    { 0x6d6, 0x6ed },
        { 0x900, 0x903 },   { 0x93a, 0x94f },   { 0xe31, 0xe31 },    { 0xe34, 0xe3a },
        { 0xe47, 0xe4e },   { 0x115f, 0x1160 }, { 0x180b, 0x180e },  { 0x1ab0, 0x1aff },
        { 0x1dc0, 0x1dff }, { 0x200b, 0x200d }, { 0x20d0, 0x20ff },  { 0x3099, 0x309a },
        { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0x1f3fb, 0x1f3ff }
};
static const struct code_range wide[] = {
        { 0x1100, 0x115e },   { 0x231a, 0x231b },   { 0x23e9, 0x23f3 },   { 0x2614, 0x2615 },
        { 0x26a1, 0x26a1 },   { 0x26d4, 0x26d4 },   { 0x2705, 0x2705 },   { 0x274c, 0x274c },
        { 0x2753, 0x2757 },   { 0x2795, 0x2797 },   { 0x2b1b, 0x2b1c },   { 0x2b50, 0x2b55 },
        { 0x2e80, 0x303e },   { 0x3041, 0x4dbf },   { 0x4e00, 0xa4cf },   { 0xa960, 0xa97c },
        { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
        { 0xffe0, 0xffe6 },   { 0x16fe0, 0x18cff }, { 0x1b000, 0x1b2ff }, { 0x1f300, 0x1f64f },
        { 0x1f680, 0x1f6ff }, { 0x1f7e0, 0x1f7eb }, { 0x1f900, 0x1faff }, { 0x20000, 0x3fffd }
};

static bool is_among(const struct code_range *ranges, size_t count, uint32_t code) {
        for (size_t i = 0; i < count; i++)
                if (code >= ranges[i].first && code <= ranges[i].last)
                        return true;
        return false;
}

struct cell_step cells_step(struct slice text) {
        uint32_t code;
        size_t len = utf8_decode(text, &code);

        if (len == 0)
                return (struct cell_step){ 1, 1, false };
        if (code < 0x80)
                return (struct cell_step){ 1, 1, code >= 0x20 && code != 0x7f };
        if (is_among(unsafe, ARRAY_LEN(unsafe), code))
                return (struct cell_step){ len, 1, false };
        if (is_among(joined, ARRAY_LEN(joined), code))
                return (struct cell_step){ len, 0, true };
        return (struct cell_step){ len, is_among(wide, ARRAY_LEN(wide), code) ? 2 : 1, true };
}

size_t cells_width(struct slice text) {
        size_t width = 0;

        for (size_t i = 0; i < text.len;) {
                struct cell_step step = cells_step(slice_make(text.ptr + i, text.len - i));

                width += step.width;
                i += step.len;
        }
        return width;
}

size_t cells_put(struct buf *out, struct slice text, size_t width, bool is_plain) {
        size_t used = 0;
        bool is_cut = cells_width(text) > width;

        if (width == 0)
                return 0;
        for (size_t i = 0; i < text.len;) {
                struct cell_step step = cells_step(slice_make(text.ptr + i, text.len - i));

                if (is_cut && used + step.width > width - 1) {
                        buf_text(out, is_plain ? "~" : "\xe2\x80\xa6");
                        return used + 1;
                }
                if (step.width && step.is_safe && !(is_plain && step.len > 1))
                        buf_append(out, text.ptr + i, step.len);
                else
                        for (size_t k = 0; k < step.width; k++)
                                buf_char(out, '?');
                used += step.width;
                i += step.len;
        }
        return used;
}
