/* OpenAPI v3 schemas of custom resources: pruning, defaults, validation. A schema is the JSON of a
 * CustomResourceDefinition's openAPIV3Schema; its rules in CEL are schema/custom_rules.h's. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "schema/field_error.h"

/* Removes fields the schema does not know, and reports each by path. */
void custom_prune(const struct json *schema, struct json_tree *tree, struct json_node *object,
                  void (*unknown)(void *context, const char *path), void *context);
void custom_default(const struct json *schema, struct json_tree *tree, struct json_node *object);
/* How strategic merge patches treat such objects: lists that are maps by one key merge by it, sets
 * by value, others are replaced. Lives in arena. */
struct schema_object;
const struct schema_object *custom_type(const struct json *schema, struct arena *arena);
void custom_validate(const struct json *schema, const struct json_node *object,
                     struct field_errors *errors);
/* The same of an object that was stored before: what was wrong then, and did not change, may stay.
 */
void custom_validate_update(const struct json *schema, const struct json_node *object,
                            const struct json *old, struct field_errors *errors);
