/* Devices that stand for cpu of their node: what a pod takes of it so counts once it is reserved.
 */
#include "claim_test.h"
#include "rules/fit.h"

/* A node of 4 cpus; its device stands for 3 of them. */
static void begin(struct group_test *test) {
        claim_test_init(test, FEATURE_NODE_DEVICES, (struct scheduler_config){ 0 });
        put_node_with_device(test, "n1",
                             ",\"nodeAllocatableResourceMappings\":{\"cpu\":{"
                             "\"allocationMultiplier\":\"3\"}}");
        put_claim(test, "c", "");
}

static void put_claiming(struct group_test *test) {
        apply(&test->base, OBJECT_POD, CHANGE_ADDED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"},"
              "\"spec\":{" CLAIMS("c") "\"containers\":[{\"name\":\"c\",\"image\":\"i\","
                                       "\"resources\":{\"claims\":[{\"name\":\"x\"}]}}]}}");
}

static int64_t free_cpu(const struct group_test *test) {
        const struct cluster *cluster = test->base.cluster;
        struct resource_id cpu;
        assert_true(cluster_resource(cluster, SLICE_LITERAL("cpu"), &cpu));
        return node_free(cluster, cluster_find_node(cluster, SLICE_LITERAL("n1")), cpu);
}

static void test_counts_when_reserved(void **state) {
        struct group_test test;
        (void)state;
        begin(&test);
        put_claiming(&test);
        step(&test.base);
        assert_int_equal(free_cpu(&test), 1000);
        put_pod(&test.base, "q", 2000, "");
        step(&test.base);
        assert_non_null(strstr(reported_pod(&test, "q"), "Insufficient cpu"));
        /* The status is not written yet; an update without it changes nothing. */
        apply(&test.base, OBJECT_POD, CHANGE_UPDATED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\","
              "\"labels\":{"
              "\"a\":\"b\"}},\"spec\":{" CLAIMS(
                      "c") "\"containers\":[{\"name\":\"c\",\"image\":\"i\","
                           "\"resources\":{\"claims\":[{\"name\":\"x\"}]}}]}}");
        assert_int_equal(free_cpu(&test), 1000);
        group_test_release(&test);
}

static void test_given_back(void **state) {
        struct group_test test;
        (void)state;
        begin(&test);
        put_claiming(&test);
        step(&test.base);
        assert_int_equal(free_cpu(&test), 1000);
        answer(&test.base, ACTION_PATCH_OBJECT, "c", BERTH_ERR_INVALID);
        step(&test.base);
        assert_int_equal(free_cpu(&test), 4000);
        const struct pod_row *row = cluster_pod(
                test.base.cluster,
                cluster_find_pod(test.base.cluster, SLICE_LITERAL("default"), SLICE_LITERAL("p")));
        assert_int_equal(cluster_class(test.base.cluster, row->class)->spec.device_requests.count,
                         0);
        group_test_release(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_counts_when_reserved),
                cmocka_unit_test(test_given_back),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
