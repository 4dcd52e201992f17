/* Equality of immutable JSON values. */
#include "api/json_priv.h"
#include <stdlib.h>

static bool json_elements_equal(const struct json *a, const struct json *b) {
        struct json_iter left = json_iter(a), right = json_iter(b);
        const struct json *x, *y;
        while (json_next(&left, NULL, &x) && json_next(&right, NULL, &y)) {
                if (!json_equal(x, y))
                        return false;
        }
        return true;
}

static int member_order(const void *left, const void *right) {
        const struct json_member *a = left, *b = right;
        return slice_compare(a->key, b->key);
}

/* Members in the order of their keys, each once. */
static struct json_member *sorted_members(const struct json *object, size_t *ret_count) {
        struct json_member *members = json_members(object, ret_count);
        if (members)
                qsort(members, *ret_count, sizeof(*members), member_order);
        return members;
}

static bool has_same_keys(const struct json *a, const struct json *b) {
        struct json_iter left = json_iter(a), right = json_iter(b);
        struct slice x, y;
        if (left.count != right.count)
                return false;
        while (json_next(&left, &x, NULL) && json_next(&right, &y, NULL)) {
                if (!slice_eq(x, y))
                        return false;
        }
        return true;
}

static bool json_objects_equal(const struct json *a, const struct json *b) {
        if (has_same_keys(a, b)) /* in the same order, as mostly */
                return json_elements_equal(a, b);
        size_t count, other_count, i = 0;
        struct json_member *left = sorted_members(a, &count);
        struct json_member *right = sorted_members(b, &other_count);
        while (count == other_count && i < count && slice_eq(left[i].key, right[i].key) &&
               json_equal(left[i].value, right[i].value))
                i++;
        free(left);
        free(right);
        return count == other_count && i == count;
}

bool json_equal(const struct json *a, const struct json *b) {
        enum json_type type = json_type(a);
        if (!a || !b)
                return a == b;
        if (type != JSON_OBJECT && type != JSON_ARRAY)
                return yyjson_equals(val_of(a), val_of(b));
        if (type != json_type(b))
                return false;
        return type == JSON_OBJECT ? json_objects_equal(a, b)
                                   : json_count(a) == json_count(b) && json_elements_equal(a, b);
}
