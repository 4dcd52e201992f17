/* Lists from a hostile server, in JSON or protobuf: whatever the cuts, the items are those of the
 * whole. The first byte says how long the pieces are. */
#include "client/list_reader.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void note(void *context, const struct json *item) {
        struct buf *items = context;

        assert(item);
        if (!json_write(item, items))
                buf_text(items, "?"); /* numbers that JSON has no text for */
        buf_char(items, '\n');
}

static int read_pieces(struct slice text, size_t piece, struct buf *items) {
        struct list_reader *reader = list_reader_new(note, items);
        int code = 0;

        list_reader_begin(reader);
        while (text.len > 0 && code == 0) {
                size_t size = text.len < piece ? text.len : piece;

                code = list_reader_feed(reader, slice_make(text.ptr, size), NULL);
                text = slice_make(text.ptr + size, text.len - size);
        }
        if (code == 0)
                code = list_reader_end(reader, NULL);
        list_reader_free(reader);
        return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct buf whole = { 0 }, parts = { 0 };
        struct slice text;

        if (size < 1)
                return 0;
        text = slice_make((const char *)data + 1, size - 1);
        int one = read_pieces(text, text.len ? text.len : 1, &whole);
        int many = read_pieces(text, data[0] + 1u, &parts);
        assert(one == many);
        if (one == 0)
                assert(slice_eq(buf_view(&whole), buf_view(&parts)));
        buf_release(&whole);
        buf_release(&parts);
        return 0;
}
