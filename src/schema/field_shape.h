/* How far ownership of fields goes into a value: what the tables say of the place where it stands.
 */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "schema/schema.h"
#include <stdbool.h>

struct field_shape {
        const struct schema_object *object; /* members of a struct; NULL = any */
        const struct schema_field *field;   /* NULL for the root and what no table knows */
        bool is_element;                    /* the value is one element of the field */
        size_t near;                        /* of object, for schema_field_near */
};
/* A leaf is owned as a whole; the others by their members or elements. */
enum field_extent { EXTENT_LEAF, EXTENT_MAP, EXTENT_LIST };

struct field_shape field_shape_of(const struct schema_object *object);
struct field_shape field_shape_member(struct field_shape *parent, struct slice name);
struct field_shape field_shape_element(struct field_shape list);
enum field_extent field_extent(struct field_shape shape, const struct json_node *value);
/* The member of a struct, not the key of a map. */
static inline bool field_shape_is_declared(struct field_shape shape) {
        return shape.field && !shape.is_element;
}

/* What an entry of managedFields owns: raw, but a map. */
bool field_shape_is_owned_set(struct field_shape shape);

/* The step of a path that leads to an element of a list (EXTENT_LIST): k:{"name":"a"} or v:"a".
 * Returns false, with the reason (until out changes), for elements that have none. */
bool field_element_step(struct field_shape list, const struct json_node *element, struct buf *out,
                        const char **ret_reason);
