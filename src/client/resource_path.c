/* What a request path is about. */
#include "client/resource_path.h"

#include "base/util.h"

#define SEGMENTS_MAX 10

static size_t split_path(struct slice path, struct slice *segments) {
        struct slice rest = path, segment;
        size_t count = 0;

        slice_split(&rest, '?', &path); /* without the query */
        while (count < SEGMENTS_MAX && slice_split(&path, '/', &segment)) {
                if (segment.len)
                        segments[count++] = segment;
        }
        return count;
}

void resource_path_name(struct slice path, struct buf *out) {
        struct slice segments[SEGMENTS_MAX] = { 0 };
        size_t count = split_path(path, segments);
        size_t at = 0; /* of the resource */

        if (slice_is(segments[0], "api"))
                at = 2;
        else if (slice_is(segments[0], "apis"))
                at = 3;
        /* namespaces/NAME/RESOURCE, but not the namespace's own status and finalize */
        if (at && at + 2 < count && slice_is(segments[at], "namespaces") &&
            !slice_is(segments[at + 2], "status") && !slice_is(segments[at + 2], "finalize"))
                at += 2;
        if (at == 0 || at >= count) {
                buf_slice(out, path);
                return;
        }
        buf_slice(out, segments[at]);
        if (at + 2 < count) {
                buf_char(out, '/');
                buf_slice(out, segments[at + 2]);
        }
}
