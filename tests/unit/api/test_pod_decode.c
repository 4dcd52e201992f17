/* Pods from JSON. */
#include "decode_world.h"

static struct pod *decode(struct world *world, const char *text) {
        struct err err = { 0 };
        if (pod_decode(world_load(world, text), &world->arena, &world->pod, &err) < 0)
                fail_msg("%s: %s: %s", text, err.path, err.text);
        return &world->pod;
}

static void test_defaults(void **state) {
        static const char *const texts[] = {
                "{}",
                "{\"metadata\":null,\"spec\":null,\"status\":null}",
                "{\"metadata\":{\"labels\":null,\"creationTimestamp\":null,\"finalizers\":null},"
                "\"spec\":{\"schedulerName\":\"\",\"priority\":null,\"affinity\":null,"
                "\"terminationGracePeriodSeconds\":null},\"status\":{\"phase\":\"\"}}",
        };
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                const struct pod *pod = decode(*state, texts[i]);
                assert_slice_is(pod->spec.scheduler_name, "default-scheduler");
                assert_int_equal(pod->spec.termination_grace_s, 30);
                assert_true(pod->spec.active_deadline_s == -1);
                assert_false(pod->spec.has_priority);
                assert_int_equal(pod->status.phase, POD_PENDING);
                assert_false(wall_time_is_set(pod->status.started));
                assert_false(wall_time_is_set(pod->meta.created));
                assert_false(wall_time_is_set(pod->meta.deleted));
                assert_true(pod->meta.deletion_grace_s == -1);
                assert_false(pod->spec.affinity.has_required_node_terms);
        }
}

static void test_meta(void **state) {
        const struct pod *pod = decode(
                *state, "{\"metadata\":{\"name\":\"n\",\"namespace\":\"ns\",\"uid\":\"u\","
                        "\"resourceVersion\":\"12\",\"generation\":3,\"generateName\":\"g-\","
                        "\"labels\":{\"a\":\"1\"},\"annotations\":{\"b\":\"2\"},"
                        "\"managedFields\":[{\"manager\":\"x\"}],\"finalizers\":[\"f1\",\"f2\"],"
                        "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\","
                        "\"name\":\"rs\",\"uid\":\"ru\",\"controller\":true}],"
                        "\"creationTimestamp\":\"2024-01-01T00:00:01Z\","
                        "\"deletionTimestamp\":\"2024-01-01T00:01:00Z\","
                        "\"deletionGracePeriodSeconds\":5}}");
        const struct object_meta *meta = &pod->meta;
        assert_slice_is(meta->name, "n");
        assert_slice_is(meta->ns, "ns");
        assert_slice_is(meta->uid, "u");
        assert_slice_is(meta->resource_version, "12");
        assert_slice_is(meta->generate_name, "g-");
        assert_int_equal(meta->generation, 3);
        assert_slice_is(label_list_get(meta->labels, "a", NULL), "1");
        assert_slice_is(label_list_get(meta->annotations, "b", NULL), "2");
        assert_int_equal(meta->finalizer_count, 2);
        assert_slice_is(meta->finalizers[1], "f2");
        assert_int_equal(meta->owner_count, 1);
        assert_slice_is(meta->owners[0].kind, "ReplicaSet");
        assert_true(meta->owners[0].is_controller);
        assert_false(meta->owners[0].blocks_deletion);
        assert_true(meta->deleted.ns - meta->created.ns == 59 * NS_PER_S);
        assert_int_equal(meta->deletion_grace_s, 5);
}

static void test_spec(void **state) {
        const struct pod *pod = decode(
                *state,
                "{\"spec\":{\"nodeName\":\"n1\",\"schedulerName\":\"s\",\"priority\":-7,"
                "\"priorityClassName\":\"pc\",\"preemptionPolicy\":\"Never\",\"hostNetwork\":true,"
                "\"restartPolicy\":\"OnFailure\",\"terminationGracePeriodSeconds\":0,"
                "\"activeDeadlineSeconds\":60,\"serviceAccountName\":\"sa\","
                "\"nodeSelector\":{\"disk\":\"ssd\"},"
                "\"schedulingGates\":[{\"name\":\"g1\"},{\"name\":\"g2\"}],"
                "\"resourceClaims\":[{\"name\":\"c\"}],"
                "\"overhead\":{\"cpu\":\"10m\"},"
                "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"ports\":[{\"containerPort\":80,"
                "\"hostPort\":8080,\"hostIP\":\"10.0.0.1\",\"protocol\":\"UDP\"}],"
                "\"resources\":{\"requests\":{\"cpu\":\"1.5\",\"memory\":\"1Gi\"},"
                "\"limits\":{\"nvidia.com/gpu\":2}},"
                "\"restartPolicyRules\":[{\"action\":\"RestartAllContainers\"}]}],"
                "\"initContainers\":[{\"name\":\"i1\"},{\"name\":\"i2\",\"restartPolicy\":"
                "\"Always\"}],"
                "\"volumes\":[{\"name\":\"a\",\"emptyDir\":{}},{\"name\":\"b\","
                "\"persistentVolumeClaim\":{\"claimName\":\"claim\"}},{\"name\":\"c\","
                "\"hostPath\":{\"path\":\"/\"}},{\"name\":\"d\",\"configMap\":{}},"
                "{\"name\":\"e\",\"ephemeral\":{}}]}}");
        const struct pod_spec *spec = &pod->spec;
        assert_slice_is(spec->node_name, "n1");
        assert_slice_is(spec->scheduler_name, "s");
        assert_true(spec->has_priority && spec->priority == -7);
        assert_true(spec->never_preempts && spec->uses_host_network);
        assert_int_equal(spec->restart_policy, RESTART_ON_FAILURE);
        assert_int_equal(spec->termination_grace_s, 0);
        assert_int_equal(spec->active_deadline_s, 60);
        assert_slice_is(spec->service_account, "sa");
        assert_slice_is(label_list_get(spec->node_selector, "disk", NULL), "ssd");
        assert_int_equal(spec->gate_count, 2);
        assert_slice_is(spec->gates[1], "g2");
        assert_int_equal(spec->claim_count, 1);
        assert_int_equal(resource_list_get(&spec->overhead, "cpu", NULL), 10);
        assert_int_equal(spec->container_count, 1);
        const struct container *container = &spec->containers[0];
        assert_int_equal(resource_list_get(&container->requests, "cpu", NULL), 1500);
        assert_int_equal(resource_list_get(&container->requests, "memory", NULL), 1 << 30);
        assert_int_equal(resource_list_get(&container->limits, "nvidia.com/gpu", NULL), 2);
        assert_true(container->restarts_all);
        assert_int_equal(container->ports[0].host_port, 8080);
        assert_slice_is(container->ports[0].protocol, "UDP");
        assert_false(spec->init[0].is_sidecar);
        assert_true(spec->init[1].is_sidecar);
        static const enum volume_kind kinds[] = { VOLUME_EMPTY_DIR, VOLUME_CLAIM, VOLUME_HOST_PATH,
                                                  VOLUME_OTHER, VOLUME_EPHEMERAL };
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
                assert_int_equal(spec->volumes[i].kind, kinds[i]);
        assert_slice_is(spec->volumes[1].claim_name, "claim");
        assert_non_null(json_get(spec->volumes[3].source, "configMap"));
}

static void test_tolerations(void **state) {
        const struct pod *pod = decode(
                *state, "{\"spec\":{\"tolerations\":[{},{\"key\":\"k\",\"operator\":\"Exists\","
                        "\"effect\":\"NoExecute\",\"tolerationSeconds\":0},"
                        "{\"key\":\"later\",\"operator\":\"Matches\"},"
                        "{\"key\":\"later\",\"effect\":\"NoThing\"},"
                        "{\"key\":\"n\",\"operator\":\"Gt\",\"value\":\"5\"}]}}");
        const struct toleration *tolerations = pod->spec.tolerations;
        assert_int_equal(pod->spec.toleration_count, 3);
        assert_int_equal(tolerations[0].op, TOLERATION_EQUAL);
        assert_int_equal(tolerations[0].effect, TAINT_EFFECT_NONE);
        assert_false(tolerations[0].has_seconds);
        assert_int_equal(tolerations[1].op, TOLERATION_EXISTS);
        assert_int_equal(tolerations[1].effect, TAINT_NO_EXECUTE);
        assert_true(tolerations[1].has_seconds);
        assert_int_equal(tolerations[2].op, TOLERATION_GT);
        assert_slice_is(tolerations[2].value, "5");
}

static void test_node_affinity(void **state) {
        const struct pod *pod = decode(
                *state,
                "{\"spec\":{\"affinity\":{\"nodeAffinity\":{"
                "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":["
                "{},{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"y\","
                "\"x\"]},{\"key\":\"n\",\"operator\":\"Gt\",\"values\":[\"5\"]},"
                "{\"key\":\"n\",\"operator\":\"Lt\",\"values\":[\"x\"]},"
                "{\"key\":\"n\",\"operator\":\"Gt\",\"values\":[\"1\",\"2\"]},"
                "{\"key\":\"n\",\"operator\":\"Like\",\"values\":[\"1\"]},"
                "{\"key\":\"n\",\"operator\":\"In\"}],"
                "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"NotIn\",\"values\":"
                "[\"n1\"]},{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[]},"
                "{\"key\":\"metadata.name\",\"operator\":\"Exists\"}]}]},"
                "\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":7,"
                "\"preference\":{\"matchExpressions\":[{\"key\":\"b\",\"operator\":\"Exists\"}]}"
                "}]}}}}");
        const struct affinity *affinity = &pod->spec.affinity;
        assert_true(affinity->has_required_node_terms);
        assert_int_equal(affinity->required_node_count, 2);
        assert_int_equal(affinity->required_node[0].expression_count, 0);
        const struct node_requirement *r = affinity->required_node[1].expressions;
        assert_false(r[0].is_invalid);
        assert_int_equal(r[0].op, SELECTOR_IN);
        assert_int_equal(r[0].value_count, 2);
        assert_false(r[1].is_invalid);
        assert_int_equal(r[1].op, SELECTOR_GT);
        assert_int_equal(r[1].number, 5);
        for (size_t i = 2; i < 6; i++)
                assert_true(r[i].is_invalid);
        const struct node_requirement *fields = affinity->required_node[1].fields;
        assert_int_equal(fields[0].op, SELECTOR_NOT_IN);
        assert_slice_is(fields[0].values[0], "n1");
        assert_false(fields[0].is_invalid);
        assert_true(fields[1].is_invalid && fields[2].is_invalid);
        assert_int_equal(affinity->preferred_node[0].weight, 7);
        assert_int_equal(affinity->preferred_node[0].term.expressions[0].op, SELECTOR_EXISTS);
}

static void test_pod_affinity(void **state) {
        const struct pod *pod = decode(
                *state,
                "{\"spec\":{\"affinity\":{\"podAffinity\":{"
                "\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":\"zone\"},"
                "{\"topologyKey\":\"zone\",\"labelSelector\":{},\"namespaceSelector\":{},"
                "\"namespaces\":[\"a\",\"b\"]},{\"topologyKey\":\"zone\",\"labelSelector\":"
                "{\"matchLabels\":{\"a\":\"-\"}}}]},"
                "\"podAntiAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":["
                "{\"weight\":50,\"podAffinityTerm\":{\"topologyKey\":\"host\",\"labelSelector\":"
                "{\"matchLabels\":{\"a\":\"1\"}}}}]}}}}");
        const struct pod_affinity_terms *terms = &pod->spec.affinity.pod;
        assert_int_equal(terms->required_count, 3);
        assert_false(terms->required[0].has_selector);
        assert_true(terms->required[0].selector.matches_nothing);
        assert_true(selector_is_empty(&terms->required[1].selector));
        assert_true(terms->required[1].has_namespace_selector);
        assert_int_equal(terms->required[1].namespace_count, 2);
        assert_true(terms->required[2].selector_is_invalid);
        assert_true(terms->required[2].selector.matches_nothing);
        const struct pod_affinity_terms *anti = &pod->spec.affinity.pod_anti;
        assert_int_equal(anti->preferred[0].weight, 50);
        assert_slice_is(anti->preferred[0].topology_key, "host");
        assert_int_equal(anti->preferred[0].selector.count, 1);
}

static void test_spread(void **state) {
        const struct pod *pod = decode(
                *state, "{\"spec\":{\"topologySpreadConstraints\":["
                        "{\"maxSkew\":2,\"topologyKey\":\"zone\",\"whenUnsatisfiable\":"
                        "\"DoNotSchedule\",\"minDomains\":3,\"labelSelector\":{\"matchLabels\":"
                        "{\"a\":\"1\"}},\"matchLabelKeys\":[\"hash\"],\"nodeAffinityPolicy\":"
                        "\"Ignore\",\"nodeTaintsPolicy\":\"Honor\"},"
                        "{\"maxSkew\":1,\"topologyKey\":\"host\",\"whenUnsatisfiable\":"
                        "\"ScheduleAnyway\"},{\"maxSkew\":1,\"whenUnsatisfiable\":\"Later\"}]}}");
        const struct spread_constraint *spread = pod->spec.spread;
        assert_int_equal(pod->spec.spread_count, 2);
        assert_true(spread[0].is_hard && spread[0].has_selector && spread[0].honor_taints);
        assert_false(spread[0].honor_affinity);
        assert_int_equal(spread[0].min_domains, 3);
        assert_slice_is(spread[0].match_label_keys[0], "hash");
        assert_false(spread[1].is_hard || spread[1].has_selector || spread[1].honor_taints);
        assert_true(spread[1].honor_affinity && spread[1].selector.matches_nothing);
        assert_int_equal(spread[1].min_domains, 0);
}

static void test_status(void **state) {
        const struct pod *pod = decode(
                *state,
                "{\"status\":{\"phase\":\"Running\",\"qosClass\":\"Burstable\",\"podIP\":\"1.2.3."
                "4\","
                "\"nominatedNodeName\":\"n2\",\"startTime\":\"2024-01-01T00:00:00Z\","
                "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"reason\":\"r\"},"
                "{\"type\":\"X\",\"status\":\"False\"},{\"type\":\"Y\",\"status\":\"?\"}],"
                "\"containerStatuses\":[{\"name\":\"a\",\"ready\":true,\"started\":true,"
                "\"restartCount\":4,\"state\":{\"running\":{\"startedAt\":\"2024-01-01T00:00:01Z\"}"
                "},\"lastState\":{\"terminated\":{\"exitCode\":137,\"reason\":\"OOMKilled\"}}},"
                "{\"name\":\"b\",\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}}},"
                "{\"name\":\"c\",\"state\":{\"terminated\":{\"exitCode\":1,\"signal\":9,"
                "\"reason\":\"Error\",\"finishedAt\":null}}}],"
                "\"initContainerStatuses\":[{\"name\":\"i\"}]}}");
        const struct pod_status *status = &pod->status;
        assert_int_equal(status->phase, POD_RUNNING);
        assert_true(status->has_qos && status->qos == QOS_BURSTABLE);
        assert_slice_is(status->nominated_node, "n2");
        assert_true(wall_time_is_set(status->started));
        assert_int_equal(status->conditions[0].status, CONDITION_TRUE);
        assert_false(wall_time_is_set(status->conditions[0].changed));
        assert_int_equal(condition_find(status->conditions, 3, "X")->status, CONDITION_FALSE);
        assert_int_equal(condition_find(status->conditions, 3, "Y")->status, CONDITION_UNKNOWN);
        assert_null(condition_find(status->conditions, 3, "Z"));
        const struct container_status *c = status->containers;
        assert_true(c[0].is_ready && c[0].is_started && c[0].is_running && c[0].has_last);
        assert_int_equal(c[0].restarts, 4);
        assert_int_equal(c[0].last_exit_code, 137);
        assert_slice_is(c[0].last_terminated_reason, "OOMKilled");
        assert_true(c[1].is_waiting);
        assert_slice_is(c[1].waiting_reason, "CrashLoopBackOff");
        assert_true(c[2].is_terminated && c[2].signal == 9 && c[2].exit_code == 1);
        assert_false(wall_time_is_set(c[2].finished));
        assert_int_equal(status->init_count, 1);
}

static void test_unknown_enumerations(void **state) {
        const struct pod *pod = decode(*state, "{\"spec\":{\"restartPolicy\":\"Sometimes\"},"
                                               "\"status\":{\"phase\":\"Paused\","
                                               "\"qosClass\":\"Platinum\"}}");
        assert_int_equal(pod->spec.restart_policy, RESTART_ALWAYS);
        assert_int_equal(pod->status.phase, POD_UNKNOWN);
        assert_false(pod->status.has_qos);
}

static void test_repeated_fields(void **state) {
        const struct pod *pod =
                decode(*state, "{\"spec\":{\"nodeName\":\"a\",\"nodeName\":\"b\",\"overhead\":"
                               "{\"cpu\":\"1\",\"memory\":\"5\",\"cpu\":\"2\"}}}");
        assert_slice_is(pod->spec.node_name, "b");
        assert_int_equal(pod->spec.overhead.count, 2);
        assert_int_equal(resource_list_get(&pod->spec.overhead, "cpu", NULL), 2000);
}

static void test_refused(void **state) {
        struct world *world = *state;
        static const struct {
                const char *text, *path;
                int code;
        } cases[] = {
                { "[]", "", BERTH_ERR_BAD_REQUEST },
                { "{\"metadata\":[]}", "metadata", BERTH_ERR_BAD_REQUEST },
                { "{\"metadata\":{\"name\":1}}", "metadata.name", BERTH_ERR_BAD_REQUEST },
                { "{\"metadata\":{\"labels\":{\"a\":1}}}", "metadata.labels",
                  BERTH_ERR_BAD_REQUEST },
                { "{\"metadata\":{\"creationTimestamp\":\"yesterday\"}}",
                  "metadata.creationTimestamp", BERTH_ERR_BAD_REQUEST },
                { "{\"metadata\":{\"finalizers\":[\"a\",{}]}}", "metadata.finalizers[1]",
                  BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"containers\":{}}}", "spec.containers", BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"containers\":[{},{\"name\":[]}]}}", "spec.containers[1].name",
                  BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"1x\"}}}]}}",
                  "spec.containers[0].resources.requests.cpu", BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"-1\"}}}]}}",
                  "spec.containers[0].resources.requests.cpu", BERTH_ERR_INVALID },
                { "{\"spec\":{\"initContainers\":[{\"resources\":{\"limits\":{\"a.b/c\":-1}}}]}}",
                  "spec.initContainers[0].resources.limits.a.b/c", BERTH_ERR_INVALID },
                { "{\"spec\":{\"overhead\":{\"cpu\":true}}}", "spec.overhead.cpu",
                  BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"priority\":1.5}}", "spec.priority", BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"priority\":1.0}}", "spec.priority", BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"priority\":2147483648}}", "spec.priority", BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"activeDeadlineSeconds\":9223372036854775808}}",
                  "spec.activeDeadlineSeconds", BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"hostNetwork\":\"true\"}}", "spec.hostNetwork",
                  BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"tolerations\":[{\"tolerationSeconds\":\"5\"}]}}",
                  "spec.tolerations[0].tolerationSeconds", BERTH_ERR_BAD_REQUEST },
                { "{\"spec\":{\"affinity\":{\"podAffinity\":{"
                  "\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"labelSelector\":{"
                  "\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":\"x\"}]}}]"
                  "}}}}",
                  "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]."
                  "labelSelector.matchExpressions[0].values",
                  BERTH_ERR_BAD_REQUEST },
                { "{\"status\":{\"containerStatuses\":[{\"state\":{\"terminated\":{\"exitCode\":"
                  "\"1\"}}}]}}",
                  "status.containerStatuses[0].state.terminated.exitCode", BERTH_ERR_BAD_REQUEST },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = must_parse(cases[i].text);
                struct pod pod = { .status.phase = POD_FAILED };
                struct err err = { 0 };
                int r = pod_decode(json_doc_root(doc), &world->arena, &pod, &err);
                if (r != cases[i].code)
                        fail_msg("%s: %d", cases[i].text, r);
                assert_string_equal(err.path, cases[i].path);
                assert_int_equal(pod.status.phase, POD_FAILED);
                assert_int_equal(pod_decode(json_doc_root(doc), &world->arena, &pod, NULL), r);
                json_doc_free(doc);
        }
}

static void test_quantities_as_numbers(void **state) {
        const struct pod *pod = decode(*state, "{\"spec\":{\"overhead\":{\"cpu\":0.25,\"memory\":"
                                               "100,\"a\":\" 5 \",\"b\":null,\"c\":1.5e3}}}");
        static const struct {
                const char *name;
                int64_t amount;
        } amounts[] = { { "cpu", 250 }, { "memory", 100 }, { "a", 5 }, { "b", 0 }, { "c", 1500 } };
        for (size_t i = 0; i < ARRAY_LEN(amounts); i++) {
                bool found;
                assert_int_equal(resource_list_get(&pod->spec.overhead, amounts[i].name, &found),
                                 amounts[i].amount);
                assert_true(found);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_defaults, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_meta, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_spec, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_tolerations, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_node_affinity, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_pod_affinity, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_spread, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_status, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_unknown_enumerations, world_set_up,
                                                world_tear_down),
                cmocka_unit_test_setup_teardown(test_repeated_fields, world_set_up,
                                                world_tear_down),
                cmocka_unit_test_setup_teardown(test_refused, world_set_up, world_tear_down),
                cmocka_unit_test_setup_teardown(test_quantities_as_numbers, world_set_up,
                                                world_tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
