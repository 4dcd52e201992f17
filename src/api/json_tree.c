/* Editable JSON trees. Memory comes from pools of the tree and is given back with the tree, so
 * removing a member frees nothing; trees live for one request or one object version. */
#include "api/json_index.h"
#include "api/json_priv.h"
#include "base/pace.h"
#include "base/util.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define SORT_FEW 32           /* members that are sorted without memory of their own */
#define DUPLICATE_SCAN_MAX 16 /* members up to which comparing all pairs beats sorting */

/* Values are small; without memory for one there is nothing sensible left to do. */
static yyjson_mut_val *json_tree_need(yyjson_mut_val *value) {
        if (!value)
                abort();
        return value;
}

/* ---- trees ---- */

struct json_tree *json_tree_new(void) {
        yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
        if (!doc)
                abort();
        return (struct json_tree *)doc;
}

void json_tree_free(struct json_tree *tree) {
        yyjson_mut_doc_free(doc_of(tree));
}

void cleanup_json_tree(struct json_tree **tree) {
        json_tree_free(*tree);
        *tree = NULL;
}

int json_tree_parse(struct slice text, struct json_tree **ret_tree, struct err *err) {
        struct json_doc *doc;
        int r = json_parse(text, &doc, err);
        if (r < 0)
                return r;
        struct json_tree *tree = json_tree_new();
        json_tree_set_root(tree, node_import(tree, json_doc_root(doc)));
        json_doc_free(doc);
        *ret_tree = tree;
        return 0;
}

struct json_doc *json_doc_of(const struct json_node *node) {
        struct json_doc *doc = NULL;
        struct buf text = { 0 };

        node_write(node, &text);
        (void)json_parse(buf_view(&text), &doc, NULL);
        buf_release(&text);
        return doc;
}

struct json_node *json_tree_root(const struct json_tree *tree) {
        return node_of(yyjson_mut_doc_get_root(doc_of(tree)));
}

void json_tree_set_root(struct json_tree *tree, struct json_node *root) {
        yyjson_mut_doc_set_root(doc_of(tree), mut_of(root));
}

/* ---- repeated members ---- */

/* A member by its key node and its place in the object. */
struct member {
        yyjson_mut_val *key;
        size_t index;
        bool is_dropped;
};

static int compare_by_key(const void *left, const void *right) {
        const struct member *a = left, *b = right;
        int order = slice_compare(key_slice(a->key), key_slice(b->key));
        return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int compare_by_index(const void *left, const void *right) {
        const struct member *a = left, *b = right;
        return (a->index > b->index) - (a->index < b->index);
}

/* Links the members again without those a later one of the same name overrules. */
static void json_tree_relink(yyjson_mut_val *object, struct member *members, size_t count) {
        qsort(members, count, sizeof(*members), compare_by_index);
        unsafe_yyjson_set_len(object, 0);
        for (size_t i = 0; i < count; i++) {
                if (!members[i].is_dropped)
                        yyjson_mut_obj_add(object, members[i].key, members[i].key->next);
        }
}

static void drop_by_sorting(yyjson_mut_val *object, size_t count) {
        struct member *members = xreallocarray(NULL, count, sizeof(*members));
        yyjson_mut_val *key = ((yyjson_mut_val *)object->uni.ptr)->next->next;
        bool found = false;
        for (size_t i = 0; i < count; i++, key = key->next->next)
                members[i] = (struct member){ .key = key, .index = i };
        qsort(members, count, sizeof(*members), compare_by_key);
        for (size_t i = 0; i + 1 < count; i++) {
                members[i].is_dropped =
                        slice_eq(key_slice(members[i].key), key_slice(members[i + 1].key));
                found |= members[i].is_dropped;
        }
        if (found)
                json_tree_relink(object, members, count);
        free(members);
}

static bool has_repeated_key(yyjson_mut_val *object, size_t count) {
        if (count < 2)
                return false; /* an empty object has no list to walk */
        yyjson_mut_val *a = ((yyjson_mut_val *)object->uni.ptr)->next->next;
        for (size_t i = 0; i < count; i++, a = a->next->next) {
                yyjson_mut_val *b = a->next->next;
                for (size_t j = i + 1; j < count; j++, b = b->next->next) {
                        if (json_has_key(b, key_slice(a)))
                                return true;
                }
        }
        return false;
}

/* Keeps the last of repeated members everywhere below value, as Go's decoder does. */
static void drop_repeated(yyjson_mut_val *value) {
        if (!unsafe_yyjson_is_ctn(value))
                return;
        size_t count = unsafe_yyjson_get_len(value);
        if (unsafe_yyjson_is_obj(value) &&
            (count > DUPLICATE_SCAN_MAX || has_repeated_key(value, count)))
                drop_by_sorting(value, count);
        struct node_iter iter = node_iter(node_of(value));
        struct json_node *child;
        while (node_next(&iter, NULL, &child))
                drop_repeated(mut_of(child));
}

/* ---- making values ---- */

/* Strings are copied. The tags of both flavours are alike. */
static yyjson_mut_val *copy_scalar(yyjson_mut_doc *doc, uint64_t tag, const yyjson_val_uni *from) {
        yyjson_mut_val *copy = json_tree_need(unsafe_yyjson_mut_val(doc, 1));
        copy->tag = tag;
        memcpy(&copy->uni, from, sizeof(copy->uni));
        if ((tag & YYJSON_TYPE_MASK) != YYJSON_TYPE_STR)
                return copy;
        copy->uni.str = unsafe_yyjson_mut_strncpy(doc, from->str, unsafe_yyjson_get_len(copy));
        if (!copy->uni.str)
                abort();
        return copy;
}

static void copy_child(yyjson_mut_val *container, yyjson_mut_val *key, yyjson_mut_val *value) {
        if (key)
                json_member_append(container, key, value);
        else
                yyjson_mut_arr_append(container, value);
}

/* Recursion is bounded by JSON_DEPTH_MAX, as for all that comes from a parser. */
static yyjson_mut_val *copy_parsed(yyjson_mut_doc *doc, yyjson_val *value) {
        if (!unsafe_yyjson_is_ctn(value))
                return copy_scalar(doc, value->tag, &value->uni);
        bool is_object = unsafe_yyjson_is_obj(value);
        yyjson_mut_val *copy = json_container_new(doc, is_object), *key = NULL;
        size_t count = unsafe_yyjson_get_len(value);
        yyjson_val *at = unsafe_yyjson_get_first(value);
        for (; count > 0; count--, at = unsafe_yyjson_get_next(at)) {
                pace_step();
                if (is_object) {
                        key = copy_scalar(doc, at->tag, &at->uni);
                        at++;
                }
                copy_child(copy, key, copy_parsed(doc, at));
        }
        return copy;
}

static yyjson_mut_val *copy_node(yyjson_mut_doc *doc, yyjson_mut_val *value) {
        if (!unsafe_yyjson_is_ctn(value))
                return copy_scalar(doc, value->tag, &value->uni);
        bool is_object = unsafe_yyjson_is_obj(value);
        yyjson_mut_val *copy = json_container_new(doc, is_object), *key = NULL;
        size_t count = unsafe_yyjson_get_len(value);
        yyjson_mut_val *at = count ? ((yyjson_mut_val *)value->uni.ptr)->next : NULL;
        if (is_object && count)
                at = at->next;
        for (; count > 0; count--, at = at->next) {
                pace_step();
                if (is_object) {
                        key = copy_scalar(doc, at->tag, &at->uni);
                        at = at->next;
                }
                copy_child(copy, key, copy_node(doc, at));
        }
        return copy;
}

struct json_node *node_import(struct json_tree *tree, const struct json *value) {
        if (!value)
                return node_null(tree);
        yyjson_mut_val *copy = copy_parsed(doc_of(tree), val_of(value));
        drop_repeated(copy);
        return node_of(copy);
}

struct json_node *node_import_unique(struct json_tree *tree, const struct json *value) {
        if (!value)
                return node_null(tree);
        return node_of(copy_parsed(doc_of(tree), val_of(value)));
}

struct json_node *node_clone(struct json_tree *tree, const struct json_node *node) {
        if (!node)
                return node_null(tree);
        return node_of(copy_node(doc_of(tree), mut_of(node)));
}

struct json_node *node_null(struct json_tree *tree) {
        return node_of(json_tree_need(yyjson_mut_null(doc_of(tree))));
}

struct json_node *node_bool(struct json_tree *tree, bool value) {
        return node_of(json_tree_need(yyjson_mut_bool(doc_of(tree), value)));
}

/* Non-negative numbers are stored unsigned, as the parser does, so that equal numbers have equal
 * representations. */
struct json_node *node_i64(struct json_tree *tree, int64_t value) {
        if (value < 0)
                return node_of(json_tree_need(yyjson_mut_sint(doc_of(tree), value)));
        return node_of(json_tree_need(yyjson_mut_uint(doc_of(tree), (uint64_t)value)));
}

struct json_node *node_f64(struct json_tree *tree, double value) {
        return node_of(json_tree_need(yyjson_mut_real(doc_of(tree), value)));
}

struct json_node *node_text(struct json_tree *tree, struct slice text) {
        const char *bytes = text.ptr ? text.ptr : "";
        return node_of(json_tree_need(yyjson_mut_strncpy(doc_of(tree), bytes, text.len)));
}

struct json_node *node_string(struct json_tree *tree, const char *text) {
        return node_text(tree, slice_of(text));
}

struct json_node *node_object(struct json_tree *tree) {
        return node_of(json_container_new(doc_of(tree), true));
}

struct json_node *node_array(struct json_tree *tree) {
        return node_of(json_container_new(doc_of(tree), false));
}

/* ---- getters ---- */

enum json_type node_type(const struct json_node *node) {
        return value_type(mut_of(node));
}

struct slice node_get_slice(const struct json_node *node) {
        yyjson_mut_val *text = mut_of(node);
        return yyjson_mut_is_str(text) ? key_slice(text) : SLICE_EMPTY;
}

bool node_is_true(const struct json_node *node) {
        return yyjson_mut_is_true(mut_of(node));
}

bool node_as_i64(const struct json_node *node, int64_t *ret_value) {
        return value_as_i64(mut_of(node), ret_value);
}

bool node_as_f64(const struct json_node *node, double *ret_value) {
        return value_as_f64(mut_of(node), ret_value);
}

void node_become_i64(struct json_node *node, int64_t value) {
        if (value < 0)
                yyjson_mut_set_sint(mut_of(node), value);
        else
                yyjson_mut_set_uint(mut_of(node), (uint64_t)value);
}

size_t node_count(const struct json_node *node) {
        yyjson_mut_val *container = mut_of(node);
        return yyjson_mut_is_ctn(container) ? unsafe_yyjson_get_len(container) : 0;
}

/* The key node, or NULL. The value hangs at its next. */
static yyjson_mut_val *find_key(yyjson_mut_val *object, struct slice key) {
        return yyjson_mut_is_obj(object) ? json_index_find(object, key) : NULL;
}

struct json_node *node_find(const struct json_node *object, struct slice key) {
        yyjson_mut_val *at = find_key(mut_of(object), key);
        return at ? node_of(at->next) : NULL;
}

struct json_node *node_at(const struct json_node *array, size_t index) {
        pace_step();
        return yyjson_mut_is_arr(mut_of(array)) ? node_of(json_index_at(mut_of(array), index))
                                                : NULL;
}

struct slice node_get_text(const struct json_node *object, const char *key) {
        return node_get_slice(node_get(object, key));
}

int64_t node_get_i64(const struct json_node *object, const char *key, int64_t fallback) {
        int64_t value;
        return node_as_i64(node_get(object, key), &value) ? value : fallback;
}

/* ---- objects ---- */

void node_set(struct json_tree *tree, struct json_node *object, struct slice key,
              struct json_node *value) {
        yyjson_mut_val *at = find_key(mut_of(object), key), *fresh = mut_of(value);
        if (at) {
                yyjson_mut_val *after = at->next->next;
                at->next = fresh;
                fresh->next = after;
                return;
        }
        if (yyjson_mut_is_obj(mut_of(object)) && fresh)
                json_index_add(mut_of(object), mut_of(node_text(tree, key)), fresh);
}

void node_add(struct json_tree *tree, struct json_node *object, struct slice key,
              struct json_node *value) {
        json_index_add(mut_of(object), mut_of(node_text(tree, key)), mut_of(value));
}

static yyjson_mut_val *key_before(yyjson_mut_val *key, yyjson_mut_val *other,
                                  int (*compare)(struct slice a, struct slice b)) {
        return other && compare(key_slice(other), key_slice(key)) < 0 ? other : key;
}

/* Halves are sorted and merged in place of a second array's lower half. */
static void sort_keys(yyjson_mut_val **keys, yyjson_mut_val **spare, size_t count,
                      int (*compare)(struct slice a, struct slice b)) {
        size_t half = count / 2, left = 0, right = half;

        if (count < 2)
                return;
        sort_keys(keys, spare, half, compare);
        sort_keys(keys + half, spare, count - half, compare);
        memcpy(spare, keys, half * sizeof(*keys));
        for (size_t i = 0; left < half; i++) {
                yyjson_mut_val *other = right < count ? keys[right] : NULL;

                keys[i] = key_before(spare[left], other, compare);
                if (keys[i] == other)
                        right++;
                else
                        left++;
        }
}

static bool is_sorted(const struct json_node *object,
                      int (*compare)(struct slice a, struct slice b)) {
        struct node_iter iter = node_iter(object);
        struct slice before, key;

        for (bool has_next = node_next(&iter, &before, NULL); has_next; before = key) {
                has_next = node_next(&iter, &key, NULL);
                if (has_next && compare(before, key) >= 0)
                        return false;
        }
        return true;
}

void node_sort(struct json_node *object, int (*compare)(struct slice a, struct slice b)) {
        size_t count = yyjson_mut_is_obj(mut_of(object)) ? node_count(object) : 0;
        struct node_iter iter = node_iter(object);

        if (count < 2 || is_sorted(object, compare))
                return;
        yyjson_mut_val *few[2 * SORT_FEW], **keys = few;
        if (count > SORT_FEW)
                keys = xcalloc(2 * count, sizeof(*keys));
        for (size_t i = 0; node_next(&iter, NULL, NULL); i++)
                keys[i] = iter.at;
        sort_keys(keys, keys + count, count, compare);
        for (size_t i = 0; i < count; i++)
                keys[count + i] = keys[i]->next;
        json_index_clear(mut_of(object));
        for (size_t i = 0; i < count; i++)
                json_index_add(mut_of(object), keys[i], keys[count + i]);
        if (keys != few)
                free(keys);
}

void node_sort_all(struct json_node *value) {
        node_sort(value, slice_compare);
        struct node_iter iter = node_iter(value);
        struct json_node *inner;

        while (node_next(&iter, NULL, &inner))
                node_sort_all(inner);
}

void node_put(struct json_tree *tree, struct json_node *object, const char *key,
              struct json_node *value) {
        node_set(tree, object, slice_of(key), value);
}

void node_put_text(struct json_tree *tree, struct json_node *object, const char *key,
                   struct slice text) {
        node_put(tree, object, key, node_text(tree, text));
}

void node_put_string(struct json_tree *tree, struct json_node *object, const char *key,
                     const char *text) {
        node_put(tree, object, key, node_string(tree, text));
}

void node_put_i64(struct json_tree *tree, struct json_node *object, const char *key,
                  int64_t value) {
        node_put(tree, object, key, node_i64(tree, value));
}

void node_put_bool(struct json_tree *tree, struct json_node *object, const char *key, bool value) {
        node_put(tree, object, key, node_bool(tree, value));
}

static struct json_node *need_container(struct json_tree *tree, struct json_node *object,
                                        const char *key, enum json_type type) {
        struct json_node *found = node_get(object, key);
        enum json_type have = node_type(found);
        if (have == type)
                return found;
        if ((have != JSON_NONE && have != JSON_NULL) || node_type(object) != JSON_OBJECT)
                return NULL;
        found = type == JSON_OBJECT ? node_object(tree) : node_array(tree);
        node_put(tree, object, key, found);
        return found;
}

struct json_node *node_need_object(struct json_tree *tree, struct json_node *object,
                                   const char *key) {
        return need_container(tree, object, key, JSON_OBJECT);
}

struct json_node *node_need_array(struct json_tree *tree, struct json_node *object,
                                  const char *key) {
        return need_container(tree, object, key, JSON_ARRAY);
}

bool node_remove_slice(struct json_node *object, struct slice key) {
        yyjson_mut_val *at = find_key(mut_of(object), key);
        if (at)
                json_index_remove(mut_of(object), at);
        return at;
}

bool node_remove(struct json_node *object, const char *key) {
        return node_remove_slice(object, slice_of(key));
}

void node_remove_nulls(struct json_node *object) {
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        while (node_type(object) == JSON_OBJECT && node_next(&iter, NULL, &value)) {
                if (node_type(value) == JSON_NULL)
                        node_drop(&iter);
        }
}

/* ---- arrays ---- */

void node_append(struct json_node *array, struct json_node *value) {
        node_insert(array, node_count(array), value);
}

void node_insert(struct json_node *array, size_t index, struct json_node *value) {
        if (yyjson_mut_is_arr(mut_of(array)) && value)
                json_index_insert(mut_of(array), index, mut_of(value));
}

void node_replace_at(struct json_node *array, size_t index, struct json_node *value) {
        if (yyjson_mut_is_arr(mut_of(array)) && value)
                json_index_replace(mut_of(array), index, mut_of(value));
}

void node_remove_at(struct json_node *array, size_t index) {
        if (yyjson_mut_is_arr(mut_of(array)))
                json_index_remove_at(mut_of(array), index);
}

void node_array_clear(struct json_node *array) {
        if (yyjson_mut_is_arr(mut_of(array)))
                json_index_clear(mut_of(array));
}

/* ---- iteration, comparison ---- */

/* `at` holds the element or key last returned: values may then be replaced behind it. Containers
 * are circular lists that remember their last element (key). */
struct node_iter node_iter(const struct json_node *container) {
        size_t count = node_count(container);
        return (struct node_iter){
                .at = count > 0 ? mut_of(container)->uni.ptr : NULL,
                .container = mut_of(container),
                .count = count,
        };
}

bool node_next(struct node_iter *iter, struct slice *ret_key, struct json_node **ret_value) {
        if (iter->index >= iter->count)
                return false;
        pace_step();
        yyjson_mut_val *at = iter->at;
        bool is_object = unsafe_yyjson_is_obj(iter->container);
        iter->before = at;
        at = is_object ? at->next->next : at->next;
        if (ret_key)
                *ret_key = is_object ? key_slice(at) : SLICE_EMPTY;
        if (ret_value)
                *ret_value = node_of(is_object ? at->next : at);
        iter->at = at;
        iter->index++;
        return true;
}

void node_drop(struct node_iter *iter) {
        assert(iter->index > 0 && iter->count == node_count(node_of(iter->container)));
        json_index_unlink(iter->container, iter->before, iter->at);
        iter->at = iter->before;
        iter->index--;
        iter->count--;
}

static bool elements_equal(const struct json_node *a, const struct json_node *b) {
        struct node_iter left = node_iter(a), right = node_iter(b);
        struct json_node *x, *y;
        while (node_next(&left, NULL, &x) && node_next(&right, NULL, &y)) {
                if (!node_equal(x, y))
                        return false;
        }
        return true;
}

/* Members stand in the same order mostly: only where they do not are they looked up. */
static bool members_equal(const struct json_node *a, const struct json_node *b) {
        struct node_iter left = node_iter(a), right = node_iter(b);
        struct json_node *x, *y;
        struct slice key, other;
        while (node_next(&left, &key, &x) && node_next(&right, &other, &y)) {
                if (!slice_eq(key, other))
                        y = node_find(b, key);
                if (!y || !node_equal(x, y))
                        return false;
        }
        return true;
}

bool node_equal(const struct json_node *a, const struct json_node *b) {
        if (!a || !b)
                return a == b;
        enum json_type type = node_type(a);
        if (type != JSON_OBJECT && type != JSON_ARRAY)
                return yyjson_mut_equals(mut_of(a), mut_of(b));
        if (type != node_type(b) || node_count(a) != node_count(b))
                return false;
        return type == JSON_OBJECT ? members_equal(a, b) : elements_equal(a, b);
}
