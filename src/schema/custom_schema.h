/* OpenAPI v3 schemas of custom resources: pruning, defaults, validation. A schema is the JSON of a
 * CustomResourceDefinition's openAPIV3Schema; its rules in CEL are schema/custom_rules.h's. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "schema/field_error.h"

/* Removes fields the schema does not know, and reports each by path. is_resource: the value has
 * what every object has. */
void custom_prune(const struct json *schema, struct json_node *value, bool is_resource,
                  void (*unknown)(void *context, const char *path), void *context);
void custom_default(const struct json *schema, struct json_tree *tree, struct json_node *object);
/* How strategic merge patches treat such objects: lists that are maps by one key merge by it, sets
 * by value, others are replaced. Lives in arena. */
struct schema_object;
const struct schema_object *custom_type(const struct json *schema, struct arena *arena);
/* What the schema refuses; "<nil>" is the value's own path. old: what was stored, NULL = nothing.
 * What was wrong then, and did not change, may stay. */
void custom_validate(const struct json *schema, const struct json_node *value,
                     const struct json *old, struct field_errors *errors);
/* The same of a default, for which a number or a text may be anything. */
void custom_validate_default(const struct json *schema, const struct json_node *value,
                             struct field_errors *errors);
/* Elements of sets and maps that there are twice, unless there were before. */
void custom_check_lists(const struct json *schema, const struct json_node *object,
                        const struct json *old, struct field_errors *errors);
/* Moves what was found in a value to the value's path. */
void custom_errors_at(struct field_errors *found, const char *path, struct field_errors *errors);
