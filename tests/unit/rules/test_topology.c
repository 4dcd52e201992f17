/* Domains of labels: numbering, members, nodes without the label, unknown keys. */
#include "rules/topology.h"
#include "rules_test.h"
#include <stdio.h>
#include <stdlib.h>

struct fixture {
        struct cluster *cluster;
        struct arena arena;
        struct topologies topologies;
};

static int set_up(void **state) {
        static const char *const labels[] = { "\"zone\":\"a\"", "\"zone\":\"b\"", "\"zone\":\"a\"",
                                              "\"rack\":\"r\"", "\"zone\":\"\"" };
        struct fixture *fixture = xcalloc(1, sizeof(*fixture));
        fixture->cluster = cluster_new(&(struct cluster_config){ 0 });
        arena_init(&fixture->arena, 0);
        fixture->topologies =
                (struct topologies){ .arena = &fixture->arena, .scratch = &fixture->arena };
        for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
                char text[256];
                snprintf(text, sizeof(text), "{\"metadata\":{\"name\":\"n%zu\",\"labels\":{%s}}}",
                         i, labels[i]);
                put(fixture->cluster, OBJECT_NODE, text);
        }
        *state = fixture;
        return 0;
}

static int tear_down(void **state) {
        struct fixture *fixture = *state;
        arena_release(&fixture->arena);
        cluster_free(fixture->cluster);
        free(fixture);
        return 0;
}

static const struct topology *topology_of(struct fixture *fixture, const char *key) {
        bool is_known;
        struct str_id id = cluster_str(fixture->cluster, slice_of(key), &is_known);
        return topologies_get(&fixture->topologies, fixture->cluster, id, is_known);
}

static uint32_t domain_of(struct fixture *fixture, const char *key, const char *node) {
        return topology_of(fixture, key)->domain[node_named(fixture->cluster, node).index];
}

static void test_equal_values_share_a_domain(void **state) {
        struct fixture *fixture = *state;
        assert_int_equal(topology_of(fixture, "zone")->domain_count, 3);
        assert_int_equal(domain_of(fixture, "zone", "n0"), domain_of(fixture, "zone", "n2"));
        assert_int_not_equal(domain_of(fixture, "zone", "n0"), domain_of(fixture, "zone", "n1"));
        assert_int_equal(domain_of(fixture, "zone", "n3"), DOMAIN_NONE);
        assert_false(
                topology_has(topology_of(fixture, "zone"), node_named(fixture->cluster, "n3")));
}

static void test_empty_value_is_the_unnamed_domain(void **state) {
        struct fixture *fixture = *state;
        assert_int_equal(topology_of(fixture, "zone")->unnamed, domain_of(fixture, "zone", "n4"));
        assert_int_equal(topology_of(fixture, "rack")->unnamed, DOMAIN_NONE);
}

/* Every node with the label is a member of its domain, once. */
static void test_members_are_listed_by_domain(void **state) {
        struct fixture *fixture = *state;
        const struct topology *topology = topology_of(fixture, "zone");
        assert_int_equal(topology->first[0], 0);
        assert_int_equal(topology->first[topology->domain_count], 4);
        for (uint32_t domain = 0; domain < topology->domain_count; domain++)
                for (uint32_t i = topology->first[domain]; i < topology->first[domain + 1]; i++) {
                        assert_int_equal(topology->domain[topology->members[i].index], domain);
                        if (i > topology->first[domain])
                                assert_true(topology->members[i - 1].index <
                                            topology->members[i].index);
                }
}

static void test_unknown_key_has_no_domains(void **state) {
        struct fixture *fixture = *state;
        const struct topology *topology = topology_of(fixture, "no such key");
        assert_false(topology->has_key);
        assert_int_equal(topology->domain_count, 0);
        for (size_t i = 0; i < topology->node_count; i++)
                assert_int_equal(topology->domain[i], DOMAIN_NONE);
}

static void test_made_once(void **state) {
        struct fixture *fixture = *state;
        static const char *const keys[] = { "zone", "rack", "no such key", "zone", "rack" };
        for (size_t i = 0; i < ARRAY_LEN(keys); i++)
                assert_ptr_equal(topology_of(fixture, keys[i]), topology_of(fixture, keys[i]));
        assert_int_equal(fixture->topologies.count, 3);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_equal_values_share_a_domain, set_up,
                                                tear_down),
                cmocka_unit_test_setup_teardown(test_empty_value_is_the_unnamed_domain, set_up,
                                                tear_down),
                cmocka_unit_test_setup_teardown(test_members_are_listed_by_domain, set_up,
                                                tear_down),
                cmocka_unit_test_setup_teardown(test_unknown_key_has_no_domains, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_made_once, set_up, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
