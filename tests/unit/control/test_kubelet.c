/* Simulated kubelets through the API: pods from binding to their end, nodes and their Leases. */
#include "cluster.h"

#define POD(annotations, spec)                                                                     \
        "{'metadata':{'name':'p','annotations':{" annotations "}},'spec':{'nodeName':'n0'," spec   \
        "'containers':[{'name':'c','image':'i'}]}}"
#define P PODS "/p"
#define STATUS(field) cluster_field(&c, P, "/status/" field)
#define CONTAINER(field) STATUS("containerStatuses/0/" field)
#define CONDITION(type, field) STATUS("conditions/type=" type "/" field)

static void test_node_registers(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        assert_string_equal(cluster_field(&c, NODES "/n0", "/status/conditions/type=Ready/status"),
                            "True");
        assert_string_equal(cluster_field(&c, NODES "/n0", "/status/allocatable/cpu"), "8");
        assert_string_equal(cluster_field(&c, NODES "/n0", "/status/nodeInfo/kubeletVersion"),
                            "v1.36.0");
        assert_string_equal(
                cluster_field(&c,
                              "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n0",
                              "/spec/holderIdentity"),
                "n0");
        assert_true(control_is_settled(c.control));
        cluster_wait(&c, 25000);
        assert_string_equal(
                cluster_field(&c,
                              "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n0",
                              "/spec/renewTime"),
                "2026-01-01T00:00:20.250000Z");
        cluster_free(&c);
}

static void test_unmanaged_node(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, NODES,
                     "{'metadata':{'name':'m','annotations':"
                     "{'kubelet.berth.dev/managed':'false'}}}");
        assert_string_equal(cluster_field(&c, NODES "/m", "/status/conditions"), "");
        cluster_free(&c);
}

static void test_pod_runs(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        assert_int_equal(cluster_post(&c, PODS, POD("", "")), 201);
        assert_string_equal(STATUS("phase"), "Pending");
        assert_string_equal(CONTAINER("state/waiting/reason"), "ContainerCreating");
        assert_string_equal(CONDITION("ContainersReady", "message"),
                            "containers with unready status: [c]");
        assert_false(control_is_settled(c.control));
        cluster_wait(&c, 100);
        assert_string_equal(STATUS("phase"), "Running");
        assert_string_equal(STATUS("podIP"), "10.0.0.1");
        assert_string_equal(STATUS("hostIP"), "172.16.0.1");
        assert_string_equal(CONDITION("Ready", "status"), "True");
        assert_string_equal(CONDITION("Initialized", "status"), "True");
        assert_string_equal(CONDITION("PodScheduled", "status"), "True");
        assert_string_equal(CONTAINER("state/running/startedAt"), "2026-01-01T00:00:00Z");
        assert_string_equal(cluster_event(&c, "p", "Started"), "Started container c");
        assert_true(control_is_settled(c.control));
        cluster_free(&c);
}

static void test_crash_loop(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("'sandbox.berth.dev/run':'3s exit 137 x2; then 1h exit 1'", ""));
        cluster_wait(&c, 3200); /* first end: starts again at once */
        assert_string_equal(CONTAINER("restartCount"), "1");
        assert_string_equal(CONTAINER("lastState/terminated/exitCode"), "137");
        assert_string_equal(CONTAINER("lastState/terminated/reason"), "Error");
        assert_string_equal(STATUS("phase"), "Running");
        cluster_wait(&c, 3000); /* second end: pauses */
        assert_string_equal(CONTAINER("state/waiting/reason"), "CrashLoopBackOff");
        assert_string_equal(CONDITION("Ready", "status"), "False");
        assert_true(strstr(CONTAINER("state/waiting/message"),
                           "back-off 10s restarting failed "
                           "container=c pod=p_default(") == c.text);
        cluster_wait(&c, 10000);
        assert_string_equal(CONTAINER("restartCount"), "2");
        assert_string_equal(CONTAINER("state/running/startedAt"), "2026-01-01T00:00:16Z");
        assert_true(strstr(cluster_event(&c, "p", "BackOff"),
                           "Back-off restarting failed container "
                           "c in pod p_default(") == c.text);
        cluster_free(&c);
}

static void test_never_and_on_failure(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("'sandbox.berth.dev/run':'2s oom'", "'restartPolicy':'Never',"));
        cluster_wait(&c, 2200);
        assert_string_equal(STATUS("phase"), "Failed");
        assert_string_equal(CONTAINER("state/terminated/reason"), "OOMKilled");
        assert_string_equal(CONDITION("Ready", "reason"), "PodFailed");
        cluster_ask(&c, "DELETE", P, NULL);
        assert_string_equal(STATUS("phase"), "gone");
        cluster_post(
                &c, PODS,
                POD("'sandbox.berth.dev/run':'2s exit 1; 2s'", "'restartPolicy':'OnFailure',"));
        cluster_wait(&c, 4200);
        assert_string_equal(STATUS("phase"), "Succeeded");
        assert_string_equal(CONTAINER("restartCount"), "1");
        assert_string_equal(CONTAINER("state/terminated/reason"), "Completed");
        assert_string_equal(CONDITION("Ready", "reason"), "PodCompleted");
        assert_true(control_is_settled(c.control));
        cluster_free(&c);
}

static void test_graceful_end(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("'sandbox.berth.dev/shutdown':'2s'", ""));
        cluster_wait(&c, 1000);
        cluster_ask(&c, "DELETE", P, NULL);
        assert_string_equal(STATUS("phase"), "Running");
        assert_string_equal(cluster_event(&c, "p", "Killing"), "Stopping container c");
        cluster_wait(&c, 1900);
        assert_string_equal(STATUS("phase"), "Running");
        cluster_wait(&c, 100);
        assert_string_equal(STATUS("phase"), "gone");
        cluster_free(&c);
}

static void test_grace_is_enforced(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(
                &c, PODS,
                POD("'sandbox.berth.dev/shutdown':'never'", "'terminationGracePeriodSeconds':5,"));
        cluster_wait(&c, 1000);
        cluster_merge(&c, P, "{'metadata':{'finalizers':['berth.dev/test']}}");
        cluster_ask(&c, "DELETE", P, NULL);
        cluster_wait(&c, 4900);
        assert_string_equal(STATUS("phase"), "Running");
        cluster_wait(&c, 200);
        assert_string_equal(STATUS("phase"), "Failed");
        assert_string_equal(CONTAINER("state/terminated/exitCode"), "137");
        cluster_merge(&c, P, "{'metadata':{'finalizers':null}}");
        assert_string_equal(STATUS("phase"), "gone");
        cluster_free(&c);
}

static void test_grace_is_shortened(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("'sandbox.berth.dev/shutdown':'never'", ""));
        cluster_wait(&c, 1000);
        cluster_ask(&c, "DELETE", P, NULL);
        cluster_ask(&c, "DELETE", P, "{'gracePeriodSeconds':3}");
        cluster_wait(&c, 2900);
        assert_string_equal(STATUS("phase"), "Running");
        cluster_wait(&c, 200);
        assert_string_equal(STATUS("phase"), "gone");
        cluster_free(&c);
}

static void test_deleted_before_start(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("'sandbox.berth.dev/start-delay':'1h'", ""));
        cluster_ask(&c, "DELETE", P, NULL);
        assert_string_equal(STATUS("phase"), "gone");
        assert_true(control_is_settled(c.control));
        cluster_free(&c);
}

/* What is deleted already and waits for nothing goes with the next write, here that of its status.
 */
static void test_deleted_by_its_status(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        assert_int_equal(cluster_apply(&c, P "?fieldManager=m",
                                       "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p',"
                                       "'deletionTimestamp':'2026-01-01T00:00:00Z',"
                                       "'deletionGracePeriodSeconds':0},'spec':{'nodeName':'n0',"
                                       "'containers':[{'name':'c','image':'i'}]}}"),
                         201);
        cluster_wait(&c, 1000);
        assert_string_equal(STATUS("phase"), "gone");
        assert_true(control_is_settled(c.control));
        cluster_free(&c);
}

static void test_init_and_sidecar(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'p','annotations':{'sandbox.berth.dev/run.a':'2s',"
                     "'sandbox.berth.dev/run':'3s'}},'spec':{'nodeName':'n0','restartPolicy':"
                     "'Never','initContainers':[{'name':'a','image':'i'},{'name':'s','image':'i',"
                     "'restartPolicy':'Always'}],'containers':[{'name':'c','image':'i'}]}}");
        cluster_wait(&c, 500);
        assert_string_equal(CONDITION("Initialized", "message"),
                            "containers with incomplete status: [a s]");
        assert_string_equal(STATUS("containerStatuses/0/state/waiting/reason"), "PodInitializing");
        cluster_wait(&c, 1700);
        assert_string_equal(STATUS("phase"), "Running");
        assert_string_equal(STATUS("initContainerStatuses/1/started"), "true");
        cluster_wait(&c, 3000);
        assert_string_equal(STATUS("phase"), "Succeeded");
        assert_string_equal(STATUS("initContainerStatuses/1/state/terminated/exitCode"), "0");
        cluster_free(&c);
}

static void test_init_failure(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'p','annotations':{'sandbox.berth.dev/run.a':'exit 3'}},"
                     "'spec':{'nodeName':'n0','restartPolicy':'Never','initContainers':[{'name':"
                     "'a','image':'i'}],'containers':[{'name':'c','image':'i'}]}}");
        cluster_wait(&c, 500);
        assert_string_equal(STATUS("phase"), "Failed");
        assert_string_equal(STATUS("initContainerStatuses/0/state/terminated/exitCode"), "3");
        cluster_free(&c);
}

static void test_deadline_and_failure(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("", "'activeDeadlineSeconds':5,"));
        cluster_wait(&c, 5100);
        assert_string_equal(STATUS("phase"), "Failed");
        assert_string_equal(STATUS("reason"), "DeadlineExceeded");
        cluster_ask(&c, "DELETE", P, NULL);
        cluster_post(
                &c, PODS,
                POD("'sandbox.berth.dev/fail':'2s reason Evicted The node was low on disk.'", ""));
        cluster_wait(&c, 2200);
        assert_string_equal(STATUS("reason"), "Evicted");
        assert_string_equal(STATUS("message"), "The node was low on disk.");
        assert_string_equal(CONDITION("DisruptionTarget", "reason"), "TerminationByKubelet");
        cluster_free(&c);
}

static void test_readiness_windows(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS,
                     POD("'sandbox.berth.dev/ready':'5s up, 3s down, up',"
                         "'sandbox.berth.dev/ready-delay':'2s'",
                         ""));
        cluster_wait(&c, 1000);
        assert_string_equal(CONDITION("Ready", "status"), "False");
        cluster_wait(&c, 1500);
        assert_string_equal(CONDITION("Ready", "status"), "True");
        cluster_wait(&c, 5000);
        assert_string_equal(CONDITION("Ready", "status"), "False");
        assert_string_equal(CONDITION("Ready", "reason"), "ContainersNotReady");
        cluster_wait(&c, 3000);
        assert_string_equal(CONDITION("Ready", "status"), "True");
        assert_true(control_is_settled(c.control));
        cluster_free(&c);
}

static void test_waiting(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("'sandbox.berth.dev/waiting':'ImagePullBackOff for 10s'", ""));
        cluster_wait(&c, 1000);
        assert_string_equal(STATUS("phase"), "Pending");
        assert_string_equal(CONTAINER("state/waiting/reason"), "ImagePullBackOff");
        cluster_wait(&c, 10000);
        assert_string_equal(STATUS("phase"), "Running");
        cluster_free(&c);
}

static void test_invalid_lifecycle(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("'sandbox.berth.dev/run':'3s exitt 1'", ""));
        cluster_wait(&c, 5000);
        assert_string_equal(STATUS("phase"), "Running");
        assert_string_equal(cluster_event(&c, "p", "InvalidLifecycle"),
                            "sandbox.berth.dev/run: expected \"exit\", \"oom\", \"reason\" or a "
                            "repetition such as x3, not \"exitt\"");
        cluster_free(&c);
}

static void test_annotation_later(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("", ""));
        cluster_wait(&c, 10000);
        cluster_merge(&c, P, "{'metadata':{'annotations':{'sandbox.berth.dev/fail':'15s'}}}");
        cluster_wait(&c, 4000);
        assert_string_equal(STATUS("phase"), "Running");
        cluster_wait(&c, 1100);
        assert_string_equal(STATUS("phase"), "Failed");
        cluster_free(&c);
}

static void test_readiness_gate(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("", "'readinessGates':[{'conditionType':'x.io/up'}],"));
        cluster_wait(&c, 1000);
        assert_string_equal(CONDITION("Ready", "reason"), "ReadinessGatesNotReady");
        assert_int_equal(
                cluster_merge(&c, P "/status",
                              "{'status':{'conditions':[{'type':'x.io/up','status':'True'}]}}"),
                200);
        assert_string_equal(CONDITION("Ready", "status"), "True");
        assert_string_equal(CONDITION("x.io~up", "status"), "True");
        cluster_free(&c);
}

static void test_node_fails(void **state) {
        struct cluster c = cluster_new("kubelet");

        (void)state;
        cluster_post(&c, PODS, POD("'sandbox.berth.dev/run':'20s exit 1'", ""));
        cluster_wait(&c, 1000);
        cluster_merge(&c, NODES "/n0",
                      "{'metadata':{'annotations':{'sandbox.berth.dev/heartbeat':'stop'}}}");
        cluster_wait(&c, 60000);
        assert_string_equal(CONTAINER("restartCount"), "0");
        cluster_merge(&c, NODES "/n0",
                      "{'metadata':{'annotations':{'sandbox.berth.dev/heartbeat':null}}}");
        cluster_wait(&c, 100);
        assert_string_equal(CONTAINER("restartCount"), "2");
        cluster_free(&c);
}

static void test_node_reboots(void **state) {
        struct cluster c = cluster_new("kubelet,nodelifecycle");
        char boot_id[64];

        (void)state;
        cluster_post(&c, PODS, POD("", ""));
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'once'},'spec':{'nodeName':'n0','restartPolicy'"
                     ":'Never','containers':[{'name':'c','image':'i'}]}}");
        cluster_wait(&c, 1000);
        snprintf(boot_id, sizeof(boot_id), "%s",
                 cluster_field(&c, NODES "/n0", "/status/nodeInfo/bootID"));
        assert_int_equal(strlen(boot_id), 36);
        cluster_merge(&c, NODES "/n0",
                      "{'metadata':{'annotations':{'sandbox.berth.dev/reboot':'1',"
                      "'sandbox.berth.dev/reboot-time':'70s'}}}");
        cluster_wait(&c, 60000);
        assert_string_equal(cluster_field(&c, NODES "/n0", "/status/conditions/type=Ready/status"),
                            "Unknown");
        assert_string_equal(cluster_field(&c, NODES "/n0", "/status/nodeInfo/bootID"), boot_id);
        assert_false(control_is_settled(c.control));
        cluster_wait(&c, 11000);
        assert_string_equal(cluster_field(&c, NODES "/n0", "/status/conditions/type=Ready/status"),
                            "True");
        assert_string_not_equal(cluster_field(&c, NODES "/n0", "/status/nodeInfo/bootID"), boot_id);
        assert_string_equal(CONTAINER("restartCount"), "1");
        assert_string_equal(CONTAINER("lastState/terminated/exitCode"), "255");
        assert_string_equal(CONTAINER("lastState/terminated/reason"), "Unknown");
        assert_string_equal(CONDITION("Ready", "status"), "True");
        assert_string_equal(cluster_field(&c, PODS "/once", "/status/phase"), "Failed");
        snprintf(boot_id, sizeof(boot_id), "%s",
                 cluster_field(&c, NODES "/n0", "/status/nodeInfo/bootID"));
        cluster_merge(&c, NODES "/n0",
                      "{'metadata':{'annotations':{'sandbox.berth.dev/reboot':null}}}");
        cluster_wait(&c, 100000);
        assert_string_equal(cluster_field(&c, NODES "/n0", "/status/nodeInfo/bootID"), boot_id);
        assert_string_equal(CONTAINER("restartCount"), "1");
        cluster_free(&c);
}

/* What a kubelet knows is in the store: one that starts anew goes on where the last one stopped. */
static void test_restart(void **state) {
        struct cluster c = cluster_new("kubelet");
        struct err err;

        (void)state;
        cluster_post(&c, PODS, POD("'sandbox.berth.dev/run':'1s exit 1 x2; then run'", ""));
        cluster_wait(&c, 3000);
        assert_string_equal(CONTAINER("state/waiting/reason"), "CrashLoopBackOff");
        control_free(c.control);
        assert_int_equal(control_new(&(struct control_config){ .loop = virtual_loop_get(c.loop),
                                                               .server = c.server,
                                                               .controllers = "kubelet" },
                                     &c.control, &err),
                         0);
        cluster_wait(&c, 8000);
        assert_string_equal(CONTAINER("state/waiting/reason"), "CrashLoopBackOff");
        cluster_wait(&c, 2000);
        assert_string_equal(CONTAINER("restartCount"), "2");
        assert_string_equal(STATUS("podIP"), "10.0.0.1");
        cluster_free(&c);
}

static void test_many_pods(void **state) {
        struct cluster c = cluster_new("kubelet");
        struct control_stats stats;
        uint64_t before;

        (void)state;
        control_stats(c.control, &stats);
        before = stats.writes;
        for (int i = 0; i < 500; i++) {
                char body[256];

                snprintf(body, sizeof(body),
                         "{'metadata':{'name':'p%d'},'spec':{'nodeName':'n0','containers':"
                         "[{'name':'c','image':'i'}]}}",
                         i);
                assert_int_equal(cluster_post(&c, PODS, body), 201);
        }
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS "?fieldSelector=status.phase%3DRunning"), 500);
        control_stats(c.control, &stats);
        assert_true(stats.writes - before <= 500 * 5 + 10); /* two of the status, three events */
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_node_registers),
                cmocka_unit_test(test_unmanaged_node),
                cmocka_unit_test(test_pod_runs),
                cmocka_unit_test(test_crash_loop),
                cmocka_unit_test(test_never_and_on_failure),
                cmocka_unit_test(test_graceful_end),
                cmocka_unit_test(test_grace_is_enforced),
                cmocka_unit_test(test_grace_is_shortened),
                cmocka_unit_test(test_deleted_before_start),
                cmocka_unit_test(test_deleted_by_its_status),
                cmocka_unit_test(test_init_and_sidecar),
                cmocka_unit_test(test_init_failure),
                cmocka_unit_test(test_deadline_and_failure),
                cmocka_unit_test(test_readiness_windows),
                cmocka_unit_test(test_waiting),
                cmocka_unit_test(test_invalid_lifecycle),
                cmocka_unit_test(test_annotation_later),
                cmocka_unit_test(test_readiness_gate),
                cmocka_unit_test(test_node_fails),
                cmocka_unit_test(test_node_reboots),
                cmocka_unit_test(test_restart),
                cmocka_unit_test(test_many_pods),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
