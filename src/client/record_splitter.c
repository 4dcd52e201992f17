/* Cuts a watch stream into its newline-terminated records. */
#include "client/record_splitter.h"

#include <string.h>

#define PARTIAL_KEPT ((size_t)64 << 10) /* larger memory is given back after a large record */

static bool hand_over(struct slice record, bool (*found)(void *context, struct slice record),
                      void *context) {
        record = slice_trim(record);
        return record.len == 0 || found(context, record);
}

static void record_splitter_forget(struct record_splitter *splitter) {
        if (splitter->partial.cap > PARTIAL_KEPT)
                buf_release(&splitter->partial);
        else
                buf_clear(&splitter->partial);
}

int record_splitter_feed(struct record_splitter *splitter, struct slice chunk,
                         bool (*found)(void *context, struct slice record), void *context,
                         struct err *err) {
        size_t max = splitter->record_max ? splitter->record_max : RECORD_MAX;

        while (chunk.len > 0) {
                const char *end = memchr(chunk.ptr, '\n', chunk.len);
                size_t size = end ? (size_t)(end - chunk.ptr) : chunk.len;
                struct slice piece = slice_make(chunk.ptr, size);
                bool goes_on = true;

                if (splitter->partial.len + size > max)
                        return err_set(err, BERTH_ERR_TOO_LARGE, "watch record exceeds %zu bytes",
                                       max);
                if (!end || splitter->partial.len)
                        buf_slice(&splitter->partial, piece);
                if (!end)
                        return 0;
                if (splitter->partial.len) {
                        goes_on = hand_over(buf_view(&splitter->partial), found, context);
                        record_splitter_forget(splitter);
                } else {
                        goes_on = hand_over(piece, found, context);
                }
                if (!goes_on)
                        return 0;
                chunk = slice_make(end + 1, chunk.len - size - 1);
        }
        return 0;
}

void record_splitter_clear(struct record_splitter *splitter) {
        record_splitter_forget(splitter);
}

void record_splitter_release(struct record_splitter *splitter) {
        buf_release(&splitter->partial);
}
