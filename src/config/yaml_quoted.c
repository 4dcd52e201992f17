/* Double-quoted scalars that span lines. libfyaml loses text where an escaped backslash ends a line
 * ("a\\" before a line that continues), so these are read here, from the text between the quotes,
 * which libfyaml has found well-formed. */
#include "base/util.h"
#include "config/yaml_tree.h"

struct quoted {
        const char *at, *end;
        struct buf *out;
        size_t untrimmed; /* of out: what a following line break must not trim */
};

static bool is_blank(char c) {
        return c == ' ' || c == '\t';
}

static bool is_break(char c) {
        return c == '\n' || c == '\r';
}

static void skip_blanks(struct quoted *quoted) {
        while (quoted->at < quoted->end && is_blank(*quoted->at))
                quoted->at++;
}

static void skip_break(struct quoted *quoted) {
        if (*quoted->at == '\r' && quoted->at + 1 < quoted->end && quoted->at[1] == '\n')
                quoted->at++;
        quoted->at++;
}

/* Skips to the text of the next line; returns how many empty lines lie before it. */
static size_t skip_empty_lines(struct quoted *quoted) {
        size_t count = 0;
        skip_blanks(quoted);
        while (quoted->at < quoted->end && is_break(*quoted->at)) {
                count++;
                skip_break(quoted);
                skip_blanks(quoted);
        }
        return count;
}

static void write_breaks(struct quoted *quoted, size_t count) {
        for (; count > 0; count--)
                buf_char(quoted->out, '\n');
        quoted->untrimmed = quoted->out->len;
}

/* A line break is a space; with empty lines behind it, it is as many line breaks. */
static void yaml_quoted_fold(struct quoted *quoted) {
        quoted->out->len = quoted->untrimmed;
        skip_break(quoted);
        size_t count = skip_empty_lines(quoted);
        if (count == 0)
                buf_char(quoted->out, ' ');
        write_breaks(quoted, count);
}

/* The code point after \x, \u or \U. */
static bool read_hex(struct quoted *quoted, int digits, uint32_t *ret_code) {
        uint32_t code = 0;
        for (; digits > 0; digits--) {
                char c = quoted->at < quoted->end ? *quoted->at++ : '\0';
                if (c >= '0' && c <= '9')
                        code = code << 4 | (uint32_t)(c - '0');
                else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
                        code = code << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
                else
                        return false;
        }
        *ret_code = code;
        return code <= 0x10ffff;
}

static bool is_surrogate(uint32_t code) {
        return code >= 0xd800 && code <= 0xdfff;
}

/* JSON writes what needs more than four digits as two escapes. */
static bool read_second_half(struct quoted *quoted, uint32_t *code) {
        uint32_t low;
        if (quoted->end - quoted->at < 2 || quoted->at[0] != '\\' || quoted->at[1] != 'u')
                return false;
        quoted->at += 2;
        if (!read_hex(quoted, 4, &low) || *code > 0xdbff || low < 0xdc00 || low > 0xdfff)
                return false;
        *code = 0x10000 + ((*code & 0x3ff) << 10 | (low & 0x3ff));
        return true;
}

static const struct escape {
        char letter;
        uint32_t code;
} escapes[] = {
        { '0', 0 },    { 'a', '\a' },   { 'b', '\b' },   { 't', '\t' },  { '\t', '\t' },
        { 'n', '\n' }, { 'v', '\v' },   { 'f', '\f' },   { 'r', '\r' },  { 'e', 0x1b },
        { ' ', ' ' },  { '"', '"' },    { '/', '/' },    { '\\', '\\' }, { 'N', 0x85 },
        { '_', 0xa0 }, { 'L', 0x2028 }, { 'P', 0x2029 },
};

static bool read_code(struct quoted *quoted, char letter, uint32_t *ret_code) {
        if (letter == 'x' || letter == 'u' || letter == 'U') {
                int digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
                if (!read_hex(quoted, digits, ret_code))
                        return false;
                return !is_surrogate(*ret_code) ||
                       (digits == 4 && read_second_half(quoted, ret_code));
        }
        for (size_t i = 0; i < ARRAY_LEN(escapes); i++) {
                if (escapes[i].letter == letter) {
                        *ret_code = escapes[i].code;
                        return true;
                }
        }
        return false;
}

static bool read_escape(struct quoted *quoted) {
        uint32_t code;
        quoted->at++;
        if (quoted->at == quoted->end)
                return false;
        if (is_break(*quoted->at)) {
                /* The line goes on in the next one, with the blanks before the backslash. */
                skip_break(quoted);
                write_breaks(quoted, skip_empty_lines(quoted));
                return true;
        }
        if (!read_code(quoted, *quoted->at++, &code))
                return false;
        buf_code_point(quoted->out, code);
        quoted->untrimmed = quoted->out->len;
        return true;
}

bool yaml_read_quoted(struct slice raw, struct buf *out) {
        struct quoted quoted = { .at = raw.ptr, .end = raw.ptr + raw.len, .out = out };
        while (quoted.at < quoted.end) {
                char c = *quoted.at;
                if (c == '\\') {
                        if (!read_escape(&quoted))
                                return false;
                } else if (is_break(c)) {
                        yaml_quoted_fold(&quoted);
                } else {
                        buf_char(out, c);
                        quoted.at++;
                        if (!is_blank(c))
                                quoted.untrimmed = out->len;
                }
        }
        return true;
}
