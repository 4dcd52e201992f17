/* Filters that cannot answer for a node: the selector of a class fails on its device. The node is
 * refused and others are looked at; with parity the cycle ends there, as upstream's does. */
#include "claim_test.h"

#define FAILING                                                                                    \
        "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"selectors\":[{\"cel\":{\"expression\":"        \
        "\"device.attributes['d'].x == 1\"}}]}}"
#define WITH_ATTRIBUTE ",\"attributes\":{\"x\":{\"int\":1}}"
#define SAID "class c: selector #0: CEL runtime error: no such key: x"

static const struct {
        const char *name;
        bool is_parity, has_other;    /* a node that could answer */
        const char *reported, *lacks; /* of the pod's condition; NULL = the pod is bound */
} cases[] = {
        { "the other node is taken", false, true, NULL, NULL },
        { "no other node", false, false, "0/1 nodes are available: 1 " SAID, "running" },
        { "parity: though another node fits", true, true,
          "running \"DynamicResources\" filter plugin: " SAID, "nodes are available" },
        { "parity: no other node", true, false, "running \"DynamicResources\" filter plugin: " SAID,
          "nodes are available" },
};

static void test_errors(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct group_test test;
                claim_test_init(&test, 0,
                                (struct scheduler_config){ .is_parity = cases[i].is_parity });
                put_object(&test, CACHED_DEVICE_CLASS, FAILING);
                put_device_node(&test, "n1");
                if (cases[i].has_other)
                        put_node_with_device(&test, "n2", WITH_ATTRIBUTE);
                put_claim(&test, "s", "");
                put_pod(&test.base, "p", 100, CLAIMS("s"));
                step(&test.base);
                const struct action *write = find_action(&test.base, ACTION_PATCH_OBJECT, "s");
                if (!write == !cases[i].reported)
                        fail_msg("%s: the claim is %swritten", cases[i].name, write ? "" : "not ");
                if (cases[i].reported && (!strstr(reported_pod(&test, "p"), cases[i].reported) ||
                                          strstr(reported_pod(&test, "p"), cases[i].lacks)))
                        fail_msg("%s: %s", cases[i].name, reported_pod(&test, "p"));
                group_test_release(&test);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_errors),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
