/* Text of others in the cells of a terminal: what would move its cursor, change its colours or turn
 * the direction of the line is replaced, and wide characters take two cells. */
#pragma once

#include "base/buf.h"

/* Bytes of the character at the start of text, which is not empty, and the cells that it takes: 0
 * for marks that join the character before them, and the likes, which are left out.  Not is_safe:
 * it stands as a question mark of one cell. */
struct cell_step {
        size_t len, width;
        bool is_safe;
};
struct cell_step cells_step(struct slice text);

size_t cells_width(struct slice text);
/* Appends at most so many cells of the text; what does not fit ends with a mark.  Plain: nothing
 * beyond ASCII.  Returns the cells taken. */
size_t cells_put(struct buf *out, struct slice text, size_t width, bool is_plain);
