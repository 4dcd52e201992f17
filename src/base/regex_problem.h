/* What is wrong with a regular expression, in the words of Go's regexp. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>

/* "missing closing ): `(`"; false, with nothing written, for what it knows no words for. */
bool regex_problem(struct slice pattern, struct buf *out);
