/* What merging leaves of a strategic patch. Upstream's merge takes the patch apart, and shows the
 * rest of it where its result does not decode. */
#pragma once

#include "schema/schema.h"

/* patch: a copy in the tree, which becomes that rest. original: the object before; schema NULL =
 * any. */
void strategic_spend(const struct schema_object *schema, struct json_tree *tree,
                     const struct json_node *original, struct json_node *patch);
