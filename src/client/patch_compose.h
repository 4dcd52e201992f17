/* Two patches of one object made into one that does what both would do one after the other. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>

enum patch_style {
        PATCH_MERGE,     /* application/merge-patch+json */
        PATCH_STRATEGIC, /* strategic, for lists of conditions: elements are matched by "type" */
};

/* Writes the composed patch to out (emptied first). False, with out in any state, when there is no
 * such single patch or this code does not know it: both must then be sent. */
bool patch_compose(enum patch_style style, struct slice older, struct slice newer, struct buf *out);
