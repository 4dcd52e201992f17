/* What a client sends as JSON: whatever the parser takes, Go's scanner takes, and what is mended of
 * it is Unicode. The text as steps of managed fields: read twice they are what they were the first
 * time. */
#include "schema/go_json.h"

#include "base/utf8.h"
#include "schema/field_set.h"
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_set(struct slice text) {
        struct json_tree *tree = NULL;
        struct buf once = { 0 }, twice = { 0 };

        if (json_tree_parse(text, &tree, NULL) < 0)
                return;
        struct json_node *set = field_set_read(tree, json_tree_root(tree));
        if (set) {
                node_write(set, &once);
                set = field_set_read(tree, set);
                if (!set || !node_write(set, &twice) ||
                    !slice_eq(buf_view(&once), buf_view(&twice)))
                        abort();
        }
        buf_release(&once);
        buf_release(&twice);
        json_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = { (const char *)data, size };
        struct json_doc *doc = NULL;
        struct buf problem = { 0 }, mended = { 0 };

        if (json_parse(text, &doc, NULL) == 0 && go_json_problem(text, &problem))
                abort();
        if (go_json_mend(text, &mended) && !utf8_is_valid(buf_view(&mended)))
                abort();
        check_set(text);
        buf_release(&problem);
        buf_release(&mended);
        json_doc_free(doc);
        return 0;
}
