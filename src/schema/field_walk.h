/* Sets of field paths from values: what an object states, and what two states of it differ in. */
#pragma once

#include "schema/field_set.h"
#include "schema/field_shape.h"

/* Everything that a configuration states. */
struct json_node *field_set_of(struct json_tree *tree, struct field_shape shape,
                               const struct json_node *object);

enum field_change { CHANGE_ADDED, CHANGE_REMOVED, CHANGE_MODIFIED, CHANGES };
struct field_changes {
        struct json_node *sets[CHANGES];
        bool is_untyped; /* a list that is merged by keys has an element without a key */
};
struct field_changes field_set_compare(struct json_tree *tree, struct field_shape shape,
                                       const struct json_node *before,
                                       const struct json_node *after);
/* The same from a stored object, which has neither kind nor apiVersion; its owners do not count. */
struct field_changes field_set_since(struct json_tree *tree, struct field_shape shape,
                                     const struct json *before, const struct json_node *after);
