/* Equality of JSON values: two parsed ones, and one that is edited with one that is parsed. */
#include "api/json_index.h"
#include "api/json_priv.h"
#include "base/pace.h"
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

/* ---- an edited value and a parsed one ---- */

static bool scalar_is_json(yyjson_mut_val *node, yyjson_val *json) {
        switch (unsafe_yyjson_get_type(node)) {
        case YYJSON_TYPE_STR:
                return slice_eq(key_slice(node), key_slice(json));
        case YYJSON_TYPE_NUM:
                if (unsafe_yyjson_get_subtype(node) != unsafe_yyjson_get_subtype(json))
                        return false;
                return unsafe_yyjson_is_real(node) ? !(node->uni.f64 < json->uni.f64) &&
                                                             !(node->uni.f64 > json->uni.f64)
                                                   : node->uni.u64 == json->uni.u64;
        case YYJSON_TYPE_BOOL:
                return unsafe_yyjson_get_subtype(node) == unsafe_yyjson_get_subtype(json);
        default:
                return true;
        }
}

static bool elements_are_json(yyjson_mut_val *array, yyjson_val *json) {
        size_t count = unsafe_yyjson_get_len(array);
        yyjson_mut_val *node = count ? ((yyjson_mut_val *)array->uni.ptr)->next : NULL;
        yyjson_val *value = unsafe_yyjson_get_first(json);
        for (size_t i = 0; i < count; i++) {
                if (!node_equal_json(node_of(node), json_of(value)))
                        return false;
                node = node->next;
                value = unsafe_yyjson_get_next(value);
        }
        return true;
}

/* Members stand in the same order mostly: only where they do not are they looked up. */
static bool members_are_json(yyjson_mut_val *object, yyjson_val *json) {
        size_t count = unsafe_yyjson_get_len(object);
        yyjson_mut_val *next = count ? ((yyjson_mut_val *)object->uni.ptr)->next->next : NULL;
        yyjson_val *key = unsafe_yyjson_get_first(json);
        for (size_t i = 0; i < count; i++) {
                struct slice name = key_slice(key);
                yyjson_mut_val *at =
                        json_has_key(next, name) ? next : json_index_find(object, name);
                if (!at || !node_equal_json(node_of(at->next), json_of(key + 1)))
                        return false;
                next = next->next->next;
                key = unsafe_yyjson_get_next(key + 1);
        }
        return true;
}

bool node_equal_json(const struct json_node *node, const struct json *json) {
        yyjson_mut_val *a = mut_of(node);
        yyjson_val *b = val_of(json);
        if (!a || !b)
                return !a && !b;
        if (unsafe_yyjson_get_type(a) != unsafe_yyjson_get_type(b))
                return false;
        if (!unsafe_yyjson_is_ctn(a))
                return scalar_is_json(a, b);
        pace_step();
        if (unsafe_yyjson_get_len(a) != unsafe_yyjson_get_len(b))
                return false;
        return unsafe_yyjson_is_obj(a) ? members_are_json(a, b) : elements_are_json(a, b);
}
