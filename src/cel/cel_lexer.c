/* Tokens of CEL: names, numbers, strings in their many quotes, and marks. */
#include "cel/cel_node.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "base/util.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

static bool is_name_start(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

static char cel_lexer_peek(const struct cel_lexer *lexer, size_t ahead) {
        size_t at = lexer->at + ahead;

        return at < lexer->source.len ? lexer->source.ptr[at] : '\0';
}

static struct slice cel_lexer_since(const struct cel_lexer *lexer, size_t start) {
        return slice_make(lexer->source.ptr + start, lexer->at - start);
}

static struct cel_token token_of(enum cel_token_kind kind, size_t at, struct slice text) {
        return (struct cel_token){ .kind = kind, .at = at, .text = text };
}

static struct cel_token cel_lexer_bad(size_t at, const char *why) {
        return token_of(CEL_TOKEN_BAD, at, slice_of(why));
}

static void skip_blanks(struct cel_lexer *lexer) {
        while (lexer->at < lexer->source.len) {
                char c = cel_lexer_peek(lexer, 0);

                if (c == '/' && cel_lexer_peek(lexer, 1) == '/') {
                        while (lexer->at < lexer->source.len && cel_lexer_peek(lexer, 0) != '\n')
                                lexer->at++;
                } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
                        lexer->at++;
                } else {
                        return;
                }
        }
}

/* ---- numbers ---- */

static struct cel_token literal_of(size_t at, struct cel_value value) {
        return (struct cel_token){ .kind = CEL_TOKEN_LITERAL, .at = at, .literal = value };
}

/* Digits only; -2^63 is made of its digits and the sign before it (cel_parser.c). */
static struct cel_token whole_number(struct cel_lexer *lexer, size_t start, int base) {
        size_t skip = base == 16 ? 2 : 0;
        char digits[32];
        struct slice text = cel_lexer_since(lexer, start);
        bool is_unsigned = cel_lexer_peek(lexer, 0) == 'u' || cel_lexer_peek(lexer, 0) == 'U';

        lexer->at += is_unsigned;
        if (text.len <= skip || text.len >= sizeof(digits))
                return cel_lexer_bad(start, "invalid int literal");
        memcpy(digits, text.ptr + skip, text.len - skip);
        digits[text.len - skip] = '\0';
        errno = 0;
        unsigned long long value = strtoull(digits, NULL, base);
        if (errno != 0)
                return cel_lexer_bad(start,
                                     is_unsigned ? "invalid uint literal" : "invalid int literal");
        if (is_unsigned)
                return literal_of(start, cel_uint(value));
        if (value > (unsigned long long)INT64_MAX + 1)
                return cel_lexer_bad(start, "invalid int literal");
        if (value == (unsigned long long)INT64_MAX + 1)
                return literal_of(start, (struct cel_value){ .kind = CEL_INT,
                                                             .as.integer = INT64_MIN,
                                                             .count = 1 }); /* needs its sign */
        return literal_of(start, cel_int((int64_t)value));
}

static void skip_digits(struct cel_lexer *lexer) {
        while (is_digit(cel_lexer_peek(lexer, 0)))
                lexer->at++;
}

static bool is_hex(char c) {
        return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool skip_exponent(struct cel_lexer *lexer) {
        size_t sign = cel_lexer_peek(lexer, 1) == '+' || cel_lexer_peek(lexer, 1) == '-';

        if ((cel_lexer_peek(lexer, 0) != 'e' && cel_lexer_peek(lexer, 0) != 'E') ||
            !is_digit(cel_lexer_peek(lexer, 1 + sign)))
                return false;
        lexer->at += 1 + sign;
        skip_digits(lexer);
        return true;
}

static struct cel_token cel_lexer_number(struct cel_lexer *lexer) {
        size_t start = lexer->at;
        bool is_real = false;
        char text[64];

        if (cel_lexer_peek(lexer, 0) == '0' &&
            (cel_lexer_peek(lexer, 1) == 'x' || cel_lexer_peek(lexer, 1) == 'X')) {
                lexer->at += 2;
                while (is_hex(cel_lexer_peek(lexer, 0)))
                        lexer->at++;
                return whole_number(lexer, start, 16);
        }
        skip_digits(lexer);
        if (cel_lexer_peek(lexer, 0) == '.' && is_digit(cel_lexer_peek(lexer, 1))) {
                is_real = true;
                lexer->at++;
                skip_digits(lexer);
        }
        if (!skip_exponent(lexer) && !is_real)
                return whole_number(lexer, start, 10);
        if (lexer->at - start >= sizeof(text))
                return cel_lexer_bad(start, "invalid double literal");
        memcpy(text, lexer->source.ptr + start, lexer->at - start);
        text[lexer->at - start] = '\0';
        double value = strtod(text, NULL);
        return isfinite(value) ? literal_of(start, cel_double(value))
                               : cel_lexer_bad(start, "invalid double literal");
}

/* ---- strings ---- */

struct quoting {
        char quote;
        size_t quotes; /* 1 or 3 */
        bool is_raw, is_bytes;
};

static uint32_t digit_value(char c) {
        if (is_digit(c))
                return (uint32_t)(c - '0');
        return (uint32_t)((c | 0x20) - 'a') + 10;
}

/* So many digits of a base at the current place. */
static bool code_of(struct cel_lexer *lexer, size_t count, uint32_t base, uint32_t *ret_code) {
        uint32_t code = 0;

        for (size_t i = 0; i < count; i++) {
                char c = cel_lexer_peek(lexer, i);

                if (!is_hex(c) || digit_value(c) >= base)
                        return false;
                code = code * base + digit_value(c);
        }
        lexer->at += count;
        *ret_code = code;
        return true;
}

/* Behind a backslash; false when there is no such escape. */
static bool cel_lexer_escape(struct cel_lexer *lexer, const struct quoting *quoting,
                             struct buf *out) {
        static const char names[] = "abfnrtv\\'\"`?", values[] = "\a\b\f\n\r\t\v\\'\"`?";
        char c = cel_lexer_peek(lexer, 0);
        const char *simple = c ? strchr(names, c) : NULL;
        size_t digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 3;
        uint32_t code = 0;

        if (simple) {
                lexer->at++;
                return buf_char(out, values[simple - names]);
        }
        lexer->at += digits != 3;
        if (!code_of(lexer, digits, digits == 3 ? 8 : 16, &code) || code > 0x10ffff ||
            (code >= 0xd800 && code <= 0xdfff))
                return false;
        if (!quoting->is_bytes || digits > 3) {
                buf_code_point(out, code);
                return !quoting->is_bytes;
        }
        return code < 256 && buf_char(out, (char)code);
}

static bool is_closing(const struct cel_lexer *lexer, const struct quoting *quoting) {
        for (size_t i = 0; i < quoting->quotes; i++) {
                if (cel_lexer_peek(lexer, i) != quoting->quote)
                        return false;
        }
        return true;
}

static const char *string_body(struct cel_lexer *lexer, const struct quoting *quoting,
                               struct buf *out) {
        while (lexer->at < lexer->source.len) {
                char c = cel_lexer_peek(lexer, 0);

                if (is_closing(lexer, quoting)) {
                        lexer->at += quoting->quotes;
                        return NULL;
                }
                if (quoting->quotes == 1 && (c == '\n' || c == '\r'))
                        break;
                lexer->at++;
                if (c != '\\' || quoting->is_raw)
                        buf_char(out, c);
                else if (!cel_lexer_escape(lexer, quoting, out))
                        return "Syntax error: token recognition error: invalid escape sequence";
        }
        return "";
}

/* At the prefix (r, b, both) or the quote. */
static struct cel_token cel_lexer_string(struct cel_lexer *lexer) {
        struct quoting quoting = { .quotes = 1 };
        size_t start = lexer->at;
        struct buf out = { 0 };

        for (; cel_lexer_peek(lexer, 0) != '"' && cel_lexer_peek(lexer, 0) != '\''; lexer->at++) {
                quoting.is_raw |= (cel_lexer_peek(lexer, 0) | 0x20) == 'r';
                quoting.is_bytes |= (cel_lexer_peek(lexer, 0) | 0x20) == 'b';
        }
        quoting.quote = cel_lexer_peek(lexer, 0);
        if (cel_lexer_peek(lexer, 1) == quoting.quote && cel_lexer_peek(lexer, 2) == quoting.quote)
                quoting.quotes = 3;
        lexer->at += quoting.quotes;
        const char *why = string_body(lexer, &quoting, &out);
        struct cel_token token =
                literal_of(start, cel_text(quoting.is_bytes ? CEL_BYTES : CEL_STRING,
                                           arena_slice(lexer->arena, buf_view(&out))));
        if (!why && !quoting.is_bytes && !utf8_is_valid(buf_view(&out)))
                why = "Syntax error: string is not UTF-8";
        buf_release(&out);
        if (why && !*why) { /* no end */
                lexer->at = lexer->source.len;
                return token_of(CEL_TOKEN_UNKNOWN, start, cel_lexer_since(lexer, start));
        }
        return why ? cel_lexer_bad(start, why) : token;
}

static bool is_string(const struct cel_lexer *lexer) {
        size_t at = 0;

        while (at < 2 && cel_lexer_peek(lexer, at) && strchr("rRbB", cel_lexer_peek(lexer, at)))
                at++;
        if (at == 2 && (cel_lexer_peek(lexer, 0) | 0x20) == (cel_lexer_peek(lexer, 1) | 0x20))
                return false;
        return cel_lexer_peek(lexer, at) == '"' || cel_lexer_peek(lexer, at) == '\'';
}

/* ---- the rest ---- */

static struct cel_token cel_lexer_name(struct cel_lexer *lexer) {
        size_t start = lexer->at;

        while (is_name_start(cel_lexer_peek(lexer, 0)) || is_digit(cel_lexer_peek(lexer, 0)))
                lexer->at++;
        struct slice text = cel_lexer_since(lexer, start);
        if (slice_is(text, "true") || slice_is(text, "false"))
                return literal_of(start, cel_bool(text.len == 4));
        if (slice_is(text, "null"))
                return literal_of(start, (struct cel_value){ .kind = CEL_NULL });
        return token_of(CEL_TOKEN_NAME, start, text);
}

static struct cel_token quoted_name(struct cel_lexer *lexer) {
        size_t start = lexer->at++;

        while (lexer->at < lexer->source.len && cel_lexer_peek(lexer, 0) != '`' &&
               cel_lexer_peek(lexer, 0) != '\n')
                lexer->at++;
        struct slice text = cel_lexer_since(lexer, start + 1);
        if (cel_lexer_peek(lexer, 0) != '`' || text.len == 0)
                return cel_lexer_bad(start, "Syntax error: token recognition error at: '`'");
        lexer->at++;
        return token_of(CEL_TOKEN_QUOTED_NAME, start, text);
}

static struct cel_token cel_lexer_mark(struct cel_lexer *lexer) {
        static const char *const marks[] = { "==", "!=", "<=", ">=", "&&", "||", "<", ">",
                                             "!",  "+",  "-",  "*",  "/",  "%",  "?", ":",
                                             ".",  ",",  "(",  ")",  "[",  "]",  "{", "}" };
        struct slice rest =
                slice_make(lexer->source.ptr + lexer->at, lexer->source.len - lexer->at);
        size_t start = lexer->at;

        for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
                if (!slice_has_prefix(rest, slice_of(marks[i])))
                        continue;
                lexer->at += strlen(marks[i]);
                return token_of(CEL_TOKEN_MARK, start, slice_of(marks[i]));
        }
        bool is_half = strchr("&|=", rest.ptr[0]); /* of a mark of two: the next went with it */
        size_t length = utf8_sequence_len(rest);
        length = length ? length : 1;
        if (is_half && rest.len > length) {
                size_t next = utf8_sequence_len(slice_make(rest.ptr + 1, rest.len - 1));

                length += next ? next : 1;
        }
        lexer->at += length;
        return token_of(CEL_TOKEN_UNKNOWN, start, slice_make(rest.ptr, length));
}

struct cel_token cel_lexer_next(struct cel_lexer *lexer) {
        skip_blanks(lexer);
        char c = cel_lexer_peek(lexer, 0);
        if (lexer->at >= lexer->source.len)
                return token_of(CEL_TOKEN_END, lexer->at, SLICE_LITERAL("<EOF>"));
        if (is_string(lexer))
                return cel_lexer_string(lexer);
        if (is_name_start(c))
                return cel_lexer_name(lexer);
        if (is_digit(c) || (c == '.' && is_digit(cel_lexer_peek(lexer, 1))))
                return cel_lexer_number(lexer);
        return c == '`' ? quoted_name(lexer) : cel_lexer_mark(lexer);
}
