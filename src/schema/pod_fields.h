/* Where the fields of metadata and status of a pod go, as tables of typed messages. */
#pragma once

#include "schema/typed_message.h"

extern const struct typed_message *const pod_messages[];
extern const size_t pod_message_count;
extern const struct typed_message pod_meta_message;   /* struct object_meta */
extern const struct typed_message pod_status_message; /* struct pod_status */
