/* Traces as CSV: every object that is visited is JSON with a name, and an error names a line. */
#include "sim/trace_openb.h"

#include "api/json.h"
#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int visit(void *context, struct slice name, struct slice object, struct err *err) {
        struct json_doc *doc = NULL;
        int code = json_parse(object, &doc, err);

        (void)context;
        assert(code == 0 && name.len > 0);
        assert(slice_eq(json_get_text(json_get(json_doc_root(doc), "metadata"), "name"), name));
        json_doc_free(doc);
        return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        for (int table = TRACE_NODES; table <= TRACE_PODS; table++) {
                struct err err = { 0 };

                if (trace_openb_read((enum trace_table)table, slice_make((const char *)data, size),
                                     "f.csv", visit, NULL, &err) < 0)
                        assert(err.code < 0 && err.text[0]);
        }
        return 0;
}
