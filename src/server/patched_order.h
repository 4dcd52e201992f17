/* The order in which upstream sees the members of a patched document. It shows in refusals only:
 * the text that they hold, and which of several wrong values they name. */
#pragma once

#include "api/json.h"
#include "server/patch_type.h"

struct schema_object;

/* Before the patch: as Go prints the object, by the fields of its type and maps by their keys.
 * Schema NULL = a custom resource, which is maps alone. */
void patched_order_begin(const struct schema_object *schema, struct json_tree *tree,
                         struct json_node *root);
/* After it: what a merge opened is sorted. A JSON Patch is applied in order
 * (json_patch_apply_in_order). */
void patched_order_end(enum patch_type type, struct json_node *root, const struct json_node *patch);
