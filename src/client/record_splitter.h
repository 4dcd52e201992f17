/* Cuts a watch stream into its records, wherever the chunks were cut: lines (JSON), or frames that
 * four bytes of length come before (protobuf). The first byte tells which. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

struct record_splitter {
        struct buf partial; /* start of a record whose end has not arrived */
        size_t record_max;  /* bytes; 0 = RECORD_MAX */
        bool has_begun, has_frames;
};

#define RECORD_MAX ((size_t)16 << 20)

/* Calls found for every complete record, without its newline or length; empty ones are left out.
 * Records that lie within one chunk are not copied. found returns false to stop: the rest is then
 * dropped. Error: BERTH_ERR_TOO_LARGE for a record beyond the limit. */
int record_splitter_feed(struct record_splitter *splitter, struct slice chunk,
                         bool (*found)(void *context, struct slice record), void *context,
                         struct err *err);
/* Before the next stream. */
void record_splitter_clear(struct record_splitter *splitter);
void record_splitter_release(struct record_splitter *splitter);
