/* Patches of objects in protobuf: the first line is the patch, the rest the object as a server sent
 * it. What is patched is an envelope again, and so is what is patched twice. */
#include "schema/protobuf.h"
#include "schema/protobuf_patch.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice rest = slice_make((const char *)data, size), text;
        struct buf once = { 0 }, twice = { 0 };
        struct json_doc *patch;
        struct err err;

        if (!slice_split(&rest, '\n', &text) || json_parse(text, &patch, NULL) < 0)
                return 0;
        if (protobuf_patch(rest, json_doc_root(patch), &once, &err) == 0) {
                assert(protobuf_is_envelope(buf_view(&once)));
                if (protobuf_patch(buf_view(&once), json_doc_root(patch), &twice, &err) == 0)
                        assert(protobuf_is_envelope(buf_view(&twice)));
        }
        json_doc_free(patch);
        buf_release(&once);
        buf_release(&twice);
        return 0;
}
