/* JSON values written as the protobuf messages they stand for, by the field tables: what
 * protobuf_build reads. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"
#include "schema/protobuf.h"
#include "schema/schema.h"

/* Appends the fields of a message; members that the type does not have, and nulls, are left out.
 * Errors: BERTH_ERR_BAD_REQUEST for values of another type. */
int protobuf_write_message(struct buf *out, const struct schema_object *schema,
                           const struct json *object, struct err *err);
/* Appends one member: every occurrence of its field. */
int protobuf_write_field(struct buf *out, const struct schema_field *field,
                         const struct json *value, struct err *err);
/* The same for one element of a list. */
int protobuf_write_element(struct buf *out, const struct schema_field *field,
                           const struct json *value, struct err *err);
/* Appends the envelope of a message, whose kind is that of another envelope. */
void protobuf_write_envelope(const struct protobuf_envelope *envelope, struct slice message,
                             struct buf *out);
