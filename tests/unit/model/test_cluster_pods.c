/* Pods in the model: sums, lists, finished pods, unknown nodes, assume and confirm, change masks.
 */
#include "model_test.h"

static struct slice ns_name(void) {
        return SLICE_LITERAL("ns");
}

static void test_sums_follow_pods(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        (void)state;
        put_pod(cluster, "a", "n1");
        put_pod(cluster, "b", "n1");
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 200);
        assert_int_equal(requested(cluster, node, RESOURCE_MEMORY), 128 << 20);
        assert_int_equal(requested(cluster, node, RESOURCE_PODS), 2);
        assert_int_equal(cluster_nodes(cluster)->pod_count[node.index], 2);
        cluster_remove_pod(cluster, ns_name(), SLICE_LITERAL("a"));
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 100);
        cluster_free(cluster);
}

static void test_defaults_count_for_scoring_only(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        (void)state;
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'ns','name':'a'},'spec':{'nodeName':'n1','containers':["
            "{'name':'c'},{'name':'d','resources':{'requests':{'cpu':'1'}}}]}}");
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 1000);
        assert_int_equal(requested(cluster, node, RESOURCE_MEMORY), 0);
        assert_int_equal(cluster_nodes(cluster)->nonzero_cpu_milli[node.index], 1100);
        assert_int_equal(cluster_nodes(cluster)->nonzero_memory_bytes[node.index], 400 << 20);
        cluster_free(cluster);
}

static void put_phase(struct cluster *cluster, const char *name, const char *node,
                      const char *phase) {
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'ns','name':'%s','uid':'uid-%s'},'spec':{'nodeName':'%s',"
            "'containers':[{'name':'c','ports':[{'containerPort':80,'hostPort':80}],'resources':{"
            "'requests':{'cpu':'100m'}}}]},'status':{'phase':'%s'}}",
            name, name, node, phase);
}

static void test_finished_pods_occupy_nothing(void **state) {
        static const struct {
                const char *phase;
                bool is_counted;
        } cases[] = { { "Pending", true },    { "Running", true }, { "Unknown", true },
                      { "Succeeded", false }, { "Failed", false }, { "Running", true } };
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                put_phase(cluster, "a", "n1", cases[i].phase);
                struct pod_id pod = cluster_find_pod(cluster, ns_name(), SLICE_LITERAL("a"));
                bool is_counted = cases[i].is_counted;
                assert_int_equal(requested(cluster, node, RESOURCE_CPU), is_counted ? 100 : 0);
                assert_int_equal(requested(cluster, node, RESOURCE_PODS), is_counted);
                assert_int_equal(cluster_nodes(cluster)->port_count[node.index], is_counted);
                assert_int_equal(cluster_nodes(cluster)->first_pod[node.index].index, pod.index);
                assert_int_equal(cluster_check(cluster, NULL), 0);
        }
        cluster_free(cluster);
}

static void test_finished_pods_are_dropped_unless_stored(void **state) {
        struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
        (void)state;
        put_node(cluster, "n1", "");
        put_phase(cluster, "a", "n1", "Running");
        put_phase(cluster, "b", "n1", "Failed");
        assert_int_equal(cluster_pod_count(cluster), 1);
        put_phase(cluster, "a", "n1", "Succeeded");
        assert_int_equal(cluster_pod_count(cluster), 0);
        assert_true(pod_id_is_none(cluster_find_pod(cluster, ns_name(), SLICE_LITERAL("a"))));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

static void test_pods_of_a_node_not_seen_yet(void **state) {
        struct cluster *cluster = cluster_for_test();
        (void)state;
        put_pod(cluster, "a", "ghost");
        assert_int_equal(cluster_node_count(cluster), 0);
        assert_true(node_id_is_none(cluster_find_node(cluster, SLICE_LITERAL("ghost"))));
        assert_true(bitset_is_empty(&cluster_nodes(cluster)->live));
        struct node_id node = put_node(cluster, "ghost", "");
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 100);
        cluster_remove_node(cluster, SLICE_LITERAL("ghost"));
        assert_int_equal(cluster_node_count(cluster), 0);
        assert_int_equal(cluster_pod_count(cluster), 1);
        assert_true(put_node(cluster, "ghost", "").index == node.index);
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 100);
        cluster_remove_node(cluster, SLICE_LITERAL("ghost"));
        cluster_remove_pod(cluster, ns_name(), SLICE_LITERAL("a"));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        assert_true(put_node(cluster, "other", "").index == node.index);
        cluster_free(cluster);
}

static void test_a_new_uid_is_another_pod(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        uint64_t generation = 0;
        (void)state;
        struct pod_id pod = put_pod(cluster, "a", "");
        cluster_assume(cluster, pod, node);
        masks_since(cluster, &generation);
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'ns','name':'a','uid':'second'},'spec':{'containers':[]}}");
        assert_int_equal(masks_since(cluster, &generation),
                         CLUSTER_POD_REMOVED | CLUSTER_PENDING_ADDED);
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 0);
        pod = cluster_find_pod(cluster, ns_name(), SLICE_LITERAL("a"));
        assert_string_equal(cluster_pod(cluster, pod)->uid, "second");
        assert_int_equal(cluster_pod_count(cluster), 1);
        cluster_free(cluster);
}

static void test_a_late_removal_spares_the_next_pod(void **state) {
        struct cluster *cluster = cluster_for_test();
        (void)state;
        put_pod(cluster, "a", "");
        apply_text(cluster, OBJECT_POD, CHANGE_REMOVED,
                   "{'metadata':{'namespace':'ns','name':'a','uid':'earlier'}}");
        assert_int_equal(cluster_pod_count(cluster), 1);
        apply_text(cluster, OBJECT_POD, CHANGE_REMOVED,
                   "{'metadata':{'namespace':'ns','name':'a','uid':'uid-a'}}");
        assert_int_equal(cluster_pod_count(cluster), 0);
        cluster_free(cluster);
}

/* ---- assume ---- */

static void test_assume_and_confirm(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        struct pod_id pod = put_pod(cluster, "a", "");
        uint64_t generation = cluster_generation(cluster);
        (void)state;
        cluster_assume(cluster, pod, node);
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_POD_ADDED);
        put_pod(cluster, "a", "");
        assert_int_equal(masks_since(cluster, &generation), 0);
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 100);
        put_pod(cluster, "a", "n1");
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_POD_STATUS);
        assert_false(cluster_pod(cluster, pod)->flags & POD_ASSUMED);
        cluster_forget(cluster, pod);
        assert_int_equal(masks_since(cluster, &generation), 0);
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 100);
        cluster_free(cluster);
}

static void test_forget_takes_an_assumed_pod_off(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        struct pod_id pod = put_pod(cluster, "a", "");
        uint64_t generation = 0;
        (void)state;
        cluster_assume(cluster, pod, node);
        masks_since(cluster, &generation);
        cluster_forget(cluster, pod);
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_POD_REMOVED);
        assert_int_equal(requested(cluster, node, RESOURCE_CPU), 0);
        assert_true(node_id_is_none(cluster_pod(cluster, pod)->node));
        cluster_forget(cluster, pod);
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

static void test_an_assumed_pod_seen_elsewhere_moves(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct node_id here = put_node(cluster, "n1", ""), there = put_node(cluster, "n2", "");
        struct pod_id pod = put_pod(cluster, "a", "");
        uint64_t generation = 0;
        (void)state;
        cluster_assume(cluster, pod, here);
        masks_since(cluster, &generation);
        put_pod(cluster, "a", "n2");
        assert_int_equal(masks_since(cluster, &generation),
                         CLUSTER_POD_REMOVED | CLUSTER_POD_ADDED | CLUSTER_POD_STATUS);
        assert_int_equal(requested(cluster, here, RESOURCE_CPU), 0);
        assert_int_equal(requested(cluster, there, RESOURCE_CPU), 100);
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

/* ---- masks ---- */

#define POD_TEXT(meta, spec, status)                                                               \
        "{'metadata':{'namespace':'ns','name':'a','uid':'u'" meta "},'spec':{" spec                \
        "},'status':{" status "}}"
#define ONE_CPU "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]"
#define TWO_CPU "'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]"
#define ON_NODE "'nodeName':'n1',"

static void test_masks_of_updates(void **state) {
        static const struct {
                const char *name, *before, *after;
                uint32_t mask;
        } cases[] = {
                { "nothing", POD_TEXT("", ON_NODE ONE_CPU, ""), POD_TEXT("", ON_NODE ONE_CPU, ""),
                  0 },
                { "resource version only", POD_TEXT(",'resourceVersion':'1'", ON_NODE ONE_CPU, ""),
                  POD_TEXT(",'resourceVersion':'2'", ON_NODE ONE_CPU, ""), 0 },
                { "labels", POD_TEXT("", ON_NODE ONE_CPU, ""),
                  POD_TEXT(",'labels':{'a':'b'}", ON_NODE ONE_CPU, ""), CLUSTER_POD_LABELS },
                { "scaled down", POD_TEXT("", ON_NODE TWO_CPU, ""),
                  POD_TEXT("", ON_NODE ONE_CPU, ""), CLUSTER_POD_SCALED_DOWN },
                { "scaled up", POD_TEXT("", ON_NODE ONE_CPU, ""), POD_TEXT("", ON_NODE TWO_CPU, ""),
                  CLUSTER_POD_SPEC },
                { "phase", POD_TEXT("", ON_NODE ONE_CPU, "'phase':'Pending'"),
                  POD_TEXT("", ON_NODE ONE_CPU, "'phase':'Running'"), CLUSTER_POD_STATUS },
                { "finished", POD_TEXT("", ON_NODE ONE_CPU, "'phase':'Running'"),
                  POD_TEXT("", ON_NODE ONE_CPU, "'phase':'Failed'"),
                  CLUSTER_POD_REMOVED | CLUSTER_POD_STATUS },
                { "terminating", POD_TEXT("", ON_NODE ONE_CPU, ""),
                  POD_TEXT(",'deletionTimestamp':'2026-01-01T00:00:00Z'", ON_NODE ONE_CPU, ""),
                  CLUSTER_POD_STATUS },
                { "container state", POD_TEXT("", ON_NODE ONE_CPU, ""),
                  POD_TEXT("", ON_NODE ONE_CPU,
                           "'containerStatuses':[{'name':'c','restartCount':3}]"),
                  CLUSTER_POD_STATUS },
                { "pending toleration", POD_TEXT("", ONE_CPU, ""),
                  POD_TEXT("", ONE_CPU ",'tolerations':[{'operator':'Exists'}]", ""),
                  CLUSTER_PENDING_UPDATED | CLUSTER_POD_TOLERATIONS },
                { "gates gone", POD_TEXT("", ONE_CPU ",'schedulingGates':[{'name':'g'}]", ""),
                  POD_TEXT("", ONE_CPU, ""), CLUSTER_PENDING_UPDATED | CLUSTER_POD_GATES },
                { "one gate of two gone",
                  POD_TEXT("", ONE_CPU ",'schedulingGates':[{'name':'g'},{'name':'h'}]", ""),
                  POD_TEXT("", ONE_CPU ",'schedulingGates':[{'name':'h'}]", ""),
                  CLUSTER_PENDING_UPDATED | CLUSTER_POD_SPEC },
                { "bound by somebody", POD_TEXT("", ONE_CPU, ""), POD_TEXT("", ON_NODE ONE_CPU, ""),
                  CLUSTER_POD_ADDED | CLUSTER_PENDING_REMOVED },
                { "pending failed", POD_TEXT("", ONE_CPU, ""),
                  POD_TEXT("", ONE_CPU, "'phase':'Failed'"),
                  CLUSTER_PENDING_REMOVED | CLUSTER_POD_STATUS },
                { "nominated", POD_TEXT("", ONE_CPU, ""),
                  POD_TEXT("", ONE_CPU, "'nominatedNodeName':'n1'"), CLUSTER_NOMINATION },
                { "nomination removed", POD_TEXT("", ONE_CPU, "'nominatedNodeName':'n1'"),
                  POD_TEXT("", ONE_CPU, ""), CLUSTER_NOMINATION },
                { "failure written", POD_TEXT("", ONE_CPU, ""),
                  POD_TEXT("", ONE_CPU,
                           "'conditions':[{'type':'PodScheduled','status':'False','reason':"
                           "'Unschedulable','message':'0/1'}]"),
                  CLUSTER_PENDING_UPDATED | CLUSTER_POD_STATUS },
        };
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct cluster *cluster = cluster_for_test();
                uint64_t generation = 0;
                put_node(cluster, "n1", "");
                apply_text(cluster, OBJECT_POD, CHANGE_ADDED, cases[i].before);
                masks_since(cluster, &generation);
                apply_text(cluster, OBJECT_POD, CHANGE_UPDATED, cases[i].after);
                uint32_t mask = masks_since(cluster, &generation);
                if (mask != cases[i].mask)
                        fail_msg("%s: mask %#x, wanted %#x", cases[i].name, mask, cases[i].mask);
                assert_int_equal(cluster_check(cluster, NULL), 0);
                cluster_free(cluster);
        }
}

static void test_masks_of_coming_and_going(void **state) {
        struct cluster *cluster = cluster_for_test();
        uint64_t generation;
        (void)state;
        put_node(cluster, "n1", "");
        generation = cluster_generation(cluster);
        put_pod(cluster, "a", "");
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_PENDING_ADDED);
        put_pod(cluster, "b", "n1");
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_POD_ADDED);
        cluster_remove_pod(cluster, ns_name(), SLICE_LITERAL("a"));
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_PENDING_REMOVED);
        cluster_remove_pod(cluster, ns_name(), SLICE_LITERAL("b"));
        assert_int_equal(masks_since(cluster, &generation), CLUSTER_POD_REMOVED);
        cluster_remove_pod(cluster, ns_name(), SLICE_LITERAL("b"));
        assert_int_equal(masks_since(cluster, &generation), 0);
        cluster_free(cluster);
}

/* ---- what a row tells ---- */

static void test_flags(void **state) {
        static const struct {
                const char *annotation, *value;
                uint16_t flags;
        } cases[] = {
                { "other", "x", 0 },
                { "kubernetes.io/config.mirror", "", POD_MIRROR },
                { "kubernetes.io/config.source", "api", 0 },
                { "kubernetes.io/config.source", "file", POD_STATIC },
                { "descheduler.alpha.kubernetes.io/evict", "", POD_EVICT_MARK },
                { "descheduler.alpha.kubernetes.io/evict", "false",
                  POD_EVICT_MARK | POD_EVICT_MARK_FALSE },
                { "descheduler.alpha.kubernetes.io/prefer-no-eviction", "x", POD_PREFERS_STAY },
                { "descheduler.alpha.kubernetes.io/request-evict-only", "", POD_REQUEST_EVICT },
                { "descheduler.alpha.kubernetes.io/eviction-in-progress", "", POD_EVICTION_RUNS },
        };
        struct cluster *cluster = cluster_for_test();
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                put(cluster, OBJECT_POD,
                    "{'metadata':{'namespace':'ns','name':'a','annotations':{'%s':'%s'}},'spec':{"
                    "'containers':[]}}",
                    cases[i].annotation, cases[i].value);
                struct pod_id pod = cluster_find_pod(cluster, ns_name(), SLICE_LITERAL("a"));
                assert_int_equal(cluster_pod(cluster, pod)->flags, cases[i].flags);
        }
        cluster_free(cluster);
}

static void test_row_and_detail(void **state) {
        struct cluster *cluster = cluster_for_test();
        (void)state;
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'ns','name':'a','uid':'u','generation':4,"
            "'creationTimestamp':'1970-01-01T00:00:01Z','ownerReferences':[{'kind':'Job',"
            "'name':'j','uid':'ju','controller':true}]},'spec':{'priority':7,'containers':["
            "{'name':'c'}],'initContainers':[{'name':'i'},{'name':'s','restartPolicy':'Always'}]},"
            "'status':{'reason':'Evicted','qosClass':'Guaranteed','startTime':"
            "'1970-01-01T00:00:02Z','conditions':[{'type':'PodScheduled','status':'False','reason':"
            "'Unschedulable','message':'m','lastTransitionTime':'1970-01-01T00:00:03Z'}],"
            "'containerStatuses':[{'name':'c','restartCount':2,'state':{'waiting':{'reason':"
            "'CrashLoopBackOff'}},'lastState':{'terminated':{'exitCode':137,'reason':'OOM'}}}],"
            "'initContainerStatuses':[{'name':'s','ready':true},{'name':'i','state':{'terminated':"
            "{'exitCode':1,'signal':9,'reason':'Error','finishedAt':'1970-01-01T00:00:04Z'}}}]}}");
        struct pod_id pod = cluster_find_pod(cluster, ns_name(), SLICE_LITERAL("a"));
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct pod_detail *detail = row->detail;
        assert_int_equal(row->priority, 7);
        assert_true(row->has_priority);
        assert_int_equal(row->observed_generation, 4);
        assert_int_equal(row->qos, QOS_GUARANTEED);
        assert_int_equal(row->flags, POD_HAS_QOS | POD_CONDITION_FALSE);
        assert_true(row->created.ns == NS_PER_S && row->started.ns == 2 * NS_PER_S);
        assert_false(wall_time_is_set(row->deleted));
        assert_true(row->failure_hash ==
                    cluster_failure_hash(SLICE_LITERAL("Unschedulable"), SLICE_LITERAL("m")));
        assert_true(row->failure_changed.ns == 3 * NS_PER_S);
        assert_int_equal(row->owner_count, 1);
        assert_true(row->owners[0].is_controller);
        assert_string_equal(cluster_text(cluster, row->owners[0].kind).ptr, "Job");
        assert_string_equal(cluster_text(cluster, detail->reason).ptr, "Evicted");
        assert_int_equal(detail->container_count, 3);
        assert_int_equal(detail->condition_count, 1);
        assert_int_equal(detail->ready_count, 1);
        assert_int_equal(detail->containers[0].restarts, 2);
        assert_int_equal(detail->containers[0].last_exit_code, 137);
        assert_string_equal(cluster_text(cluster, detail->containers[0].waiting_reason).ptr,
                            "CrashLoopBackOff");
        assert_int_equal(detail->containers[1].role, CONTAINER_SIDECAR);
        assert_int_equal(detail->containers[2].role, CONTAINER_INIT);
        assert_int_equal(detail->containers[2].exit_code, 1);
        assert_int_equal(detail->containers[2].signal, 9);
        assert_true(detail->containers[2].finished.ns == 4 * NS_PER_S);
        cluster_free(cluster);
}

static void test_owners_are_counted_by_pods(void **state) {
        struct cluster *cluster = cluster_for_test();
        (void)state;
        for (int i = 0; i < 4; i++)
                put(cluster, OBJECT_POD,
                    "{'metadata':{'namespace':'ns','name':'p%d','ownerReferences':[{'kind':'R',"
                    "'name':'r','uid':'ru'}%s]},'spec':{'containers':[]}}",
                    i, i == 3 ? ",{'kind':'S','name':'s','uid':'su'}" : "");
        assert_int_equal(cluster_owner_count(cluster, str(cluster, "ru")), 4);
        assert_int_equal(cluster_owner_count(cluster, str(cluster, "su")), 1);
        cluster_remove_pod(cluster, ns_name(), SLICE_LITERAL("p0"));
        assert_int_equal(cluster_owner_count(cluster, str(cluster, "ru")), 3);
        const struct pod_row *first =
                cluster_pod(cluster, cluster_find_pod(cluster, ns_name(), SLICE_LITERAL("p1")));
        const struct pod_row *second =
                cluster_pod(cluster, cluster_find_pod(cluster, ns_name(), SLICE_LITERAL("p2")));
        assert_ptr_equal(first->owners, second->owners);
        cluster_free(cluster);
}

static void test_nominations(void **state) {
        struct cluster *cluster = cluster_for_test();
        const struct pod_id *pods;
        struct pod_id a = put_pod(cluster, "a", ""), b = put_pod(cluster, "b", "");
        (void)state;
        put_node(cluster, "n1", "");
        cluster_nominate(cluster, a, SLICE_LITERAL("n1"));
        cluster_nominate(cluster, b, SLICE_LITERAL("n1"));
        assert_int_equal(cluster_nominated_pods(cluster, &pods), 2);
        assert_int_equal(pods[0].index, a.index);
        put_pod(cluster, "a", ""); /* an object without a nomination leaves ours alone */
        assert_int_equal(cluster_nominated_pods(cluster, &pods), 2);
        cluster_nominate(cluster, a, SLICE_EMPTY);
        assert_int_equal(cluster_nominated_pods(cluster, &pods), 1);
        put_pod(cluster, "b", "n1"); /* it got its place */
        assert_int_equal(cluster_nominated_pods(cluster, &pods), 0);
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

static void test_many_pods_are_found(void **state) {
        struct cluster *cluster = cluster_for_test();
        char name[16];
        (void)state;
        for (int i = 0; i < 3000; i++) {
                snprintf(name, sizeof(name), "p%d", i);
                put_pod(cluster, name, i % 2 ? "n1" : "");
        }
        for (int i = 0; i < 3000; i += 3) {
                snprintf(name, sizeof(name), "p%d", i);
                cluster_remove_pod(cluster, ns_name(), slice_of(name));
        }
        for (int i = 0; i < 3000; i++) {
                snprintf(name, sizeof(name), "p%d", i);
                assert_int_equal(
                        pod_id_is_none(cluster_find_pod(cluster, ns_name(), slice_of(name))),
                        i % 3 == 0);
        }
        assert_true(pod_id_is_none(cluster_find_pod(cluster, SLICE_EMPTY, SLICE_LITERAL("p1"))));
        assert_int_equal(cluster_check(cluster, NULL), 0);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sums_follow_pods),
                cmocka_unit_test(test_defaults_count_for_scoring_only),
                cmocka_unit_test(test_finished_pods_occupy_nothing),
                cmocka_unit_test(test_finished_pods_are_dropped_unless_stored),
                cmocka_unit_test(test_pods_of_a_node_not_seen_yet),
                cmocka_unit_test(test_a_new_uid_is_another_pod),
                cmocka_unit_test(test_a_late_removal_spares_the_next_pod),
                cmocka_unit_test(test_assume_and_confirm),
                cmocka_unit_test(test_forget_takes_an_assumed_pod_off),
                cmocka_unit_test(test_an_assumed_pod_seen_elsewhere_moves),
                cmocka_unit_test(test_masks_of_updates),
                cmocka_unit_test(test_masks_of_coming_and_going),
                cmocka_unit_test(test_flags),
                cmocka_unit_test(test_row_and_detail),
                cmocka_unit_test(test_owners_are_counted_by_pods),
                cmocka_unit_test(test_nominations),
                cmocka_unit_test(test_many_pods_are_found),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
