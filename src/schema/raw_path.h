/* Values that upstream's types read themselves, from bytes. */
#pragma once

#include "schema/schema.h"

/* Whether a path such as "spec.config[0].opaque.parameters.a" leads into one, of an object of the
 * type. A dot in the key of a map ends it. */
bool schema_is_inside_raw(const struct schema_object *type, struct slice path);
