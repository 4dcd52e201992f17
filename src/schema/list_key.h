/* What identifies an element of a list of a custom resource, as text: all of it, or the members
 * that are the keys of a list of type map. */
#pragma once

#include "api/json.h"

/* Equal values have equal texts, whatever the order of their members. keys: names in an array;
 * NULL = all of the element. */
void list_key_write(const struct json *keys, const struct json_node *element, struct buf *out);

struct map;
/* The elements of a list by their keys, for list_element_like; NULL when its schema names no keys.
 */
struct map *list_elements_by_key(const struct json *schema, const struct json_node *list);
/* The one with the same keys; NULL when there is none, or elements is NULL. */
const struct json_node *list_element_like(const struct map *elements, const struct json *schema,
                                          const struct json_node *element);
