/* Label sets and the inverted index over nodes, from one node of a pair to many. */
#include "model_test.h"

enum { COUNT = 300 };

static struct cluster *labelled(void) {
        struct cluster *cluster = cluster_for_test();
        char name[16], labels[128];
        for (int i = 0; i < COUNT; i++) {
                snprintf(name, sizeof(name), "n%d", i);
                snprintf(labels, sizeof(labels), "'host':'%s','zone':'z%d','pool':'p%d'%s", name,
                         i % 3, i % 30, i % 2 ? ",'odd':''" : "");
                put_node(cluster, name, labels);
        }
        return cluster;
}

/* Nodes with a pair by the index; must be those whose own set has it. */
static size_t count_pair(const struct cluster *cluster, const char *key, const char *value) {
        CLEANUP(arena_release) struct arena arena = { 0 };
        struct str_id key_id = str(cluster, key), value_id = str(cluster, value), found;
        size_t bits = cluster_nodes(cluster)->count;
        struct bitset added = bitset_in_arena(&arena, bits),
                      matching = bitset_in_arena(&arena, bits);
        struct bitset dropped = bitset_in_arena(&arena, bits);
        cluster_add_nodes_with_pair(cluster, key_id, value_id, &added);
        bitset_copy(&matching, &cluster_nodes(cluster)->live);
        cluster_keep_nodes_with_pair(cluster, key_id, value_id, &matching);
        bitset_copy(&dropped, &cluster_nodes(cluster)->live);
        cluster_drop_nodes_with_pair(cluster, key_id, value_id, &dropped);
        for (size_t i = 0; i < bits; i++) {
                bool is_live = bitset_has(&cluster_nodes(cluster)->live, i);
                bool has = is_live &&
                           cluster_label_get(cluster, cluster_nodes(cluster)->labels[i], key_id,
                                             &found) &&
                           str_id_eq(found, value_id);
                assert_int_equal(bitset_has(&added, i), has);
                assert_int_equal(bitset_has(&matching, i), has);
                assert_int_equal(bitset_has(&dropped, i), is_live && !has);
        }
        assert_int_equal(cluster_count_nodes_with_pair(cluster, key_id, value_id),
                         bitset_count(&added));
        return bitset_count(&added);
}

static void test_pairs(void **state) {
        struct cluster *cluster = labelled();
        char name[16];
        (void)state;
        assert_int_equal(count_pair(cluster, "zone", "z1"), COUNT / 3);
        assert_int_equal(count_pair(cluster, "pool", "p7"), COUNT / 30);
        assert_int_equal(count_pair(cluster, "host", "n17"), 1);
        assert_int_equal(count_pair(cluster, "zone", "n17"), 0);
        for (int i = 0; i < COUNT - 20; i++) {
                snprintf(name, sizeof(name), "n%d", i);
                cluster_remove_node(cluster, slice_of(name));
                if (i % 40 == 0) {
                        count_pair(cluster, "zone", "z1");
                        count_pair(cluster, "pool", "p17");
                        assert_int_equal(cluster_check(cluster, NULL), 0);
                }
        }
        assert_int_equal(count_pair(cluster, "zone", "z1"), 7);
        cluster_free(cluster);
}

static void test_keys_and_values(void **state) {
        CLEANUP(arena_release) struct arena arena = { 0 };
        struct cluster *cluster = labelled();
        struct str_id *values;
        (void)state;
        assert_int_equal(bitset_count(cluster_nodes_with_key(cluster, str(cluster, "odd"))),
                         COUNT / 2);
        assert_null(cluster_nodes_with_key(cluster, str(cluster, "z1")));
        assert_int_equal(cluster_node_label_values(cluster, str(cluster, "pool"), &arena, &values),
                         30);
        assert_int_equal(cluster_node_label_values(cluster, str(cluster, "zone"), &arena, &values),
                         3);
        assert_int_equal(cluster_node_label_values(cluster, str(cluster, "z1"), &arena, &values),
                         0);
        cluster_free(cluster);
}

static void test_sets_are_shared(void **state) {
        struct cluster *cluster = cluster_for_test();
        const struct label_pair *pairs;
        (void)state;
        put_node(cluster, "n1", "'b':'2','a':'1'");
        put_node(cluster, "n2", "'a':'1','b':'2'");
        put_node(cluster, "n3", "");
        const struct node_table *nodes = cluster_nodes(cluster);
        assert_int_equal(nodes->labels[0].index, nodes->labels[1].index);
        assert_int_equal(nodes->labels[2].index, 0);
        assert_int_equal(cluster_label_pairs(cluster, nodes->labels[0], &pairs), 2);
        assert_true(pairs[0].key.index < pairs[1].key.index);
        assert_int_equal(cluster_label_pairs(cluster, nodes->labels[2], &pairs), 0);
        cluster_free(cluster);
}

static void test_selectors_on_interned_sets(void **state) {
        static const struct {
                const char *selector;
                bool matches;
        } cases[] = {
                { "", true },         { "a=1", true },         { "a=2", false },
                { "a!=2", true },     { "a in (1,2)", true },  { "a notin (1)", false },
                { "b", true },        { "!b", false },         { "c", false },
                { "!c", true },       { "c notin (1)", true }, { "a=1,b=2", true },
                { "a=1,b=3", false }, { "a>0", true },         { "a>1", false },
        };
        CLEANUP(arena_release) struct arena arena = { 0 };
        struct cluster *cluster = cluster_for_test();
        (void)state;
        put_node(cluster, "n1", "'a':'1','b':'2'");
        struct label_set_id set = cluster_nodes(cluster)->labels[0];
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct selector selector;
                assert_int_equal(
                        selector_parse(slice_of(cases[i].selector), &arena, &selector, NULL), 0);
                if (cluster_labels_match(cluster, &selector, set) != cases[i].matches)
                        fail_msg("%s", cases[i].selector);
                assert_int_equal(selector_matches(&selector, cluster_labels(cluster, set, &arena)),
                                 cases[i].matches);
        }
        struct selector nothing = { .matches_nothing = true };
        assert_false(cluster_labels_match(cluster, &nothing, set));
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_pairs),
                cmocka_unit_test(test_keys_and_values),
                cmocka_unit_test(test_sets_are_shared),
                cmocka_unit_test(test_selectors_on_interned_sets),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
