/* What merging leaves of a strategic patch. */
#include "schema/strategic_spent.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include "schema/strategic_merge.h"

#define ORDER "$setElementOrder/"
#define DELETED "$deleteFromPrimitiveList/"

static bool is_container(const struct json_node *value) {
        return node_type(value) == JSON_OBJECT || node_type(value) == JSON_ARRAY;
}

static void drop_nulls(struct json_node *value) {
        struct node_iter iter = node_iter(value);
        struct json_node *inner;

        while (is_container(value) && node_next(&iter, NULL, &inner)) {
                if (node_type(value) == JSON_OBJECT && node_type(inner) == JSON_NULL)
                        node_drop(&iter);
                else
                        drop_nulls(inner);
        }
}

static bool is_directive(const struct json_node *value) {
        return node_type(value) == JSON_OBJECT && node_get(value, "$patch");
}

/* Objects that are directives go, from what holds them; lists at the top keep theirs. */
static void drop_directives(struct json_node *value, bool is_top) {
        struct node_iter iter = node_iter(value);
        struct json_node *inner;

        while (is_container(value) && !is_directive(value) && node_next(&iter, NULL, &inner)) {
                if (!is_directive(inner))
                        drop_directives(inner, false);
                else if (node_type(value) == JSON_OBJECT || !is_top)
                        node_drop(&iter);
        }
}

static const struct json_node *find_element(const struct json_node *list, const char *key,
                                            const struct json_node *wanted) {
        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *value = node_get(node_at(list, i), key);

                if (value && wanted && node_equal(value, wanted))
                        return node_at(list, i);
        }
        return NULL;
}

/* What comes again in a patch is merged into what came first, of which the patch's own value is
 * then the merged one. */
static void merge_again(const struct schema_field *field, struct json_tree *tree,
                        struct json_node *first, const struct json_node *again) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = json_doc_of(again);
        CLEANUP(buf_release) struct buf complaint = { 0 };

        strategic_merge(tree, first, schema_field_object(field), json_doc_root(doc), &complaint);
}

static void spend_new(const struct schema_field *field, struct json_tree *tree, struct map *firsts,
                      struct json_node *element) {
        const struct json_node *key = node_get(element, field->merge_key);
        CLEANUP(buf_release) struct buf text = { 0 };

        if (!key || is_directive(element))
                return;
        node_write(key, &text);
        struct json_node *first = map_get(firsts, buf_view(&text));
        if (first)
                merge_again(field, tree, first, element);
        else
                map_put(firsts, buf_view(&text), element);
}

static void spend_list(const struct schema_field *field, struct json_tree *tree,
                       const struct json_node *original, struct json_node *list) {
        struct map *firsts = map_new();

        for (size_t i = 0; i < node_count(list); i++) {
                struct json_node *element = node_at(list, i);
                const struct json_node *before = find_element(original, field->merge_key,
                                                              node_get(element, field->merge_key));

                if (!before)
                        spend_new(field, tree, firsts, element);
                else if (!is_directive(element))
                        strategic_spend(schema_field_object(field), tree, before, element);
        }
        map_free(firsts);
}

static bool has_same_type(const struct json_node *a, const struct json_node *b) {
        return node_type(a) == node_type(b);
}

static void spend_member(const struct schema_field *field, struct json_tree *tree,
                         const struct json_node *before, struct json_node *value) {
        bool is_replaced = field && (field->flags & FIELD_PATCH_REPLACE);

        if (node_type(value) == JSON_NULL)
                return;
        if (!before || !has_same_type(before, value)) {
                drop_nulls(value);
                drop_directives(value, true);
        } else if (node_type(value) == JSON_OBJECT && !is_replaced) {
                strategic_spend(field && field->shape == SHAPE_ONE ? schema_field_object(field)
                                                                   : NULL,
                                tree, before, value);
        } else if (node_type(value) == JSON_ARRAY && !is_replaced && field && field->merge_key &&
                   *field->merge_key) {
                spend_list(field, tree, before, value);
        }
}

/* Lists that have an order of their own are merged first, and gone then. */
static void spend_ordered(struct json_node *patch) {
        struct slice mark = SLICE_LITERAL(ORDER), name;
        struct node_iter iter = node_iter(patch);
        bool is_found = false;

        while (!is_found && node_next(&iter, &name, NULL))
                is_found = slice_has_prefix(name, mark);
        if (!is_found)
                return;
        struct slice list = slice_make(name.ptr + mark.len, name.len - mark.len);
        node_remove_slice(patch, list);
        node_remove_slice(patch, name);
        spend_ordered(patch);
}

void strategic_spend(const struct schema_object *schema, struct json_tree *tree,
                     const struct json_node *original, struct json_node *patch) {
        struct json_node *value;
        struct slice name;

        if (is_directive(patch)) {
                if (slice_is(node_get_text(patch, "$patch"), "replace"))
                        node_remove(patch, "$patch");
                return;
        }
        node_remove(patch, "$retainKeys");
        spend_ordered(patch);
        struct node_iter iter = node_iter(patch);
        while (node_next(&iter, &name, &value))
                if (!slice_has_prefix(name, SLICE_LITERAL(DELETED)))
                        spend_member(schema ? schema_field_find(schema, name) : NULL, tree,
                                     node_find(original, name), value);
}
