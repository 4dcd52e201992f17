/* Whether an applied configuration fits the tables, in the words of upstream's typed objects. */
#pragma once

#include "base/buf.h"
#include "schema/field_shape.h"

/* Appends what is wrong, such as ".spec.replicas: expected numeric (int or float), got string";
 * several complaints stand on lines of their own. Returns how many there are. */
size_t field_check(const struct schema_object *schema, const struct json_node *applied,
                   struct buf *out);
