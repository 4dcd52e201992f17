/* From the bytes of a pod in protobuf to the pod that the model takes, without a value in between:
 * metadata and status by tables (schema/pod_fields.c), the spec from a sibling with the same bytes
 * (schema/sibling_specs.h).  A value is made when somebody asks for it. */
#pragma once

#include "api/object.h"

struct pod_reader;

struct pod_reader *pod_reader_new(void);
void pod_reader_free(struct pod_reader *reader); /* accepts NULL */
/* Forgets the siblings. */
void pod_reader_clear(struct pod_reader *reader);
/* What protobuf_build without FIELD_UNREAD and pod_decode make of the message, but for names of
 * volumes with configuration.  The pod lives until the next call, as long as the message.  False:
 * the bytes are out of the ordinary or broken, and are to be read as a value. */
bool pod_reader_read(struct pod_reader *reader, struct slice message, struct pod *ret_pod);
/* The pod that was read last, without fields that have one of these flags (schema/protobuf.h); NULL
 * when there is none. */
const struct json *pod_reader_value(struct pod_reader *reader, unsigned without);
