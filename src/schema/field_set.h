/* Sets of field paths in the form of managedFields (FieldsV1), and what server-side apply does with
 * them. A set is a JSON object: "f:name" a member, "k:{...}" a list element by its keys, "v:..." an
 * element of a set by its value; an empty object or a "." below says that the path itself belongs
 * to the set. How far paths go is up to the field tables: atomic lists and maps are one path. */
#pragma once

#include "api/json.h"
#include "schema/schema.h"
#include <stdbool.h>

/* Everything an applied configuration states, without the object's identity. schema may be NULL. */
struct json_node *field_set_of(struct json_tree *tree, const struct schema_object *schema,
                               const struct json_node *object);
/* Paths whose values differ between two states. has_removed: also those only `before` has. */
struct json_node *field_set_changed(struct json_tree *tree, const struct schema_object *schema,
                                    const struct json_node *before, const struct json_node *after,
                                    bool has_removed);
bool field_set_is_empty(const struct json_node *set);
void field_set_add(struct json_tree *tree, struct json_node *set, const struct json_node *plus);
void field_set_subtract(struct json_node *set, const struct json_node *minus);
/* Calls found for every path in both sets, such as ".spec.replicas". */
void field_set_common(const struct json_node *set, const struct json_node *with,
                      void (*found)(void *context, const char *path), void *context);
/* Merges an applied configuration into an object of the same tree. */
void field_set_merge(struct json_tree *tree, const struct schema_object *schema,
                     struct json_node *object, const struct json_node *applied);
/* Takes out of object what is in `before` and neither in `now` nor in others. */
void field_set_prune(const struct schema_object *schema, struct json_node *object,
                     const struct json_node *before, const struct json_node *now,
                     const struct json_node *others);
