/* Members in the order of their types. */
#include "schema/schema_order.h"

static void order_elements(const struct schema_object *schema, struct json_tree *tree,
                           struct json_node *container) {
        struct node_iter iter = node_iter(container);
        struct json_node *element;

        while (node_next(&iter, NULL, &element))
                schema_order(schema, tree, element);
}

static void order_field(const struct schema_field *field, struct json_tree *tree,
                        struct json_node *value) {
        if (field->shape == SHAPE_MAP || field->shape == SHAPE_MAP_OF_LIST)
                node_sort(value, slice_compare);
        if (field->type != SCHEMA_OBJECT || field->shape == SHAPE_MAP_OF_LIST)
                return;
        if (field->shape == SHAPE_ONE)
                schema_order(schema_field_object(field), tree, value);
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

void schema_order(const struct schema_object *schema, struct json_tree *tree,
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
