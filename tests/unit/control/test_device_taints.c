/* Taints of devices: which pods they end and when, and what DeviceTaintRules say about it. */
#include "cluster.h"

#define CONTROLLERS "kubelet,device-driver,device-taint-eviction-controller"
#define GROUP "/apis/resource.k8s.io/v1/namespaces/default"
#define CLAIM GROUP "/resourceclaims/gpu"
#define RULES "/apis/resource.k8s.io/v1beta2/devicetaintrules"
#define CONDITION "/status/conditions/type=EvictionInProgress"
#define TAINT "gpu.example.com/gpu-0 health=bad:NoExecute"

static void annotate(struct cluster *c, const char *key, const char *value) {
        char patch[512];

        snprintf(patch, sizeof(patch), "{'metadata':{'annotations':{'sandbox.berth.dev/%s':'%s'}}}",
                 key, value);
        assert_int_equal(cluster_merge(c, NODES "/n0", patch), 200);
}

/* A pod p that runs with the device gpu-0, which its claim uses with these tolerations. */
static struct cluster cluster_with_user(const char *tolerations) {
        struct cluster c = cluster_new(CONTROLLERS);
        char status[1024];

        annotate(&c, "devices", "gpu.example.com 2");
        cluster_post(&c, GROUP "/resourceclaims",
                     "{'metadata':{'name':'gpu'},'spec':{'devices':{'requests':[{'name':'r',"
                     "'exactly':{'deviceClassName':'gpu.example.com'}}]}}}");
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'p'},'spec':{'terminationGracePeriodSeconds':1,"
                     "'resourceClaims':[{'name':'g',"
                     "'resourceClaimName':'gpu'}],'containers':[{'name':'c','image':'i'}]}}");
        snprintf(status, sizeof(status),
                 "{'status':{'allocation':{'devices':{'results':[{'request':'r','driver':"
                 "'gpu.example.com','pool':'n0','device':'gpu-0','tolerations':[%s]}]}},"
                 "'reservedFor':[{'resource':'pods','name':'p','uid':'%s'}]}}",
                 tolerations, cluster_field(&c, PODS "/p", "/metadata/uid"));
        assert_int_equal(cluster_merge(&c, CLAIM "/status", status), 200);
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "Running");
        return c;
}

static bool is_there(struct cluster *c) {
        return cluster_count(c, PODS) == 1 &&
               !*cluster_field(c, PODS "/p", "/metadata/deletionTimestamp");
}

static void define_rules(struct cluster *c) {
        cluster_post(c, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                     "{'metadata':{'name':'devicetaintrules.resource.k8s.io','annotations':{"
                     "'api-approved.kubernetes.io':'https://x.io'}},'spec':{'group':"
                     "'resource.k8s.io','scope':'Cluster','names':{'plural':'devicetaintrules',"
                     "'kind':'DeviceTaintRule'},'versions':[{'name':'v1beta2','served':true,"
                     "'storage':true,'subresources':{'status':{}},'schema':{'openAPIV3Schema':{"
                     "'type':'object','x-kubernetes-preserve-unknown-fields':true}}}]}}");
        cluster_wait(c, 1000);
}

static void test_ended(void **state) {
        struct cluster c = cluster_with_user("");

        (void)state;
        annotate(&c, "device-taints", "gpu.example.com/gpu-1 health=bad:NoExecute");
        assert_true(is_there(&c));
        annotate(&c, "device-taints", "gpu.example.com/gpu-0 health=bad:NoSchedule");
        assert_true(is_there(&c));
        annotate(&c, "device-taints", TAINT);
        assert_false(is_there(&c));
        assert_string_equal(cluster_event(&c, "p", "DeviceTaintManagerEviction"),
                            "Marking for deletion");
        assert_string_equal(
                cluster_field(&c, PODS "/p", "/status/conditions/type=DisruptionTarget/reason"),
                "DeletionByDeviceTaintManager");
        cluster_free(&c);
}

static void test_tolerated(void **state) {
        static const char *const tolerations[] = {
                "{'key':'health','operator':'Exists','effect':'NoExecute'}",
                "{'key':'health','value':'bad','effect':'NoExecute'}",
                "{'operator':'Exists'}",
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(tolerations); i++) {
                struct cluster c = cluster_with_user(tolerations[i]);

                annotate(&c, "device-taints", TAINT);
                cluster_wait(&c, 3600000);
                assert_true(is_there(&c));
                cluster_free(&c);
        }
}

static void test_not_tolerated(void **state) {
        static const char *const tolerations[] = {
                "{'key':'other','operator':'Exists'}",
                "{'key':'health','value':'good','effect':'NoExecute'}",
                "{'key':'health','operator':'Exists','effect':'NoSchedule'}",
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(tolerations); i++) {
                struct cluster c = cluster_with_user(tolerations[i]);

                annotate(&c, "device-taints", TAINT);
                assert_false(is_there(&c));
                cluster_free(&c);
        }
}

/* The shortest patience counts, from the time of the taint on. */
static void test_tolerated_for_a_time(void **state) {
        struct cluster c = cluster_with_user(
                "{'key':'health','operator':'Exists','effect':'NoExecute','tolerationSeconds':60},"
                "{'operator':'Exists','effect':'NoExecute','tolerationSeconds':30}");

        (void)state;
        annotate(&c, "device-taints", TAINT);
        cluster_wait(&c, 25000);
        assert_true(is_there(&c));
        annotate(&c, "device-taints", "");
        assert_string_equal(cluster_event(&c, "p", "DeviceTaintManagerEviction"),
                            "Cancelling deletion");
        cluster_wait(&c, 60000);
        assert_true(is_there(&c));
        annotate(&c, "device-taints", TAINT);
        cluster_wait(&c, 25000);
        assert_true(is_there(&c));
        cluster_wait(&c, 6000);
        assert_false(is_there(&c));
        cluster_free(&c);
}

/* A taint that is there when the pod comes. */
static void test_comes_later(void **state) {
        struct cluster c = cluster_with_user("");

        (void)state;
        cluster_merge(&c, CLAIM "/status", "{'status':{'reservedFor':null}}");
        annotate(&c, "device-taints", TAINT);
        assert_true(is_there(&c)); /* not its claim any more */
        char consumer[256];
        snprintf(consumer, sizeof(consumer),
                 "{'status':{'reservedFor':[{'resource':'pods','name':'p','uid':'%s'}]}}",
                 cluster_field(&c, PODS "/p", "/metadata/uid"));
        cluster_merge(&c, CLAIM "/status", consumer);
        assert_false(is_there(&c));
        cluster_free(&c);
}

static void test_rule(void **state) {
        struct cluster c = cluster_with_user("");

        (void)state;
        define_rules(&c);
        assert_int_equal(cluster_post(&c, RULES,
                                      "{'metadata':{'name':'r'},'spec':{'deviceSelector':{'driver':"
                                      "'gpu.example.com'},'taint':{'key':'k','effect':'None'}}}"),
                         201);
        assert_string_equal(cluster_field(&c, RULES "/r", CONDITION "/status"), "False");
        assert_string_equal(cluster_field(&c, RULES "/r", CONDITION "/reason"), "NoEffect");
        assert_string_equal(
                cluster_field(&c, RULES "/r", CONDITION "/message"),
                "2 published devices selected. 1 allocated device selected. 1 pod would be "
                "evicted in 1 namespace if the effect was NoExecute. This information will not be "
                "updated again. Recreate the DeviceTaintRule to trigger an update.");
        assert_true(is_there(&c));
        cluster_merge(&c, RULES "/r", "{'spec':{'taint':{'effect':'NoExecute'}}}");
        assert_false(is_there(&c));
        cluster_wait(&c, 30000);
        assert_string_equal(cluster_field(&c, RULES "/r", CONDITION "/reason"), "Completed");
        assert_string_equal(cluster_field(&c, RULES "/r", CONDITION "/message"),
                            "1 pod evicted since starting the controller.");
        assert_string_equal(cluster_field(&c, RULES "/r", CONDITION "/observedGeneration"), "2");
        cluster_free(&c);
}

static void test_rule_that_waits(void **state) {
        struct cluster c = cluster_with_user(
                "{'operator':'Exists','effect':'NoExecute','tolerationSeconds':60}");

        (void)state;
        define_rules(&c);
        cluster_post(&c, RULES,
                     "{'metadata':{'name':'other'},'spec':{'deviceSelector':{'pool':'n1'},"
                     "'taint':{'key':'k','effect':'NoExecute'}}}");
        cluster_post(&c, RULES,
                     "{'metadata':{'name':'r'},'spec':{'deviceSelector':{'device':'gpu-0'},"
                     "'taint':{'key':'k','effect':'NoExecute'}}}");
        cluster_wait(&c, 20000);
        assert_string_equal(cluster_field(&c, RULES "/other", CONDITION "/reason"), "NotStarted");
        assert_string_equal(cluster_field(&c, RULES "/r", CONDITION "/status"), "True");
        assert_string_equal(cluster_field(&c, RULES "/r", CONDITION "/reason"),
                            "PodsPendingEviction");
        assert_string_equal(cluster_field(&c, RULES "/r", CONDITION "/message"),
                            "1 pod needs to be evicted in 1 namespace.");
        cluster_ask(&c, "DELETE", RULES "/r", NULL);
        cluster_wait(&c, 120000);
        assert_true(is_there(&c));
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_ended),           cmocka_unit_test(test_tolerated),
                cmocka_unit_test(test_not_tolerated),   cmocka_unit_test(test_tolerated_for_a_time),
                cmocka_unit_test(test_comes_later),     cmocka_unit_test(test_rule),
                cmocka_unit_test(test_rule_that_waits),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
