/* Protobuf bodies: whatever decodes is a JSON tree that can be written, read again and, as far as
 * its types fit, normalised. */
#include "schema/protobuf.h"
#include "schema/schema.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void normalise(struct json_tree *tree) {
        struct json_node *object = json_tree_root(tree);
        struct slice rest = node_get_text(object, "apiVersion"), group = SLICE_EMPTY;
        const struct schema_object *schema;

        if (rest.len && memchr(rest.ptr, '/', rest.len))
                slice_split(&rest, '/', &group);
        schema = schema_find(group, rest, node_get_text(object, "kind"));
        if (schema)
                schema_normalise(schema, tree, object, NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct json_tree *tree = NULL;
        struct json_doc *doc = NULL;
        struct buf text = { 0 };

        if (protobuf_decode(slice_make((const char *)data, size), &tree, NULL) < 0)
                return 0;
        if (node_write(json_tree_root(tree), &text)) {
                int r = json_parse(buf_view(&text), &doc, NULL);

                assert(r == 0);
                json_doc_free(doc);
        }
        normalise(tree);
        json_tree_free(tree);
        buf_release(&text);
        return 0;
}
