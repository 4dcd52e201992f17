/* Namespaces, budgets, priority classes, claims; and objects that cannot be decoded. */
#include "model_test.h"

static void test_namespaces(void **state) {
        struct cluster *cluster = cluster_for_test();
        uint64_t generation = 0;
        struct label_set_id labels;
        struct str_id value;
        (void)state;
        put(cluster, OBJECT_NAMESPACE, "{'metadata':{'name':'one','labels':{'team':'red'}}}");
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_NAMESPACE);
        put(cluster, OBJECT_NAMESPACE, "{'metadata':{'name':'one','labels':{'team':'red'}}}");
        assert_int_equal(masks_since(cluster, &generation), 0);
        put(cluster, OBJECT_NAMESPACE, "{'metadata':{'name':'one','labels':{'team':'blue'}}}");
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_NAMESPACE);
        assert_true(cluster_namespace_labels(cluster, str(cluster, "one"), &labels));
        assert_true(cluster_label_get(cluster, labels, str(cluster, "team"), &value));
        assert_string_equal(cluster_text(cluster, value).ptr, "blue");
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_remove_namespace(cluster, SLICE_LITERAL("one"));
        cluster_remove_namespace(cluster, SLICE_LITERAL("one"));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

static void put_budget(struct cluster *cluster, const char *name, int allowed) {
        put(cluster, OBJECT_BUDGET,
            "{'metadata':{'namespace':'ns','name':'%s','generation':2},'spec':{'selector':{"
            "'matchLabels':{'app':'%s'}},'unhealthyPodEvictionPolicy':'AlwaysAllow'},'status':{"
            "'disruptionsAllowed':%d,'currentHealthy':3,'desiredHealthy':2,'expectedPods':4,"
            "'observedGeneration':1,'disruptedPods':{'x':'2026-01-01T00:00:00Z'}}}",
            name, name, allowed);
}

static void test_budgets(void **state) {
        struct cluster *cluster = cluster_for_test();
        uint64_t generation = 0;
        size_t at = 0;
        (void)state;
        put_budget(cluster, "one", 1);
        put_budget(cluster, "two", 2);
        masks_since(cluster, &generation);
        put_budget(cluster, "one", 1);
        assert_int_equal(masks_since(cluster, &generation), 0);
        put_budget(cluster, "one", 5);
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_BUDGET);
        const struct budget_row *budget = cluster_budget_next(cluster, str(cluster, "ns"), &at);
        assert_string_equal(cluster_text(cluster, budget->name).ptr, "one");
        assert_int_equal(budget->disruptions_allowed, 5);
        assert_int_equal(budget->current_healthy, 3);
        assert_int_equal(budget->desired_healthy, 2);
        assert_int_equal(budget->expected_pods, 4);
        assert_int_equal(budget->generation, 2);
        assert_int_equal(budget->observed_generation, 1);
        assert_true(budget->always_allow_unhealthy);
        assert_int_equal(budget->disrupted_count, 1);
        assert_true(slice_is(budget->disrupted[0], "x"));
        assert_true(slice_is(budget->selector.requirements[0].values[0], "one"));
        budget = cluster_budget_next(cluster, str(cluster, "ns"), &at);
        assert_string_equal(cluster_text(cluster, budget->name).ptr, "two");
        assert_null(cluster_budget_next(cluster, str(cluster, "ns"), &at));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_remove_budget(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("one"));
        cluster_remove_budget(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("two"));
        cluster_remove_budget(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("two"));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

static void test_priority_classes(void **state) {
        struct cluster *cluster = cluster_for_test();
        uint64_t generation = 0;
        int32_t value;
        (void)state;
        put(cluster, OBJECT_PRIORITY_CLASS, "{'metadata':{'name':'high'},'value':1000}");
        put(cluster, OBJECT_PRIORITY_CLASS, "{'metadata':{'name':'high'},'value':1000}");
        assert_int_equal(cluster_generation(cluster), 1);
        assert_true(cluster_priority_class(cluster, SLICE_LITERAL("high"), &value));
        assert_int_equal(value, 1000);
        assert_false(cluster_priority_class(cluster, SLICE_LITERAL("low"), &value));
        cluster_remove_priority_class(cluster, SLICE_LITERAL("high"));
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_PRIORITY_CLASS);
        assert_false(cluster_priority_class(cluster, SLICE_LITERAL("high"), &value));
        cluster_free(cluster);
}

static void test_claims(void **state) {
        struct cluster *cluster = cluster_for_test();
        uint64_t generation = 0;
        (void)state;
        put(cluster, OBJECT_NAMESPACE, "{'metadata':{'name':'ns'}}");
        put(cluster, OBJECT_CLAIM,
            "{'metadata':{'namespace':'ns','name':'c'},'spec':{'storageClassName':'fast'}}");
        masks_since(cluster, &generation);
        put(cluster, OBJECT_CLAIM,
            "{'metadata':{'namespace':'ns','name':'c'},'spec':{'storageClassName':'fast'}}");
        assert_int_equal(masks_since(cluster, &generation), 0);
        put(cluster, OBJECT_CLAIM,
            "{'metadata':{'namespace':'ns','name':'c'},'spec':{'storageClassName':'fast',"
            "'volumeName':'v'}}");
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_CLAIM);
        const struct claim_row *claim =
                cluster_claim(cluster, str(cluster, "ns"), SLICE_LITERAL("c"));
        assert_true(claim->has_storage_class);
        assert_string_equal(cluster_text(cluster, claim->storage_class).ptr, "fast");
        assert_string_equal(cluster_text(cluster, claim->volume_name).ptr, "v");
        assert_null(cluster_claim(cluster, str(cluster, "ns"), SLICE_LITERAL("d")));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_remove_claim(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("c"));
        assert_null(cluster_claim(cluster, str(cluster, "ns"), SLICE_LITERAL("c")));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

static void test_wrong_types_change_nothing(void **state) {
        static const struct {
                enum object_kind kind;
                const char *text, *path;
        } cases[] = {
                { OBJECT_NODE, "{\"metadata\":{\"name\":5}}", "metadata.name" },
                { OBJECT_POD, "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":{}}}",
                  "spec.containers" },
                { OBJECT_NAMESPACE, "[]", "" },
                { OBJECT_BUDGET, "{\"spec\":{\"minAvailable\":[]}}", "spec.minAvailable" },
                { OBJECT_PRIORITY_CLASS, "{\"value\":\"x\"}", "value" },
                { OBJECT_CLAIM, "{\"spec\":[]}", "spec" },
        };
        struct cluster *cluster = cluster_for_test();
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct json_doc *doc;
                struct err err = { 0 };
                assert_int_equal(json_parse(slice_of(cases[i].text), &doc, NULL), 0);
                assert_int_equal(cluster_apply(cluster, cases[i].kind, CHANGE_ADDED,
                                               json_doc_root(doc), &err),
                                 BERTH_ERR_BAD_REQUEST);
                assert_string_equal(err.path, cases[i].path);
                json_doc_free(doc);
        }
        assert_true(cluster_generation(cluster) == 0);
        cluster_free(cluster);
}

static void test_removals_through_apply(void **state) {
        static const enum object_kind kinds[] = { OBJECT_POD,    OBJECT_NODE,
                                                  OBJECT_BUDGET, OBJECT_NAMESPACE,
                                                  OBJECT_CLAIM,  OBJECT_PRIORITY_CLASS };
        struct cluster *cluster = cluster_for_test();
        struct cluster_usage usage;
        (void)state;
        for (int round = 0; round < 2; round++) {
                for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
                        apply_text(cluster, kinds[i], round ? CHANGE_REMOVED : CHANGE_ADDED,
                                   "{'metadata':{'namespace':'ns','name':'x'},'spec':{"
                                   "'storageClassName':'s'}}");
                assert_int_equal(cluster_check(cluster, NULL), 0);
        }
        cluster_usage(cluster, &usage);
        assert_int_equal(usage.strings, RESOURCE_FIXED_COUNT);
        assert_int_equal(usage.pods + usage.nodes + usage.classes, 0);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_namespaces),
                cmocka_unit_test(test_budgets),
                cmocka_unit_test(test_priority_classes),
                cmocka_unit_test(test_claims),
                cmocka_unit_test(test_wrong_types_change_nothing),
                cmocka_unit_test(test_removals_through_apply),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
