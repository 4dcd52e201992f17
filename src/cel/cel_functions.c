/* Functions of values of any kind: sizes, conversions, optionals, quantities; and the list of all
 * functions. */
#include "cel/cel_function.h"

#include "api/quantity.h"
#include "base/buf.h"
#include "base/go_number.h"
#include "base/time.h"
#include "base/utf8.h"
#include "base/util.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- size and type ---- */

FUNCTION(size_of_text) {
        size_t count = 0;

        (void)run;
        for (size_t i = 0; i < args[0].as.text.len; i++)
                count += args[0].kind == CEL_BYTES ||
                         ((unsigned char)args[0].as.text.ptr[i] & 0xc0) != 0x80;
        return cel_int((int64_t)count);
}

FUNCTION(size_of_list) {
        (void)run;
        return cel_int((int64_t)cel_size(&args[0]));
}

FUNCTION(type_of) {
        (void)run;
        return cel_text(CEL_TYPE,
                        slice_of(cel_is_made_object(&args[0]) ? args[0].type->name
                                                              : cel_kind_name(args[0].kind)));
}

FUNCTION(same) {
        (void)run;
        return args[0];
}

/* ---- conversions ---- */

static struct cel_value no_conversion(struct cel_run *run, const struct cel_value *from,
                                      enum cel_kind to) {
        return cel_error(run, "type conversion error from '%s' to '%s'", cel_kind_name(from->kind),
                         cel_kind_name(to));
}

FUNCTION(int_of_uint) {
        return args[0].as.natural > INT64_MAX ? cel_error(run, "integer overflow")
                                              : cel_int((int64_t)args[0].as.natural);
}

FUNCTION(int_of_double) {
        double value = args[0].as.real;
        bool is_in_range = value > -9223372036854775808.0 && value < 9223372036854775808.0;

        return is_in_range ? cel_int((int64_t)value) : cel_error(run, "integer overflow");
}

FUNCTION(int_of_string) {
        int64_t value;

        return slice_to_i64(args[0].as.text, &value) ? cel_int(value)
                                                     : no_conversion(run, args, CEL_INT);
}

/* Seconds since 1970, nanoseconds. */
FUNCTION(int_of_time) {
        (void)run;
        return cel_int(args[0].as.integer);
}

FUNCTION(uint_of_int) {
        return args[0].as.integer < 0 ? cel_error(run, "unsigned integer overflow")
                                      : cel_uint((uint64_t)args[0].as.integer);
}

FUNCTION(uint_of_double) {
        double value = args[0].as.real;
        bool is_in_range = value >= 0 && value < 18446744073709551616.0;

        return is_in_range ? cel_uint((uint64_t)value)
                           : cel_error(run, "unsigned integer overflow");
}

FUNCTION(uint_of_string) {
        struct slice text = args[0].as.text;
        uint64_t value;

        return text.len && isdigit((unsigned char)*text.ptr) && slice_to_u64(text, &value)
                       ? cel_uint(value)
                       : no_conversion(run, args, CEL_UINT);
}

FUNCTION(double_of_int) {
        (void)run;
        return cel_double((double)args[0].as.integer);
}

FUNCTION(double_of_uint) {
        (void)run;
        return cel_double((double)args[0].as.natural);
}

FUNCTION(double_of_string) {
        double value;

        return go_float_parse(args[0].as.text, &value) ? cel_double(value)
                                                       : no_conversion(run, args, CEL_DOUBLE);
}

FUNCTION(bool_of_string) {
        static const char *const yes[] = { "1", "t", "T", "true", "TRUE", "True" };
        static const char *const no[] = { "0", "f", "F", "false", "FALSE", "False" };

        for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
                if (slice_is(args[0].as.text, yes[i]))
                        return cel_bool(true);
                if (slice_is(args[0].as.text, no[i]))
                        return cel_bool(false);
        }
        return no_conversion(run, args, CEL_BOOL);
}

FUNCTION(bytes_of_string) {
        (void)run;
        return cel_text(CEL_BYTES, args[0].as.text);
}

FUNCTION(string_of_bytes) {
        return utf8_is_valid(args[0].as.text)
                       ? cel_text(CEL_STRING, args[0].as.text)
                       : cel_error(run, "invalid UTF-8 in bytes, cannot convert to string");
}

static struct cel_value text_of(struct cel_run *run, const char *text) {
        return cel_text(CEL_STRING, arena_slice(run->arena, slice_of(text)));
}

struct cel_value cel_number_text(struct cel_run *run, const struct cel_value *number) {
        CLEANUP(buf_release) struct buf text = { 0 };

        if (number->kind == CEL_INT)
                buf_printf(&text, "%lld", (long long)number->as.integer);
        else if (number->kind == CEL_UINT)
                buf_u64(&text, number->as.natural);
        else
                go_float_write(number->as.real, &text);
        return cel_text(CEL_STRING, arena_slice(run->arena, buf_view(&text)));
}

FUNCTION(string_of_number) {
        return cel_number_text(run, &args[0]);
}

FUNCTION(string_of_bool) {
        return text_of(run, args[0].as.boolean ? "true" : "false");
}

FUNCTION(string_of_time) {
        char text[WALL_TIME_TEXT_MAX];

        zoned_time_format(cel_time_of(&args[0]), text);
        return text_of(run, text);
}

/* Seconds, as the JSON form of a duration. */
FUNCTION(string_of_duration) {
        int64_t ns = args[0].as.integer;
        char text[48];
        size_t used;

        snprintf(text, sizeof(text), "%s%lld.%09lld", ns < 0 && ns / NS_PER_S == 0 ? "-" : "",
                 (long long)(ns / NS_PER_S), llabs((long long)(ns % NS_PER_S)));
        for (used = strlen(text); text[used - 1] == '0';)
                used--;
        used -= text[used - 1] == '.';
        text[used++] = 's';
        text[used] = '\0';
        return text_of(run, text);
}

static struct cel_value time_in_range(struct cel_run *run, const struct zoned_time *time) {
        return cel_time_is_in_range(time->s) ? cel_time(time)
                                             : cel_error(run, "timestamp overflow");
}

FUNCTION(time_of_string) {
        struct zoned_time time;

        return zoned_time_parse(args[0].as.text, &time) ? time_in_range(run, &time)
                                                        : no_conversion(run, args, CEL_TIMESTAMP);
}

FUNCTION(time_of_int) {
        return time_in_range(run, &(struct zoned_time){ .s = args[0].as.integer });
}

FUNCTION(duration_of_string) {
        int64_t ns;

        return duration_parse(args[0].as.text, &ns) ? cel_duration(ns)
                                                    : no_conversion(run, args, CEL_DURATION);
}

/* As upstream, which takes a number and then fails. */
FUNCTION(duration_of_int) {
        return no_conversion(run, args, CEL_DURATION);
}

/* ---- optionals ---- */

FUNCTION(optional_none) {
        (void)args;
        return cel_optional(run, NULL);
}

FUNCTION(optional_of) {
        return cel_optional(run, &args[0]);
}

static bool is_zero(const struct cel_value *value) {
        switch (value->kind) {
        case CEL_NULL:
                return true;
        case CEL_BOOL:
                return !value->as.boolean;
        case CEL_INT:
        case CEL_UINT:
        case CEL_DURATION:
                return value->as.natural == 0;
        case CEL_TIMESTAMP:
                return value->as.integer == CEL_TIME_FIRST && value->ns == 0;
        case CEL_DOUBLE:
                return fpclassify(value->as.real) == FP_ZERO;
        case CEL_STRING:
        case CEL_BYTES:
                return value->as.text.len == 0;
        case CEL_LIST:
        case CEL_MAP:
        case CEL_OBJECT:
                return cel_size(value) == 0;
        default:
                return false;
        }
}

FUNCTION(optional_of_non_zero) {
        return cel_optional(run, is_zero(&args[0]) ? NULL : &args[0]);
}

FUNCTION(optional_has) {
        (void)run;
        return cel_bool(args[0].as.items);
}

FUNCTION(optional_value) {
        return args[0].as.items ? args[0].as.items[0]
                                : cel_error(run, "optional.none() dereference");
}

FUNCTION(optional_or_value) {
        (void)run;
        return args[0].as.items ? args[0].as.items[0] : args[1];
}

FUNCTION(optional_or) {
        (void)run;
        return args[0].as.items ? args[0] : args[1];
}

/* ---- quantities ---- */

FUNCTION(quantity_is) {
        int64_t value;

        (void)run;
        return cel_bool(quantity_value(args[0].as.text, &value, NULL) == 0);
}

FUNCTION(quantity_of) {
        struct err why = { 0 };
        int64_t value;

        return quantity_value(args[0].as.text, &value, &why) == 0
                       ? cel_text(CEL_QUANTITY, args[0].as.text)
                       : cel_error(run, "%s", why.text);
}

static int quantity_order(const struct cel_value *args) {
        int order = 0;

        (void)quantity_compare(args[0].as.text, args[1].as.text, &order, NULL);
        return order;
}

FUNCTION(quantity_sign) {
        struct quantity_info info = { 0 };

        (void)run;
        (void)quantity_describe(args[0].as.text, &info, NULL);
        return cel_int(info.sign);
}

FUNCTION(quantity_is_less) {
        (void)run;
        return cel_bool(quantity_order(args) < 0);
}

FUNCTION(quantity_is_greater) {
        (void)run;
        return cel_bool(quantity_order(args) > 0);
}

FUNCTION(quantity_order_of) {
        (void)run;
        return cel_int(quantity_order(args));
}

static bool quantity_whole(struct slice text, int64_t *ret_value) {
        char back[QUANTITY_TEXT_MAX];
        int order = 1;

        if (quantity_value(text, ret_value, NULL) < 0)
                return false;
        quantity_format_units(*ret_value, QUANTITY_DECIMAL_SI, back);
        return quantity_compare(text, slice_of(back), &order, NULL) == 0 && order == 0;
}

FUNCTION(quantity_is_integer) {
        int64_t value;

        (void)run;
        return cel_bool(quantity_whole(args[0].as.text, &value));
}

FUNCTION(quantity_as_integer) {
        int64_t value;

        return quantity_whole(args[0].as.text, &value)
                       ? cel_int(value)
                       : cel_error(run, "cannot convert value to integer");
}

FUNCTION(quantity_as_double) {
        int64_t units = 0, milli = 0;

        (void)run;
        (void)quantity_value(args[0].as.text, &units, NULL);
        if (units > INT64_MAX / 1000 || units < INT64_MIN / 1000)
                return cel_double((double)units);
        (void)quantity_milli(args[0].as.text, &milli, NULL);
        return cel_double((double)milli / 1000);
}

static struct cel_value quantity_sum_of(struct cel_run *run, const struct cel_value *args,
                                        bool is_subtract) {
        char units[QUANTITY_TEXT_MAX];
        struct slice other = args[1].as.text;
        struct buf out = { 0 };
        struct cel_value value;

        if (args[1].kind == CEL_INT) {
                quantity_format_units(args[1].as.integer, QUANTITY_DECIMAL_SI, units);
                other = slice_of(units);
        }
        if (quantity_sum(args[0].as.text, other, is_subtract, &out, NULL) < 0)
                value = cel_error(run, "no such overload");
        else
                value = cel_text(CEL_QUANTITY, arena_slice(run->arena, buf_view(&out)));
        buf_release(&out);
        return value;
}

FUNCTION(quantity_add) {
        return quantity_sum_of(run, args, false);
}

FUNCTION(quantity_sub) {
        return quantity_sum_of(run, args, true);
}

static const struct cel_function rows[] = {
        { "size", false, CEL_INT, size_of_text, 1, { CEL_STRING } },
        { "size", false, CEL_INT, size_of_text, 1, { CEL_BYTES } },
        { "size", false, CEL_INT, size_of_list, 1, { CEL_LIST } },
        { "size", false, CEL_INT, size_of_list, 1, { CEL_MAP } },
        { "size", true, CEL_INT, size_of_text, 1, { CEL_STRING } },
        { "size", true, CEL_INT, size_of_text, 1, { CEL_BYTES } },
        { "size", true, CEL_INT, size_of_list, 1, { CEL_LIST } },
        { "size", true, CEL_INT, size_of_list, 1, { CEL_MAP } },
        { "type", false, CEL_TYPE, type_of, 1, { CEL_DYN } },
        { "dyn", false, CEL_DYN, same, 1, { CEL_DYN } },
        { "int", false, CEL_INT, same, 1, { CEL_INT } },
        { "int", false, CEL_INT, int_of_uint, 1, { CEL_UINT } },
        { "int", false, CEL_INT, int_of_double, 1, { CEL_DOUBLE } },
        { "int", false, CEL_INT, int_of_string, 1, { CEL_STRING } },
        { "int", false, CEL_INT, int_of_time, 1, { CEL_TIMESTAMP } },
        { "int", false, CEL_INT, int_of_time, 1, { CEL_DURATION } },
        { "uint", false, CEL_UINT, same, 1, { CEL_UINT } },
        { "uint", false, CEL_UINT, uint_of_int, 1, { CEL_INT } },
        { "uint", false, CEL_UINT, uint_of_double, 1, { CEL_DOUBLE } },
        { "uint", false, CEL_UINT, uint_of_string, 1, { CEL_STRING } },
        { "double", false, CEL_DOUBLE, same, 1, { CEL_DOUBLE } },
        { "double", false, CEL_DOUBLE, double_of_int, 1, { CEL_INT } },
        { "double", false, CEL_DOUBLE, double_of_uint, 1, { CEL_UINT } },
        { "double", false, CEL_DOUBLE, double_of_string, 1, { CEL_STRING } },
        { "bool", false, CEL_BOOL, same, 1, { CEL_BOOL } },
        { "bool", false, CEL_BOOL, bool_of_string, 1, { CEL_STRING } },
        { "bytes", false, CEL_BYTES, same, 1, { CEL_BYTES } },
        { "bytes", false, CEL_BYTES, bytes_of_string, 1, { CEL_STRING } },
        { "string", false, CEL_STRING, same, 1, { CEL_STRING } },
        { "string", false, CEL_STRING, string_of_bytes, 1, { CEL_BYTES } },
        { "string", false, CEL_STRING, string_of_number, 1, { CEL_INT } },
        { "string", false, CEL_STRING, string_of_number, 1, { CEL_UINT } },
        { "string", false, CEL_STRING, string_of_number, 1, { CEL_DOUBLE } },
        { "string", false, CEL_STRING, string_of_bool, 1, { CEL_BOOL } },
        { "string", false, CEL_STRING, string_of_time, 1, { CEL_TIMESTAMP } },
        { "string", false, CEL_STRING, string_of_duration, 1, { CEL_DURATION } },
        { "timestamp", false, CEL_TIMESTAMP, same, 1, { CEL_TIMESTAMP } },
        { "timestamp", false, CEL_TIMESTAMP, time_of_string, 1, { CEL_STRING } },
        { "timestamp", false, CEL_TIMESTAMP, time_of_int, 1, { CEL_INT } },
        { "duration", false, CEL_DURATION, same, 1, { CEL_DURATION } },
        { "duration", false, CEL_DURATION, duration_of_string, 1, { CEL_STRING } },
        { "duration", false, CEL_DURATION, duration_of_int, 1, { CEL_INT } },
        { "optional.none", false, CEL_OPTIONAL, optional_none, 0, { CEL_DYN } },
        { "optional.of", false, CEL_WRAPPED, optional_of, 1, { CEL_DYN } },
        { "optional.ofNonZeroValue", false, CEL_WRAPPED, optional_of_non_zero, 1, { CEL_DYN } },
        { "hasValue", true, CEL_BOOL, optional_has, 1, { CEL_OPTIONAL } },
        { "value", true, CEL_FIRST_ELEMENT, optional_value, 1, { CEL_OPTIONAL } },
        { "orValue",
          true,
          CEL_FIRST_ELEMENT,
          optional_or_value,
          2,
          { CEL_OPTIONAL, CEL_DYN },
          CEL_FIT_ELEMENT },
        { "or", true, CEL_SAME, optional_or, 2, { CEL_OPTIONAL, CEL_OPTIONAL }, CEL_FIT_SAME },
        { "isQuantity", false, CEL_BOOL, quantity_is, 1, { CEL_STRING } },
        { "quantity", false, CEL_QUANTITY, quantity_of, 1, { CEL_STRING } },
        { "sign", false, CEL_INT, quantity_sign, 1, { CEL_QUANTITY } },
        { "isInteger", true, CEL_BOOL, quantity_is_integer, 1, { CEL_QUANTITY } },
        { "asInteger", true, CEL_INT, quantity_as_integer, 1, { CEL_QUANTITY } },
        { "asApproximateFloat", true, CEL_DOUBLE, quantity_as_double, 1, { CEL_QUANTITY } },
        { "isLessThan", true, CEL_BOOL, quantity_is_less, 2, { CEL_QUANTITY, CEL_QUANTITY } },
        { "isGreaterThan", true, CEL_BOOL, quantity_is_greater, 2, { CEL_QUANTITY, CEL_QUANTITY } },
        { "compareTo", true, CEL_INT, quantity_order_of, 2, { CEL_QUANTITY, CEL_QUANTITY } },
        { "add", true, CEL_QUANTITY, quantity_add, 2, { CEL_QUANTITY, CEL_QUANTITY } },
        { "add", true, CEL_QUANTITY, quantity_add, 2, { CEL_QUANTITY, CEL_INT } },
        { "sub", true, CEL_QUANTITY, quantity_sub, 2, { CEL_QUANTITY, CEL_QUANTITY } },
        { "sub", true, CEL_QUANTITY, quantity_sub, 2, { CEL_QUANTITY, CEL_INT } },
};
const struct cel_function_set cel_basic_functions = { rows, ARRAY_LEN(rows) };
