/* Numbers as Go reads them. */
#include "base/go_number.h"

#include "base/arena.h"
#include "base/go_quote.h"
#include "base/time.h"
#include "base/util.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* Go reads no further than to the first problem: what is no digit, or a digit too many. */
static bool is_syntax_wrong(struct slice digits) {
        uint64_t value = 0;

        for (size_t i = 0; i < digits.len; i++) {
                char c = digits.ptr[i];

                if (c < '0' || c > '9')
                        return true;
                if (__builtin_mul_overflow(value, 10U, &value) ||
                    __builtin_add_overflow(value, (uint64_t)(c - '0'), &value))
                        return false;
        }
        return digits.len == 0;
}

static void go_number_complain(const char *function, struct slice text, struct buf *out) {
        struct slice digits = text;

        if (text.len && (*text.ptr == '+' || *text.ptr == '-'))
                digits = slice_make(text.ptr + 1, text.len - 1);
        buf_printf(out, "strconv.%s: parsing ", function);
        go_quote_write(text, out);
        buf_printf(out, ": %s", is_syntax_wrong(digits) ? "invalid syntax" : "value out of range");
}

const char *go_number_problem(struct arena *arena, const char *function, struct slice text) {
        CLEANUP(buf_release) struct buf out = { 0 };

        go_number_complain(function, text, &out);
        return arena_slice(arena, buf_view(&out)).ptr;
}

bool go_int_parse(struct slice text, int64_t *ret_value, struct buf *complaint) {
        if (slice_to_i64(text, ret_value))
                return true;
        go_number_complain("ParseInt", text, complaint);
        return false;
}

/* ---- floating point ---- */

static bool is_float_digit(char c, bool is_hex) {
        return is_hex ? isxdigit((unsigned char)c) : isdigit((unsigned char)c);
}

/* Appends digits to `out`, without the underscores between them; how many, or -1 when an underscore
 * stands elsewhere. Behind a prefix one may stand in front. */
static int take_digits(struct slice *rest, bool is_hex, bool is_behind, struct buf *out) {
        bool is_separated = false, may_separate = is_behind;
        size_t at = 0;
        int count = 0;

        for (; at < rest->len; at++) {
                char c = rest->ptr[at];

                if (c == '_' && !may_separate)
                        return -1;
                if (c != '_' && !is_float_digit(c, is_hex))
                        break;
                is_separated = c == '_';
                may_separate = !is_separated;
                if (is_separated)
                        continue;
                buf_char(out, c);
                count++;
        }
        *rest = slice_make(rest->ptr + at, rest->len - at);
        return is_separated ? -1 : count;
}

static bool take_any(struct slice *rest, const char *any, struct buf *out) {
        if (rest->len == 0 || !strchr(any, *rest->ptr))
                return false;
        buf_char(out, *rest->ptr);
        *rest = slice_make(rest->ptr + 1, rest->len - 1);
        return true;
}

/* A mantissa and an exponent, which a hexadecimal one must have. */
static bool take_float(struct slice *rest, struct buf *out) {
        bool is_hex = rest->len > 1 && *rest->ptr == '0' && (rest->ptr[1] | 0x20) == 'x';

        if (is_hex) {
                buf_text(out, "0x");
                *rest = slice_make(rest->ptr + 2, rest->len - 2);
        }
        int whole = take_digits(rest, is_hex, is_hex, out), part = 0;
        if (whole >= 0 && take_any(rest, ".", out))
                part = take_digits(rest, is_hex, false, out);
        if (whole < 0 || part < 0 || whole + part == 0)
                return false;
        if (!take_any(rest, is_hex ? "pP" : "eE", out))
                return !is_hex;
        take_any(rest, "+-", out);
        return take_digits(rest, false, false, out) > 0;
}

static bool is_word(struct slice text, const char *word) {
        return text.len == strlen(word) && strncasecmp(text.ptr, word, text.len) == 0;
}

bool go_float_parse(struct slice text, double *ret_value) {
        CLEANUP(buf_release) struct buf plain = { 0 };
        struct slice rest = text;

        *ret_value = (double)NAN;
        if (is_word(text, "nan"))
                return true;
        bool is_negative = text.len && *text.ptr == '-';
        take_any(&rest, "+-", &plain);
        *ret_value = (double)(is_negative ? -INFINITY : INFINITY);
        if (is_word(rest, "inf") || is_word(rest, "infinity"))
                return true;
        if (!take_float(&rest, &plain) || rest.len)
                return false;
        *ret_value = strtod(plain.data, NULL);
        return !isinf(*ret_value);
}

static bool is_other(double a, double b) {
        return a < b || a > b;
}

/* The fewest digits that read back as the same number; with an exponent from a million on. */
void go_float_write(double number, struct buf *out) {
        char text[40];
        int precision = 0;

        if (!isfinite(number)) {
                buf_text(out, isnan(number) ? "NaN" : number > 0 ? "+Inf" : "-Inf");
                return;
        }
        snprintf(text, sizeof(text), "%.0e", number);
        while (precision < 16 && is_other(strtod(text, NULL), number))
                snprintf(text, sizeof(text), "%.*e", ++precision, number);
        int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
        if (exponent < -4 || exponent >= 6)
                buf_text(out, text);
        else
                buf_printf(out, "%.*f", precision > exponent ? precision - exponent : 0, number);
}

/* ---- durations ---- */

/* The package for times has quotes of its own, which show bytes. */
static void quote_bytes(struct slice text, struct buf *out) {
        buf_char(out, '"');
        for (size_t i = 0; i < text.len; i++) {
                unsigned char byte = (unsigned char)text.ptr[i];

                if (byte >= 0x80 || byte < ' ')
                        buf_printf(out, "\\x%02x", byte);
                else
                        buf_printf(out, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
        }
        buf_char(out, '"');
}

static bool is_unit(struct slice unit) {
        static const char *const units[] = { "ns", "us", "µs", "μs", "ms", "s", "m", "h" };

        for (size_t i = 0; i < ARRAY_LEN(units); i++)
                if (slice_is(unit, units[i]))
                        return true;
        return false;
}

static size_t skip_digits(struct slice *rest) {
        size_t count = 0;

        while (count < rest->len && isdigit((unsigned char)rest->ptr[count]))
                count++;
        *rest = slice_make(rest->ptr + count, rest->len - count);
        return count;
}

static struct slice take_unit(struct slice *rest) {
        size_t length = 0;

        while (length < rest->len && rest->ptr[length] != '.' &&
               !isdigit((unsigned char)rest->ptr[length]))
                length++;
        struct slice unit = slice_make(rest->ptr, length);
        *rest = slice_make(rest->ptr + length, rest->len - length);
        return unit;
}

/* Of a text that is no duration: the first number without a unit, or with none that there is. */
static const char *find_unit_problem(struct slice rest, struct slice *ret_unit) {
        if (rest.len && (*rest.ptr == '-' || *rest.ptr == '+'))
                rest = slice_make(rest.ptr + 1, rest.len - 1);
        while (rest.len) {
                size_t digits = skip_digits(&rest);

                if (rest.len && *rest.ptr == '.') {
                        rest = slice_make(rest.ptr + 1, rest.len - 1);
                        digits += skip_digits(&rest);
                }
                if (digits == 0)
                        return NULL;
                *ret_unit = take_unit(&rest);
                if (ret_unit->len == 0)
                        return "missing unit";
                if (!is_unit(*ret_unit))
                        return "unknown unit ";
        }
        return NULL;
}

bool go_duration_parse(struct slice text, int64_t *ret_ns, struct buf *complaint) {
        struct slice unit = SLICE_EMPTY;

        if (duration_parse(text, ret_ns))
                return true;
        const char *problem = find_unit_problem(text, &unit);
        buf_printf(complaint, "time: %s", problem ? problem : "invalid duration ");
        if (problem && unit.len)
                quote_bytes(unit, complaint);
        buf_text(complaint, problem ? " in duration " : "");
        quote_bytes(text, complaint);
        return false;
}
