/* Typed values in annotations, as Go's own JSON package reads and writes them. */
#pragma once

#include "api/json.h"
#include "schema/schema.h"

/* A list of objects of one type; NULL = the text is none. null is an empty list. */
struct json_node *annotation_read_list(struct json_tree *tree, const struct schema_object *type,
                                       struct slice text);
/* One object; NULL = the text is none. */
struct json_node *annotation_read_object(struct json_tree *tree, const struct schema_object *type,
                                         struct slice text);
/* One object, or a list of them, as json.Unmarshal() makes it; what that says of a wrong text is in
 * err, and the result NULL. The type's name is the Go type's, behind a first word. */
struct json_node *annotation_decode(struct json_tree *tree, const struct schema_object *type,
                                    enum schema_shape shape, struct slice text, struct err *err);
/* A copy with the members' names of another type that has the same but for their case. */
struct json_node *annotation_rename(struct json_tree *tree, const struct schema_object *type,
                                    const struct json_node *value);
/* The list is made canonical. */
void annotation_write_list(struct json_tree *tree, const struct schema_object *type,
                           struct json_node *list, struct buf *out);
