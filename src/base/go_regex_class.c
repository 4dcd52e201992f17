/* Escapes and classes of Go's patterns, and what they are written and refused with. */
#include "base/go_regex_priv.h"

#include "base/util.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool go_regex_fail(struct regex_scan *scan, const char *what, const char *from, const char *to) {
        buf_printf(&scan->regex->problem, "%s: `" SLICE_FMT "`", what,
                   SLICE_ARG(slice_make(from, (size_t)(to - from))));
        return true;
}

void go_regex_literal(struct regex_scan *scan, const char *at, size_t length) {
        if (length == 1 && ispunct((unsigned char)*at))
                buf_char(&scan->regex->pcre, '\\');
        buf_slice(&scan->regex->pcre, slice_make(at, length));
}

size_t go_regex_length(const struct regex_scan *scan, const char *at) {
        size_t length = 1;

        if ((unsigned char)*at < 0x80)
                return 1;
        while (at + length < scan->end && ((unsigned char)at[length] & 0xc0) == 0x80)
                length++;
        return length;
}

/* ---- escapes ---- */

static void write_code(struct regex_scan *scan, uint64_t code) {
        buf_printf(&scan->regex->pcre, "\\x{%llx}", (unsigned long long)code);
}

static bool is_octal(const char *at, const char *end) {
        return at < end && *at >= '0' && *at <= '7';
}

static const char *octal_end(const char *at, const char *end, uint64_t *ret_code) {
        *ret_code = 0;
        for (int i = 0; i < 3 && is_octal(at, end); i++)
                *ret_code = *ret_code * 8 + (uint64_t)(*at++ - '0');
        return at;
}

/* Behind the digits of \x, which begin at `at`; NULL when they are none, and *ret_bad is behind
 * what the parser has read. */
static const char *hex_end(const char *at, const char *end, uint64_t *ret_code,
                           const char **ret_bad) {
        bool is_braced = at < end && *at == '{';
        size_t count = 0;

        *ret_code = 0;
        for (at += is_braced; at < end && isxdigit((unsigned char)*at); at++) {
                *ret_code = *ret_code * 16 + (uint64_t)hex_value(*at);
                if (*ret_code > 0x10ffff)
                        break;
                if (++count == 2 && !is_braced)
                        return at + 1;
        }
        *ret_bad = at < end ? at + 1 : end;
        return is_braced && count && at < end && *at == '}' ? at + 1 : NULL;
}

const char *go_regex_escape(struct regex_scan *scan, const char *at) {
        static const char letters[] = "afnrtv", codes[] = "\a\f\n\r\t\v";
        const char *letter = at + 1, *bad, *end = NULL, *found;
        uint64_t code = 0;

        if (letter == scan->end) {
                go_regex_fail(scan, "trailing backslash at end of expression", letter, letter);
                return NULL;
        }
        bad = letter + go_regex_length(scan, letter);
        if (*letter == '0' || (is_octal(letter, scan->end) && is_octal(letter + 1, scan->end))) {
                end = octal_end(letter, scan->end, &code);
                write_code(scan, code);
        } else if (*letter == 'x') {
                end = hex_end(letter + 1, scan->end, &code, &bad);
                write_code(scan, code);
        } else if ((found = memchr(letters, *letter, sizeof(letters) - 1))) {
                end = letter + 1;
                write_code(scan, (uint64_t)codes[found - letters]);
        } else if (bad == letter + 1 && !isalnum((unsigned char)*letter)) {
                end = bad;
                go_regex_literal(scan, letter, 1);
        }
        if (!end)
                go_regex_fail(scan, "invalid escape sequence", at, bad);
        return end;
}

/* ---- classes by letter and by name ---- */

/* By letter, as parts of a class; PCRE2 counts one more character to \s. */
static const struct {
        char letter;
        const char *parts;
} perl_classes[] = {
        { 'd', "0-9" },
        { 'D', "\\x00-\\x2f\\x3a-\\x{10ffff}" },
        { 's', "\\t\\n\\f\\r\\x20" },
        { 'S', "\\x00-\\x08\\x0b\\x0e-\\x1f\\x21-\\x{10ffff}" },
        { 'w', "0-9A-Za-z_" },
        { 'W', "\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x{10ffff}" },
};

static const char *perl_class(char letter) {
        for (size_t i = 0; i < ARRAY_LEN(perl_classes); i++) {
                if (perl_classes[i].letter == letter)
                        return perl_classes[i].parts;
        }
        return NULL;
}

/* \pL or \p{Greek}. */
static const char *unicode_class(struct regex_scan *scan, const char *at) {
        const char *name = at + 2;
        const char *end = name < scan->end ? name + go_regex_length(scan, name) : name;
        bool is_name = name < scan->end && (*name == '{' || isalpha((unsigned char)*name));

        if (name < scan->end && *name == '{') {
                const char *close = memchr(name, '}', (size_t)(scan->end - name));

                end = close ? close + 1 : scan->end;
                is_name = close;
                for (name += 1 + (name + 1 < end && name[1] == '^'); close && name < close; name++)
                        is_name = is_name && (isalnum((unsigned char)*name) || *name == '_');
        }
        if (!is_name) {
                go_regex_fail(scan, "invalid character class range", at, end);
                return NULL;
        }
        struct slice whole = slice_make(at, (size_t)(end - at));
        if (!scan->regex->named.ptr)
                scan->regex->named = whole;
        buf_slice(&scan->regex->pcre, whole);
        return end;
}

const char *go_regex_characters(struct regex_scan *scan, const char *at, bool is_in_class) {
        const char *parts = at + 1 < scan->end ? perl_class(at[1]) : NULL;

        if (parts) {
                buf_printf(&scan->regex->pcre, is_in_class ? "%s" : "[%s]", parts);
                return at + 2;
        }
        if (at + 1 < scan->end && (at[1] == 'p' || at[1] == 'P'))
                return unicode_class(scan, at);
        return go_regex_escape(scan, at);
}

static bool is_posix_class(struct slice name) {
        static const char *const names[] = { "alnum", "alpha", "ascii", "blank", "cntrl",
                                             "digit", "graph", "lower", "print", "punct",
                                             "space", "upper", "word",  "xdigit" };

        if (name.len && *name.ptr == '^')
                name = slice_make(name.ptr + 1, name.len - 1);
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                if (slice_is(name, names[i]))
                        return true;
        }
        return false;
}

/* [:alpha:], which ends at `close`. */
static const char *posix_class(struct regex_scan *scan, const char *at, const char *close) {
        struct slice whole = slice_make(at, (size_t)(close + 2 - at));

        if (!is_posix_class(slice_make(at + 2, (size_t)(close - at - 2)))) {
                go_regex_fail(scan, "invalid character class range", at, close + 2);
                return NULL;
        }
        buf_slice(&scan->regex->pcre, whole);
        return close + 2;
}

/* ---- classes in brackets ---- */

/* A character that a range may begin or end with; *ret_code orders them. */
static const char *class_character(struct regex_scan *scan, const char *at, const char *start,
                                   uint64_t *ret_code) {
        size_t before = scan->regex->pcre.len;

        if (at == scan->end) {
                go_regex_fail(scan, "missing closing ]", start, scan->end);
                return NULL;
        }
        if (*at == '\\') {
                const char *end = go_regex_escape(scan, at);
                const char *written = scan->regex->pcre.data + before;

                if (end) /* "\x{41}" or "\-" */
                        *ret_code = written[1] == 'x' ? strtoull(written + 3, NULL, 16)
                                                      : (unsigned char)written[1];
                return end;
        }
        size_t length = go_regex_length(scan, at);
        *ret_code = (unsigned char)*at & (length > 1 ? 0x7f >> length : 0x7f);
        for (size_t i = 1; i < length; i++)
                *ret_code = *ret_code << 6 | ((unsigned char)at[i] & 0x3f);
        go_regex_literal(scan, at, length);
        return at + length;
}

static const char *class_range(struct regex_scan *scan, const char *at, const char *start) {
        uint64_t low, high;
        const char *next = class_character(scan, at, start, &low);

        if (!next || next + 1 >= scan->end || *next != '-' || next[1] == ']')
                return next;
        buf_char(&scan->regex->pcre, '-');
        next = class_character(scan, next + 1, start, &high);
        if (!next || high >= low)
                return next;
        go_regex_fail(scan, "invalid character class range", at, next);
        return NULL;
}

static const char *class_item(struct regex_scan *scan, const char *at, const char *start) {
        size_t left = (size_t)(scan->end - at);
        const char *close = NULL;

        if (left > 2 && at[0] == '[' && at[1] == ':')
                close = memmem(at + 2, left - 2, ":]", 2);
        if (close)
                return posix_class(scan, at, close);
        if (left > 1 && *at == '\\' && (perl_class(at[1]) || at[1] == 'p' || at[1] == 'P'))
                return go_regex_characters(scan, at, true);
        return class_range(scan, at, start);
}

const char *go_regex_class(struct regex_scan *scan, const char *at) {
        const char *start = at++;

        buf_char(&scan->regex->pcre, '[');
        if (at < scan->end && *at == '^')
                buf_char(&scan->regex->pcre, *at++);
        for (bool is_first = true; at < scan->end && (*at != ']' || is_first); is_first = false) {
                at = class_item(scan, at, start);
                if (!at)
                        return NULL;
        }
        if (at == scan->end) {
                go_regex_fail(scan, "missing closing ]", start, scan->end);
                return NULL;
        }
        buf_char(&scan->regex->pcre, ']');
        return at + 1;
}
