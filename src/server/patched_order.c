/* Members in the order of upstream. */
#include "server/patched_order.h"

#include "api/merge_patch.h"
#include "schema/schema_order.h"

void patched_order_begin(const struct schema_object *schema, struct json_tree *tree,
                         struct json_node *root) {
        if (schema)
                schema_order(schema, tree, root);
        else
                node_sort_all(root);
}

void patched_order_end(enum patch_type type, struct json_node *root,
                       const struct json_node *patch) {
        if (type == PATCH_MERGE)
                merge_patch_sort(root, patch);
}
