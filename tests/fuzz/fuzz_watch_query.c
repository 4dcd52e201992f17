/* The parameters of lists and watches: the input is what stands behind the question mark. Nothing
 * it says may break the server, and every line that comes back is JSON. */
#include "fuzz_server.h"
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_pods(void) {
        static bool is_made;
        char body[256];

        for (int i = 0; !is_made && i < 20; i++) {
                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"p%d\",\"labels\":{\"n\":\"%d\",\"a\":\"b\"}},"
                         "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
                         i, i);
                int status = fuzz_ask("POST", SLICE_LITERAL("/api/v1/namespaces/default/pods"),
                                      "application/json", slice_of(body));

                assert(status == 201);
        }
        is_made = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static const char *const starts[] = { "/api/v1/pods?", "/api/v1/pods?watch=1&",
                                              "/api/v1/namespaces/default/pods?watch=1&" };
        struct buf target = { 0 };

        make_pods();
        for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
                buf_clear(&target);
                buf_text(&target, starts[i]);
                buf_append(&target, (const char *)data, size);
                fuzz_ask("GET", buf_view(&target), "", SLICE_EMPTY);
        }
        buf_release(&target);
        return 0;
}
