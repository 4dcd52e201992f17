/* Strategic merge patches: maps merge, lists of the tables' merge keys merge element by element,
 * directives ($patch, $retainKeys, $setElementOrder, $deleteFromPrimitiveList) steer. */
#include "schema/strategic_merge.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/pace.h"
#include "base/text_set.h"
#include "base/util.h"
#include "schema/go_text.h"
#include "schema/merge_index.h"
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

/* These are the mistake of the client. */
static int fail_format(struct merge *merge, const char *text) {
        return err_set(merge->err, BERTH_ERR_BAD_REQUEST, "%s", text);
}

static int fail_directive(struct merge *merge, const struct json *patch) {
        CLEANUP(buf_release) struct buf text = { 0 };
        const struct json *directive = json_get(patch, "$patch");
        bool is_text = json_type(directive) == JSON_STRING;

        buf_text(&text, "unknown patch type: ");
        if (!is_text)
                buf_printf(&text, "%%!s(%s=", go_type_name(directive));
        go_text_write(directive, &text);
        buf_text(&text, is_text ? "" : ")");
        buf_text(&text, " in map: ");
        go_text_write(patch, &text);
        return fail_structure(merge, text.data);
}

static int fail_go_type(struct merge *merge, const char *wanted, const struct json *value) {
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_printf(&text, "expected a %s, but received a %s", wanted, go_type_name(value));
        return fail_structure(merge, text.data);
}

static bool is_directive(struct slice key) {
        return key.len > 1 && key.ptr[0] == '$' &&
               (slice_is(key, "$patch") || slice_is(key, "$retainKeys") ||
                slice_has_prefix(key, SLICE_LITERAL(ORDER_PREFIX)) ||
                slice_has_prefix(key, SLICE_LITERAL(DELETE_PREFIX)));
}

/* An object with "$patch" says what to do, not what to put somewhere. */
static bool has_order(const struct json *value) {
        return json_type(value) == JSON_OBJECT && json_get(value, "$patch");
}

/* Copy of a patch value without such objects and nulls, as it enters where nothing was; other
 * directives mean nothing there and stay. */
static struct json_node *clean_copy(struct merge *merge, const struct json *value) {
        struct json_iter iter = json_iter(value);
        const struct json *child;
        struct json_node *copy;
        struct slice key;

        pace_step();
        if (json_type(value) == JSON_OBJECT) {
                copy = node_object(merge->tree);
                while (json_next(&iter, &key, &child)) {
                        if (!has_order(child) && json_type(child) != JSON_NULL)
                                node_set(merge->tree, copy, key, clean_copy(merge, child));
                }
                return copy;
        }
        if (json_type(value) == JSON_ARRAY) {
                copy = node_array(merge->tree);
                while (json_next(&iter, NULL, &child)) {
                        if (has_order(child))
                                continue;
                        node_append(copy, clean_copy(merge, child));
                }
                return copy;
        }
        return node_import(merge->tree, value);
}

static bool values_equal(const struct json *a, const struct json *b) {
        return a && b && json_equal(a, b);
}

/* ---- lists ---- */

static int fail_no_key(struct merge *merge, const struct json *element, const char *key) {
        CLEANUP(buf_release) struct buf text = { 0 };

        if (json_type(element) != JSON_OBJECT)
                return err_set(merge->err, BERTH_ERR_INTERNAL,
                               "map does not contain declared merge key: %s", key);
        buf_text(&text, "map: ");
        go_text_write(element, &text);
        buf_printf(&text, " does not contain declared merge key: %s", key);
        return fail_structure(merge, text.data);
}

/* Every element of an order has the key that it orders by. */
static int check_order_keys(struct merge *merge, const struct json *order, const char *key) {
        struct json_iter iter = json_iter(order);
        const struct json *element;

        while (*key && json_next(&iter, NULL, &element)) {
                if (json_type(element) != JSON_OBJECT)
                        return fail_go_type(merge, "map[string]interface {}", element);
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

static int merge_element(struct merge *merge, struct merge_index *index,
                         const struct schema_object *schema, const struct json *element) {
        struct slice directive = json_get_text(element, "$patch");
        const struct json *wanted = merge_key_of(element, index->key);

        if (*index->key && (json_type(element) != JSON_OBJECT || !wanted))
                return fail_no_key(merge, element, index->key);
        if (slice_is(directive, "delete")) {
                merge_index_remove(index, wanted);
                return 0;
        }
        if (slice_is(directive, "merge"))
                return fail_structure(merge, "merging lists cannot yet be specified in the patch");
        if (has_order(element))
                return fail_directive(merge, element);
        struct json_node *mine = merge_index_find(index, wanted);
        if (!mine)
                merge_index_append(index, clean_copy(merge, element));
        else if (*index->key)
                return merge_object(merge, mine, schema, element);
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
        return fail_structure(merge, text.data);
}

/* The elements of the patch must occur in the asked order, in that order. */
static int check_order(struct merge *merge, const struct json *patch, const struct json *order,
                       const char *key) {
        struct json_iter patches = json_iter(patch), orders = json_iter(order);
        const struct json *element, *candidate;

        if (json_type(order) != JSON_ARRAY)
                return fail_go_type(merge, "[]interface {}", order);
        while (json_next(&patches, NULL, &element)) {
                bool is_found = false;

                if (json_get(element, "$patch"))
                        continue;
                if (*key && (json_type(element) != JSON_OBJECT || !merge_key_of(element, key)))
                        return fail_no_key(merge, element, key);
                while (!is_found && json_next(&orders, NULL, &candidate)) {
                        if (*key && json_type(candidate) != JSON_OBJECT)
                                return fail_go_type(merge, "map[string]interface {}", candidate);
                        is_found = values_equal(merge_key_of(element, key),
                                                merge_key_of(candidate, key));
                }
                if (!is_found)
                        return fail_order(merge, patch, order);
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
        struct map *places = merge_places_new(order, key);
        struct node_iter iter = node_iter(target);
        struct json_node *element;

        for (size_t i = 0; node_next(&iter, NULL, &element); i++)
                all[i] = (struct ranked){ element, i < retained + reused ? i : SIZE_MAX,
                                          merge_place(places, element, key) };
        map_free(places);
        strategic_merge_arrange(merge, target, all, count);
        free(all);
}

/* The elements of a patch with a directive, or those without. */
static int merge_elements(struct merge *merge, struct merge_index *index,
                          const struct schema_object *schema, const struct json *patch,
                          bool has_directive) {
        struct json_iter iter = json_iter(patch);
        const struct json *element;

        while (json_next(&iter, NULL, &element)) {
                int r = !!json_get(element, "$patch") == has_directive
                                ? merge_element(merge, index, schema, element)
                                : 0;

                if (r < 0)
                        return r;
        }
        return 0;
}

static int fail_element_types(struct merge *merge, const struct json_node *target,
                              const struct json *patch) {
        CLEANUP(buf_release) struct buf text = { 0 }, old = { 0 };
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        node_write(target, &old);
        buf_text(&text, "list element types are not identical: [");
        if (json_parse(buf_view(&old), &doc, NULL) == 0)
                go_text_write(json_doc_root(doc), &text);
        buf_char(&text, ' ');
        go_text_write(patch, &text);
        buf_char(&text, ']');
        return fail_structure(merge, text.data);
}

/* All elements, old and new, have one type. */
static int check_element_types(struct merge *merge, const struct json_node *target,
                               const struct json *patch) {
        struct node_iter nodes = node_iter(target);
        struct json_iter iter = json_iter(patch);
        enum json_type type = JSON_NONE;
        const struct json *element;
        struct json_node *node;

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
                CLEANUP(buf_release) struct buf text = { 0 };
                CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

                node_write(element, &text);
                if (json_parse(buf_view(&text), &doc, NULL) < 0)
                        return fail_structure(merge, "an element has no merge key");
                return fail_no_key(merge, json_doc_root(doc), key);
        }
        return 0;
}

static int merge_list(struct merge *merge, struct json_node *target, const char *key,
                      const struct schema_object *schema, const struct json *patch,
                      const struct json *order) {
        size_t before = node_count(target);
        int r = order ? check_order(merge, patch, order, key) : 0;

        if (r == 0 && order)
                r = check_order_keys(merge, order, key);
        if (r == 0)
                r = check_element_types(merge, target, patch);
        if (r < 0)
                return r;
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
        CLEANUP(merge_index_end) struct merge_index index;
        merge_index_begin(&index, target, key);
        r = merge_elements(merge, &index, schema, patch, true);
        if (r < 0)
                return r;
        merge_index_sweep(&index);
        size_t retained = node_count(target);
        r = check_merged_keys(merge, target, key);
        if (r == 0)
                r = merge_elements(merge, &index, schema, patch, false);
        if (r < 0)
                return r;
        strategic_merge_reorder(merge, target, order ? order : patch, key, retained,
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

/* ---- maps ---- */

static int retain_keys(struct merge *merge, struct json_node *target, const struct json *patch) {
        const struct json *keep = json_get(patch, "$retainKeys"), *value;
        struct json_iter patches = json_iter(patch), names = json_iter(keep);
        struct node_iter members = node_iter(target);
        CLEANUP(text_set_release) struct text_set retained = { 0 };
        struct slice key;

        if (!keep)
                return 0;
        if (json_type(keep) != JSON_ARRAY)
                return fail_format(merge, "invalid patch format of retainKeys");
        while (json_next(&names, NULL, &value))
                if (json_type(value) == JSON_STRING)
                        text_set_add(&retained, json_text(value));
        while (json_next(&patches, &key, &value))
                if (!is_directive(key) && json_type(value) != JSON_NULL &&
                    !text_set_has(&retained, key))
                        return fail_format(merge, "invalid patch format of retainKeys");
        while (node_next(&members, &key, NULL))
                if (!text_set_has(&retained, key))
                        node_drop(&members);
        return 0;
}

static void clear_object(struct json_node *object) {
        struct node_iter iter = node_iter(object);

        while (node_next(&iter, NULL, NULL))
                node_drop(&iter);
}

/* $patch inside a map; *ret_is_done when nothing is left to merge. */
static int map_directive(struct merge *merge, struct json_node *target, const struct json *patch,
                         bool *ret_is_done) {
        struct slice directive = json_get_text(patch, "$patch");
        struct json_iter iter = json_iter(patch);
        const struct json *value;
        struct slice key;

        *ret_is_done = false;
        if (!json_get(patch, "$patch"))
                return 0;
        if (!slice_is(directive, "replace") && !slice_is(directive, "delete"))
                return fail_directive(merge, patch);
        *ret_is_done = true;
        clear_object(target);
        while (slice_is(directive, "replace") && json_next(&iter, &key, &value)) {
                if (!slice_is(key, "$patch")) /* nulls and other directives, too */
                        node_set(merge->tree, target, key, node_import(merge->tree, value));
        }
        return 0;
}

/* The members of a patch, each once, and the orders it gives its lists. */
struct patch_object {
        const struct json *json;
        struct json_member *members;
        size_t count;
        struct map *orders; /* by the list's name; NULL = none */
};

static void patch_object_begin(struct patch_object *patch, const struct json *json) {
        const struct slice prefix = SLICE_LITERAL(ORDER_PREFIX);

        *patch = (struct patch_object){ .json = json };
        patch->members = json_members(json, &patch->count);
        for (size_t i = 0; i < patch->count; i++) {
                struct slice key = patch->members[i].key;

                pace_step();
                if (!slice_has_prefix(key, prefix))
                        continue;
                if (!patch->orders)
                        patch->orders = map_new();
                map_put(patch->orders, slice_make(key.ptr + prefix.len, key.len - prefix.len),
                        (void *)patch->members[i].value);
        }
}

static void patch_object_end(struct patch_object *patch) {
        map_free(patch->orders);
        free(patch->members);
}

static const struct json *order_of(const struct patch_object *patch, struct slice key) {
        return patch->orders ? map_get(patch->orders, key) : NULL;
}

/* Puts a value where there was none, or none that it could be merged with. */
static int replace_member(struct merge *merge, struct json_node *target,
                          const struct schema_field *field, const struct patch_object *patch,
                          struct slice key, const struct json *value) {
        const struct json *order = order_of(patch, key);
        const char *merge_key = field ? field->merge_key : NULL;
        const struct json_node *old = node_find(target, key);

        int r = merge_key && order ? check_order(merge, value, order, merge_key) : 0;

        if (r < 0)
                return r;
        if (old && node_type(old) == json_type(value) && field &&
            (field->flags & FIELD_PATCH_REPLACE)) {
                node_set(merge->tree, target, key, node_import(merge->tree, value));
                return 0;
        }
        if (has_order(value)) {
                node_remove_slice(target, key);
                return 0;
        }
        if (merge_key && order && json_type(value) == JSON_ARRAY && node_type(old) != JSON_ARRAY) {
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
                        const struct schema_field *field, const struct patch_object *patch,
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
        if (!field || !field->merge_key) { /* as it comes, directives too: they mean nothing here */
                node_set(merge->tree, target, key,
                         field ? node_import(merge->tree, value) : clean_copy(merge, value));
                return 0;
        }
        return merge_list(merge, old, field->merge_key, schema_field_object(field), value,
                          order_of(patch, key));
}

static bool has_member(const struct patch_object *patch, struct slice name) {
        for (size_t i = 0; i < patch->count; i++)
                if (slice_eq(patch->members[i].key, name))
                        return true;
        return false;
}

/* An order must be a list, about a list, of a field that there is. */
static int check_order_directive(struct merge *merge, const struct json_node *target,
                                 const struct schema_object *schema,
                                 const struct patch_object *patch, struct slice name,
                                 const struct json *order) {
        const struct json_node *list = node_find(target, name);
        const struct json *elements = json_get_slice(patch->json, name);
        const char *dot = schema ? strrchr(schema->name, '.') : NULL;

        if (json_type(order) != JSON_ARRAY)
                return fail_go_type(merge, "[]interface {}", order);
        if (list && node_type(list) != JSON_ARRAY)
                return fail_structure(merge, "expected a []interface {}, but received another");
        if (elements && json_type(elements) != JSON_ARRAY)
                return fail_go_type(merge, "[]interface {}", elements);
        if (!schema)
                return fail_structure(merge, "merging an object in json but data type is not "
                                             "struct, instead is: map");
        if (!schema_field_find(schema, name))
                return err_set(merge->err, BERTH_ERR_INTERNAL,
                               "unable to find api field in struct %s for the json field "
                               "\"" SLICE_FMT "\"",
                               dot ? dot + 1 : schema->name, SLICE_ARG(name));
        return 0;
}

/* A directive about a list whose elements the patch does not name. */
static int list_directive(struct merge *merge, struct json_node *target,
                          const struct schema_object *schema, const struct patch_object *patch,
                          const struct json_member *member) {
        const struct slice order = SLICE_LITERAL(ORDER_PREFIX);
        const struct slice drop = SLICE_LITERAL(DELETE_PREFIX);
        bool is_order = slice_has_prefix(member->key, order);
        bool is_drop = slice_has_prefix(member->key, drop);
        size_t skip = is_order ? order.len : drop.len;

        if (!is_order && !is_drop)
                return 0;
        struct slice name = slice_make(member->key.ptr + skip, member->key.len - skip);
        const struct schema_field *field = schema ? schema_field_find(schema, name) : NULL;
        if (is_order &&
            check_order_directive(merge, target, schema, patch, name, member->value) < 0)
                return BERTH_ERR_INTERNAL;
        struct json_node *list = node_find(target, name);
        if (!field || !field->merge_key || node_type(list) != JSON_ARRAY)
                return 0;
        if (is_drop)
                delete_values(list, member->value);
        else if (!has_member(patch, name))
                strategic_merge_reorder(merge, list, member->value, field->merge_key,
                                        node_count(list), 0);
        return 0;
}

static int merge_members(struct merge *merge, struct json_node *target,
                         const struct schema_object *schema, const struct patch_object *patch) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < patch->count; i++)
                r = list_directive(merge, target, schema, patch, &patch->members[i]);
        for (size_t i = 0; r == 0 && i < patch->count; i++) {
                struct slice key = patch->members[i].key;

                pace_step();
                if (!is_directive(key))
                        r = merge_member(merge, target,
                                         schema ? schema_field_find(schema, key) : NULL, patch, key,
                                         patch->members[i].value);
        }
        return r;
}

static int merge_object(struct merge *merge, struct json_node *target,
                        const struct schema_object *schema, const struct json *json) {
        struct patch_object patch;
        bool is_done;
        int r = map_directive(merge, target, json, &is_done);

        if (r < 0 || is_done)
                return r;
        r = retain_keys(merge, target, json);
        if (r < 0)
                return r;
        patch_object_begin(&patch, json);
        r = merge_members(merge, target, schema, &patch);
        patch_object_end(&patch);
        return r;
}

int strategic_merge(struct json_tree *tree, struct json_node *target,
                    const struct schema_object *schema, const struct json *patch, struct err *err) {
        struct merge merge = { .tree = tree, .err = err };

        return merge_object(&merge, target, schema, patch);
}
