/* Differences of two texts by lines, as "diff -u" shows them, in the words of Python's difflib and
 * its port to Go, which the Kubernetes API server puts into refusals. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"

/* Longer texts take too long to compare line by line: all between what both begin and end with is
 * then shown as replaced. */
#define LINE_DIFF_LINES_MAX 2000

/* Appends the hunks, each with three lines of what is around it; nothing when the texts are alike.
 */
void line_diff_write(struct slice before, struct slice after, struct buf *out);
