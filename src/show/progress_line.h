/* One line that says how far something is, how fast it goes and how long it will take. */
#pragma once

#include "base/buf.h"

struct progress_state {
        struct slice doing;   /* reading the cluster */
        const char *noun;     /* of what is counted, without the s: object */
        uint64_t done, total; /* total 0 = not known */
        int64_t elapsed_ns;
};
/* At most so many cells, without a line end. */
void progress_line_write(struct buf *out, const struct progress_state *state, size_t columns);
