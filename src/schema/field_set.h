/* Sets of field paths in the form of managedFields (FieldsV1). A set is a JSON object: "f:name" a
 * member, "k:{...}" a list element by its keys, "v:..." an element of a set by its value; an empty
 * object or a "." below says that the path itself belongs to the set. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include <stdbool.h>

bool field_set_is_empty(const struct json_node *set);
/* The path itself is in the set, not only what is below it. */
bool field_set_is_member(const struct json_node *set);
void field_set_make_member(struct json_tree *tree, struct json_node *set);
/* A set as a client sent it, in the API server's form: the same node where it has that. NULL: it is
 * none. */
struct json_node *field_set_read(struct json_tree *tree, struct json_node *set);

void field_set_add(struct json_tree *tree, struct json_node *set, const struct json_node *plus);
/* Path by path: what lies below a path of minus stays. */
void field_set_subtract(struct json_node *set, const struct json_node *minus);
/* With all that lies below the paths of minus. */
void field_set_cut(struct json_node *set, const struct json_node *minus);
struct json_node *field_set_common(struct json_tree *tree, const struct json_node *set,
                                   const struct json_node *with);
/* In upstream's order and form. */
void field_set_sort(struct json_node *set);
/* Calls found for every path, such as ".spec.replicas": those of one level before what is below. */
void field_set_each(const struct json_node *set, void (*found)(void *context, const char *path),
                    void *context);
