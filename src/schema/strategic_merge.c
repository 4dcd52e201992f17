/* Strategic merge patches: maps merge, lists of the tables' merge keys merge element by element,
 * directives ($patch, $retainKeys, $setElementOrder, $deleteFromPrimitiveList) steer. */
#include "schema/strategic_merge_priv.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/pace.h"
#include "base/text_set.h"
#include "base/util.h"
#include <stdlib.h>

#define NO_STRUCT "merging an object in json but data type is not struct, instead is: map"

static int merge_object(struct merge *merge, struct json_node *target,
                        const struct schema_object *schema, const struct json *json);

/* These are the mistake of the client. */
static int fail_format(struct merge *merge, const char *text) {
        buf_text(merge->complaint, text);
        return BERTH_ERR_BAD_REQUEST;
}

static bool is_directive(struct slice key) {
        return key.len > 1 && key.ptr[0] == '$' &&
               (slice_is(key, "$patch") || slice_is(key, "$retainKeys") ||
                slice_has_prefix(key, SLICE_LITERAL(ORDER_PREFIX)) ||
                slice_has_prefix(key, SLICE_LITERAL(DELETE_PREFIX)));
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
                return strategic_fail_directive(merge, patch);
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

        int r = merge_key && order ? strategic_check_order(merge, value, order, merge_key) : 0;

        if (r < 0)
                return r;
        if (old && node_type(old) == json_type(value) && field &&
            (field->flags & FIELD_PATCH_REPLACE)) {
                node_set(merge->tree, target, key, node_import(merge->tree, value));
                return 0;
        }
        if (strategic_has_order(value)) {
                node_remove_slice(target, key);
                return 0;
        }
        if (merge_key && order && json_type(value) == JSON_ARRAY && node_type(old) != JSON_ARRAY) {
                node_set(merge->tree, target, key, node_array(merge->tree));
                return strategic_merge_list(merge, node_find(target, key), merge_key,
                                            schema_field_object(field), value, order);
        }
        node_set(merge->tree, target, key, strategic_copy(merge, value));
        return 0;
}

static bool can_merge(const struct json_node *old, const struct schema_field *field,
                      const struct json *value) {
        enum json_type type = json_type(value);

        return old && node_type(old) == type && (type == JSON_OBJECT || type == JSON_ARRAY) &&
               !(field && (field->flags & FIELD_PATCH_REPLACE));
}

/* What Go keeps as bytes is to it a struct without members of JSON. */
static const struct schema_object raw_extension = { .name = "runtime.RawExtension" };

static const struct schema_object *member_schema(const struct schema_field *field) {
        bool is_raw = field->type == SCHEMA_RAW &&
                      (strcmp(field->name, "data") == 0 || strcmp(field->name, "parameters") == 0);

        return is_raw ? &raw_extension : schema_field_object(field);
}

static int fail_unknown(struct merge *merge, const struct schema_object *schema,
                        struct slice name) {
        const char *dot = strrchr(schema->name, '.');

        buf_printf(merge->complaint,
                   "unable to find api field in struct %s for the json field \"" SLICE_FMT "\"",
                   dot ? dot + 1 : schema->name, SLICE_ARG(name));
        return BERTH_ERR_INTERNAL;
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
                        schema = member_schema(field);
                return merge_object(merge, old, schema, value);
        }
        if (!field || !field->merge_key) { /* as it comes, directives too: they mean nothing here */
                node_set(merge->tree, target, key,
                         field ? node_import(merge->tree, value) : strategic_copy(merge, value));
                return 0;
        }
        return strategic_merge_list(merge, old, field->merge_key, schema_field_object(field), value,
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

        if (json_type(order) != JSON_ARRAY)
                return strategic_fail_type(merge, "[]interface {}", order);
        if (list && node_type(list) != JSON_ARRAY)
                return strategic_fail_stored_type(merge, "[]interface {}", list);
        if (elements && json_type(elements) != JSON_ARRAY)
                return strategic_fail_type(merge, "[]interface {}", elements);
        if (!schema)
                return strategic_fail(merge, NO_STRUCT);
        const struct schema_field *field = schema_field_find(schema, name);
        if (!field)
                return fail_unknown(merge, schema, name);
        if (field->shape != SHAPE_LIST && !(field->flags & FIELD_POINTER))
                return strategic_fail(merge, "expected slice or array type, but got: struct");
        return 0;
}

/* The order of a list that the patch does not name. */
static int order_list(struct merge *merge, struct json_node *list, const struct json *order,
                      const char *key) {
        if (node_count(list) == 0)
                return strategic_fail_empty(merge);
        if (strategic_check_places(merge, list, order, key) < 0 ||
            strategic_check_order_keys(merge, order, key) < 0)
                return BERTH_ERR_INTERNAL;
        strategic_merge_reorder(list, order, key, node_count(list), 0);
        return 0;
}

/* An order of a list: what it says must fit; one whose elements the patch does not name is ordered.
 */
static int order_directive(struct merge *merge, struct json_node *target,
                           const struct schema_object *schema, const struct patch_object *patch,
                           const struct json_member *member) {
        const struct slice prefix = SLICE_LITERAL(ORDER_PREFIX);

        if (!slice_has_prefix(member->key, prefix))
                return 0;
        struct slice name = slice_make(member->key.ptr + prefix.len, member->key.len - prefix.len);
        if (check_order_directive(merge, target, schema, patch, name, member->value) < 0)
                return BERTH_ERR_INTERNAL;
        const struct schema_field *field = schema_field_find(schema, name);
        struct json_node *list = node_find(target, name);
        if (!field->merge_key || node_type(list) != JSON_ARRAY || has_member(patch, name))
                return 0;
        return order_list(merge, list, member->value, field->merge_key);
}

/* "$deleteFromPrimitiveList/" and a name. Where the value is no list, and the member neither, it
 * means the same as without these words. */
static int delete_directive(struct merge *merge, struct json_node *target,
                            const struct schema_object *schema, const struct patch_object *patch,
                            const struct json_member *member) {
        const struct slice prefix = SLICE_LITERAL(DELETE_PREFIX);
        struct slice name = slice_make(member->key.ptr + prefix.len, member->key.len - prefix.len);
        const struct schema_field *field = schema ? schema_field_find(schema, name) : NULL;
        enum json_type type = json_type(member->value);
        struct json_node *old = node_find(target, name);

        if (type != JSON_NULL && (!old || node_type(old) != type))
                return 0;
        if (type != JSON_ARRAY)
                return merge_member(merge, target, field, patch, name, member->value);
        if (!schema)
                return strategic_fail(merge, NO_STRUCT);
        if (!field)
                return fail_unknown(merge, schema, name);
        return strategic_delete_values(merge, old, field->merge_key, schema_field_object(field),
                                       member->value);
}

static int merge_members(struct merge *merge, struct json_node *target,
                         const struct schema_object *schema, const struct patch_object *patch) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < patch->count; i++)
                r = order_directive(merge, target, schema, patch, &patch->members[i]);
        for (size_t i = 0; r == 0 && i < patch->count; i++) {
                struct slice key = patch->members[i].key;

                pace_step();
                if (slice_has_prefix(key, SLICE_LITERAL(DELETE_PREFIX)))
                        r = delete_directive(merge, target, schema, patch, &patch->members[i]);
                if (is_directive(key))
                        continue;
                if (schema == &raw_extension &&
                    can_merge(node_find(target, key), NULL, patch->members[i].value))
                        r = fail_unknown(merge, schema, key);
                else
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
                    const struct schema_object *schema, const struct json *patch,
                    struct buf *complaint) {
        struct merge merge = { .tree = tree, .complaint = complaint, .merge_object = merge_object };

        return merge_object(&merge, target, schema, patch);
}
