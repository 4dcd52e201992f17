/* Plus, minus, times, divided by, modulo and the sign, with overflow reported. */
#include "cel/cel_function.h"

#include "base/buf.h"
#include "base/time.h"
#include "base/util.h"
#include <math.h>

static struct cel_value cel_arithmetic_overflow(struct cel_run *run) {
        return cel_error(run, "integer overflow");
}

FUNCTION(add_int) {
        int64_t sum;

        return __builtin_add_overflow(args[0].as.integer, args[1].as.integer, &sum)
                       ? cel_arithmetic_overflow(run)
                       : cel_int(sum);
}

FUNCTION(sub_int) {
        int64_t sum;

        return __builtin_sub_overflow(args[0].as.integer, args[1].as.integer, &sum)
                       ? cel_arithmetic_overflow(run)
                       : cel_int(sum);
}

FUNCTION(mul_int) {
        int64_t product;

        return __builtin_mul_overflow(args[0].as.integer, args[1].as.integer, &product)
                       ? cel_arithmetic_overflow(run)
                       : cel_int(product);
}

FUNCTION(div_int) {
        if (args[1].as.integer == 0)
                return cel_error(run, "division by zero");
        if (args[0].as.integer == INT64_MIN && args[1].as.integer == -1)
                return cel_arithmetic_overflow(run);
        return cel_int(args[0].as.integer / args[1].as.integer);
}

FUNCTION(mod_int) {
        if (args[1].as.integer == 0)
                return cel_error(run, "modulus by zero");
        if (args[0].as.integer == INT64_MIN && args[1].as.integer == -1)
                return cel_arithmetic_overflow(run);
        return cel_int(args[0].as.integer % args[1].as.integer);
}

FUNCTION(negate_int) {
        return args[0].as.integer == INT64_MIN ? cel_arithmetic_overflow(run)
                                               : cel_int(-args[0].as.integer);
}

/* ---- unsigned ---- */

static struct cel_value overflow_unsigned(struct cel_run *run) {
        return cel_error(run, "unsigned integer overflow");
}

FUNCTION(add_uint) {
        uint64_t sum;

        return __builtin_add_overflow(args[0].as.natural, args[1].as.natural, &sum)
                       ? overflow_unsigned(run)
                       : cel_uint(sum);
}

FUNCTION(sub_uint) {
        return args[0].as.natural < args[1].as.natural
                       ? overflow_unsigned(run)
                       : cel_uint(args[0].as.natural - args[1].as.natural);
}

FUNCTION(mul_uint) {
        uint64_t product;

        return __builtin_mul_overflow(args[0].as.natural, args[1].as.natural, &product)
                       ? overflow_unsigned(run)
                       : cel_uint(product);
}

FUNCTION(div_uint) {
        return args[1].as.natural == 0 ? cel_error(run, "division by zero")
                                       : cel_uint(args[0].as.natural / args[1].as.natural);
}

FUNCTION(mod_uint) {
        return args[1].as.natural == 0 ? cel_error(run, "modulus by zero")
                                       : cel_uint(args[0].as.natural % args[1].as.natural);
}

/* ---- real ---- */

FUNCTION(add_double) {
        (void)run;
        return cel_double(args[0].as.real + args[1].as.real);
}

FUNCTION(sub_double) {
        (void)run;
        return cel_double(args[0].as.real - args[1].as.real);
}

FUNCTION(mul_double) {
        (void)run;
        return cel_double(args[0].as.real * args[1].as.real);
}

/* Division by zero gives what it gives in floating point. */
FUNCTION(div_double) {
        double by = args[1].as.real, what = args[0].as.real;

        (void)run;
        if (fpclassify(by) != FP_ZERO)
                return cel_double(what / by);
        if (isnan(what) || fpclassify(what) == FP_ZERO)
                return cel_double((double)NAN);
        return cel_double((what > 0) == !signbit(by) ? (double)INFINITY : -(double)INFINITY);
}

FUNCTION(negate_double) {
        (void)run;
        return cel_double(-args[0].as.real);
}

/* ---- texts and lists ---- */

FUNCTION(add_text) {
        struct buf out = { 0 };

        buf_slice(&out, args[0].as.text);
        buf_slice(&out, args[1].as.text);
        struct cel_value value = cel_text(args[0].kind, arena_slice(run->arena, buf_view(&out)));
        buf_release(&out);
        return value;
}

/* Whether two elements of a keyed list have the same keys. */
static bool same_keys(struct cel_run *run, const struct cel_type *type, const struct cel_value *a,
                      const struct cel_value *b) {
        struct json_iter iter = json_iter(type->list_keys);
        const struct json *name;
        struct cel_value left, right;

        if (type->list_kind == CEL_LIST_SET || json_count(type->list_keys) == 0)
                return cel_equal(run, a, b);
        if (a->kind != b->kind || (a->kind != CEL_OBJECT && a->kind != CEL_MAP))
                return false;
        while (json_next(&iter, NULL, &name)) {
                struct cel_value key = cel_text(CEL_STRING, json_text(name));
                bool has_left = cel_find(run, a, &key, &left);
                bool has_right = cel_find(run, b, &key, &right);

                if (has_left != has_right || (has_left && !cel_equal(run, &left, &right)))
                        return false;
        }
        return true;
}

/* Sets and keyed lists take over what is new, keyed ones replace what is there. */
static void cel_arithmetic_merge(struct cel_run *run, struct cel_builder *made,
                                 const struct cel_type *type, const struct cel_value *value) {
        for (size_t i = 0; type && type->list_kind != CEL_LIST_ATOMIC && i < made->count; i++) {
                if (!same_keys(run, type, &made->items[i], value))
                        continue;
                made->items[i] = *value;
                return;
        }
        cel_push(run, made, value);
}

FUNCTION(add_list) {
        const struct cel_type *type = args[0].type;
        struct cel_builder made = { 0 };
        struct cel_value key, value;

        for (int i = 0; i < 2; i++) {
                struct cel_iter iter = cel_iter(&args[i]);

                while (cel_next(run, &iter, &key, &value)) {
                        if (i == 0)
                                cel_push(run, &made, &value);
                        else
                                cel_arithmetic_merge(run, &made, type, &value);
                }
        }
        struct cel_value result = cel_list(made.items, made.count);
        result.type = type;
        return result;
}

/* ---- times ---- */

/* A time and a duration, which is taken away with sign -1. */
static struct cel_value time_moved(struct cel_run *run, const struct cel_value *time,
                                   const struct cel_value *duration, int sign) {
        struct zoned_time moved = cel_time_of(time);
        int64_t s = duration->as.integer / NS_PER_S, ns = duration->as.integer % NS_PER_S;

        moved.s += sign * s;
        ns = moved.ns + sign * ns;
        moved.s += ns < 0 ? -1 : ns >= NS_PER_S;
        moved.ns = (int32_t)((ns + NS_PER_S) % NS_PER_S);
        return cel_time_is_in_range(moved.s) ? cel_time(&moved)
                                             : cel_error(run, "timestamp overflow");
}

FUNCTION(time_plus) {
        bool is_first = args[0].kind == CEL_TIMESTAMP;

        return time_moved(run, &args[!is_first], &args[is_first], 1);
}

FUNCTION(time_minus) {
        return time_moved(run, &args[0], &args[1], -1);
}

FUNCTION(time_between) {
        int64_t s = args[0].as.integer - args[1].as.integer, ns;

        return __builtin_mul_overflow(s, NS_PER_S, &ns) ||
                               __builtin_add_overflow(ns, args[0].ns - args[1].ns, &ns)
                       ? cel_error(run, "integer overflow")
                       : cel_duration(ns);
}

FUNCTION(add_durations) {
        int64_t sum;

        return __builtin_add_overflow(args[0].as.integer, args[1].as.integer, &sum)
                       ? cel_error(run, "integer overflow")
                       : cel_duration(sum);
}

FUNCTION(sub_durations) {
        int64_t difference;

        return __builtin_sub_overflow(args[0].as.integer, args[1].as.integer, &difference)
                       ? cel_error(run, "integer overflow")
                       : cel_duration(difference);
}

static const struct cel_function rows[] = {
        { "_+_", false, CEL_INT, add_int, 2, { CEL_INT, CEL_INT } },
        { "_+_", false, CEL_UINT, add_uint, 2, { CEL_UINT, CEL_UINT } },
        { "_+_", false, CEL_DOUBLE, add_double, 2, { CEL_DOUBLE, CEL_DOUBLE } },
        { "_+_", false, CEL_STRING, add_text, 2, { CEL_STRING, CEL_STRING } },
        { "_+_", false, CEL_BYTES, add_text, 2, { CEL_BYTES, CEL_BYTES } },
        { "_+_", false, CEL_SAME, add_list, 2, { CEL_LIST, CEL_LIST }, CEL_FIT_SAME },
        { "_+_", false, CEL_TIMESTAMP, time_plus, 2, { CEL_TIMESTAMP, CEL_DURATION } },
        { "_+_", false, CEL_TIMESTAMP, time_plus, 2, { CEL_DURATION, CEL_TIMESTAMP } },
        { "_+_", false, CEL_DURATION, add_durations, 2, { CEL_DURATION, CEL_DURATION } },
        { "_-_", false, CEL_INT, sub_int, 2, { CEL_INT, CEL_INT } },
        { "_-_", false, CEL_UINT, sub_uint, 2, { CEL_UINT, CEL_UINT } },
        { "_-_", false, CEL_DOUBLE, sub_double, 2, { CEL_DOUBLE, CEL_DOUBLE } },
        { "_-_", false, CEL_TIMESTAMP, time_minus, 2, { CEL_TIMESTAMP, CEL_DURATION } },
        { "_-_", false, CEL_DURATION, time_between, 2, { CEL_TIMESTAMP, CEL_TIMESTAMP } },
        { "_-_", false, CEL_DURATION, sub_durations, 2, { CEL_DURATION, CEL_DURATION } },
        { "_*_", false, CEL_INT, mul_int, 2, { CEL_INT, CEL_INT } },
        { "_*_", false, CEL_UINT, mul_uint, 2, { CEL_UINT, CEL_UINT } },
        { "_*_", false, CEL_DOUBLE, mul_double, 2, { CEL_DOUBLE, CEL_DOUBLE } },
        { "_/_", false, CEL_INT, div_int, 2, { CEL_INT, CEL_INT } },
        { "_/_", false, CEL_UINT, div_uint, 2, { CEL_UINT, CEL_UINT } },
        { "_/_", false, CEL_DOUBLE, div_double, 2, { CEL_DOUBLE, CEL_DOUBLE } },
        { "_%_", false, CEL_INT, mod_int, 2, { CEL_INT, CEL_INT } },
        { "_%_", false, CEL_UINT, mod_uint, 2, { CEL_UINT, CEL_UINT } },
        { "-_", false, CEL_INT, negate_int, 1, { CEL_INT } },
        { "-_", false, CEL_DOUBLE, negate_double, 1, { CEL_DOUBLE } },
};
const struct cel_function_set cel_arithmetic_functions = { rows, ARRAY_LEN(rows) };
