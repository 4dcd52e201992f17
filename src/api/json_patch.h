/* JSON Patch (RFC 6902) on editable trees, with the leniency of the library the Kubernetes API
 * server uses: replacing a missing object member adds it, negative indexes count from the end, and
 * absent equals null in a test. */
#pragma once

#include "api/json.h"
#include "base/err.h"

#define JSON_PATCH_OPS_MAX 10000
#define JSON_PATCH_COPY_MAX (3 * 1024 * 1024) /* bytes of text all copy operations may add */

/* Applies `ops` (of any tree) to the root of `tree`. Errors: BERTH_ERR_BAD_REQUEST when ops is no
 * list of objects, BERTH_ERR_TOO_LARGE for too many, BERTH_ERR_INVALID when one does not apply. The
 * API server hides the text of the latter behind JSON_PATCH_REFUSED. The tree is then half
 * patched: work on a copy. */
#define JSON_PATCH_REFUSED "the server rejected our request due to an error in our request"
#define JSON_PATCH_UNEQUAL BERTH_ERR_CONFLICT /* instead, of a test that fails */
int json_patch_apply(struct json_tree *tree, const struct json_node *ops, struct err *err);
/* The same; afterwards the members of all objects that were looked into on the way are sorted, as
 * that library leaves them. Values that are copied stay in the order that they have by then. */
int json_patch_apply_in_order(struct json_tree *tree, const struct json_node *ops, struct err *err);
/* In order, of a patch that was applied to the same object before: its tests hold, whatever other
 * form values have in it by now. */
int json_patch_apply_again(struct json_tree *tree, const struct json_node *ops, struct err *err);
