/* Streams cut into chunks: whatever the cuts, the records are those of the whole. The first byte
 * says how long the chunks are, the second how long a record may be. */
#include "client/record_splitter.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool note(void *context, struct slice record) {
        struct buf *records = context;

        assert(record.len > 0);
        buf_printf(records, "%zu:", record.len);
        buf_slice(records, record);
        return true;
}

static int split(struct slice text, size_t chunk, size_t record_max, struct buf *records) {
        struct record_splitter splitter = { .record_max = record_max };
        int code = 0;

        while (text.len > 0 && code == 0) {
                size_t len = text.len < chunk ? text.len : chunk;

                code = record_splitter_feed(&splitter, slice_make(text.ptr, len), note, records,
                                            NULL);
                text = slice_make(text.ptr + len, text.len - len);
        }
        record_splitter_release(&splitter);
        return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct buf whole = { 0 }, parts = { 0 };
        struct slice text;
        int one, many;

        if (size < 2)
                return 0;
        text = slice_make((const char *)data + 2, size - 2);
        one = split(text, text.len ? text.len : 1, data[1] + 1u, &whole);
        many = split(text, data[0] + 1u, data[1] + 1u, &parts);
        assert(one == many);
        if (one == 0)
                assert(slice_eq(buf_view(&whole), buf_view(&parts)));
        buf_release(&whole);
        buf_release(&parts);
        return 0;
}
