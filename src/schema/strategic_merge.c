/* Strategic merge patches: maps merge, lists of the tables' merge keys merge element by element,
 * directives ($patch, $retainKeys, $setElementOrder, $deleteFromPrimitiveList) steer. */
#include "schema/strategic_merge.h"

#include "base/util.h"
#include <stdlib.h>

#define ORDER_PREFIX "$setElementOrder/"
#define DELETE_PREFIX "$deleteFromPrimitiveList/"

struct merge {
        struct json_tree *tree;
        struct err *err;
};

static int merge_object(struct merge *merge, struct json_node *target,
                        const struct schema_object *schema, const struct json *patch);

static int fail_structure(struct merge *merge, const char *text) {
        return err_set(merge->err, BERTH_ERR_INTERNAL, "%s", text);
}

static bool is_directive(struct slice key) {
        return key.len > 1 && key.ptr[0] == '$' &&
               (slice_is(key, "$patch") || slice_is(key, "$retainKeys") ||
                slice_has_prefix(key, SLICE_LITERAL(ORDER_PREFIX)) ||
                slice_has_prefix(key, SLICE_LITERAL(DELETE_PREFIX)));
}

/* Copy of a patch value without directives and nulls, as it enters where nothing was. */
static struct json_node *clean_copy(struct merge *merge, const struct json *value) {
        struct json_iter iter = json_iter(value);
        const struct json *child;
        struct json_node *copy;
        struct slice key;

        if (json_type(value) == JSON_OBJECT) {
                copy = node_object(merge->tree);
                while (json_next(&iter, &key, &child)) {
                        if (!is_directive(key) && json_type(child) != JSON_NULL)
                                node_set(merge->tree, copy, key, clean_copy(merge, child));
                }
                return copy;
        }
        if (json_type(value) == JSON_ARRAY) {
                copy = node_array(merge->tree);
                while (json_next(&iter, NULL, &child)) {
                        if (json_get(child, "$patch"))
                                continue;
                        node_append(copy, clean_copy(merge, child));
                }
                return copy;
        }
        return node_import(merge->tree, value);
}

static bool value_equal(const struct json_node *a, const struct json *b) {
        int64_t x, y;

        if (node_type(a) != json_type(b))
                return false;
        if (node_type(a) == JSON_STRING)
                return slice_eq(node_get_slice(a), json_text(b));
        return node_as_i64(a, &x) && json_as_i64(b, &y) && x == y;
}

static bool values_equal(const struct json *a, const struct json *b) {
        return a && b && json_equal(a, b);
}

/* The part of an element by which it is known: itself, or its merge key. */
static const struct json *patch_key(const struct json *element, const char *key) {
        return *key ? json_get(element, key) : element;
}

static const struct json_node *target_key(const struct json_node *element, const char *key) {
        return *key ? node_get(element, key) : element;
}

static size_t find_target(const struct json_node *list, const char *key,
                          const struct json *wanted) {
        struct node_iter iter = node_iter(list);
        struct json_node *element;

        for (size_t i = 0; node_next(&iter, NULL, &element); i++) {
                if (value_equal(target_key(element, key), wanted))
                        return i;
        }
        return SIZE_MAX;
}

static size_t find_patch(const struct json *list, const char *key, const struct json_node *wanted) {
        struct json_iter iter = json_iter(list);
        const struct json *element;

        for (size_t i = 0; json_next(&iter, NULL, &element); i++) {
                if (value_equal(wanted, patch_key(element, key)))
                        return i;
        }
        return SIZE_MAX;
}

/* ---- lists ---- */

static bool is_replaced_whole(const struct json *patch) {
        struct json_iter iter = json_iter(patch);
        const struct json *element;

        while (json_next(&iter, NULL, &element)) {
                if (slice_is(json_get_text(element, "$patch"), "replace"))
                        return true;
        }
        return false;
}

static int merge_element(struct merge *merge, struct json_node *target, const char *key,
                         const struct schema_object *schema, const struct json *element) {
        struct slice directive = json_get_text(element, "$patch");
        const struct json *wanted = patch_key(element, key);
        size_t at;

        if (*key && (json_type(element) != JSON_OBJECT || !wanted))
                return err_set(merge->err, BERTH_ERR_INTERNAL,
                               "map does not contain declared merge key: %s", key);
        if (slice_is(directive, "delete")) {
                while ((at = find_target(target, key, wanted)) != SIZE_MAX)
                        node_remove_at(target, at);
                return 0;
        }
        if (directive.len && !slice_is(directive, "merge"))
                return fail_structure(merge, "unknown patch type found");
        at = find_target(target, key, wanted);
        if (at == SIZE_MAX)
                node_append(target, clean_copy(merge, element));
        else if (*key)
                return merge_object(merge, node_at(target, at), schema, element);
        return 0;
}

/* The elements of the patch must occur in the asked order, in that order. */
static int check_order(struct merge *merge, const struct json *patch, const struct json *order,
                       const char *key) {
        struct json_iter patches = json_iter(patch), orders = json_iter(order);
        const struct json *element, *candidate;

        while (json_next(&patches, NULL, &element)) {
                bool is_found = false;

                if (json_get(element, "$patch"))
                        continue;
                while (!is_found && json_next(&orders, NULL, &candidate))
                        is_found = values_equal(patch_key(element, key), patch_key(candidate, key));
                if (!is_found)
                        return fail_structure(merge, "the order in the patch list doesn't match "
                                                     "the $setElementOrder list");
        }
        return 0;
}

struct ranked {
        struct json_node *node;
        size_t server, patch; /* index in the old list, in the order; SIZE_MAX = absent */
};

static int rank_order(const void *a, const void *b) {
        const struct ranked *x = a, *y = b;

        return x->patch < y->patch ? -1 : x->patch > y->patch;
}

/* Untouched elements keep their order, ordered ones get theirs; the two sequences are merged by
 * the place that the elements had before, new ones first. */
static void strategic_merge_arrange(struct merge *merge, struct json_node *target,
                                    const struct ranked *all, size_t count) {
        struct ranked *ordered = xcalloc(count + 1, sizeof(*ordered));
        struct ranked *others = xcalloc(count + 1, sizeof(*others));
        size_t ordered_count = 0, other_count = 0, i = 0, j = 0;

        (void)merge;
        for (size_t k = 0; k < count; k++) {
                if (all[k].patch != SIZE_MAX)
                        ordered[ordered_count++] = all[k];
                else
                        others[other_count++] = all[k];
        }
        qsort(ordered, ordered_count, sizeof(*ordered), rank_order);
        node_array_clear(target);
        while (i < other_count || j < ordered_count) {
                bool is_other =
                        j >= ordered_count || (i < other_count && ordered[j].server != SIZE_MAX &&
                                               others[i].server < ordered[j].server);

                node_append(target, is_other ? others[i++].node : ordered[j++].node);
        }
        free(ordered);
        free(others);
}

/* The first `retained` elements are old; up to `reused` new ones behind them count as old too:
 * upstream's deletions leave holes in the old list, which the first additions fill before it is
 * consulted. */
static void strategic_merge_reorder(struct merge *merge, struct json_node *target,
                                    const struct json *order, const char *key, size_t retained,
                                    size_t reused) {
        size_t count = node_count(target);
        struct ranked *all = xcalloc(count + 1, sizeof(*all));
        struct node_iter iter = node_iter(target);
        struct json_node *element;

        for (size_t i = 0; node_next(&iter, NULL, &element); i++)
                all[i] = (struct ranked){ element, i < retained + reused ? i : SIZE_MAX,
                                          find_patch(order, key, target_key(element, key)) };
        strategic_merge_arrange(merge, target, all, count);
        free(all);
}

static int merge_list(struct merge *merge, struct json_node *target, const char *key,
                      const struct schema_object *schema, const struct json *patch,
                      const struct json *order) {
        struct json_iter iter = json_iter(patch);
        const struct json *element;
        size_t before = node_count(target), retained;

        if (order && check_order(merge, patch, order, key) < 0)
                return BERTH_ERR_INTERNAL;
        if (is_replaced_whole(patch)) {
                struct json_node *fresh = clean_copy(merge, patch);
                struct node_iter nodes = node_iter(fresh);
                struct json_node *node;

                node_array_clear(target);
                while (node_next(&nodes, NULL, &node))
                        node_append(target, node_clone(merge->tree, node));
                return 0;
        }
        /* Deletions first, so that old elements are the head of the list when order is made. */
        while (json_next(&iter, NULL, &element)) {
                if (json_get(element, "$patch") &&
                    merge_element(merge, target, key, schema, element) < 0)
                        return BERTH_ERR_INTERNAL;
        }
        retained = node_count(target);
        iter = json_iter(patch);
        while (json_next(&iter, NULL, &element)) {
                if (!json_get(element, "$patch") &&
                    merge_element(merge, target, key, schema, element) < 0)
                        return BERTH_ERR_INTERNAL;
        }
        strategic_merge_reorder(merge, target, order ? order : patch, key, retained,
                                order ? before - retained : 0);
        return 0;
}

static void delete_values(struct json_node *target, const struct json *values) {
        struct json_iter iter = json_iter(values);
        const struct json *value;
        size_t at;

        while (json_next(&iter, NULL, &value)) {
                while ((at = find_target(target, "", value)) != SIZE_MAX)
                        node_remove_at(target, at);
        }
}

/* ---- maps ---- */

static int retain_keys(struct merge *merge, struct json_node *target, const struct json *patch) {
        const struct json *keep = json_get(patch, "$retainKeys");
        struct json_iter patches = json_iter(patch);
        const struct json *value;
        struct slice key;

        if (!keep)
                return 0;
        if (json_type(keep) != JSON_ARRAY)
                return fail_structure(merge, "invalid patch format of retainKeys");
        while (json_next(&patches, &key, &value)) {
                struct json_node *probe = node_text(merge->tree, key);

                if (!is_directive(key) && json_type(value) != JSON_NULL &&
                    find_patch(keep, "", probe) == SIZE_MAX)
                        return fail_structure(merge, "invalid patch format of retainKeys");
        }
        for (;;) {
                struct node_iter iter = node_iter(target);
                struct json_node *child;
                bool is_dropped = false;

                while (!is_dropped && node_next(&iter, &key, &child)) {
                        if (find_patch(keep, "", node_text(merge->tree, key)) == SIZE_MAX)
                                is_dropped = node_remove_slice(target, key);
                }
                if (!is_dropped)
                        return 0;
        }
}

static void clear_object(struct json_node *object) {
        for (;;) {
                struct node_iter iter = node_iter(object);
                struct json_node *value;
                struct slice key;

                if (!node_next(&iter, &key, &value))
                        return;
                node_remove_slice(object, key);
        }
}

/* $patch inside a map; *ret_is_done when nothing is left to merge. */
static int map_directive(struct merge *merge, struct json_node *target, const struct json *patch,
                         bool *ret_is_done) {
        struct slice directive = json_get_text(patch, "$patch");
        struct json_iter iter = json_iter(patch);
        const struct json *value;
        struct slice key;

        *ret_is_done = false;
        if (!json_get(patch, "$patch") || slice_is(directive, "merge"))
                return 0;
        if (!slice_is(directive, "replace") && !slice_is(directive, "delete"))
                return fail_structure(merge, "unknown patch type found");
        *ret_is_done = true;
        clear_object(target);
        while (slice_is(directive, "replace") && json_next(&iter, &key, &value)) {
                if (!is_directive(key) && json_type(value) != JSON_NULL)
                        node_set(merge->tree, target, key, clean_copy(merge, value));
        }
        return 0;
}

static const struct json *order_of(const struct json *patch, struct slice key) {
        struct json_iter iter = json_iter(patch);
        const struct json *value;
        struct slice candidate;
        const struct slice prefix = SLICE_LITERAL(ORDER_PREFIX);

        while (json_next(&iter, &candidate, &value)) {
                if (slice_has_prefix(candidate, prefix) &&
                    slice_eq(slice_make(candidate.ptr + prefix.len, candidate.len - prefix.len),
                             key))
                        return value;
        }
        return NULL;
}

/* Puts a value where there was none, or none that it could be merged with. */
static int replace_member(struct merge *merge, struct json_node *target,
                          const struct schema_field *field, const struct json *patch,
                          struct slice key, const struct json *value) {
        const struct json *order = order_of(patch, key);
        const char *merge_key = field ? field->merge_key : NULL;

        if (merge_key && order && check_order(merge, value, order, merge_key) < 0)
                return BERTH_ERR_INTERNAL;
        if (merge_key && json_type(value) == JSON_ARRAY &&
            node_type(node_find(target, key)) != JSON_ARRAY) {
                node_set(merge->tree, target, key, node_array(merge->tree));
                return merge_list(merge, node_find(target, key), merge_key,
                                  schema_field_object(field), value, order);
        }
        node_set(merge->tree, target, key, clean_copy(merge, value));
        return 0;
}

static bool can_merge(const struct json_node *old, const struct schema_field *field,
                      const struct json *value) {
        enum json_type type = json_type(value);

        return old && node_type(old) == type && (type == JSON_OBJECT || type == JSON_ARRAY) &&
               !(field && (field->flags & FIELD_PATCH_REPLACE));
}

static int merge_member(struct merge *merge, struct json_node *target,
                        const struct schema_field *field, const struct json *patch,
                        struct slice key, const struct json *value) {
        struct json_node *old = node_find(target, key);
        const struct schema_object *schema = NULL;

        if (json_type(value) == JSON_NULL) {
                node_remove_slice(target, key);
                return 0;
        }
        if (!can_merge(old, field, value))
                return replace_member(merge, target, field, patch, key, value);
        if (json_type(value) == JSON_OBJECT) {
                if (field && field->shape == SHAPE_ONE)
                        schema = schema_field_object(field);
                return merge_object(merge, old, schema, value);
        }
        if (!field || !field->merge_key) {
                node_set(merge->tree, target, key, clean_copy(merge, value));
                return 0;
        }
        return merge_list(merge, old, field->merge_key, schema_field_object(field), value,
                          order_of(patch, key));
}

/* Directives about a list whose elements the patch does not name. */
static void list_directives(struct merge *merge, struct json_node *target,
                            const struct schema_object *schema, const struct json *patch) {
        const struct slice order = SLICE_LITERAL(ORDER_PREFIX);
        const struct slice drop = SLICE_LITERAL(DELETE_PREFIX);
        struct json_iter iter = json_iter(patch);
        const struct json *value;
        struct slice key;

        while (json_next(&iter, &key, &value)) {
                bool is_order = slice_has_prefix(key, order), is_drop = slice_has_prefix(key, drop);
                size_t skip = is_order ? order.len : drop.len;

                if (!is_order && !is_drop)
                        continue;
                struct slice name = slice_make(key.ptr + skip, key.len - skip);
                struct json_node *list = node_find(target, name);
                const struct schema_field *field = schema ? schema_field_find(schema, name) : NULL;
                if (node_type(list) != JSON_ARRAY || !field || !field->merge_key)
                        continue;
                if (is_drop)
                        delete_values(list, value);
                else if (!json_get_slice(patch, name))
                        strategic_merge_reorder(merge, list, value, field->merge_key,
                                                node_count(list), 0);
        }
}

static int merge_object(struct merge *merge, struct json_node *target,
                        const struct schema_object *schema, const struct json *patch) {
        struct json_iter iter = json_iter(patch);
        const struct json *value;
        struct slice key;
        bool is_done;
        int r = map_directive(merge, target, patch, &is_done);

        if (r < 0 || is_done)
                return r;
        r = retain_keys(merge, target, patch);
        if (r < 0)
                return r;
        list_directives(merge, target, schema, patch);
        while (json_next(&iter, &key, &value)) {
                const struct schema_field *field = schema ? schema_field_find(schema, key) : NULL;

                if (is_directive(key))
                        continue;
                r = merge_member(merge, target, field, patch, key, value);
                if (r < 0)
                        return r;
        }
        return 0;
}

int strategic_merge(struct json_tree *tree, struct json_node *target,
                    const struct schema_object *schema, const struct json *patch, struct err *err) {
        struct merge merge = { .tree = tree, .err = err };

        return merge_object(&merge, target, schema, patch);
}
