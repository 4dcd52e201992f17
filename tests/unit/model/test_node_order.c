/* Order of nodes: zones interleaved, and what moves a node. */
#include "model_test.h"

static void put_in_zone(struct cluster *cluster, const char *name, const char *zone) {
        char labels[128];
        snprintf(labels, sizeof(labels), "'topology.kubernetes.io/zone':'%s'", zone);
        put_node(cluster, name, *zone ? labels : "");
}

static void assert_order(const struct cluster *cluster, const char *wanted) {
        char found[256] = "";
        const struct node_id *order = cluster_node_order(cluster);
        size_t length = 0;
        for (size_t i = 0; i < cluster_node_count(cluster); i++)
                length += (size_t)snprintf(found + length, sizeof(found) - length, "%s%s",
                                           i ? " " : "", cluster_node_name(cluster, order[i]).ptr);
        assert_string_equal(found, wanted);
}

static void test_zones_interleave(void **state) {
        struct cluster *cluster = cluster_for_test();
        (void)state;
        assert_order(cluster, "");
        put_in_zone(cluster, "a1", "A");
        put_in_zone(cluster, "a2", "A");
        put_in_zone(cluster, "b1", "B");
        put_in_zone(cluster, "a3", "A");
        put_in_zone(cluster, "c1", "C");
        put_in_zone(cluster, "c2", "C");
        assert_order(cluster, "a1 b1 c1 a2 c2 a3");
        cluster_remove_node(cluster, SLICE_LITERAL("a1"));
        assert_order(cluster, "a2 b1 c1 a3 c2");
        cluster_remove_node(cluster, SLICE_LITERAL("b1"));
        put_in_zone(cluster, "b2", "B"); /* the zone was gone: last now */
        assert_order(cluster, "a2 c1 b2 a3 c2");
        cluster_free(cluster);
}

static void test_changing_zone_and_nothing_else(void **state) {
        struct cluster *cluster = cluster_for_test();
        (void)state;
        put_in_zone(cluster, "x", "");
        put_in_zone(cluster, "y", "");
        put_in_zone(cluster, "b", "B");
        assert_order(cluster, "x b y");
        put_in_zone(cluster, "x", "");
        assert_order(cluster, "x b y");
        put_in_zone(cluster, "x", "B");
        assert_order(cluster, "y b x");
        cluster_free(cluster);
}

static void test_region_and_older_names(void **state) {
        struct cluster *cluster = cluster_for_test();
        (void)state;
        put_node(cluster, "a",
                 "'topology.kubernetes.io/region':'r','topology.kubernetes.io/zone':'z'");
        put_node(cluster, "b",
                 "'failure-domain.beta.kubernetes.io/region':'r',"
                 "'failure-domain.beta.kubernetes.io/zone':'z','topology.kubernetes.io/zone':'y'");
        put_node(cluster, "c",
                 "'topology.kubernetes.io/region':'q','topology.kubernetes.io/zone':'z'");
        const struct node_table *nodes = cluster_nodes(cluster);
        assert_int_equal(nodes->zone[0].index, nodes->zone[1].index);
        assert_int_not_equal(nodes->zone[0].index, nodes->zone[2].index);
        struct slice zone = cluster_text(cluster, nodes->zone[0]);
        assert_true(slice_eq(zone, slice_make("r:\0:z", 5)));
        assert_order(cluster, "a c b");
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_zones_interleave),
                cmocka_unit_test(test_changing_zone_and_nothing_else),
                cmocka_unit_test(test_region_and_older_names),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
