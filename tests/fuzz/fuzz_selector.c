/* Label and field selectors: what parses prints, and the printed text parses to the same. */
#include "api/selector.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_label_selector(struct slice text, struct arena *arena) {
        struct selector first, second;
        struct buf once = { 0 }, twice = { 0 };
        if (selector_parse(text, arena, &first, NULL) < 0)
                return;
        bool ok = selector_print(&first, &once);
        int r = selector_parse(buf_view(&once), arena, &second, NULL);
        assert(ok && r == 0);
        ok = selector_print(&second, &twice);
        assert(ok && slice_eq(buf_view(&once), buf_view(&twice)));
        const struct label label = { SLICE_LITERAL("a"), SLICE_LITERAL("1") };
        struct label_list labels = { 1, (struct label *)&label };
        assert(selector_matches(&first, labels) == selector_matches(&second, labels));
        buf_release(&once);
        buf_release(&twice);
}

static void check_object(struct slice text, struct arena *arena) {
        struct json_doc *doc;
        struct selector selector;
        if (json_parse(text, &doc, NULL) < 0)
                return;
        struct buf out = { 0 };
        if (selector_decode(json_doc_root(doc), arena, &selector, NULL) == 0) {
                selector_print(&selector, &out);
                selector_matches(&selector, label_list_decode(json_doc_root(doc), arena));
        }
        buf_release(&out);
        json_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = { (const char *)data, size };
        struct field_selector fields;
        struct arena arena;
        arena_init(&arena, 0);
        check_label_selector(text, &arena);
        check_object(text, &arena);
        field_selector_parse(text, &arena, &fields, NULL);
        arena_release(&arena);
        return 0;
}
