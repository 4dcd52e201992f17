/* Values as Go prints the API server's own form of a type: members by their Go names, in the order
 * of that type, absent ones too. Refusals hold such text ("Invalid value: {"APIGroup":"", ...}").
 */
#pragma once

#include "schema/schema.h"

struct buf;

/* A value in the form that schema_normalise() makes; NULL = absent, all of its members zero. Types
 * that have no form of their own (meta.v1) are printed as in objects, in the order of the type. */
void internal_form_write(const struct schema_object *type, const struct json_node *value,
                         struct buf *out);
/* The value of a field; is_element = one of a list or map. NULL = null. */
void internal_form_write_field(const struct schema_field *field, bool is_element,
                               const struct json_node *value, struct buf *out);
