/* Request bodies of application/vnd.kubernetes.protobuf, turned into the JSON they stand for. The
 * field tables (schema/schema.h) say which number is which member. */
#pragma once

#include "api/json.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>

bool protobuf_is_envelope(struct slice body); /* starts with the magic bytes */
/* Decodes an envelope. The tree's root has apiVersion and kind as the envelope names them; unknown
 * fields are skipped, members are as the client sent them (normalise afterwards). Errors:
 * BERTH_ERR_BAD_REQUEST for broken bytes and for kinds without field tables. */
int protobuf_decode(struct slice body, struct json_tree **ret_tree, struct err *err);
