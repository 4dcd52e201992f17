/* Bodies of answers in HTTP/1.1, cut into pieces: whatever the cuts, the content is that of the
 * whole. The first byte says how long the pieces are, the second how the body begins. */
#include "client/http1_body.h"

#include "base/buf.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each piece in memory of its own size. */
static enum http1_body_state take(struct http1_body body, struct slice text, size_t piece,
                                  struct buf *content) {
        while (text.len > 0) {
                size_t len = text.len < piece ? text.len : piece;
                char *bytes = malloc(len);

                memcpy(bytes, text.ptr, len);
                size_t taken = http1_body_take(&body, bytes, len);
                assert(taken <= len);
                buf_append(content, bytes, taken);
                free(bytes);
                text = slice_make(text.ptr + len, text.len - len);
        }
        return body.state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct buf whole = { 0 }, parts = { 0 };
        struct http1_body body = { .state = BODY_CHUNK_SIZE };

        if (size < 2)
                return 0;
        if (data[1] % 3 != 0)
                body = (struct http1_body){ .state = data[1] % 3 == 1 ? BODY_COUNTED
                                                                      : BODY_UNTIL_END,
                                            .left = data[1] };
        struct slice text = slice_make((const char *)data + 2, size - 2);
        enum http1_body_state one = take(body, text, text.len ? text.len : 1, &whole);
        enum http1_body_state many = take(body, text, data[0] % 16 + 1u, &parts);
        assert(one == many);
        assert(slice_eq(buf_view(&whole), buf_view(&parts)));
        buf_release(&whole);
        buf_release(&parts);
        return 0;
}
