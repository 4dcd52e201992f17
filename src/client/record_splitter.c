/* Cuts a watch stream into lines or frames. */
#include "client/record_splitter.h"

#include <string.h>

#define PARTIAL_RETAINED ((size_t)64 << 10) /* larger memory is given back after a large record */
#define LENGTH_BYTES 4                      /* before a frame, the highest first */

static int record_too_large(const struct record_splitter *splitter, struct err *err) {
        return err_set(err, BERTH_ERR_TOO_LARGE, "watch record exceeds %zu bytes",
                       splitter->record_max ? splitter->record_max : RECORD_MAX);
}

static bool is_too_large(const struct record_splitter *splitter, size_t size) {
        return size > (splitter->record_max ? splitter->record_max : RECORD_MAX);
}

static void record_splitter_forget(struct record_splitter *splitter) {
        if (splitter->partial.cap > PARTIAL_RETAINED)
                buf_release(&splitter->partial);
        else
                buf_clear(&splitter->partial);
}

/* ---- lines ---- */

static bool hand_over(struct slice record, bool (*found)(void *context, struct slice record),
                      void *context) {
        record = slice_trim(record);
        return record.len == 0 || found(context, record);
}

static int split_lines(struct record_splitter *splitter, struct slice chunk,
                       bool (*found)(void *context, struct slice record), void *context,
                       struct err *err) {
        while (chunk.len > 0) {
                const char *end = memchr(chunk.ptr, '\n', chunk.len);
                size_t size = end ? (size_t)(end - chunk.ptr) : chunk.len;
                struct slice piece = slice_make(chunk.ptr, size);
                bool goes_on = true;

                if (is_too_large(splitter, splitter->partial.len + size))
                        return record_too_large(splitter, err);
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

/* ---- frames ---- */

static size_t frame_length(const char *head) {
        const uint8_t *byte = (const uint8_t *)head;

        return (size_t)byte[0] << 24 | (size_t)byte[1] << 16 | (size_t)byte[2] << 8 | byte[3];
}

/* Bytes that partial lacks: of the length first, then of the frame. */
static size_t frame_missing(const struct record_splitter *splitter) {
        size_t have = splitter->partial.len;

        if (have < LENGTH_BYTES)
                return LENGTH_BYTES - have;
        return LENGTH_BYTES + frame_length(splitter->partial.data) - have;
}

/* Adds to the frame that began in an earlier chunk; true when it is complete. */
static bool complete_frame(struct record_splitter *splitter, struct slice *chunk) {
        for (;;) {
                size_t missing = frame_missing(splitter);
                size_t taken = missing < chunk->len ? missing : chunk->len;
                bool had_length = splitter->partial.len >= LENGTH_BYTES;

                buf_append(&splitter->partial, chunk->ptr, taken);
                chunk->ptr += taken;
                chunk->len -= taken;
                if (taken < missing)
                        return false;
                if (had_length || frame_missing(splitter) == 0)
                        return true;
                if (is_too_large(splitter, frame_length(splitter->partial.data)))
                        return true; /* whoever takes it says so */
        }
}

static int split_frames(struct record_splitter *splitter, struct slice chunk,
                        bool (*found)(void *context, struct slice record), void *context,
                        struct err *err) {
        while (chunk.len > 0) {
                bool is_cut = splitter->partial.len > 0;
                struct slice frame = chunk;

                if (is_cut && !complete_frame(splitter, &chunk))
                        return 0;
                if (is_cut)
                        frame = buf_view(&splitter->partial);
                size_t size = frame.len < LENGTH_BYTES ? 0 : frame_length(frame.ptr);
                if (is_too_large(splitter, size))
                        return record_too_large(splitter, err);
                if (frame.len < LENGTH_BYTES + size || frame.len < LENGTH_BYTES) {
                        buf_slice(&splitter->partial, frame);
                        return 0;
                }
                bool goes_on =
                        size == 0 || found(context, slice_make(frame.ptr + LENGTH_BYTES, size));
                if (is_cut)
                        record_splitter_forget(splitter);
                else
                        chunk = slice_make(chunk.ptr + LENGTH_BYTES + size,
                                           chunk.len - LENGTH_BYTES - size);
                if (!goes_on)
                        return 0;
        }
        return 0;
}

/* ---- both ---- */

int record_splitter_feed(struct record_splitter *splitter, struct slice chunk,
                         bool (*found)(void *context, struct slice record), void *context,
                         struct err *err) {
        if (!splitter->has_begun && chunk.len > 0) {
                splitter->has_begun = true;
                splitter->has_frames = chunk.ptr[0] == '\0'; /* none is of 16 MiB */
        }
        return splitter->has_frames ? split_frames(splitter, chunk, found, context, err)
                                    : split_lines(splitter, chunk, found, context, err);
}

void record_splitter_clear(struct record_splitter *splitter) {
        record_splitter_forget(splitter);
        splitter->has_begun = splitter->has_frames = false;
}

void record_splitter_release(struct record_splitter *splitter) {
        buf_release(&splitter->partial);
        splitter->has_begun = splitter->has_frames = false;
}
