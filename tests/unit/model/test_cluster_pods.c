/* Pods in the model: sums, lists, finished pods, unknown nodes, assume and confirm. */
#include "model_test.h"

static void test_sums_follow_pods(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        (void)state;
        put_pod(cluster, "a", "n1");
        put_pod(cluster, "b", "n1");
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 200);
        assert_int_equal(requested(cluster, node, RESOURCE_MEMORY), 128 << 20);
        assert_int_equal(requested(cluster, node, RESOURCE_PODS), 2);
        cluster_remove_pod(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("a"));
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 100);
        cluster_free(cluster);
}

static void test_assume_and_confirm(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        struct pod_id pod = put_pod(cluster, "a", "");
        (void)state;
        cluster_assume(cluster, pod, node);
        put_pod(cluster, "a", "");
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 100);
        put_pod(cluster, "a", "n1");
        assert_false(cluster_pod(cluster, pod)->flags & POD_ASSUMED);
        cluster_forget(cluster, pod);
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 100);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sums_follow_pods),
                cmocka_unit_test(test_assume_and_confirm),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
