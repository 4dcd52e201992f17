/* Node selectors and affinity: one table judged node by node and as sets. */
#include "rules/node_affinity.h"
#include "rules_test.h"

static const char *const nodes[] = {
        "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"size\":\"8\",\"disk\":\"ssd\"}}}",
        "{\"metadata\":{\"name\":\"n2\",\"labels\":{\"size\":\"3\"}}}",
        "{\"metadata\":{\"name\":\"n3\",\"labels\":{\"size\":\"x\",\"disk\":\"hdd\"}}}",
        "{\"metadata\":{\"name\":\"n4\"}}",
};

/* admitted: one bit per node, n1 lowest. */
static const struct {
        const char *terms; /* of nodeSelectorTerms */
        unsigned admitted;
} cases[] = {
        { "{\"matchExpressions\":[{\"key\":\"size\",\"operator\":\"Gt\",\"values\":[\"4\"]}]}", 1 },
        { "{\"matchExpressions\":[{\"key\":\"size\",\"operator\":\"Lt\",\"values\":[\"4\"]}]}", 2 },
        { "{\"matchExpressions\":[{\"key\":\"size\",\"operator\":\"Gt\",\"values\":[\"y\"]}]}", 0 },
        { "{\"matchExpressions\":[{\"key\":\"size\",\"operator\":\"NotIn\",\"values\":[\"8\"]}]}",
          14 },
        { "{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":\"Exists\"}]}", 5 },
        { "{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":\"DoesNotExist\"}]}", 10 },
        { "{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":\"In\",\"values\":[\"ssd\","
          "\"hdd\"]},"
          "{\"key\":\"size\",\"operator\":\"In\",\"values\":[\"8\"]}]}",
          1 },
        { "{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"n2\"]}]}",
          2 },
        { "{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"NotIn\",\"values\":[\"n2\"]}"
          "]}",
          13 },
        { "{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"n1\","
          "\"n2\"]}]}",
          0 },
        { "{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"gone\"]}]"
          "}",
          0 },
        { "{}", 0 },
        { "{\"matchExpressions\":[{\"key\":\"size\",\"operator\":\"Equals\",\"values\":[\"8\"]}]}",
          0 },
        { "{},{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":\"Exists\"}]}", 5 },
        { "", 0 },
};

static void check_case(const struct cluster *cluster, struct arena *arena,
                       const struct affinity *affinity, size_t index) {
        struct bitset set = cluster_live_nodes(cluster, arena);
        node_terms_narrow(cluster, affinity->required_node, affinity->required_node_count, arena,
                          &set);
        for (unsigned n = 0; n < ARRAY_LEN(nodes); n++) {
                char name[8] = { 'n', (char)('1' + n), 0 };
                struct node_id node = node_named(cluster, name);
                bool wanted = (cases[index].admitted >> n & 1) != 0;
                if (node_terms_match(cluster, affinity->required_node,
                                     affinity->required_node_count, node) != wanted ||
                    bitset_has(&set, node.index) != wanted)
                        fail_msg("case %zu, %s", index, name);
        }
}

static void test_terms(void **state) {
        (void)state;
        struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
        struct arena arena;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
                put(cluster, OBJECT_NODE, nodes[i]);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const char *text =
                        arena_printf(&arena, "{\"nodeSelectorTerms\":[%s]}", cases[i].terms);
                struct affinity affinity;
                struct json_doc *doc;
                assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
                assert_int_equal(node_selector_decode(json_doc_root(doc), &arena, &affinity, NULL),
                                 0);
                check_case(cluster, &arena, &affinity, i);
                json_doc_free(doc);
        }
        arena_release(&arena);
        cluster_free(cluster);
}

static void test_labels(void **state) {
        (void)state;
        struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
        struct label pair = { SLICE_LITERAL("disk"), SLICE_LITERAL("ssd") };
        for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
                put(cluster, OBJECT_NODE, nodes[i]);
        struct label_list selector = { 1, &pair };
        assert_true(node_has_labels(cluster, node_named(cluster, "n1"), selector));
        assert_false(node_has_labels(cluster, node_named(cluster, "n3"), selector));
        assert_false(node_has_labels(cluster, node_named(cluster, "n4"), selector));
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_terms),
                cmocka_unit_test(test_labels),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
