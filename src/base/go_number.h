/* Numbers as Go reads them from texts. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* strconv.ParseInt(text, 10, 64). False appends what it says of the text. */
bool go_int_parse(struct slice text, int64_t *ret_value, struct buf *complaint);
/* strconv.ParseFloat(text, 64). */
bool go_float_parse(struct slice text, double *ret_value);
/* time.ParseDuration(text), the same way. */
bool go_duration_parse(struct slice text, int64_t *ret_ns, struct buf *complaint);
