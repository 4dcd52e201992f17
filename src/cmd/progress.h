/* Progress of a command on standard error: one line that is written again in place, from the second
 * on which the command takes, and gone when it ends.  Nothing where standard error is no terminal,
 * whatever the form of the output. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
        struct slice doing; /* "berth plan: reading the cluster" */
        const char *noun;
        int64_t started_ns, drawn_ns;
        bool is_on, is_drawn;
};

/* doing must outlive the progress. */
void progress_begin(struct progress *progress, struct slice doing, const char *noun);
/* As often as one likes; total 0 = not known. */
void progress_set(struct progress *progress, uint64_t done, uint64_t total);
/* The same as a callback; context is the progress. */
void progress_step(void *context, size_t done, size_t total);
/* Takes the line away until it is drawn again: something else is printed. */
void progress_hide(struct progress *progress);
/* Takes the line away, before anything else is printed. */
void progress_end(struct progress *progress);
