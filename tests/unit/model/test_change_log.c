/* The bounded log: ranges across the wrap, readers that fell behind. */
#include "model_test.h"

static void add_nodes(struct cluster *cluster, int from, int to) {
        char name[16];
        for (int i = from; i < to; i++) {
                snprintf(name, sizeof(name), "n%d", i);
                put_node(cluster, name, "");
        }
}

static void test_ranges(void **state) {
        enum { CAPACITY = 300 };
        static const struct {
                uint64_t behind;
                bool is_reachable;
        } cases[] = {
                { 0, true }, { 1, true }, { 255, true }, { CAPACITY, true }, { CAPACITY + 1, false }
        };
        (void)state;
        for (int total = CAPACITY + 1; total < 3 * CAPACITY; total += 97) {
                struct cluster *cluster =
                        cluster_new(&(struct cluster_config){ .log_capacity = CAPACITY });
                add_nodes(cluster, 0, total);
                for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                        struct change_range range;
                        uint64_t since = cluster_generation(cluster) - cases[i].behind;
                        assert_int_equal(cluster_changes_since(cluster, since, &range),
                                         cases[i].is_reachable);
                        if (!cases[i].is_reachable)
                                continue;
                        assert_int_equal(range.first_count + range.second_count, cases[i].behind);
                        for (size_t j = 0; j < cases[i].behind; j++) {
                                const struct cluster_change *change =
                                        j < range.first_count
                                                ? &range.first[j]
                                                : &range.second[j - range.first_count];
                                assert_true(change->generation == since + j + 1);
                                assert_int_equal(change->mask, CLUSTER_NODE_ADDED);
                        }
                }
                cluster_free(cluster);
        }
}

static void test_readers_from_the_future_start_afresh(void **state) {
        struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
        struct change_range range;
        (void)state;
        assert_true(cluster_changes_since(cluster, 0, &range));
        assert_int_equal(range.first_count + range.second_count, 0);
        assert_false(cluster_changes_since(cluster, 1, &range));
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_ranges),
                cmocka_unit_test(test_readers_from_the_future_start_afresh),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
