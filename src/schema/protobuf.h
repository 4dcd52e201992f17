/* Bodies of application/vnd.kubernetes.protobuf, turned into the JSON they stand for. The field
 * tables (schema/schema.h) say which number is which member.
 *
 * Unknown fields are skipped, and so are zero values that Go's JSON omits. Errors:
 * BERTH_ERR_BAD_REQUEST for broken bytes and for kinds without field tables. */
#pragma once

#include "api/json.h"
#include "api/json_build.h"
#include "base/err.h"
#include "base/slice.h"
#include "schema/schema.h"
#include <stdbool.h>

#define PROTOBUF_MAGIC "k8s" /* and its end: four bytes */
#define PROTOBUF_MAGIC_SIZE 4
bool protobuf_is_envelope(struct slice body); /* starts with the magic bytes */
/* Decodes an envelope. The tree's root has apiVersion and kind as the envelope names them. */
int protobuf_decode(struct slice body, struct json_tree **ret_tree, struct err *err);

/* The same into a builder, whose first value it becomes. Texts are not copied: body must live as
 * long as the values. The field sets of managedFields, larger than most objects, are left out.
 * After an error the builder is good for json_builder_clear only. */
int protobuf_build_envelope(struct json_builder *builder, struct slice body, struct err *err);
/* One message of a type, without an envelope: apiVersion and kind are missing. without: a flag of
 * fields that are left out, such as FIELD_UNREAD; 0 = none. */
int protobuf_build(struct json_builder *builder, const struct schema_object *schema,
                   struct slice message, unsigned without, struct err *err);

/* For bodies that are read while they arrive. */
struct protobuf_envelope {
        struct slice api_version, kind;
        struct slice message; /* what the envelope holds */
};
/* The message at field 1 of an envelope, which names the kind: -1 for broken bytes. */
int protobuf_type(struct slice type, struct protobuf_envelope *ret_envelope);
/* A body that protobuf_is_envelope: -1 for broken bytes. */
int protobuf_split(struct slice body, struct protobuf_envelope *ret_envelope);
const struct schema_object *protobuf_schema(struct slice api_version,
                                            struct slice kind); /* NULL = no table */
