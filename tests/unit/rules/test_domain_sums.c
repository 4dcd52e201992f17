/* Sums per domain from parts of nodes: settling, taking back, and what is told about changes. */
#include "base/rng.h"
#include "rules/domain_sums.h"
#include "rules_test.h"
#include <stdio.h>
#include <stdlib.h>

#define NODES 9

struct fixture {
        struct cluster *cluster;
        struct arena arena;
        struct topologies topologies;
        struct domain_sums sums;
};

/* Three domains; the last node has none. */
static int set_up(void **state) {
        struct fixture *fixture = xcalloc(1, sizeof(*fixture));
        bool is_known;
        fixture->cluster = cluster_new(&(struct cluster_config){ 0 });
        arena_init(&fixture->arena, 0);
        fixture->topologies =
                (struct topologies){ .arena = &fixture->arena, .scratch = &fixture->arena };
        for (unsigned i = 0; i < NODES; i++) {
                char text[128];
                snprintf(text, sizeof(text),
                         "{\"metadata\":{\"name\":\"n%u\",\"labels\":{%s%u\"}}}", i,
                         i + 1 < NODES ? "\"zone\":\"z" : "\"other\":\"o", i % 3);
                put(fixture->cluster, OBJECT_NODE, text);
        }
        struct str_id key = cluster_str(fixture->cluster, SLICE_LITERAL("zone"), &is_known);
        domain_sums_init(&fixture->sums,
                         topologies_get(&fixture->topologies, fixture->cluster, key, is_known),
                         &fixture->arena);
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

static struct node_id node(struct fixture *fixture, unsigned number) {
        char name[16];
        snprintf(name, sizeof(name), "n%u", number);
        return node_named(fixture->cluster, name);
}

static void test_sum_follows_when_settled(void **state) {
        struct fixture *fixture = *state;
        struct domain_sums *sums = &fixture->sums;
        domain_sums_add(sums, node(fixture, 0), 5);
        assert_int_equal(domain_sums_at(sums, node(fixture, 3)), 0);
        domain_sums_settle(sums, node(fixture, 0), false, NULL);
        assert_int_equal(domain_sums_at(sums, node(fixture, 3)), 5);
        assert_int_equal(domain_sums_at(sums, node(fixture, 1)), 0);
        domain_sums_take_back(sums, node(fixture, 0));
        domain_sums_settle(sums, node(fixture, 0), false, NULL);
        assert_int_equal(domain_sums_at(sums, node(fixture, 3)), 0);
        assert_int_equal(sums->hit_count, 0);
}

static void test_node_without_domain_takes_no_part(void **state) {
        struct fixture *fixture = *state;
        struct node_id last = node(fixture, NODES - 1);
        domain_sums_add(&fixture->sums, last, 7);
        domain_sums_settle(&fixture->sums, last, false, NULL);
        assert_false(domain_sums_has(&fixture->sums, last));
        assert_int_equal(domain_sums_at(&fixture->sums, last), 0);
        assert_int_equal(fixture->sums.hit_count, 0);
}

static void test_news_report_changed_domains(void **state) {
        struct fixture *fixture = *state;
        struct domain_sums *sums = &fixture->sums;
        struct domain_change items[2];
        struct domain_news news = { .items = items, .cap = ARRAY_LEN(items), .version = 4 };
        domain_sums_add(sums, node(fixture, 1), 2);
        domain_sums_settle(sums, node(fixture, 1), true, &news);
        assert_int_equal(news.count, 1);
        assert_int_equal(items[0].version, 4);
        assert_int_equal(items[0].domain, sums->topology->domain[node(fixture, 1).index]);
        /* From 2 to 3 no sign changes; from 3 to 0 one does. */
        domain_sums_add(sums, node(fixture, 4), 1);
        domain_sums_settle(sums, node(fixture, 4), true, &news);
        assert_int_equal(news.count, 1);
        domain_sums_add(sums, node(fixture, 4), -3);
        domain_sums_settle(sums, node(fixture, 4), true, &news);
        assert_int_equal(news.count, 2);
        assert_false(news.is_incomplete);
        domain_sums_add(sums, node(fixture, 2), 1);
        domain_sums_settle(sums, node(fixture, 2), false, &news);
        assert_int_equal(news.count, 2);
        assert_true(news.is_incomplete);
}

/* Whatever is added and taken back, settled sums are those of the parts. */
static void test_sums_equal_their_parts(void **state) {
        struct fixture *fixture = *state;
        int64_t parts[NODES] = { 0 };
        struct rng rng;
        rng_init(&rng, 5);
        for (int step = 0; step < 500; step++) {
                unsigned at = (unsigned)rng_below(&rng, NODES - 1);
                int64_t amount = (int64_t)rng_below(&rng, 9) - 4;
                domain_sums_take_back(&fixture->sums, node(fixture, at));
                domain_sums_add(&fixture->sums, node(fixture, at), amount);
                domain_sums_settle(&fixture->sums, node(fixture, at), false, NULL);
                parts[at] = amount;
                for (unsigned i = 0; i < NODES - 1; i++) {
                        int64_t sum = 0;
                        for (unsigned j = i % 3; j < NODES - 1; j += 3)
                                sum += parts[j];
                        assert_int_equal(domain_sums_at(&fixture->sums, node(fixture, i)), sum);
                }
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_sum_follows_when_settled, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_node_without_domain_takes_no_part, set_up,
                                                tear_down),
                cmocka_unit_test_setup_teardown(test_news_report_changed_domains, set_up,
                                                tear_down),
                cmocka_unit_test_setup_teardown(test_sums_equal_their_parts, set_up, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
