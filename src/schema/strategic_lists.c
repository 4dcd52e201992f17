/* Lists of strategic merge patches: merged by key or value, ordered, emptied. */
#include "schema/strategic_merge_priv.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include "schema/go_text.h"
#include "schema/merge_index.h"
#include <stdlib.h>

static bool values_equal(const struct json *a, const struct json *b) {
        return a && b && json_equal(a, b);
}

static int fail_no_key(struct merge *merge, const struct json *element, const char *key) {
        CLEANUP(buf_release) struct buf text = { 0 };

        if (json_type(element) != JSON_OBJECT)
                buf_text(&text, "map");
        else
                buf_text(&text, "map: ");
        if (json_type(element) == JSON_OBJECT)
                go_text_write(element, &text);
        buf_printf(&text, " does not contain declared merge key: %s", key);
        return strategic_fail(merge, text.data);
}

int strategic_check_order_keys(struct merge *merge, const struct json *order, const char *key) {
        struct json_iter iter = json_iter(order);
        const struct json *element;

        while (*key && json_next(&iter, NULL, &element)) {
                if (json_type(element) != JSON_OBJECT)
                        return strategic_fail_type(merge, "map[string]interface {}", element);
                if (!merge_key_of(element, key))
                        return fail_no_key(merge, element, key);
        }
        return 0;
}

static bool is_replaced_whole(const struct json *patch) {
        struct json_iter iter = json_iter(patch);
        const struct json *element;

        while (json_next(&iter, NULL, &element)) {
                if (slice_is(json_get_text(element, "$patch"), "replace"))
                        return true;
        }
        return false;
}

/* An element that says what is to be done. */
static int obey_element(struct merge *merge, struct merge_index *index,
                        const struct json *element) {
        struct slice directive = json_get_text(element, "$patch");
        const struct json *wanted = merge_key_of(element, index->key);

        if (slice_is(directive, "replace"))
                return 0;
        if (slice_is(directive, "merge"))
                return strategic_fail(merge, "merging lists cannot yet be specified in the patch");
        if (!slice_is(directive, "delete"))
                return strategic_fail_directive(merge, element);
        if (*index->key && !wanted)
                return fail_no_key(merge, element, index->key);
        merge_index_remove(index, wanted);
        return 0;
}

static int merge_element(struct merge *merge, struct merge_index *index,
                         const struct schema_object *schema, const struct json *element) {
        const struct json *wanted = merge_key_of(element, index->key);

        if (*index->key && (json_type(element) != JSON_OBJECT || !wanted))
                return fail_no_key(merge, element, index->key);
        struct json_node *mine = merge_index_find(index, wanted);
        if (!mine)
                merge_index_append(index, node_import(merge->tree, element));
        else if (*index->key)
                return merge->merge_object(merge, mine, schema, element);
        return 0;
}

static int fail_order(struct merge *merge, const struct json *patch, const struct json *order) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_iter iter = json_iter(patch);
        const struct json *element;
        bool is_next = false;

        buf_text(&text, "The order in patch list:\n[");
        while (json_next(&iter, NULL, &element)) {
                if (slice_is(json_get_text(element, "$patch"), "delete"))
                        continue;
                buf_text(&text, is_next ? " " : "");
                go_text_write(element, &text);
                is_next = true;
        }
        buf_text(&text, "]\n doesn't match $setElementOrder list:\n");
        go_text_write(order, &text);
        buf_char(&text, '\n');
        return strategic_fail(merge, text.data);
}

static int check_objects(struct merge *merge, const struct json *list) {
        struct json_iter iter = json_iter(list);
        const struct json *element;

        while (json_next(&iter, NULL, &element))
                if (json_type(element) != JSON_OBJECT)
                        return strategic_fail_type(merge, "map[string]interface {}", element);
        return 0;
}

/* 1: both have the same key, 0: they do not, negative: one has none. */
static int compare_keys(struct merge *merge, const struct json *element,
                        const struct json *candidate, const char *key) {
        if (*key && json_type(candidate) != JSON_OBJECT)
                return strategic_fail_type(merge, "map[string]interface {}", candidate);
        if (*key && !merge_key_of(element, key))
                return fail_no_key(merge, element, key);
        if (*key && !merge_key_of(candidate, key))
                return fail_no_key(merge, candidate, key);
        return values_equal(merge_key_of(element, key), merge_key_of(candidate, key));
}

/* The elements of the patch must occur in the asked order, in that order. */
int strategic_check_order(struct merge *merge, const struct json *patch, const struct json *order,
                          const char *key) {
        struct json_iter patches = json_iter(patch), orders = json_iter(order);
        const struct json *element, *candidate;
        size_t left = json_count(order);

        if (json_type(order) != JSON_ARRAY)
                return strategic_fail_type(merge, "[]interface {}", order);
        if (left == 0 || json_count(patch) == 0)
                return 0;
        if (*key && check_objects(merge, patch) < 0)
                return BERTH_ERR_INTERNAL;
        while (json_next(&patches, NULL, &element)) {
                int found = strategic_has_order(element);

                if (slice_is(json_get_text(element, "$patch"), "delete"))
                        continue;
                if (left == 0)
                        return fail_order(merge, patch, order);
                for (; !found && json_next(&orders, NULL, &candidate); left--)
                        found = compare_keys(merge, element, candidate, key);
                if (found < 0)
                        return found;
                if (!found)
                        return fail_order(merge, patch, order);
        }
        return 0;
}

/* For each element its place is looked for in the order, whose elements have to be objects as far
 * as one has to look. */
int strategic_check_places(struct merge *merge, const struct json_node *list,
                           const struct json *order, const char *key) {
        struct json_iter iter = json_iter(order);
        struct node_iter nodes = node_iter(list);
        CLEANUP(buf_release) struct buf text = { 0 };
        const struct json *element;
        struct json_node *node;
        size_t objects = 0;
        bool is_found = true;

        while (json_next(&iter, NULL, &element) && json_type(element) == JSON_OBJECT)
                objects++;
        if (!*key || objects == json_count(order))
                return 0;
        struct map *places = merge_places_new(order, key);
        while (is_found && node_next(&nodes, NULL, &node))
                is_found = merge_place(places, node, key) < objects;
        map_free(places);
        buf_printf(&text, "value for key %zu is not a map", objects);
        return is_found ? 0 : strategic_fail(merge, text.data);
}

struct ranked {
        struct json_node *node;
        size_t place;
        /* Index of the first of its key in the old list, in the order; SIZE_MAX = absent. */
        size_t server, patch;
};

/* Elements of one key stay as they are. */
static int rank_order(const void *a, const void *b) {
        const struct ranked *x = a, *y = b;

        if (x->patch != y->patch)
                return x->patch < y->patch ? -1 : 1;
        return x->place < y->place ? -1 : x->place > y->place;
}

static int rank_others(const void *a, const void *b) {
        const struct ranked *x = a, *y = b;

        if (x->server != y->server)
                return x->server < y->server ? -1 : 1;
        return x->place < y->place ? -1 : x->place > y->place;
}

/* Untouched elements keep their order, those of one key together; ordered ones get theirs; the
 * two sequences are merged by the place that the elements had before, new ones first. */
static void strategic_merge_arrange(struct json_node *target, const struct ranked *all,
                                    size_t count) {
        struct ranked *ordered = xcalloc(count + 1, sizeof(*ordered));
        struct ranked *others = xcalloc(count + 1, sizeof(*others));
        size_t ordered_count = 0, other_count = 0, i = 0, j = 0;

        for (size_t k = 0; k < count; k++) {
                if (all[k].patch != SIZE_MAX)
                        ordered[ordered_count++] = all[k];
                else
                        others[other_count++] = all[k];
        }
        qsort(ordered, ordered_count, sizeof(*ordered), rank_order);
        qsort(others, other_count, sizeof(*others), rank_others);
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
void strategic_merge_reorder(struct json_node *target, const struct json *order, const char *key,
                             size_t retained, size_t reused) {
        size_t count = node_count(target);
        struct ranked *all = xcalloc(count + 1, sizeof(*all));
        struct map *places = merge_places_new(order, key);
        struct map *old = merge_places_of(target, retained + reused, key);
        struct node_iter iter = node_iter(target);
        struct json_node *element;

        for (size_t i = 0; node_next(&iter, NULL, &element); i++)
                all[i] = (struct ranked){ element, i, merge_place(old, element, key),
                                          merge_place(places, element, key) };
        map_free(places);
        map_free(old);
        strategic_merge_arrange(target, all, count);
        free(all);
}

/* The elements of a patch with a directive, or those without. */
static int merge_elements(struct merge *merge, struct merge_index *index,
                          const struct schema_object *schema, const struct json *patch,
                          bool has_directive) {
        struct json_iter iter = json_iter(patch);
        const struct json *element;
        int r = 0;

        while (r == 0 && json_next(&iter, NULL, &element)) {
                if (!!json_get(element, "$patch") != has_directive)
                        continue;
                r = has_directive ? obey_element(merge, index, element)
                                  : merge_element(merge, index, schema, element);
        }
        return r;
}

static int fail_element_types(struct merge *merge, const struct json_node *target,
                              const struct json *patch) {
        CLEANUP(cleanup_json_doc) struct json_doc *old = json_doc_of(target);
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_text(&text, "list element types are not identical: [");
        go_text_write(json_doc_root(old), &text);
        buf_char(&text, ' ');
        go_text_write(patch, &text);
        buf_char(&text, ']');
        return strategic_fail(merge, text.data);
}

int strategic_fail_empty(struct merge *merge) {
        return strategic_fail(merge, "no elements in any of the given slices");
}

/* All elements, old and new, have one type; an order needs some. */
static int check_element_types(struct merge *merge, const struct json_node *target,
                               const struct json *patch, bool is_ordered) {
        struct node_iter nodes = node_iter(target);
        struct json_iter iter = json_iter(patch);
        enum json_type type = JSON_NONE;
        const struct json *element;
        struct json_node *node;

        if (is_ordered && node_count(target) + json_count(patch) == 0)
                return strategic_fail_empty(merge);
        while (node_next(&nodes, NULL, &node)) {
                if (type != JSON_NONE && node_type(node) != type)
                        return fail_element_types(merge, target, patch);
                type = node_type(node);
        }
        while (json_next(&iter, NULL, &element)) {
                if (type != JSON_NONE && json_type(element) != type)
                        return fail_element_types(merge, target, patch);
                type = json_type(element);
        }
        return 0;
}

/* Those that were there before need the key as well. */
static int check_merged_keys(struct merge *merge, const struct json_node *list, const char *key) {
        struct node_iter iter = node_iter(list);
        struct json_node *element;

        while (*key && node_next(&iter, NULL, &element)) {
                if (node_type(element) == JSON_OBJECT && node_get(element, key))
                        continue;
                CLEANUP(cleanup_json_doc) struct json_doc *doc = json_doc_of(element);

                return fail_no_key(merge, json_doc_root(doc), key);
        }
        return 0;
}

static void replace_list(struct merge *merge, struct json_node *target, const struct json *patch) {
        struct json_node *fresh = strategic_copy(merge, patch);
        struct node_iter nodes = node_iter(fresh);
        struct json_node *node;

        node_array_clear(target);
        while (node_next(&nodes, NULL, &node))
                node_append(target, node_clone(merge->tree, node));
}

/* Of equal texts and numbers the first stays. */
static void drop_repeated(struct json_node *list) {
        struct node_iter iter = node_iter(list);
        struct map *seen = map_new();
        struct buf text = { 0 };
        struct json_node *element;

        while (node_next(&iter, NULL, &element)) {
                buf_clear(&text);
                node_write(element, &text);
                if (map_put(seen, buf_view(&text), seen))
                        node_drop(&iter);
        }
        buf_release(&text);
        map_free(seen);
}

/* Deletions first, so that old elements are the head of the list when order is made; those that
 * stay are counted. */
static int merge_all(struct merge *merge, struct json_node *target, const char *key,
                     const struct schema_object *schema, const struct json *patch,
                     size_t *ret_retained) {
        CLEANUP(merge_index_end) struct merge_index index;

        merge_index_begin(&index, target, key);
        int r = merge_elements(merge, &index, schema, patch, true);
        if (r < 0)
                return r;
        merge_index_sweep(&index);
        bool is_replaced = is_replaced_whole(patch);
        if (is_replaced)
                replace_list(merge, target, patch);
        *ret_retained = node_count(target);
        r = check_merged_keys(merge, target, key);
        return r < 0 || is_replaced ? r : merge_elements(merge, &index, schema, patch, false);
}

int strategic_merge_list(struct merge *merge, struct json_node *target, const char *key,
                         const struct schema_object *schema, const struct json *patch,
                         const struct json *order) {
        int r = order ? strategic_check_order(merge, patch, order, key) : 0;

        if (r == 0)
                r = check_element_types(merge, target, patch, !!order);
        if (r == 0 && !*key)
                drop_repeated(target);
        size_t before = node_count(target), retained = before;
        if (r == 0)
                r = merge_all(merge, target, key, schema, patch, &retained);
        if (r == 0 && order)
                r = strategic_check_places(merge, target, order, key);
        if (r == 0 && order)
                r = strategic_check_order_keys(merge, order, key);
        if (r < 0)
                return r;
        if (!is_replaced_whole(patch))
                strategic_merge_reorder(target, order ? order : patch, key, retained,
                                        order ? before - retained : 0);
        return 0;
}

static void delete_values(struct json_node *target, const struct json *values) {
        CLEANUP(merge_index_end) struct merge_index index;
        struct json_iter iter = json_iter(values);
        const struct json *value;

        merge_index_begin(&index, target, "");
        while (json_next(&iter, NULL, &value))
                merge_index_remove(&index, value);
        merge_index_sweep(&index);
}

int strategic_delete_values(struct merge *merge, struct json_node *target, const char *key,
                            const struct schema_object *schema, const struct json *values) {
        bool has_objects = json_type(json_at(values, 0)) == JSON_OBJECT ||
                           node_type(node_at(target, 0)) == JSON_OBJECT;
        int r = check_element_types(merge, target, values, false);

        if (r < 0 || !has_objects) {
                if (r == 0)
                        delete_values(target, values);
                return r;
        }
        return key && *key
                       ? strategic_merge_list(merge, target, key, schema, values, NULL)
                       : strategic_fail(merge, "cannot merge lists without merge key for struct");
}
