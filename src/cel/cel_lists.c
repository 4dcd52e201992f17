/* Functions of lists, sets among them. */
#include "cel/cel_function.h"

#include "base/buf.h"
#include "base/util.h"
#include <string.h>

#define FLATTEN_MAX 32  /* levels */
#define INCLUDES_MAX 48 /* values of an attribute that is a list */

FUNCTION(is_sorted) {
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_value key, value, before = { .kind = CEL_NULL };
        int order;

        while (cel_next(run, &iter, &key, &value)) {
                if (before.kind != CEL_NULL && cel_compare(&before, &value, &order) && order > 0)
                        return cel_bool(false);
                before = value;
        }
        return cel_bool(true);
}

static struct cel_value cel_lists_extreme(struct cel_run *run, const struct cel_value *list,
                                          int sign) {
        struct cel_iter iter = cel_iter(list);
        struct cel_value key, value, best = { .kind = CEL_NULL };
        int order = 0;

        while (cel_next(run, &iter, &key, &value)) {
                bool is_better = best.kind == CEL_NULL ||
                                 (cel_compare(&value, &best, &order) && order * sign > 0);
                if (is_better)
                        best = value;
        }
        if (best.kind == CEL_NULL)
                return cel_error(run, "%s called on empty list", sign > 0 ? "max" : "min");
        return best;
}

FUNCTION(least) {
        return cel_lists_extreme(run, &args[0], -1);
}

FUNCTION(greatest) {
        return cel_lists_extreme(run, &args[0], 1);
}

static struct cel_value sum_of_pair(struct cel_run *run, const struct cel_value *pair) {
        const struct cel_function *plus;
        size_t at = 0;

        while ((plus = run->function_next(SLICE_LITERAL("_+_"), false, &at)))
                if (plus->params[0] == pair[0].kind && plus->params[1] == pair[1].kind)
                        return plus->call(run, pair);
        return cel_error(run, "no such overload");
}

/* Adds as the operator does; nothing is the integer zero. */
FUNCTION(sum) {
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_value key, value, pair[2] = { cel_int(0) };
        bool is_first = true;

        while (pair[0].kind != CEL_ERROR && cel_next(run, &iter, &key, &value)) {
                pair[1] = value;
                pair[0] = is_first ? value : sum_of_pair(run, pair);
                is_first = false;
        }
        return pair[0];
}

static int64_t place_of(struct cel_run *run, const struct cel_value *args, bool is_last) {
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_value key, value;
        int64_t found = -1;

        while ((found < 0 || is_last) && cel_next(run, &iter, &key, &value)) {
                if (cel_equal(run, &value, &args[1]))
                        found = key.as.integer;
        }
        return found;
}

FUNCTION(index_of) {
        return cel_int(place_of(run, args, false));
}

FUNCTION(last_index_of) {
        return cel_int(place_of(run, args, true));
}

FUNCTION(joined) {
        struct slice separator =
                args[0].count == 0 || args[1].kind != CEL_STRING ? SLICE_EMPTY : args[1].as.text;
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_value key, value = { .kind = CEL_STRING };
        struct buf out = { 0 };

        while (cel_next(run, &iter, &key, &value) && value.kind == CEL_STRING) {
                if (key.as.integer > 0)
                        buf_slice(&out, separator);
                buf_slice(&out, value.as.text);
                if (!cel_spend(run, value.as.text.len / 10))
                        break;
        }
        value = value.kind == CEL_STRING
                        ? cel_text(CEL_STRING, arena_slice(run->arena, buf_view(&out)))
                        : cel_error(run, "no such overload");
        buf_release(&out);
        return value;
}

FUNCTION(joined_plainly) {
        struct cel_value with[2] = { args[0], cel_text(CEL_STRING, SLICE_EMPTY) };

        return joined(run, with);
}

FUNCTION(sliced) {
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_value key, value;
        struct cel_builder made = { 0 };
        int64_t from = args[1].as.integer, to = args[2].as.integer;

        const char *problem = from < 0 || to < 0 ? "negative indexes not supported"
                              : from > to ? "start index must be less than or equal to end index"
                                          : NULL;
        if (problem)
                return cel_error(run, "cannot slice(%lld, %lld), %s", (long long)from,
                                 (long long)to, problem);
        if ((uint64_t)to > args[0].count)
                return cel_error(run, "cannot slice(%lld, %lld), list is length %zu",
                                 (long long)from, (long long)to, args[0].count);
        while (cel_next(run, &iter, &key, &value)) {
                if (key.as.integer >= from && key.as.integer < to)
                        cel_push(run, &made, &value);
        }
        return cel_list(made.items, made.count);
}

static bool cel_lists_has(struct cel_run *run, const struct cel_value *list,
                          const struct cel_value *wanted) {
        struct cel_value args[2] = { *list, *wanted };

        return place_of(run, args, false) >= 0;
}

FUNCTION(distinct) {
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_value key, value, so_far;
        struct cel_builder made = { 0 };

        while (cel_next(run, &iter, &key, &value)) {
                so_far = cel_list(made.items, made.count);
                if (!cel_lists_has(run, &so_far, &value))
                        cel_push(run, &made, &value);
        }
        return cel_list(made.items, made.count);
}

FUNCTION(reversed) {
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_value key, value;
        struct cel_builder made = { 0 };

        while (cel_next(run, &iter, &key, &value))
                cel_push(run, &made, &value);
        for (size_t i = 0; i < made.count / 2; i++) {
                value = made.items[i];
                made.items[i] = made.items[made.count - 1 - i];
                made.items[made.count - 1 - i] = value;
        }
        return cel_list(made.items, made.count);
}

/* ---- sets ---- */

static bool contains_all(struct cel_run *run, const struct cel_value *list,
                         const struct cel_value *wanted) {
        struct cel_iter iter = cel_iter(wanted);
        struct cel_value key, value;

        while (cel_next(run, &iter, &key, &value)) {
                if (!cel_lists_has(run, list, &value))
                        return false;
        }
        return true;
}

FUNCTION(set_contains) {
        return cel_bool(contains_all(run, &args[0], &args[1]));
}

FUNCTION(set_equivalent) {
        return cel_bool(contains_all(run, &args[0], &args[1]) &&
                        contains_all(run, &args[1], &args[0]));
}

FUNCTION(set_intersects) {
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_value key, value;

        while (cel_next(run, &iter, &key, &value)) {
                if (cel_lists_has(run, &args[1], &value))
                        return cel_bool(true);
        }
        return cel_bool(false);
}

/* ---- order ---- */

/* Orders two halves that are in order; equal elements stay as they were. */
static void cel_lists_merge(struct cel_value *items, size_t middle, size_t count,
                            struct cel_value *scratch) {
        size_t left = 0, right = middle;
        int order;

        for (size_t i = 0; i < count; i++) {
                bool takes_left = left < middle &&
                                  (right == count ||
                                   !cel_compare(&items[left], &items[right], &order) || order <= 0);

                scratch[i] = items[takes_left ? left++ : right++];
        }
        memcpy(items, scratch, count * sizeof(*items));
}

static bool cel_lists_sort(struct cel_run *run, struct cel_value *items, size_t count,
                           struct cel_value *scratch) {
        for (size_t half = 1; half < count; half *= 2) {
                if (!cel_spend(run, count))
                        return false;
                for (size_t at = 0; at + half < count; at += 2 * half)
                        cel_lists_merge(items + at, half,
                                        count - at < 2 * half ? count - at : 2 * half, scratch);
        }
        return true;
}

FUNCTION(sorted) {
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_builder items = { 0 };
        struct cel_value key, value;
        int order;

        while (cel_next(run, &iter, &key, &value)) {
                if (!cel_compare(&value, &value, &order) && value.kind != CEL_DOUBLE)
                        return cel_error(run, "list elements must be comparable");
                if (items.count && items.items[0].kind != value.kind)
                        return cel_error(run, "list elements must have the same type");
                cel_push(run, &items, &value);
        }
        if (items.count > 1)
                cel_lists_sort(run, items.items, items.count,
                               ARENA_ARRAY(run->arena, struct cel_value, items.count));
        return cel_list(items.items, items.count);
}

FUNCTION(range) {
        struct cel_builder items = { 0 };

        for (int64_t i = 0; i < args[0].as.integer && cel_spend(run, 1); i++) {
                struct cel_value value = cel_int(i);

                cel_push(run, &items, &value);
        }
        return cel_list(items.items, items.count);
}

/* Puts the elements of inner lists in their place, so many levels deep. */
static void cel_lists_flatten(struct cel_run *run, struct cel_builder *made,
                              const struct cel_value *list, int64_t depth) {
        struct cel_iter iter = cel_iter(list);
        struct cel_value key, value;

        while (cel_next(run, &iter, &key, &value)) {
                if (value.kind == CEL_LIST && depth > 0)
                        cel_lists_flatten(run, made, &value, depth - 1);
                else
                        cel_push(run, made, &value);
        }
}

FUNCTION(flattened_some) {
        struct cel_builder made = { 0 };

        if (args[1].as.integer < 0)
                return cel_error(run, "level must be non-negative");
        cel_lists_flatten(run, &made, &args[0],
                          args[1].as.integer < FLATTEN_MAX ? args[1].as.integer : FLATTEN_MAX);
        return cel_list(made.items, made.count);
}

FUNCTION(flattened) {
        struct cel_value with[2] = { args[0], cel_int(1) };

        return flattened_some(run, with);
}

/* A list attribute has the value, or a single one is it. */
FUNCTION(includes) {
        if (args[0].kind != CEL_LIST)
                return cel_bool(cel_equal(run, &args[0], &args[1]));
        if (args[0].count > INCLUDES_MAX)
                return cel_error(run,
                                 "'includes' function cannot be applied to lists longer than %d "
                                 "values",
                                 INCLUDES_MAX);
        return cel_bool(cel_lists_has(run, &args[0], &args[1]));
}

FUNCTION(first_element) {
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_value key, value;

        return cel_optional(run, cel_next(run, &iter, &key, &value) ? &value : NULL);
}

FUNCTION(last_element) {
        struct cel_iter iter = cel_iter(&args[0]);
        struct cel_value key, value;
        bool has_any = false;

        while (cel_next(run, &iter, &key, &value))
                has_any = true;
        return cel_optional(run, has_any ? &value : NULL);
}

static const struct cel_function rows[] = {
        { "flatten", true, CEL_LIST, flattened, 1, { CEL_LIST } },
        { "flatten", true, CEL_LIST, flattened_some, 2, { CEL_LIST, CEL_INT } },
        { "includes", true, CEL_BOOL, includes, 2, { CEL_DYN, CEL_DYN } },
        { "isSorted", true, CEL_BOOL, is_sorted, 1, { CEL_LIST }, CEL_FIT_ORDERED },
        { "min", true, CEL_FIRST_ELEMENT, least, 1, { CEL_LIST }, CEL_FIT_ORDERED },
        { "max", true, CEL_FIRST_ELEMENT, greatest, 1, { CEL_LIST }, CEL_FIT_ORDERED },
        { "sum", true, CEL_FIRST_ELEMENT, sum, 1, { CEL_LIST }, CEL_FIT_ADDED },
        { "indexOf", true, CEL_INT, index_of, 2, { CEL_LIST, CEL_DYN }, CEL_FIT_ELEMENT },
        { "lastIndexOf", true, CEL_INT, last_index_of, 2, { CEL_LIST, CEL_DYN }, CEL_FIT_ELEMENT },
        { "join", true, CEL_STRING, joined_plainly, 1, { CEL_LIST }, CEL_FIT_STRINGS },
        { "join", true, CEL_STRING, joined, 2, { CEL_LIST, CEL_STRING }, CEL_FIT_STRINGS },
        { "slice", true, CEL_SAME, sliced, 3, { CEL_LIST, CEL_INT, CEL_INT } },
        { "distinct", true, CEL_SAME, distinct, 1, { CEL_LIST } },
        { "reverse", true, CEL_SAME, reversed, 1, { CEL_LIST } },
        { "first", true, CEL_OPTIONAL_ELEMENT, first_element, 1, { CEL_LIST } },
        { "last", true, CEL_OPTIONAL_ELEMENT, last_element, 1, { CEL_LIST } },
        { "sort", true, CEL_SAME, sorted, 1, { CEL_LIST }, CEL_FIT_SORTED },
        { "lists.range", false, CEL_INTS, range, 1, { CEL_INT } },
        { "sets.contains", false, CEL_BOOL, set_contains, 2, { CEL_LIST, CEL_LIST }, CEL_FIT_SAME },
        { "sets.equivalent",
          false,
          CEL_BOOL,
          set_equivalent,
          2,
          { CEL_LIST, CEL_LIST },
          CEL_FIT_SAME },
        { "sets.intersects",
          false,
          CEL_BOOL,
          set_intersects,
          2,
          { CEL_LIST, CEL_LIST },
          CEL_FIT_SAME },
};
const struct cel_function_set cel_list_functions = { rows, ARRAY_LEN(rows) };
