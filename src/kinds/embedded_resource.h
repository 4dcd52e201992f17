/* Whole objects inside of custom resources (x-kubernetes-embedded-resource): that they say what
 * they are, and have metadata as every object has. Errors read as upstream's. */
#pragma once

#include "api/json.h"
#include "schema/field_error.h"

/* A value and its schema. path: of the value, "" = an object of its own; is_resource: the value
 * itself counts as such an object. */
struct embedded_value {
        const struct json *schema;
        const char *path;
        bool is_resource;
};
/* The schema, or one below it, is of such an object. */
bool embedded_below(const struct json *schema);
/* Brings the metadata of each into the form of its type. False with one error at the first member
 * of another type. unknown hears of what metadata does not have, by path; NULL = nobody. */
bool embedded_coerce(const struct embedded_value *value, struct json_tree *tree,
                     struct json_node *node, void (*unknown)(void *context, const char *path),
                     void *context, struct field_errors *errors);
void embedded_check(const struct embedded_value *value, const struct json_node *node,
                    struct field_errors *errors);
