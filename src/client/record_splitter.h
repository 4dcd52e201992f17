/* Cuts a watch stream into its newline-terminated records, wherever the chunks were cut. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

struct record_splitter {
        struct buf partial; /* start of a record whose end has not arrived */
        size_t record_max;  /* bytes; 0 = RECORD_MAX */
};

#define RECORD_MAX ((size_t)16 << 20)

/* Calls found for every complete record, without its newline; empty ones are left out. Records that
 * lie within one chunk are not copied. found returns false to stop: the rest is then dropped.
 * Error: BERTH_ERR_TOO_LARGE for a record beyond the limit. */
int record_splitter_feed(struct record_splitter *splitter, struct slice chunk,
                         bool (*found)(void *context, struct slice record), void *context,
                         struct err *err);
void record_splitter_clear(struct record_splitter *splitter);
void record_splitter_release(struct record_splitter *splitter);
