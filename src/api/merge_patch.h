/* JSON Merge Patch (RFC 7386) on editable trees. */
#pragma once

#include "api/json.h"
#include "base/err.h"

/* Merges `patch` (an object of any tree) into the root of `tree`: null deletes a member, objects
 * merge, everything else replaces. Error: BERTH_ERR_BAD_REQUEST when either is no object; the tree
 * is then untouched. */
int merge_patch_apply(struct json_tree *tree, const struct json_node *patch, struct err *err);
/* The same, and sorts the members of what it opens, as the library does that the API server uses:
 * the objects along the patch, and all that it adds, but for what takes the place of an object. */
int merge_patch_apply_sorted(struct json_tree *tree, const struct json_node *patch,
                             struct err *err);
