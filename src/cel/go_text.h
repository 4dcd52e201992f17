/* What Go's strconv says, for messages that come from there. */
#pragma once

#include "base/arena.h"
#include "base/slice.h"

/* strconv.Quote; NUL-terminated. */
const char *go_quoted(struct arena *arena, struct slice text);
/* Of a text that is no decimal number, or one that is too large. */
const char *go_number_problem(struct arena *arena, const char *function, struct slice text);
