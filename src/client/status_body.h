/* The body of a refusal: a Status in JSON or in protobuf. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>

/* Sets the error that the Status stands for; false when body is none. */
bool status_body_to_err(struct slice body, struct err *err);
