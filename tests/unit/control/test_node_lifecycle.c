/* Silent nodes, taints by condition, and the pods that have to go for them. */
#include "cluster.h"

#define N NODES "/n0"
#define TAINT(key, field) cluster_field(&c, N, "/spec/taints/key=node.kubernetes.io~" key "/" field)
#define SILENT "{'metadata':{'annotations':{'sandbox.berth.dev/heartbeat':'stop'}}}"
#define TALKING "{'metadata':{'annotations':{'sandbox.berth.dev/heartbeat':null}}}"
#define POD(name, spec)                                                                            \
        "{'metadata':{'name':'" name "'},'spec':{'nodeName':'n0'," spec                            \
        "'containers':[{'name':'c','image':'i'}]}}"

static void test_ready_node_has_no_taints(void **state) {
        struct cluster c = cluster_new("kubelet,node-lifecycle-controller");

        (void)state;
        assert_string_equal(cluster_field(&c, N, "/spec/taints"), "");
        cluster_wait(&c, 600000);
        assert_string_equal(cluster_field(&c, N, "/spec/taints"), "");
        assert_string_equal(cluster_field(&c, N, "/status/conditions/type=Ready/status"), "True");
        cluster_free(&c);
}

static void test_silence(void **state) {
        struct cluster c = cluster_new("kubelet,nodelifecycle");

        (void)state;
        cluster_post(&c, PODS, POD("p", ""));
        cluster_wait(&c, 1000);
        cluster_merge(&c, N, SILENT);
        cluster_wait(&c, 39000);
        assert_string_equal(cluster_field(&c, N, "/status/conditions/type=Ready/status"), "True");
        cluster_wait(&c, 15000);
        assert_string_equal(cluster_field(&c, N, "/status/conditions/type=Ready/status"),
                            "Unknown");
        assert_string_equal(cluster_field(&c, N, "/status/conditions/type=Ready/reason"),
                            "NodeStatusUnknown");
        assert_string_equal(cluster_field(&c, N, "/spec/taints/1/key"),
                            "node.kubernetes.io/unreachable");
        assert_string_equal(cluster_field(&c, N, "/spec/taints/1/effect"), "NoExecute");
        assert_string_equal(TAINT("unreachable", "effect"), "NoSchedule");
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/conditions/type=Ready/status"),
                            "False");
        assert_string_equal(cluster_event(&c, "n0", "NodeNotReady"),
                            "Node n0 status is now: NodeNotReady");
        cluster_merge(&c, N, TALKING);
        assert_string_equal(cluster_field(&c, N, "/status/conditions/type=Ready/status"), "True");
        assert_string_equal(cluster_field(&c, N, "/spec/taints"), "");
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/conditions/type=Ready/status"),
                            "True");
        cluster_free(&c);
}

/* A process that was stopped: all are late, and nobody was away. */
static void test_stopped_process(void **state) {
        struct cluster c = cluster_new("kubelet,nodelifecycle");

        (void)state;
        cluster_post(&c, PODS, POD("p", ""));
        cluster_wait(&c, 1000);
        virtual_loop_sleep(c.loop, 120 * NS_PER_S);
        cluster_wait(&c, 20000);
        assert_string_equal(cluster_field(&c, N, "/status/conditions/type=Ready/status"), "True");
        assert_string_equal(cluster_field(&c, N, "/spec/taints"), "");
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/conditions/type=Ready/status"),
                            "True");
        cluster_free(&c);
}

static void test_conditions_become_taints(void **state) {
        static const struct {
                const char *patch, *path, *taint;
        } cases[] = {
                { "{'spec':{'unschedulable':true}}", N, "node.kubernetes.io/unschedulable" },
                { "{'status':{'conditions':[{'type':'Ready','status':'True'},{'type':"
                  "'MemoryPressure','status':'True'}]}}",
                  N "/status", "node.kubernetes.io/memory-pressure" },
                { "{'status':{'conditions':[{'type':'Ready','status':'True'},{'type':"
                  "'DiskPressure','status':'True'}]}}",
                  N "/status", "node.kubernetes.io/disk-pressure" },
                { "{'status':{'conditions':[{'type':'Ready','status':'True'},{'type':"
                  "'NetworkUnavailable','status':'True'}]}}",
                  N "/status", "node.kubernetes.io/network-unavailable" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cluster c = cluster_new("kubelet,nodelifecycle");

                cluster_merge(&c, N, "{'spec':{'taints':[{'key':'mine','effect':'NoSchedule'}]}}");
                assert_int_equal(cluster_merge(&c, cases[i].path, cases[i].patch), 200);
                assert_string_equal(cluster_field(&c, N, "/spec/taints/0/key"), "mine");
                assert_string_equal(cluster_field(&c, N, "/spec/taints/1/key"), cases[i].taint);
                assert_string_equal(cluster_field(&c, N, "/spec/taints/1/effect"), "NoSchedule");
                cluster_free(&c);
        }
}

static void test_new_node_waits(void **state) {
        struct cluster c = cluster_new("nodelifecycle");

        (void)state;
        cluster_post(&c, NODES, "{'metadata':{'name':'n0'}}");
        assert_string_equal(TAINT("not-ready", "effect"), "NoSchedule");
        cluster_wait(&c, 60000);
        assert_string_equal(TAINT("unreachable", "effect"), "NoSchedule");
        assert_string_equal(cluster_field(&c, N, "/status/conditions/type=Ready/reason"),
                            "NodeStatusNeverUpdated");
        cluster_free(&c);
}

static void test_eviction_by_taint(void **state) {
        struct cluster c = cluster_new("kubelet,taint-eviction-controller");

        (void)state;
        cluster_post(&c, PODS, POD("gone", ""));
        cluster_post(&c, PODS, POD("stays", "'tolerations':[{'operator':'Exists'}],"));
        cluster_post(&c, PODS,
                     POD("later", "'tolerations':[{'key':'k','operator':'Exists',"
                                  "'effect':'NoExecute','tolerationSeconds':30}],"));
        cluster_wait(&c, 1000);
        cluster_merge(&c, N, "{'spec':{'taints':[{'key':'k','effect':'NoExecute'}]}}");
        assert_string_equal(
                cluster_field(&c, PODS "/gone", "/status/conditions/type=DisruptionTarget/reason"),
                "DeletionByTaintManager");
        assert_string_equal(cluster_event(&c, "gone", "TaintManagerEviction"),
                            "Marking for deletion Pod default/gone");
        cluster_wait(&c, 29000);
        assert_int_equal(cluster_count(&c, PODS), 2);
        cluster_wait(&c, 2000);
        assert_int_equal(cluster_count(&c, PODS), 1);
        assert_string_equal(cluster_item(&c, PODS, 0, "/metadata/name"), "stays");
        cluster_post(&c, PODS, POD("new", ""));
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS), 1);
        cluster_free(&c);
}

static void test_taint_goes_in_time(void **state) {
        struct cluster c = cluster_new("kubelet,taint-eviction-controller");

        (void)state;
        cluster_post(&c, PODS,
                     POD("p", "'tolerations':[{'key':'k','operator':'Exists',"
                              "'tolerationSeconds':30,'effect':'NoExecute'}],"));
        cluster_merge(&c, N, "{'spec':{'taints':[{'key':'k','effect':'NoExecute'}]}}");
        cluster_wait(&c, 20000);
        cluster_merge(&c, N, "{'spec':{'taints':null}}");
        cluster_wait(&c, 60000);
        assert_int_equal(cluster_count(&c, PODS), 1);
        assert_string_equal(cluster_field(&c, PODS "/p", "/metadata/deletionTimestamp"), "");
        cluster_free(&c);
}

/* The whole story: a node goes silent and its pods, which bear it for five minutes, move on. */
static void test_silent_node_is_emptied(void **state) {
        struct cluster c = cluster_new("kubelet,nodelifecycle,taint-eviction-controller");

        (void)state;
        cluster_post(&c, PODS, POD("p", ""));
        cluster_wait(&c, 1000);
        cluster_merge(&c, N, SILENT);
        cluster_wait(&c, 340000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/metadata/deletionTimestamp"), "");
        cluster_wait(&c, 15000);
        assert_string_not_equal(cluster_field(&c, PODS "/p", "/metadata/deletionTimestamp"), "");
        cluster_wait(&c, 600000); /* nobody confirms it */
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "Running");
        cluster_merge(&c, N, TALKING);
        cluster_wait(&c, 1000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "gone");
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_ready_node_has_no_taints),
                cmocka_unit_test(test_silence),
                cmocka_unit_test(test_stopped_process),
                cmocka_unit_test(test_conditions_become_taints),
                cmocka_unit_test(test_new_node_waits),
                cmocka_unit_test(test_eviction_by_taint),
                cmocka_unit_test(test_taint_goes_in_time),
                cmocka_unit_test(test_silent_node_is_emptied),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
