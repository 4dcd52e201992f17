/* Compresses the body of an answer in one go, fast rather than small. */
#include "http/gzip.h"

#include <zlib.h>

#define WINDOW_BITS_GZIP (15 + 16) /* the largest window, with gzip's header and sum */
#define MEMORY_LEVEL 8

bool gzip_replace(struct buf *content) {
        struct buf packed = { 0 };
        z_stream stream = { 0 };

        if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS_GZIP, MEMORY_LEVEL,
                         Z_DEFAULT_STRATEGY) != Z_OK)
                return false;
        size_t bound = deflateBound(&stream, content->len);
        if (content->len > UINT32_MAX || bound > UINT32_MAX || !buf_reserve(&packed, bound)) {
                deflateEnd(&stream);
                return false;
        }
        stream.next_in = (unsigned char *)content->data;
        stream.avail_in = (unsigned)content->len;
        stream.next_out = (unsigned char *)packed.data;
        stream.avail_out = (unsigned)bound;
        bool is_done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
        packed.len = stream.total_out;
        deflateEnd(&stream);
        if (is_done) {
                buf_release(content);
                *content = packed;
        } else {
                buf_release(&packed);
        }
        return is_done;
}

bool gzip_is_accepted(struct slice codings) {
        struct slice coding;

        while (slice_split(&codings, ',', &coding)) {
                struct slice rest = coding, name = SLICE_EMPTY;

                slice_split(&rest, ';', &name);
                if (slice_is(slice_trim(name), "gzip"))
                        return !slice_is(slice_trim(rest), "q=0");
        }
        return false;
}

void gzip_library_version(struct buf *out) {
        buf_text(out, zlibVersion());
}
