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

struct patch_merge {
        struct json_tree *tree;
        bool is_sorted; /* the library that the API server uses sorts what it opens */
};

static void merge_patch_merge(const struct patch_merge *merge, struct json_node *target,
                              const struct json_node *patch);

/* have is the current member or NULL. */
static void merge_member(const struct patch_merge *merge, struct json_node *target,
                         struct slice key, struct json_node *have, const struct json_node *wanted) {
        if (node_type(wanted) == JSON_NULL) {
                if (have)
                        node_remove_slice(target, key);
                return;
        }
        if (node_type(have) == JSON_OBJECT && node_type(wanted) == JSON_OBJECT) {
                merge_patch_merge(merge, have, wanted);
                return;
        }
        struct json_node *copy = node_clone(merge->tree, wanted);
        if (node_type(have) != JSON_OBJECT) { /* what takes the place of an object is not opened */
                strip_nulls(copy);
                if (merge->is_sorted)
                        node_sort_all(copy);
        }
        node_set(merge->tree, target, key, copy);
}

static void merge_patch_merge(const struct patch_merge *merge, struct json_node *target,
                              const struct json_node *patch) {
        struct node_iter iter = node_iter(patch);
        struct json_node *wanted;
        struct slice key;
        while (node_next(&iter, &key, &wanted))
                merge_member(merge, target, key, node_find(target, key), wanted);
        if (merge->is_sorted)
                node_sort(target, slice_compare);
}

static int merge_root(const struct patch_merge *merge, const struct json_node *patch,
                      struct err *err) {
        struct json_node *root = json_tree_root(merge->tree);
        if (node_type(patch) != JSON_OBJECT)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "Invalid JSON Patch");
        if (node_type(root) != JSON_OBJECT)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "Invalid JSON Document");
        merge_patch_merge(merge, root, patch);
        return 0;
}

int merge_patch_apply(struct json_tree *tree, const struct json_node *patch, struct err *err) {
        return merge_root(&(struct patch_merge){ tree, false }, patch, err);
}

int merge_patch_apply_sorted(struct json_tree *tree, const struct json_node *patch,
                             struct err *err) {
        return merge_root(&(struct patch_merge){ tree, true }, patch, err);
}
