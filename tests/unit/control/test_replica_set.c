/* ReplicaSets: how many pods, whose they are, which go first, what the status says. */
#include "cluster.h"

#define SETS "/apis/apps/v1/namespaces/default/replicasets"
#define R SETS "/r"
#define SET(spec)                                                                                  \
        "{'metadata':{'name':'r'},'spec':{" spec "'selector':{'matchLabels':{'a':'b'}},"           \
        "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c',"           \
        "'image':'i'}]}}}}"
#define STATUS(field) cluster_field(&c, R, "/status/" field)

static struct cluster cluster_with(const char *controllers, const char *set) {
        struct cluster c = cluster_new(controllers);

        assert_int_equal(cluster_post(&c, SETS, set), 201);
        return c;
}

static void test_creates(void **state) {
        struct cluster c = cluster_with("kubelet,replicaset", SET("'replicas':3,"));

        (void)state;
        assert_int_equal(cluster_count(&c, PODS), 3);
        assert_string_equal(cluster_item(&c, PODS, 0, "/metadata/ownerReferences/0/kind"),
                            "ReplicaSet");
        assert_string_equal(cluster_item(&c, PODS, 0, "/metadata/generateName"), "r-");
        assert_string_equal(STATUS("replicas"), "3");
        assert_string_equal(STATUS("fullyLabeledReplicas"), "3");
        assert_string_equal(STATUS("readyReplicas"), "");
        assert_string_equal(STATUS("observedGeneration"), "1");
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        assert_string_equal(STATUS("readyReplicas"), "3");
        assert_string_equal(STATUS("availableReplicas"), "3");
        assert_true(strstr(cluster_event(&c, "r", "SuccessfulCreate"), "Created pod: r-") ==
                    c.text);
        cluster_free(&c);
}

static void test_replaces(void **state) {
        struct cluster c = cluster_with("kubelet,replicaset", SET("'replicas':2,"));
        char path[256];

        (void)state;
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        snprintf(path, sizeof(path), PODS "/%s", cluster_item(&c, PODS, 0, "/metadata/name"));
        cluster_ask(&c, "DELETE", path, NULL);
        assert_int_equal(cluster_count(&c, PODS), 3); /* one of them on its way out */
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS), 2);
        assert_string_equal(cluster_field(&c, path, "/status/phase"), "gone");
        cluster_free(&c);
}

static void test_failed_pods_are_replaced_and_stay(void **state) {
        struct cluster c = cluster_with("kubelet,replicaset", SET("'replicas':1,"));
        char path[256];

        (void)state;
        cluster_schedule(&c);
        snprintf(path, sizeof(path), PODS "/%s", cluster_item(&c, PODS, 0, "/metadata/name"));
        cluster_merge(&c, path, "{'metadata':{'annotations':{'sandbox.berth.dev/fail':'1s'}}}");
        cluster_wait(&c, 2000);
        assert_string_equal(cluster_field(&c, path, "/status/phase"), "Failed");
        assert_int_equal(cluster_count(&c, PODS), 2);
        cluster_free(&c);
}

static void test_scales_down(void **state) {
        struct cluster c = cluster_with("kubelet,replicaset", SET("'replicas':3,"));
        char survivor[256];

        (void)state;
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        snprintf(survivor, sizeof(survivor), PODS "/%s",
                 cluster_item(&c, PODS, 1, "/metadata/name"));
        for (size_t i = 0; i < 3; i += 2) {
                char path[256];

                snprintf(path, sizeof(path), PODS "/%s",
                         cluster_item(&c, PODS, i, "/metadata/name"));
                cluster_merge(&c, path,
                              "{'metadata':{'annotations':{'controller.kubernetes.io/"
                              "pod-deletion-cost':'-5'}}}");
        }
        cluster_merge(&c, R, "{'spec':{'replicas':1}}");
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS), 1);
        assert_string_equal(cluster_field(&c, survivor, "/status/phase"), "Running");
        cluster_merge(&c, R, "{'spec':{'replicas':0}}");
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS), 0);
        assert_string_equal(STATUS("replicas"), "0");
        assert_string_equal(STATUS("observedGeneration"), "3");
        cluster_free(&c);
}

static void test_adopts_and_lets_go(void **state) {
        struct cluster c = cluster_with("replicaset", SET("'replicas':1,"));
        char path[256];

        (void)state;
        snprintf(path, sizeof(path), PODS "/%s", cluster_item(&c, PODS, 0, "/metadata/name"));
        cluster_merge(&c, path, "{'metadata':{'labels':{'a':'x'}}}");
        assert_string_equal(cluster_field(&c, path, "/metadata/ownerReferences"), "");
        assert_int_equal(cluster_count(&c, PODS), 2);
        cluster_merge(&c, R, "{'spec':{'replicas':2}}");
        assert_int_equal(cluster_count(&c, PODS), 3);
        cluster_merge(&c, path, "{'metadata':{'labels':{'a':'b'}}}");
        assert_int_equal(cluster_count(&c, PODS "?labelSelector=a%3Db"), 2);
        cluster_free(&c);
}

static void test_min_ready(void **state) {
        struct cluster c =
                cluster_with("kubelet,replicaset", SET("'replicas':1,'minReadySeconds':10,"));

        (void)state;
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        assert_string_equal(STATUS("readyReplicas"), "1");
        assert_string_equal(STATUS("availableReplicas"), "");
        cluster_wait(&c, 10000);
        assert_string_equal(STATUS("availableReplicas"), "1");
        cluster_free(&c);
}

static void test_failure_is_reported(void **state) {
        struct cluster c = cluster_new("replicaset");

        (void)state;
        cluster_post(
                &c, "/api/v1/namespaces/default/limitranges",
                "{'metadata':{'name':'l'},'spec':{'limits':[{'type':'Pod','min':{'cpu':'2'}}]}}");
        cluster_post(&c, SETS, SET("'replicas':1,"));
        assert_string_equal(STATUS("conditions/type=ReplicaFailure/reason"), "FailedCreate");
        assert_string_equal(STATUS("conditions/type=ReplicaFailure/status"), "True");
        cluster_ask(&c, "DELETE", "/api/v1/namespaces/default/limitranges/l", NULL);
        cluster_wait(&c, 60000);
        assert_int_equal(cluster_count(&c, PODS), 1);
        assert_string_equal(STATUS("conditions"), "");
        cluster_free(&c);
}

/* The older kind, with a plain map as its selector. */
static void test_replication_controller(void **state) {
        struct cluster c = cluster_new("kubelet,replicationcontroller");
        const char *path = "/api/v1/namespaces/default/replicationcontrollers";

        (void)state;
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'orphan','labels':{'a':'b'}},'spec':{"
                     "'containers':[{'name':'c','image':'i'}]}}");
        assert_int_equal(cluster_post(&c, path,
                                      "{'metadata':{'name':'r'},'spec':{'replicas':2,'selector':{"
                                      "'a':'b'},'template':{'metadata':{'labels':{'a':'b'}},'spec':"
                                      "{'containers':[{'name':'c','image':'i'}]}}}}"),
                         201);
        assert_int_equal(cluster_count(&c, PODS), 2);
        assert_string_equal(cluster_field(&c, PODS "/orphan", "/metadata/ownerReferences/0/kind"),
                            "ReplicationController");
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        assert_string_equal(cluster_item(&c, path, 0, "/status/readyReplicas"), "2");
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_creates),
                cmocka_unit_test(test_replaces),
                cmocka_unit_test(test_failed_pods_are_replaced_and_stay),
                cmocka_unit_test(test_scales_down),
                cmocka_unit_test(test_adopts_and_lets_go),
                cmocka_unit_test(test_min_ready),
                cmocka_unit_test(test_failure_is_reported),
                cmocka_unit_test(test_replication_controller),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
