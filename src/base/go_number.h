/* Numbers as Go reads them from texts. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* strconv.ParseInt(text, 10, 64). False appends what it says of the text. */
bool go_int_parse(struct slice text, int64_t *ret_value, struct buf *complaint);
/* What strconv's function of that name says of a text that is no decimal number, or one that is too
 * large; NUL-terminated. */
const char *go_number_problem(struct arena *arena, const char *function, struct slice text);
/* strconv.ParseFloat(text, 64). */
bool go_float_parse(struct slice text, double *ret_value);
/* As %v prints it: the fewest digits that read back as the same number. */
void go_float_write(double number, struct buf *out);
/* time.ParseDuration(text), the same way. */
bool go_duration_parse(struct slice text, int64_t *ret_ns, struct buf *complaint);
