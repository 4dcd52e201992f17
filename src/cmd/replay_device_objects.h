/* Answers recorded cases about the validity of objects of devices, for `berth replay
 * dra-validation`. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"

/* Appends {"name": ..., "expect": {"valid": ..., "errors": [...]}} without a newline. test_case:
 * {"name", "kind", "object"}; the object is created in a cluster of its own, without being kept. */
int replay_device_object_case(const struct json *test_case, struct buf *out, struct err *err);
