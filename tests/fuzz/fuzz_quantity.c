/* Quantities: whatever parses prints canonically, and the canonical text is the same amount. (It
 * need not be canonical itself: 62.5Ki prints as 64000, which reads as a decimal 64k.) */
#include "api/quantity.h"
#include <assert.h>
#include <string.h>

/* Canonical text may be a little longer than what was written, and must still be accepted. */
#define LENGTH_MAX 190

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = { (const char *)data, size };
        struct quantity_info info, again;
        int order = 1;
        if (size > LENGTH_MAX || quantity_describe(text, &info, NULL) < 0)
                return 0;
        int r = quantity_describe(slice_of(info.canonical), &again, NULL);
        assert(r == 0);
        assert(info.value == again.value && info.milli == again.milli);
        r = quantity_compare(text, slice_of(info.canonical), &order, NULL);
        assert(r == 0 && order == 0);
        struct buf out = { 0 };
        if (quantity_sum(text, text, true, &out, NULL) == 0)
                assert(strcmp(out.data, "0") == 0);
        buf_clear(&out);
        quantity_sum(text, slice_of("1n"), false, &out, NULL);
        buf_release(&out);
        return 0;
}
