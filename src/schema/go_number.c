/* Numbers as Go reads them. */
#include "schema/go_number.h"

#include "base/go_quote.h"
#include "base/time.h"
#include "base/util.h"
#include <ctype.h>

bool go_int_parse(struct slice text, int64_t *ret_value, struct buf *complaint) {
        size_t digits = 0;

        if (slice_to_i64(text, ret_value))
                return true;
        for (size_t i = 0; i < text.len; i++)
                digits += isdigit((unsigned char)text.ptr[i]) ||
                          (i == 0 && text.len > 1 && (*text.ptr == '-' || *text.ptr == '+'));
        buf_text(complaint, "strconv.ParseInt: parsing ");
        go_quote_write(text, complaint);
        buf_printf(complaint, ": %s",
                   text.len && digits == text.len ? "value out of range" : "invalid syntax");
        return false;
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
