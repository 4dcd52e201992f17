/* Clauses of string.format(). */
#include "cel/cel_clauses.h"

#include "base/go_quote.h"
#include "base/util.h"
#include <string.h>

#define DIGITS_MAX 100000 /* more are not written */

#define BIT(kind) (UINT64_C(1) << (kind))
#define INTEGERS (BIT(CEL_INT) | BIT(CEL_UINT))
#define REALS (BIT(CEL_DOUBLE) | BIT(CEL_STRING)) /* texts: "NaN" and the like */

static const struct {
        char letter;
        uint64_t kinds;
        const char *refusal;
} clauses[] = {
        { 's',
          INTEGERS | REALS | BIT(CEL_BOOL) | BIT(CEL_BYTES) | BIT(CEL_NULL) | BIT(CEL_TYPE) |
                  BIT(CEL_LIST) | BIT(CEL_MAP) | BIT(CEL_TIMESTAMP) | BIT(CEL_DURATION),
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
          "types, durations, and timestamps" },
        { 'd', INTEGERS, "decimal clause can only be used on integers" },
        { 'f', REALS, "fixed-point clause can only be used on doubles" },
        { 'e', REALS, "scientific clause can only be used on doubles" },
        { 'b', INTEGERS | BIT(CEL_BOOL), "only integers and bools can be formatted as binary" },
        { 'x', INTEGERS | BIT(CEL_STRING) | BIT(CEL_BYTES),
          "only integers, byte buffers, and strings can be formatted as hex" },
        { 'X', INTEGERS | BIT(CEL_STRING) | BIT(CEL_BYTES),
          "only integers, byte buffers, and strings can be formatted as hex" },
        { 'o', INTEGERS, "octal clause can only be used on integers" },
};

static size_t find_clause(char letter) {
        size_t i = 0;

        while (i < ARRAY_LEN(clauses) && clauses[i].letter != letter)
                i++;
        return i;
}

bool cel_clause_takes(char letter, enum cel_kind kind) {
        return kind == CEL_DYN || (clauses[find_clause(letter)].kinds & BIT(kind));
}

const char *cel_clause_refusal(char letter) {
        return clauses[find_clause(letter)].refusal;
}

bool cel_clause_find(struct slice *rest, struct buf *out) {
        while (rest->len) {
                char c = *rest->ptr;
                bool is_percent = c == '%' && rest->len > 1 && rest->ptr[1] == '%';
                size_t taken = is_percent ? 2 : 1;

                *rest = slice_make(rest->ptr + taken, rest->len - taken);
                if (c == '%' && !is_percent)
                        return true;
                if (out)
                        buf_char(out, c);
        }
        return false;
}

/* ".2" before the letter. NULL, or what is wrong with it; for some of that also the digits. */
static const char *read_digits(struct slice *rest, int *ret_digits, struct slice *ret_wrong) {
        size_t length = 1;
        int64_t value;

        if (*rest->ptr != '.')
                return NULL;
        while (length < rest->len && rest->ptr[length] >= '0' && rest->ptr[length] <= '9')
                length++;
        if (length == rest->len)
                return "could not find end of precision specifier";
        *ret_wrong = slice_make(rest->ptr + 1, length - 1);
        *rest = slice_make(rest->ptr + length, rest->len - length);
        if (!slice_to_i64(*ret_wrong, &value))
                return "error while converting precision to integer: strconv.Atoi: parsing ";
        *ret_digits = value > DIGITS_MAX ? DIGITS_MAX : (int)value;
        return NULL;
}

bool cel_clause_read(struct slice *rest, struct cel_clause *ret_clause, struct buf *complaint) {
        struct slice wrong = { 0 };

        *ret_clause = (struct cel_clause){ .digits = CLAUSE_DIGITS };
        const char *problem = read_digits(rest, &ret_clause->digits, &wrong);
        ret_clause->letter = *rest->ptr;
        if (!problem && find_clause(ret_clause->letter) < ARRAY_LEN(clauses)) {
                *rest = slice_make(rest->ptr + 1, rest->len - 1);
                return true;
        }
        buf_text(complaint, "could not parse formatting clause: ");
        if (!problem) {
                buf_text(complaint, "unrecognized formatting clause \"");
                buf_code_point(complaint, (unsigned char)ret_clause->letter);
                return buf_char(complaint, '"') && false;
        }
        buf_printf(complaint, "error while parsing precision: %s", problem);
        if (wrong.ptr) {
                go_quote_write(wrong, complaint);
                buf_text(complaint, wrong.len ? ": value out of range" : ": invalid syntax");
        }
        return false;
}
