/* Two patches in one: where they compose, the one does what both did one after the other. The input
 * is object, older and newer patch, a line each; numbers are compared as they are written. */
#include "client/patch_compose.h"

#include "api/merge_patch.h"
#include "client/resource_path.h"
#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const struct json_tree *one, const struct json_tree *two) {
        struct buf a = { 0 }, b = { 0 };
        struct json_doc *first = NULL, *second = NULL;

        node_write(json_tree_root(one), &a);
        node_write(json_tree_root(two), &b);
        json_parse(buf_view(&a), &first, NULL);
        json_parse(buf_view(&b), &second, NULL);
        assert(json_equal(json_doc_root(first), json_doc_root(second)));
        json_doc_free(first);
        json_doc_free(second);
        buf_release(&a);
        buf_release(&b);
}

static bool apply(struct json_tree *tree, struct slice text) {
        struct json_tree *patch = NULL;
        bool is_done = json_tree_parse(text, &patch, NULL) == 0 &&
                       merge_patch_apply(tree, json_tree_root(patch), NULL) == 0;

        json_tree_free(patch);
        return is_done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice rest = slice_make((const char *)data, size), object, older;
        struct json_tree *one = NULL, *two = NULL;
        struct buf both = { 0 };

        resource_path_name(rest, &both);
        if (slice_split(&rest, '\n', &object) && slice_split(&rest, '\n', &older) &&
            json_tree_parse(object, &one, NULL) == 0 && json_tree_parse(object, &two, NULL) == 0) {
                patch_compose(PATCH_STRATEGIC, older, rest, &both);
                if (patch_compose(PATCH_MERGE, older, rest, &both)) {
                        bool is_done = apply(one, older) && apply(one, rest);

                        assert(apply(two, buf_view(&both)) == is_done);
                        check_same(one, two);
                }
        }
        json_tree_free(one);
        json_tree_free(two);
        buf_release(&both);
        return 0;
}
