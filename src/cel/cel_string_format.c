/* string.format(): values as texts, in the form of cel-go's first version of it, which Kubernetes
 * uses, with numbers as in American English. */
#include "cel/cel_clauses.h"
#include "cel/cel_function.h"

#include "base/go_quote.h"
#include "base/utf8.h"
#include "base/util.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define INFINITY_TEXT "\u221e"
#define SCIENTIFIC_WIDTH 6 /* of what has no digits */

struct text_format {
        struct cel_run *run;
        struct buf *out;
        struct buf complaint;
};

static bool format_refuse(struct text_format *format, const char *what, enum cel_kind kind) {
        buf_printf(&format->complaint, "%s%s", what, cel_kind_name(kind));
        return false;
}

/* ---- %s ---- */

static bool write_text(struct text_format *format, const struct cel_value *value);

/* As string() makes it. */
static bool write_converted(struct text_format *format, const struct cel_value *value) {
        const struct cel_function *convert;
        size_t at = 0;

        if (value->kind == CEL_STRING || value->kind == CEL_TYPE)
                return buf_slice(format->out, value->as.text);
        if (value->kind == CEL_NULL)
                return buf_text(format->out, "null");
        while ((convert = format->run->function_next(SLICE_LITERAL("string"), false, &at))) {
                if (convert->params[0] != value->kind)
                        continue;
                struct cel_value text = convert->call(format->run, value);

                if (text.kind == CEL_ERROR)
                        return buf_text(&format->complaint, "could not convert argument to "
                                                            "string") &&
                               false;
                return buf_slice(format->out, text.as.text);
        }
        return false;
}

/* In lists and maps, so that it could stand in an expression. */
static bool write_quoted(struct text_format *format, const struct cel_value *value,
                         const char *before, const char *behind) {
        struct buf *out = format->out, text = { 0 };

        format->out = &text;
        bool is_written = write_converted(format, value);
        format->out = out;
        if (is_written) {
                buf_text(out, before);
                go_quote_write(buf_view(&text), out);
                buf_text(out, behind);
        }
        buf_release(&text);
        return is_written;
}

static void write_double(double number, struct buf *out) {
        if (isnan(number))
                buf_text(out, "\"NaN\"");
        else if (isinf(number))
                buf_text(out, number > 0 ? "\"+Inf\"" : "\"-Inf\"");
        else
                buf_printf(out, "%.*f", CLAUSE_DIGITS, number);
}

static bool write_element(struct text_format *format, const struct cel_value *value) {
        switch (value->kind) {
        case CEL_STRING:
                return write_quoted(format, value, "", "");
        case CEL_BYTES:
                return write_quoted(format, value, "b", "");
        case CEL_TIMESTAMP:
                return write_quoted(format, value, "timestamp(", ")");
        case CEL_DURATION:
                return write_quoted(format, value, "duration(", ")");
        case CEL_DOUBLE:
                write_double(value->as.real, format->out);
                return true;
        case CEL_LIST:
        case CEL_MAP:
        case CEL_OBJECT:
        case CEL_BOOL:
        case CEL_INT:
        case CEL_UINT:
        case CEL_NULL:
        case CEL_TYPE:
                return write_text(format, value);
        default:
                return format_refuse(format, "no formatting function for ", value->kind);
        }
}

static bool write_list(struct text_format *format, const struct cel_value *list) {
        struct cel_iter iter = cel_iter(list);
        struct cel_value key, element;
        bool is_first = true, is_written = true;

        buf_char(format->out, '[');
        while (is_written && cel_next(format->run, &iter, &key, &element)) {
                buf_text(format->out, is_first ? "" : ", ");
                is_first = false;
                is_written = write_element(format, &element);
        }
        buf_char(format->out, ']');
        return is_written;
}

/* A member of a map: where its text is, and how much of it is the key. */
struct map_member {
        const struct buf *all;
        size_t start, key_end, end;
};

static struct slice member_key(const struct map_member *member) {
        return slice_make(member->all->data + member->start, member->key_end - member->start);
}

static int compare_members(const void *a, const void *b) {
        int order = slice_compare(member_key(a), member_key(b));
        const struct map_member *left = a, *right = b;

        return order ? order : left->start < right->start ? -1 : 1;
}

static bool write_member(struct text_format *format, const struct cel_value *key,
                         const struct cel_value *value, struct map_member *member) {
        member->start = format->out->len;
        if (key->kind != CEL_STRING && key->kind != CEL_BOOL && key->kind != CEL_INT &&
            key->kind != CEL_UINT)
                return format_refuse(format, "no formatting function for map key of type ",
                                     key->kind);
        if (!write_element(format, key))
                return false;
        member->key_end = format->out->len;
        buf_char(format->out, ':');
        bool is_written = write_element(format, value);
        member->end = format->out->len;
        return is_written;
}

/* Members are ordered by the texts of their keys. */
static bool write_map(struct text_format *format, const struct cel_value *map) {
        struct map_member *members = xcalloc(cel_size(map) + 1, sizeof(*members));
        struct buf *out = format->out, texts = { 0 };
        struct cel_iter iter = cel_iter(map);
        struct cel_value key, value;
        bool is_written = true;
        size_t count = 0;

        format->out = &texts;
        while (is_written && count < cel_size(map) && cel_next(format->run, &iter, &key, &value)) {
                members[count].all = &texts;
                is_written = write_member(format, &key, &value, &members[count++]);
        }
        format->out = out;
        if (is_written)
                qsort(members, count, sizeof(*members), compare_members);
        buf_char(out, '{');
        for (size_t i = 0; is_written && i < count; i++) {
                buf_text(out, i ? ", " : "");
                buf_append(out, texts.data + members[i].start, members[i].end - members[i].start);
        }
        buf_char(out, '}');
        buf_release(&texts);
        free(members);
        return is_written;
}

static bool write_text(struct text_format *format, const struct cel_value *value) {
        if (value->kind == CEL_LIST)
                return write_list(format, value);
        if (value->kind == CEL_MAP || value->kind == CEL_OBJECT)
                return write_map(format, value);
        return write_converted(format, value);
}

/* ---- numbers ---- */

static bool write_integer(const struct cel_value *value, char letter, struct buf *out) {
        bool is_negative = value->kind == CEL_INT && value->as.integer < 0;
        uint64_t number = is_negative ? 0 - value->as.natural : value->as.natural;

        if (value->kind == CEL_BOOL)
                return buf_char(out, value->as.boolean ? '1' : '0');
        buf_text(out, is_negative ? "-" : "");
        if (letter == 'd')
                return buf_u64(out, number);
        if (letter != 'b')
                return buf_printf(out,
                                  letter == 'o'   ? "%llo"
                                  : letter == 'x' ? "%llx"
                                                  : "%llX",
                                  (unsigned long long)number);
        for (int bit = 63; bit >= 0; bit--) {
                if (bit == 0 || number >> bit)
                        buf_char(out, (number >> bit) & 1 ? '1' : '0');
        }
        return true;
}

static bool write_hex(struct slice text, char letter, struct buf *out) {
        for (size_t i = 0; i < text.len; i++)
                buf_printf(out, letter == 'x' ? "%02x" : "%02X",
                           (unsigned)(unsigned char)text.ptr[i]);
        return true;
}

/* The digits before the point in groups of three. */
static void write_grouped(const char *digits, struct buf *out) {
        size_t whole = strcspn(digits, ".");

        if (*digits == '-') {
                buf_char(out, *digits++);
                whole--;
        }
        for (size_t i = 0; i < whole; i++) {
                if (i > 0 && (whole - i) % 3 == 0)
                        buf_char(out, ',');
                buf_char(out, digits[i]);
        }
        buf_text(out, digits + whole);
}

/* A power of ten, with raised digits. */
static void write_power(const char *exponent, struct buf *out) {
        static const char *const raised[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };

        buf_text(out, "×10");
        for (; *exponent; exponent++) {
                if (isdigit((unsigned char)*exponent))
                        buf_text(out, raised[*exponent - '0']);
                else if (*exponent == '-')
                        buf_text(out, "⁻");
        }
}

static void write_no_number(double number, char letter, struct buf *out) {
        const char *shown = isnan(number) ? "NaN" : number > 0 ? INFINITY_TEXT : "-" INFINITY_TEXT;
        int length = isnan(number) ? 3 : number > 0 ? 1 : 2;

        if (letter == 'e')
                buf_printf(out, "%*s", SCIENTIFIC_WIDTH - length, "");
        buf_text(out, shown);
}

/* The digits of %e are always six: upstream takes what the clause says for the width. */
static void write_real(double number, const struct cel_clause *clause, struct buf *out) {
        struct buf digits = { 0 };

        if (isnan(number) || isinf(number)) {
                write_no_number(number, clause->letter, out);
                return;
        }
        if (clause->letter == 'f') {
                buf_printf(&digits, "%.*f", clause->digits, number);
                write_grouped(digits.data, out);
        } else {
                buf_printf(&digits, "%.*e", CLAUSE_DIGITS, number);
                char *exponent = strchr(digits.data, 'e');

                buf_append(out, digits.data, (size_t)(exponent - digits.data));
                write_power(exponent + 1, out);
        }
        buf_release(&digits);
}

static bool is_number_text(const struct cel_value *value, double *ret_number) {
        static const struct {
                const char *text;
                double number;
        } words[] = { { "NaN", (double)NAN },
                      { "Infinity", (double)INFINITY },
                      { "-Infinity", -(double)INFINITY } };

        for (size_t i = 0; value->kind == CEL_STRING && i < ARRAY_LEN(words); i++)
                if (slice_is(value->as.text, words[i].text)) {
                        *ret_number = words[i].number;
                        return true;
                }
        return false;
}

/* ---- clauses ---- */

static bool write_clause(struct text_format *format, const struct cel_clause *clause,
                         const struct cel_value *value) {
        enum cel_kind kind = value->kind == CEL_OBJECT ? CEL_MAP : value->kind;
        bool is_real = clause->letter == 'f' || clause->letter == 'e';
        double number = kind == CEL_DOUBLE ? value->as.real : 0;

        if (!cel_clause_takes(clause->letter, kind) ||
            (is_real && kind != CEL_DOUBLE && !is_number_text(value, &number))) {
                buf_text(&format->complaint, cel_clause_refusal(clause->letter));
                return format_refuse(format, ", was given ", kind);
        }
        if (clause->letter == 's')
                return write_text(format, value);
        if (is_real) {
                cel_spend(format->run, (size_t)clause->digits);
                write_real(number, clause, format->out);
                return true;
        }
        if (kind == CEL_STRING || kind == CEL_BYTES)
                return write_hex(value->as.text, clause->letter, format->out);
        return write_integer(value, clause->letter, format->out);
}

/* What follows a percent sign; index: of the value that stands for it. */
static bool write_next(struct text_format *format, struct slice *rest, struct cel_iter *values,
                       size_t index) {
        struct cel_value key, value;
        struct cel_clause clause;

        if (!cel_next(format->run, values, &key, &value))
                return buf_printf(&format->complaint, "index %zu out of range", index) && false;
        if (rest->len == 0)
                return buf_text(&format->complaint, "unexpected end of string") && false;
        if (!cel_clause_read(rest, &clause, &format->complaint))
                return false;
        buf_text(&format->complaint, "error during formatting: ");
        if (!write_clause(format, &clause, &value))
                return false;
        buf_clear(&format->complaint);
        return true;
}

FUNCTION(formatted) {
        struct buf out = { 0 };
        struct text_format format = { .run = run, .out = &out };
        struct cel_iter values = cel_iter(&args[1]);
        struct slice rest = args[0].as.text;
        bool is_written = cel_spend(run, rest.len);

        for (size_t i = 0; is_written && cel_clause_find(&rest, &out); i++)
                is_written = write_next(&format, &rest, &values, i);
        struct cel_value value =
                is_written ? cel_text(CEL_STRING, arena_slice(run->arena, buf_view(&out)))
                           : cel_error(run, SLICE_FMT, SLICE_ARG(buf_view(&format.complaint)));

        cel_spend(run, out.len / 8);
        buf_release(&out);
        buf_release(&format.complaint);
        return value;
}

static const struct cel_function rows[] = {
        { "format", true, CEL_STRING, formatted, 2, { CEL_STRING, CEL_LIST } },
};
const struct cel_function_set cel_string_format_functions = { rows, ARRAY_LEN(rows) };
