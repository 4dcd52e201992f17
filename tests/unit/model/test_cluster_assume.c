/* What-ifs: nothing remains of them, nobody is told, and touched nodes are named. */
#include "model_test.h"

struct scene {
        struct cluster *cluster;
        struct node_id nodes[2];
        struct pod_id placed[3], pending;
};

static struct scene scene(void) {
        struct scene scene = { .cluster = cluster_for_test() };
        scene.nodes[0] = put_node(scene.cluster, "n1", "");
        scene.nodes[1] = put_node(scene.cluster, "n2", "");
        scene.placed[0] = put_pod(scene.cluster, "a", "n1");
        scene.placed[1] = put_pod(scene.cluster, "b", "n1");
        scene.placed[2] = put_pod(scene.cluster, "c", "n1");
        scene.pending = put_pod(scene.cluster, "p", "");
        cluster_nominate(scene.cluster, scene.pending, SLICE_LITERAL("n1"));
        return scene;
}

static void test_withdraw_and_assume(void **state) {
        struct scene s = scene();
        uint64_t digest = cluster_digest(s.cluster), generation = cluster_generation(s.cluster);
        (void)state;
        cluster_checkpoint(s.cluster);
        cluster_withdraw(s.cluster, s.placed[1]);
        assert_int_equal(requested(s.cluster, s.nodes[0], RESOURCE_CPU), 200);
        cluster_assume(s.cluster, s.pending, s.nodes[0]);
        cluster_assume(s.cluster, s.placed[1], s.nodes[1]);
        assert_int_equal(requested(s.cluster, s.nodes[0], RESOURCE_CPU), 300);
        assert_int_equal(requested(s.cluster, s.nodes[1], RESOURCE_CPU), 100);
        assert_int_equal(cluster_check(s.cluster, NULL), 0);
        assert_true(cluster_digest(s.cluster) != digest);
        cluster_rollback(s.cluster);
        assert_true(cluster_digest(s.cluster) == digest);
        assert_true(cluster_generation(s.cluster) == generation);
        assert_int_equal(cluster_check(s.cluster, NULL), 0);
        cluster_free(s.cluster);
}

static void test_order_of_a_list_comes_back(void **state) {
        static const int orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 }, { 1, 2, 0 } };
        (void)state;
        for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
                struct scene s = scene();
                uint64_t digest = cluster_digest(s.cluster);
                cluster_checkpoint(s.cluster);
                for (int j = 0; j < 3; j++)
                        cluster_withdraw(s.cluster, s.placed[orders[i][j]]);
                assert_true(pod_id_is_none(cluster_nodes(s.cluster)->first_pod[s.nodes[0].index]));
                cluster_assume(s.cluster, s.placed[orders[i][1]], s.nodes[0]);
                cluster_rollback(s.cluster);
                assert_true(cluster_digest(s.cluster) == digest);
                cluster_free(s.cluster);
        }
}

static void test_cordon(void **state) {
        struct scene s = scene();
        uint64_t digest = cluster_digest(s.cluster), generation = cluster_generation(s.cluster);
        (void)state;
        cluster_checkpoint(s.cluster);
        cluster_cordon(s.cluster, s.nodes[1]);
        cluster_checkpoint(s.cluster);
        cluster_cordon(s.cluster, s.nodes[1]); /* is cordoned: the inner one undoes nothing */
        cluster_rollback(s.cluster);
        assert_true(bitset_has(&cluster_nodes(s.cluster)->unschedulable, s.nodes[1].index));
        assert_true(bitset_has(cluster_touched_nodes(s.cluster), s.nodes[1].index));
        assert_int_equal(cluster_check(s.cluster, NULL), 0);
        assert_true(cluster_digest(s.cluster) != digest);
        cluster_rollback(s.cluster);
        assert_false(bitset_has(&cluster_nodes(s.cluster)->unschedulable, s.nodes[1].index));
        assert_true(cluster_digest(s.cluster) == digest);
        assert_true(cluster_generation(s.cluster) == generation);
        assert_int_equal(cluster_check(s.cluster, NULL), 0);
        cluster_free(s.cluster);
}

static void test_nested(void **state) {
        struct scene s = scene();
        uint64_t outside = cluster_digest(s.cluster);
        (void)state;
        cluster_checkpoint(s.cluster);
        cluster_withdraw(s.cluster, s.placed[0]);
        uint64_t inside = cluster_digest(s.cluster);
        cluster_checkpoint(s.cluster);
        cluster_withdraw(s.cluster, s.placed[1]);
        cluster_assume(s.cluster, s.pending, s.nodes[1]);
        cluster_rollback(s.cluster);
        assert_true(cluster_digest(s.cluster) == inside);
        assert_int_equal(requested(s.cluster, s.nodes[0], RESOURCE_PODS), 2);
        cluster_rollback(s.cluster);
        assert_true(cluster_digest(s.cluster) == outside);
        cluster_free(s.cluster);
}

static void test_nominations_come_back(void **state) {
        struct scene s = scene();
        const struct pod_id *pods;
        struct pod_id other = put_pod(s.cluster, "q", "");
        (void)state;
        cluster_nominate(s.cluster, other, SLICE_LITERAL("n2"));
        uint64_t digest = cluster_digest(s.cluster);
        cluster_checkpoint(s.cluster);
        cluster_nominate(s.cluster, s.pending, SLICE_EMPTY);
        assert_int_equal(cluster_nominated_pods(s.cluster, &pods), 1);
        cluster_nominate(s.cluster, other, SLICE_LITERAL("elsewhere"));
        cluster_nominate(s.cluster, s.pending, SLICE_LITERAL("n2"));
        cluster_rollback(s.cluster);
        assert_true(cluster_digest(s.cluster) == digest);
        assert_int_equal(cluster_nominated_pods(s.cluster, &pods), 2);
        assert_int_equal(pods[0].index, s.pending.index);
        assert_int_equal(cluster_check(s.cluster, NULL), 0);
        cluster_free(s.cluster);
}

/* A nomination of ours is one until it is taken back, in a what-if or outside. */
static void test_a_nomination_taken_back_is_not_ours(void **state) {
        struct scene s = scene();
        (void)state;
        assert_true(cluster_pod(s.cluster, s.pending)->flags & POD_NOMINATED_HERE);
        cluster_checkpoint(s.cluster);
        cluster_nominate(s.cluster, s.pending, SLICE_EMPTY);
        assert_false(cluster_pod(s.cluster, s.pending)->flags & POD_NOMINATED_HERE);
        cluster_rollback(s.cluster);
        assert_true(cluster_pod(s.cluster, s.pending)->flags & POD_NOMINATED_HERE);
        cluster_nominate(s.cluster, s.pending, SLICE_EMPTY);
        assert_false(cluster_pod(s.cluster, s.pending)->flags & POD_NOMINATED_HERE);
        assert_int_equal(cluster_pod(s.cluster, s.pending)->nominated.index, 0);
        cluster_free(s.cluster);
}

static void test_an_assumption_forgotten_in_a_what_if_stays(void **state) {
        struct scene s = scene();
        (void)state;
        cluster_assume(s.cluster, s.pending, s.nodes[1]);
        cluster_checkpoint(s.cluster);
        cluster_forget(s.cluster, s.pending);
        assert_true(node_id_is_none(cluster_pod(s.cluster, s.pending)->node));
        cluster_rollback(s.cluster);
        assert_int_equal(cluster_pod(s.cluster, s.pending)->node.index, s.nodes[1].index);
        assert_true(cluster_pod(s.cluster, s.pending)->flags & POD_ASSUMED);
        assert_int_equal(requested(s.cluster, s.nodes[1], RESOURCE_CPU), 100);
        cluster_free(s.cluster);
}

static void test_touched_nodes(void **state) {
        struct scene s = scene();
        (void)state;
        assert_null(cluster_touched_nodes(s.cluster));
        cluster_checkpoint(s.cluster);
        assert_int_equal(bitset_count(cluster_touched_nodes(s.cluster)), 0);
        cluster_withdraw(s.cluster, s.placed[0]);
        cluster_checkpoint(s.cluster);
        cluster_assume(s.cluster, s.pending, s.nodes[1]);
        cluster_rollback(s.cluster);
        assert_int_equal(bitset_count(cluster_touched_nodes(s.cluster)), 2);
        cluster_rollback(s.cluster);
        cluster_checkpoint(s.cluster);
        assert_int_equal(bitset_count(cluster_touched_nodes(s.cluster)), 0);
        cluster_free(s.cluster); /* with a what-if open */
}

static void test_a_pod_alone_on_a_placeholder(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct pod_id pod = put_pod(cluster, "a", "ghost");
        uint64_t digest = cluster_digest(cluster);
        (void)state;
        cluster_checkpoint(cluster);
        cluster_withdraw(cluster, pod);
        cluster_rollback(cluster);
        assert_true(cluster_digest(cluster) == digest);
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_withdraw_and_assume),
                cmocka_unit_test(test_cordon),
                cmocka_unit_test(test_order_of_a_list_comes_back),
                cmocka_unit_test(test_nested),
                cmocka_unit_test(test_nominations_come_back),
                cmocka_unit_test(test_a_nomination_taken_back_is_not_ours),
                cmocka_unit_test(test_an_assumption_forgotten_in_a_what_if_stays),
                cmocka_unit_test(test_touched_nodes),
                cmocka_unit_test(test_a_pod_alone_on_a_placeholder),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
