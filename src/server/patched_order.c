/* Members in the order of upstream. */
#include "server/patched_order.h"

#include "api/json_patch.h"
#include "api/merge_patch.h"
#include "schema/schema.h"

static void order_value(const struct schema_object *schema, struct json_tree *tree,
                        struct json_node *value);

static void order_elements(const struct schema_object *schema, struct json_tree *tree,
                           struct json_node *container) {
        struct node_iter iter = node_iter(container);
        struct json_node *element;

        while (node_next(&iter, NULL, &element))
                order_value(schema, tree, element);
}

static void order_field(const struct schema_field *field, struct json_tree *tree,
                        struct json_node *value) {
        if (field->shape == SHAPE_MAP || field->shape == SHAPE_MAP_OF_LIST)
                node_sort(value, slice_compare);
        if (field->type != SCHEMA_OBJECT || field->shape == SHAPE_MAP_OF_LIST)
                return;
        if (field->shape == SHAPE_ONE)
                order_value(schema_field_object(field), tree, value);
        else
                order_elements(schema_field_object(field), tree, value);
}

/* Puts a member last. */
static void member_move(struct json_tree *tree, struct json_node *object, const char *name) {
        struct json_node *value = node_get(object, name);

        if (!value)
                return;
        node_remove(object, name);
        node_put(tree, object, name, value);
}

static void order_value(const struct schema_object *schema, struct json_tree *tree,
                        struct json_node *value) {
        if (node_type(value) != JSON_OBJECT)
                return;
        member_move(tree, value, "kind");
        member_move(tree, value, "apiVersion");
        for (size_t i = 0; i < schema->count; i++) {
                const struct schema_field *field = &schema->fields[i];
                struct json_node *member = node_get(value, field->name);

                if (!member)
                        continue;
                order_field(field, tree, member);
                member_move(tree, value, field->name);
        }
}

void patched_order_begin(const struct schema_object *schema, struct json_tree *tree,
                         struct json_node *root) {
        if (schema)
                order_value(schema, tree, root);
        else
                node_sort_all(root);
}

void patched_order_end(enum patch_type type, struct json_node *root,
                       const struct json_node *patch) {
        if (type == PATCH_JSON)
                json_patch_sort(root, patch);
        else if (type == PATCH_MERGE)
                merge_patch_sort(root, patch);
}
