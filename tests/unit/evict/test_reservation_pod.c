/* The pod that holds room: what it keeps of the pod it is held for, and what not. */
#include "evict/reservation_pod.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NOT_ON_N0                                                                                  \
        "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"NotIn\",\"values\":[\"n0\"]}]"
#define REQUIRED "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":"
#define SPEC "\"schedulerName\":\"reservations.berth.dev\""

static void test_write(void **state) {
        static const struct {
                const char *pod, *expected;
        } cases[] = {
                { "{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\",\"uid\":\"1\",\"labels\":{"
                  "\"a\":"
                  "\"b\"},\"ownerReferences\":[{}],\"finalizers\":[\"f\"]},\"spec\":{\"nodeName\":"
                  "\"n0\",\"priority\":7},\"status\":{\"phase\":\"Running\"}}",
                  "{\"metadata\":{\"name\":\"r\",\"namespace\":\"d\",\"uid\":\"r\"},\"spec\":{"
                  "\"priority\":7,\"affinity\":{\"nodeAffinity\":{" REQUIRED "[{" NOT_ON_N0
                  "}]}}}," SPEC "},\"status\":{\"phase\":\"Pending\"}}" },
                /* every alternative keeps away from the node */
                { "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n0\",\"schedulerName\":"
                  "\"s\",\"affinity\":{\"nodeAffinity\":{" REQUIRED
                  "[{\"matchExpressions\":[]},{\"matchExpressions\":[1]}]}}}}}",
                  "{\"metadata\":{\"name\":\"r\",\"uid\":\"r\"},\"spec\":{" SPEC
                  ",\"affinity\":{\"nodeAffinity\":{" REQUIRED
                  "[{\"matchExpressions\":[]," NOT_ON_N0 "},{\"matchExpressions\":[1]," NOT_ON_N0
                  "}]}}}},\"status\":{\"phase\":\"Pending\"}}" },
                { "{\"metadata\":{\"name\":\"p\"},\"spec\":{}}",
                  "{\"metadata\":{\"name\":\"r\",\"uid\":\"r\"},\"spec\":{" SPEC
                  "},\"status\":{\"phase\":\"Pending\"}}" },
                { "not JSON", "" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf out = { 0 };

                reservation_pod_write(slice_of(cases[i].pod), SLICE_LITERAL("r"), &out);
                buf_char(&out, '\0');
                assert_string_equal(out.data, cases[i].expected);
                buf_release(&out);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_write),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
