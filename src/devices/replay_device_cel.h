/* Answers recorded cases about selectors of devices, for `berth replay dra-cel` and the tests. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"

/* Appends {"name": ..., "expect": {...}} without a newline. test_case: {"name", "expression",
 * "device", "featureGates"}; expect has one of result, compileError, runtimeError, and text. */
int replay_device_cel_case(const struct json *test_case, struct buf *out, struct err *err);
