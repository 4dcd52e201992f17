/* Requests against what is left of nodes. */
#include "rules/fit.h"
#include "rules_test.h"

#define NODE(name, cpu, memory, pods)                                                              \
        "{\"metadata\":{\"name\":\"" name "\"},\"status\":{\"allocatable\":{\"cpu\":\"" cpu        \
        "\",\"memory\":\"" memory "\",\"pods\":\"" pods "\"}}}"
#define POD(name, node, requests)                                                                  \
        "{\"metadata\":{\"namespace\":\"default\",\"name\":\"" name "\",\"uid\":\"" name           \
        "\"},\"spec\":{" node                                                                      \
        "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{" requests "}}}]}}"

static int setup(void **state) {
        struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
        put(cluster, OBJECT_NODE, NODE("a", "2", "4Gi", "2"));
        put(cluster, OBJECT_NODE, NODE("b", "1", "8Gi", "110"));
        put(cluster, OBJECT_NODE, NODE("full", "8", "8Gi", "1"));
        put(cluster, OBJECT_POD, POD("r1", "\"nodeName\":\"a\",", "\"cpu\":\"1500m\""));
        put(cluster, OBJECT_POD, POD("r2", "\"nodeName\":\"full\",", "\"cpu\":\"1\""));
        put(cluster, OBJECT_POD, POD("small", "", "\"cpu\":\"500m\",\"memory\":\"4Gi\""));
        put(cluster, OBJECT_POD, POD("large", "", "\"cpu\":\"1600m\",\"memory\":\"6Gi\""));
        put(cluster, OBJECT_POD, POD("gpu", "", "\"x.io/gpu\":\"1\""));
        *state = cluster;
        return 0;
}

static int teardown(void **state) {
        cluster_free(*state);
        return 0;
}

static const struct {
        const char *pod, *node;
        bool fits, fits_empty;
} cases[] = {
        { "small", "a", true, true },     { "small", "b", true, true },
        { "small", "full", false, true }, { "large", "a", false, false },
        { "large", "b", false, false },   { "gpu", "b", false, false },
};

static void test_nodes(void **state) {
        const struct cluster *cluster = *state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct fit_requests requests = fit_requests_of(class_of(cluster, cases[i].pod));
                struct node_id node = node_named(cluster, cases[i].node);
                if (fit_node(cluster, requests, node) != cases[i].fits ||
                    fit_empty_node(cluster, requests, node) != cases[i].fits_empty)
                        fail_msg("%s on %s", cases[i].pod, cases[i].node);
        }
}

static void test_set_agrees(void **state) {
        const struct cluster *cluster = *state;
        struct arena arena;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct fit_requests requests = fit_requests_of(class_of(cluster, cases[i].pod));
                struct bitset nodes = cluster_live_nodes(cluster, &arena);
                fit_narrow(cluster, requests, &nodes);
                assert_int_equal(bitset_has(&nodes, node_named(cluster, cases[i].node).index),
                                 cases[i].fits);
        }
        arena_release(&arena);
}

static void test_shortages(void **state) {
        const struct cluster *cluster = *state;
        struct fit_shortage shortages[FIT_SHORTAGES_MAX];
        struct fit_requests large = fit_requests_of(class_of(cluster, "large"));
        assert_int_equal(fit_shortages(cluster, large, node_named(cluster, "a"), shortages), 2);
        assert_int_equal(shortages[0].resource.index, RESOURCE_CPU);
        assert_false(shortages[0].exceeds_allocatable); /* fits when r1 has gone */
        assert_int_equal(shortages[0].free, 500);
        assert_int_equal(shortages[1].resource.index, RESOURCE_MEMORY);
        assert_true(shortages[1].exceeds_allocatable);
        assert_int_equal(fit_shortages(cluster, large, node_named(cluster, "full"), shortages), 1);
        assert_int_equal(shortages[0].resource.index, RESOURCE_PODS);
        assert_int_equal(fit_shortages(cluster, fit_requests_of(class_of(cluster, "small")),
                                       node_named(cluster, "b"), shortages),
                         0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_nodes, setup, teardown),
                cmocka_unit_test_setup_teardown(test_set_agrees, setup, teardown),
                cmocka_unit_test_setup_teardown(test_shortages, setup, teardown),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
