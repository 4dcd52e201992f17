/* Whether the schema of a CustomResourceDefinition is one that a server can work with: structural,
 * of known types. */
#pragma once

#include "api/json.h"
#include "schema/field_error.h"

/* What makes a schema none that can be structural, so that nothing else is looked at; NULL =
 * nothing. Of several upstream names one by chance. */
const char *custom_structure_problem(const struct json *schema);
/* Errors read as upstream's, in its order; path is the schema's own in the definition. False when
 * the schema is not structural. */
bool custom_structure_check(const struct json *schema, const char *path,
                            struct field_errors *errors);
/* The other mistakes of single schemas, such as list types without keys. */
void custom_schema_check(const struct json *schema, const char *path, struct field_errors *errors);
/* Calls emit for every format that nothing is known of. */
void custom_formats(const struct json *schema, void (*emit)(void *context, const char *text),
                    void *context);
