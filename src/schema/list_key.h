/* What identifies an element of a list of a custom resource, as text: all of it, or the members
 * that are the keys of a list of type map. */
#pragma once

#include "api/json.h"

/* Equal values have equal texts, whatever the order of their members. keys: names in an array;
 * NULL = all of the element. */
void list_key_write(const struct json *keys, const struct json_node *element, struct buf *out);
