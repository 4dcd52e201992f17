/* The order in which Go writes an object, and looks at one that it has decoded. */
#pragma once

#include "schema/schema.h"

/* Puts the members of objects in the order of their types, keys of maps in byte order; members that
 * the type does not know come first. Values that are no objects are left alone. */
void schema_order(const struct schema_object *schema, struct json_tree *tree,
                  struct json_node *value);
