/* What Go says of a text that is no time. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>

/* Writes the complaint of time.Parse; has_micro asks for six digits of a fraction. */
void time_error_write(struct slice text, bool has_micro, struct buf *out);
