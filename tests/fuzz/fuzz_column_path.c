/* The path of a printer column, up to the first newline, in the object behind it: what it names is
 * a part of the object. */
#include "schema/column_path.h"

#include "base/buf.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice rest = { (const char *)data, size }, path = SLICE_EMPTY;
        struct json_doc *doc = NULL;
        struct buf out = { 0 };
        const struct json *value;

        slice_split(&rest, '\n', &path);
        if (json_parse(rest, &doc, NULL) < 0)
                return 0;
        value = column_path_value(json_doc_root(doc), path);
        if (value)
                json_write(value, &out);
        buf_release(&out);
        json_doc_free(doc);
        return 0;
}
