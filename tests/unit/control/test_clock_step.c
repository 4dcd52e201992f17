/* The wall clock of the sandbox's machine is set: kubelets, silence and taints go on as if nothing
 * had happened. */
#include "cluster.h"

#define HOUR_NS (3600 * NS_PER_S)
#define N NODES "/n0"
#define READY "/status/conditions/type=Ready/status"
#define SILENT "{'metadata':{'annotations':{'sandbox.berth.dev/heartbeat':'stop'}}}"
#define TALKING "{'metadata':{'annotations':{'sandbox.berth.dev/heartbeat':null}}}"
#define POD(name, annotations, spec)                                                               \
        "{'metadata':{'name':'" name "','annotations':{" annotations                               \
        "}},'spec':{'nodeName':'n0'," spec "'containers':[{'name':'c','image':'i'}]}}"

static const int64_t steps_ns[] = { -90 * NS_PER_S, 90 * NS_PER_S, -2 * HOUR_NS, 2 * HOUR_NS };

static const char *phase(struct cluster *c, const char *path) {
        static char text[64];

        snprintf(text, sizeof(text), "%s", cluster_field(c, path, "/status/phase"));
        return text;
}

static void test_pods_go_on(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(steps_ns); i++) {
                struct cluster c = cluster_new("kubelet");

                cluster_post(
                        &c, PODS,
                        POD("ends", "'sandbox.berth.dev/run':'10s'", "'restartPolicy':'Never',"));
                cluster_post(&c, PODS, POD("readies", "'sandbox.berth.dev/ready-delay':'8s'", ""));
                cluster_wait(&c, 5000);
                cluster_post(&c, PODS, POD("starts", "", ""));
                virtual_loop_set_back(c.loop, steps_ns[i]);
                cluster_wait(&c, 4000);
                assert_string_equal(phase(&c, PODS "/starts"), "Running");
                assert_string_equal(phase(&c, PODS "/ends"), "Running");
                assert_string_equal(cluster_field(&c, PODS "/readies", READY), "True");
                cluster_wait(&c, 2000);
                assert_string_equal(phase(&c, PODS "/ends"), "Succeeded");
                cluster_free(&c);
        }
}

static void test_resting_pod_is_ready_again(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(steps_ns); i++) {
                struct cluster c = cluster_new("kubelet,nodelifecycle");

                cluster_post(&c, PODS, POD("p", "", ""));
                cluster_wait(&c, 1000);
                cluster_merge(&c, N, SILENT);
                cluster_wait(&c, 60000);
                assert_string_equal(cluster_field(&c, PODS "/p", READY), "False");
                virtual_loop_set_back(c.loop, steps_ns[i]);
                cluster_merge(&c, N, TALKING);
                cluster_wait(&c, 1000);
                assert_string_equal(cluster_field(&c, PODS "/p", READY), "True");
                cluster_free(&c);
        }
}

static void test_pods_end(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(steps_ns); i++) {
                struct cluster c = cluster_new("kubelet");

                cluster_post(&c, PODS, POD("soon", "", ""));
                cluster_post(&c, PODS, POD("killed", "'sandbox.berth.dev/shutdown':'never'", ""));
                cluster_wait(&c, 1000);
                cluster_ask(&c, "DELETE", PODS "/soon", NULL);
                cluster_ask(&c, "DELETE", PODS "/killed", NULL);
                virtual_loop_set_back(c.loop, steps_ns[i]);
                cluster_wait(&c, 1000);
                assert_int_equal(cluster_count(&c, PODS), 1);
                cluster_wait(&c, 27000);
                assert_int_equal(cluster_count(&c, PODS), 1);
                cluster_wait(&c, 3000);
                assert_int_equal(cluster_count(&c, PODS), 0);
                cluster_free(&c);
        }
}

static void test_deletion_is_seen_later(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(steps_ns); i++) {
                struct cluster c = cluster_new("kubelet");

                cluster_post(&c, PODS, POD("killed", "'sandbox.berth.dev/shutdown':'never'", ""));
                cluster_wait(&c, 1000);
                cluster_merge(&c, N, SILENT);
                cluster_ask(&c, "DELETE", PODS "/killed", NULL);
                virtual_loop_set_back(c.loop, steps_ns[i]);
                cluster_merge(&c, N, TALKING);
                cluster_wait(&c, 31000);
                assert_int_equal(cluster_count(&c, PODS), 0);
                cluster_free(&c);
        }
}

static void test_nodes_are_not_silent(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(steps_ns); i++) {
                struct cluster c = cluster_new("kubelet,nodelifecycle");

                cluster_wait(&c, 25000);
                virtual_loop_set_back(c.loop, steps_ns[i]);
                cluster_merge(&c, N, "{'metadata':{'labels':{'a':'b'}}}");
                assert_string_equal(cluster_field(&c, N, READY), "True");
                cluster_wait(&c, 100000);
                assert_string_equal(cluster_field(&c, N, READY), "True");
                cluster_merge(&c, N, SILENT);
                virtual_loop_set_back(c.loop, steps_ns[i]);
                cluster_wait(&c, 39000);
                assert_string_equal(cluster_field(&c, N, READY), "True");
                cluster_wait(&c, 15000);
                assert_string_equal(cluster_field(&c, N, READY), "Unknown");
                cluster_free(&c);
        }
}

static void test_taints_wait(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(steps_ns); i++) {
                struct cluster c = cluster_new("kubelet,taint-eviction-controller");

                cluster_post(&c, PODS,
                             POD("p", "",
                                 "'tolerations':[{'key':'k','operator':'Exists',"
                                 "'effect':'NoExecute','tolerationSeconds':30}],"));
                cluster_wait(&c, 1000);
                cluster_merge(&c, N, "{'spec':{'taints':[{'key':'k','effect':'NoExecute'}]}}");
                cluster_wait(&c, 1000);
                virtual_loop_set_back(c.loop, steps_ns[i]);
                cluster_merge(&c, PODS "/p", "{'metadata':{'annotations':{'a':'b'}}}");
                cluster_wait(&c, 28000);
                assert_int_equal(cluster_count(&c, PODS), 1);
                cluster_wait(&c, 2000);
                assert_int_equal(cluster_count(&c, PODS), 0);
                cluster_free(&c);
        }
}

static void test_reboots_take_their_time(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(steps_ns); i++) {
                struct cluster c = cluster_new("kubelet");
                char boot[64];

                snprintf(boot, sizeof(boot), "%s", cluster_field(&c, N, "/status/nodeInfo/bootID"));
                cluster_merge(&c, N,
                              "{'metadata':{'annotations':{'sandbox.berth.dev/reboot':'1',"
                              "'sandbox.berth.dev/reboot-time':'10s'}}}");
                virtual_loop_set_back(c.loop, steps_ns[i]);
                cluster_merge(&c, N, "{'metadata':{'labels':{'a':'b'}}}");
                cluster_wait(&c, 9000);
                assert_string_equal(cluster_field(&c, N, "/status/nodeInfo/bootID"), boot);
                cluster_wait(&c, 2000);
                assert_string_not_equal(cluster_field(&c, N, "/status/nodeInfo/bootID"), boot);
                cluster_free(&c);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_pods_go_on),
                cmocka_unit_test(test_resting_pod_is_ready_again),
                cmocka_unit_test(test_pods_end),
                cmocka_unit_test(test_deletion_is_seen_later),
                cmocka_unit_test(test_nodes_are_not_silent),
                cmocka_unit_test(test_taints_wait),
                cmocka_unit_test(test_reboots_take_their_time),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
