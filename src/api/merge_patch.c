/* JSON Merge Patch. Both sides come from parsed documents, so recursion is bounded, and merging
 * makes nothing deeper than the deeper side. */
#include "api/merge_patch.h"

/* Nulls mean "delete" and must not end up in the result. Upstream also strips them from objects
 * inside new lists. */
static void strip_nulls(struct json_node *value) {
        struct node_iter iter = node_iter(value);
        struct json_node *member;
        while (node_next(&iter, NULL, &member))
                strip_nulls(member);
        if (node_type(value) == JSON_OBJECT)
                node_remove_nulls(value);
}

static void merge_patch_merge(struct json_tree *tree, struct json_node *target,
                              const struct json_node *patch);

/* have is the current member or NULL. */
static void merge_member(struct json_tree *tree, struct json_node *target, struct slice key,
                         struct json_node *have, const struct json_node *wanted) {
        if (node_type(wanted) == JSON_NULL) {
                if (have)
                        node_remove_slice(target, key);
                return;
        }
        if (node_type(have) == JSON_OBJECT && node_type(wanted) == JSON_OBJECT) {
                merge_patch_merge(tree, have, wanted);
                return;
        }
        struct json_node *copy = node_clone(tree, wanted);
        if (node_type(have) != JSON_OBJECT)
                strip_nulls(copy);
        node_set(tree, target, key, copy);
}

static void merge_patch_merge(struct json_tree *tree, struct json_node *target,
                              const struct json_node *patch) {
        struct node_iter iter = node_iter(patch);
        struct json_node *wanted;
        struct slice key;
        while (node_next(&iter, &key, &wanted))
                merge_member(tree, target, key, node_find(target, key), wanted);
}

int merge_patch_apply(struct json_tree *tree, const struct json_node *patch, struct err *err) {
        struct json_node *root = json_tree_root(tree);
        if (node_type(patch) != JSON_OBJECT)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "Invalid JSON Patch");
        if (node_type(root) != JSON_OBJECT)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "Invalid JSON Document");
        merge_patch_merge(tree, root, patch);
        return 0;
}

void merge_patch_sort(struct json_node *root, const struct json_node *patch) {
        struct node_iter iter = node_iter(patch);
        struct json_node *wanted;
        struct slice key;

        if (node_type(root) != JSON_OBJECT || node_type(patch) != JSON_OBJECT) {
                node_sort_all(root);
                return;
        }
        node_sort(root, slice_compare);
        while (node_next(&iter, &key, &wanted)) {
                struct json_node *merged = node_find(root, key);

                if (merged)
                        merge_patch_sort(merged, wanted);
        }
}
