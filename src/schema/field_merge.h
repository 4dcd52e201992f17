/* An applied configuration meets a live object: what comes of it, and what goes because its manager
 * no longer states it. */
#pragma once

#include "schema/field_shape.h"

/* Everything of both; where both say something the configuration counts, and its order of elements.
 * NULL when nothing is left. The values belong to the tree, and neither object is changed. */
struct json_node *field_merge(struct json_tree *tree, struct field_shape shape,
                              const struct json_node *live, const struct json_node *applied);
/* Takes out of merged what `last` owned, unless it is in `owned` (all sets of now). */
void field_prune(struct json_tree *tree, struct field_shape shape, struct json_node *merged,
                 const struct json_node *last, const struct json_node *owned);
