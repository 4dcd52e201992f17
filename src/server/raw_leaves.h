/* Numbers and texts of a patch as they were sent.  Upstream's JSON patches and merge patches leave
 * values as the text they were, which shows where the patched object is printed: 1.0 stays 1.0, and
 * an escape stays one.  Before such a patch is applied once more, stand-ins take their place. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>

struct raw_leaves {
        struct slice *items; /* of the patch, which has to stay */
        size_t count, cap;
        struct buf text; /* the patch with the stand-ins */
};

/* Hides them in valid JSON.  is_operations: a JSON patch, of which only the values count, not the
 * paths. */
void raw_leaves_hide(struct raw_leaves *leaves, struct slice patch, bool is_operations);
/* Appends a JSON text in which the stand-ins are what they stand for. */
void raw_leaves_show(const struct raw_leaves *leaves, struct slice text, struct buf *out);
void raw_leaves_release(struct raw_leaves *leaves);
