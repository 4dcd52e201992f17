/* Nodes, disruption budgets and the small kinds from JSON. */
#include "decode_world.h"

static void test_node(void **state) {
        struct world *world = *state;
        struct node node;
        const struct json *json = world_load(
                world,
                "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"unschedulable\":true,\"providerID\":"
                "\"p://1\",\"taints\":[{\"key\":\"a\",\"value\":\"b\",\"effect\":\"NoSchedule\","
                "\"timeAdded\":\"2024-01-01T00:00:00Z\"},{\"key\":\"c\",\"effect\":"
                "\"PreferNoSchedule\"},{\"key\":\"d\",\"effect\":\"NoExecute\"},{\"key\":\"e\","
                "\"effect\":\"NoNothing\"}]},\"status\":{\"capacity\":{\"cpu\":\"4\"},"
                "\"allocatable\":{\"cpu\":\"3900m\",\"memory\":\"8.5Gi\",\"pods\":\"110\","
                "\"x\":\"-1\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
                "\"lastTransitionTime\":\"2024-01-01T00:00:00Z\"}],\"images\":[{\"names\":[\"a:1\","
                "\"a:2\"],\"sizeBytes\":1234567890123}],\"declaredFeatures\":[\"F\"],"
                "\"nodeInfo\":{\"bootID\":\"boot\",\"kernelVersion\":\"6\"}}}");
        assert_int_equal(node_decode(json, &world->arena, &node, NULL), 0);
        assert_true(node.is_unschedulable);
        assert_slice_is(node.provider_id, "p://1");
        static const enum taint_effect effects[] = { TAINT_NO_SCHEDULE, TAINT_PREFER_NO_SCHEDULE,
                                                     TAINT_NO_EXECUTE, TAINT_EFFECT_NONE };
        assert_int_equal(node.taint_count, ARRAY_LEN(effects));
        for (size_t i = 0; i < ARRAY_LEN(effects); i++)
                assert_int_equal(node.taints[i].effect, effects[i]);
        assert_slice_is(node.taints[0].value, "b");
        assert_int_equal(resource_list_get(&node.capacity, "cpu", NULL), 4000);
        assert_int_equal(resource_list_get(&node.allocatable, "cpu", NULL), 3900);
        assert_true(resource_list_get(&node.allocatable, "memory", NULL) == 9126805504);
        assert_int_equal(resource_list_get(&node.allocatable, "x", NULL), -1);
        assert_int_equal(node.conditions[0].status, CONDITION_TRUE);
        assert_true(wall_time_is_set(node.conditions[0].changed));
        assert_int_equal(node.images[0].name_count, 2);
        assert_true(node.images[0].size_bytes == 1234567890123);
        assert_slice_is(node.features[0], "F");
        assert_slice_is(node.boot_id, "boot");
}

static void test_empty_node(void **state) {
        struct world *world = *state;
        struct node node;
        assert_int_equal(
                node_decode(world_load(world, "{\"status\":{}}"), &world->arena, &node, NULL), 0);
        assert_int_equal(node.allocatable.count + node.taint_count + node.condition_count, 0);
        assert_false(node.is_unschedulable);
        assert_false(wall_time_is_set(node.meta.created));
}

static void test_node_refused(void **state) {
        struct world *world = *state;
        static const struct {
                const char *text, *path;
        } cases[] = {
                { "null", "" },
                { "{\"spec\":{\"taints\":[{\"effect\":1}]}}", "spec.taints[0].effect" },
                { "{\"status\":{\"allocatable\":{\"pods\":\"many\"}}}", "status.allocatable.pods" },
                { "{\"status\":{\"images\":[{\"names\":\"a\"}]}}", "status.images[0].names" },
                { "{\"status\":{\"conditions\":[{\"status\":true}]}}",
                  "status.conditions[0].status" },
                { "{\"status\":{\"capacity\":[]}}", "status.capacity" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct node node;
                struct err err = { 0 };
                assert_int_equal(
                        node_decode(world_load(world, cases[i].text), &world->arena, &node, &err),
                        BERTH_ERR_BAD_REQUEST);
                assert_string_equal(err.path, cases[i].path);
        }
}

static void test_too_many_resources(void **state) {
        struct world *world = *state;
        struct buf text = { 0 };
        struct node node;
        struct err err = { 0 };
        buf_text(&text, "{\"status\":{\"capacity\":{\"cpu\":1");
        for (int i = 0; i < 2000; i++)
                buf_printf(&text, ",\"r%d\":1", i);
        buf_text(&text, "}}}");
        assert_int_equal(node_decode(world_load(world, text.data), &world->arena, &node, &err),
                         BERTH_ERR_INVALID);
        assert_string_equal(err.path, "status.capacity");
        buf_release(&text);
}

static void test_budget(void **state) {
        struct world *world = *state;
        struct disruption_budget budget;
        assert_int_equal(
                disruption_budget_decode(
                        world_load(world,
                                   "{\"spec\":{\"minAvailable\":\"50%\",\"maxUnavailable\":null,"
                                   "\"selector\":{\"matchLabels\":{\"a\":\"1\"}},"
                                   "\"unhealthyPodEvictionPolicy\":\"AlwaysAllow\"},"
                                   "\"status\":{\"observedGeneration\":4,\"disruptionsAllowed\":1,"
                                   "\"currentHealthy\":2,\"desiredHealthy\":3,\"expectedPods\":4,"
                                   "\"disruptedPods\":{\"p\":\"2024-01-01T00:00:00Z\"}}}"),
                        &world->arena, &budget, NULL),
                0);
        assert_true(budget.has_selector && !budget.selector_is_invalid);
        assert_int_equal(budget.selector.count, 1);
        assert_slice_is(json_text(budget.min_available), "50%");
        assert_null(budget.max_unavailable);
        assert_true(budget.always_allow_unhealthy);
        assert_int_equal(budget.disruptions_allowed, 1);
        assert_int_equal(budget.expected_pods, 4);
        assert_slice_is(budget.disrupted[0], "p");
        assert_int_equal(
                disruption_budget_decode(world_load(world, "{}"), &world->arena, &budget, NULL), 0);
        assert_false(budget.has_selector);
        assert_true(budget.selector.matches_nothing);
        assert_int_equal(disruption_budget_decode(
                                 world_load(world, "{\"spec\":{\"selector\":{\"matchLabels\":"
                                                   "{\"a\":\"-\"}}}}"),
                                 &world->arena, &budget, NULL),
                         0);
        assert_true(budget.selector_is_invalid && budget.selector.matches_nothing);
        assert_int_equal(
                disruption_budget_decode(world_load(world, "{\"spec\":{\"minAvailable\":1.5}}"),
                                         &world->arena, &budget, NULL),
                BERTH_ERR_BAD_REQUEST);
}

static void test_small_kinds(void **state) {
        struct world *world = *state;
        struct priority_class class;
        struct namespace_object ns;
        struct claim_object claim;
        struct object_meta meta;
        assert_int_equal(
                priority_class_decode(world_load(world, "{\"value\":-5,\"globalDefault\":true,"
                                                        "\"preemptionPolicy\":\"Never\"}"),
                                      &world->arena, &class, NULL),
                0);
        assert_true(class.value == -5 && class.is_default && class.never_preempts);
        assert_int_equal(
                namespace_decode(world_load(world, "{\"status\":{\"phase\":\"Terminating\"}}"),
                                 &world->arena, &ns, NULL),
                0);
        assert_true(ns.is_terminating);
        assert_int_equal(namespace_decode(world_load(world, "{\"metadata\":{\"deletionTimestamp\":"
                                                            "\"2024-01-01T00:00:00Z\"},\"status\":"
                                                            "{\"phase\":\"Active\"}}"),
                                          &world->arena, &ns, NULL),
                         0);
        assert_true(ns.is_terminating);
        assert_int_equal(claim_decode(world_load(world, "{\"spec\":{\"storageClassName\":\"\","
                                                        "\"volumeName\":\"v\"}}"),
                                      &world->arena, &claim, NULL),
                         0);
        assert_true(claim.has_storage_class && claim.storage_class.len == 0);
        assert_slice_is(claim.volume_name, "v");
        assert_int_equal(
                claim_decode(world_load(world, "{\"spec\":{}}"), &world->arena, &claim, NULL), 0);
        assert_false(claim.has_storage_class);
        assert_int_equal(object_meta_decode(world_load(world, "{\"metadata\":{\"uid\":\"u\"}}"),
                                            &world->arena, &meta, NULL),
                         0);
        assert_slice_is(meta.uid, "u");
        assert_int_equal(object_meta_decode(world_load(world, "3"), &world->arena, &meta, NULL),
                         BERTH_ERR_BAD_REQUEST);
}

static void test_names(void **state) {
        (void)state;
        assert_string_equal(taint_effect_name(TAINT_NO_EXECUTE), "NoExecute");
        assert_string_equal(pod_phase_name(POD_SUCCEEDED), "Succeeded");
        assert_string_equal(qos_class_name(QOS_GUARANTEED), "Guaranteed");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_node, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_empty_node, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_node_refused, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_too_many_resources, world_set_up,
                                                world_tear_down),
                cmocka_unit_test_setup_teardown(test_budget, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_small_kinds, world_set_up, world_tear_down),
                cmocka_unit_test(test_names),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
