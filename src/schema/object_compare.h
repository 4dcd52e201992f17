/* Whether an edited object says the same as a stored one. */
#pragma once

#include "api/json.h"
#include <stdbool.h>

/* Apart from what every write changes: resourceVersion and managedFields. */
bool is_same_object(const struct json_node *object, const struct json *old);
/* Everything but metadata and status. */
bool has_same_spec(const struct json_node *object, const struct json *old);
bool has_same_member(const struct json_node *object, const struct json *old, const char *member);
