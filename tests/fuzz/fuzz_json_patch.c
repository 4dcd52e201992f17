/* Patches: the input is a document followed by a patch. Whatever comes out must be a document that
 * parses again and is equal to itself. */
#include "api/json_patch.h"
#include "api/merge_patch.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_result(const struct json_tree *tree) {
        struct json_tree *again;
        struct buf once = { 0 }, twice = { 0 };
        bool ok = node_write(json_tree_root(tree), &once);
        int r = json_tree_parse(buf_view(&once), &again, NULL);
        assert(ok && r == 0);
        ok = node_write(json_tree_root(again), &twice);
        assert(ok && slice_eq(buf_view(&once), buf_view(&twice)));
        buf_release(&once);
        buf_release(&twice);
        json_tree_free(again);
}

static void apply(const struct json *document, const struct json *patch) {
        int (*const kinds[])(struct json_tree *, const struct json_node *,
                             struct err *) = { json_patch_apply, merge_patch_apply };
        for (int i = 0; i < 2; i++) {
                struct json_tree *tree = json_tree_new(), *patch_tree = json_tree_new();
                json_tree_set_root(tree, node_import(tree, document));
                struct json_node *ops = node_import(patch_tree, patch);
                int r = kinds[i](tree, ops, NULL);
                json_tree_free(patch_tree);
                if (r == 0)
                        check_result(tree);
                json_tree_free(tree);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = { (const char *)data, size };
        struct json_doc *document, *patch;
        size_t used;
        if (json_parse_prefix(text, &document, &used, NULL) < 0)
                return 0;
        json_duplicates(json_doc_root(document), NULL, NULL);
        if (json_parse(slice_make(text.ptr + used, text.len - used), &patch, NULL) == 0) {
                apply(json_doc_root(document), json_doc_root(patch));
                json_doc_free(patch);
        }
        json_doc_free(document);
        return 0;
}
