/* Texts as Go's %q prints them. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"

/* In quotes, with an escape for all that does not print; bytes that are no UTF-8 by their number.
 */
void go_quote_write(struct slice text, struct buf *out);
