/* A screen of a terminal from what it shows, its size and what the user has chosen: a pure
 * function. */
#pragma once

#include "show/top_data.h"
#include "show/top_keys.h"

struct top_size {
        size_t rows, columns;
        bool has_colour;
        bool is_plain; /* ASCII alone */
};
#define TOP_ROWS_MIN 3
#define TOP_COLUMNS_MIN 20

/* Exactly so many rows (TOP_ROWS_MIN at least), each at most as wide as the terminal, with line
 * ends between them. */
void top_screen_draw(const struct top_data *data, const struct top_state *state,
                     const struct top_size *size, struct buf *out, struct top_bounds *ret_bounds);
/* For a view below other lines: totals and the first nodes in at most so many rows, without keys.
 * Returns the rows. */
size_t top_block_draw(const struct top_data *data, const struct top_state *state,
                      const struct top_size *size, struct buf *out);
