/* StatefulSets: order, names, claims, updates from the top, partitions. */
#include "cluster.h"

#define SETS "/apis/apps/v1/namespaces/default/statefulsets"
#define S SETS "/s"
#define SET(spec)                                                                                  \
        "{'metadata':{'name':'s'},'spec':{'serviceName':'web'," spec                               \
        "'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':" \
        "{'containers':[{'name':'c','image':'v1'}]}}}}"
#define IMAGE(tag) "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'" tag "'}]}}}}"
#define STATUS(field) cluster_field(&c, S, "/status/" field)

static struct cluster cluster_with(const char *set) {
        struct cluster c = cluster_new("kubelet,statefulset");

        assert_int_equal(cluster_post(&c, SETS, set), 201);
        return c;
}

static void run_for(struct cluster *c, int seconds) {
        for (int i = 0; i < seconds * 2; i++) {
                cluster_schedule(c);
                cluster_wait(c, 500);
        }
}

static void test_in_order(void **state) {
        struct cluster c = cluster_with(SET("'replicas':3,"));

        (void)state;
        assert_int_equal(cluster_count(&c, PODS), 1);
        cluster_schedule(&c);
        cluster_wait(&c, 500);
        assert_int_equal(cluster_count(&c, PODS), 2);
        run_for(&c, 3);
        assert_int_equal(cluster_count(&c, PODS), 3);
        assert_string_equal(cluster_field(&c, PODS "/s-2", "/spec/hostname"), "s-2");
        assert_string_equal(cluster_field(&c, PODS "/s-2", "/spec/subdomain"), "web");
        assert_string_equal(cluster_field(&c, PODS "/s-2",
                                          "/metadata/labels/statefulset.kubernetes.io~pod-name"),
                            "s-2");
        assert_string_equal(STATUS("readyReplicas"), "3");
        assert_string_equal(STATUS("currentReplicas"), "3");
        assert_string_equal(STATUS("updatedReplicas"), "3");
        assert_string_equal(STATUS("observedGeneration"), "1");
        assert_int_equal(cluster_count(&c, "/apis/apps/v1/namespaces/default/controllerrevisions"),
                         1);
        cluster_free(&c);
}

static void test_parallel(void **state) {
        struct cluster c = cluster_with(SET("'replicas':3,'podManagementPolicy':'Parallel',"));

        (void)state;
        assert_int_equal(cluster_count(&c, PODS), 3);
        cluster_free(&c);
}

static void test_scales_down_from_the_top(void **state) {
        struct cluster c = cluster_with(SET("'replicas':3,"));

        (void)state;
        run_for(&c, 3);
        cluster_merge(&c, S, "{'spec':{'replicas':1}}");
        assert_string_not_equal(cluster_field(&c, PODS "/s-2", "/metadata/deletionTimestamp"), "");
        assert_string_equal(cluster_field(&c, PODS "/s-1", "/metadata/deletionTimestamp"), "");
        run_for(&c, 2);
        assert_int_equal(cluster_count(&c, PODS), 1);
        assert_string_equal(cluster_item(&c, PODS, 0, "/metadata/name"), "s-0");
        cluster_free(&c);
}

static void test_comes_back_under_its_name(void **state) {
        struct cluster c = cluster_with(SET("'replicas':2,"));
        char uid[64];

        (void)state;
        run_for(&c, 3);
        snprintf(uid, sizeof(uid), "%s", cluster_field(&c, PODS "/s-0", "/metadata/uid"));
        cluster_ask(&c, "DELETE", PODS "/s-0", NULL);
        run_for(&c, 2);
        assert_string_not_equal(cluster_field(&c, PODS "/s-0", "/metadata/uid"), uid);
        assert_string_equal(cluster_field(&c, PODS "/s-0", "/status/phase"), "Running");
        cluster_merge(&c, PODS "/s-1",
                      "{'metadata':{'annotations':{'sandbox.berth.dev/fail':'1s'}}}");
        run_for(&c, 4);
        assert_string_equal(cluster_field(&c, PODS "/s-1", "/status/phase"), "Running");
        cluster_free(&c);
}

static void test_claims(void **state) {
        struct cluster c = cluster_with(
                SET("'replicas':1,'volumeClaimTemplates':[{'metadata':{'name':'data'},'spec':{"
                    "'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}"
                    "],"));

        (void)state;
        assert_string_equal(cluster_item(&c, "/api/v1/namespaces/default/persistentvolumeclaims", 0,
                                         "/metadata/name"),
                            "data-s-0");
        assert_string_equal(
                cluster_field(&c, PODS "/s-0",
                              "/spec/volumes/name=data/persistentVolumeClaim/claimName"),
                "data-s-0");
        cluster_free(&c);
}

static void test_update(void **state) {
        struct cluster c = cluster_with(SET("'replicas':3,"));

        (void)state;
        run_for(&c, 3);
        cluster_merge(&c, S, IMAGE("v2"));
        assert_string_not_equal(cluster_field(&c, PODS "/s-2", "/metadata/deletionTimestamp"), "");
        assert_string_equal(cluster_field(&c, PODS "/s-1", "/metadata/deletionTimestamp"), "");
        run_for(&c, 8);
        for (size_t i = 0; i < 3; i++)
                assert_string_equal(cluster_item(&c, PODS, i, "/spec/containers/0/image"), "v2");
        assert_string_equal(STATUS("updatedReplicas"), "3");
        {
                char current[64];

                snprintf(current, sizeof(current), "%s", STATUS("currentRevision"));
                assert_string_equal(STATUS("updateRevision"), current);
        }
        cluster_merge(&c, S, IMAGE("v1"));
        run_for(&c, 8);
        assert_string_equal(cluster_item(&c, PODS, 0, "/spec/containers/0/image"), "v1");
        assert_int_equal(cluster_count(&c, "/apis/apps/v1/namespaces/default/controllerrevisions"),
                         2);
        cluster_free(&c);
}

static void test_partition(void **state) {
        struct cluster c = cluster_with(
                SET("'replicas':3,'updateStrategy':{'rollingUpdate':{'partition':2}},"));

        (void)state;
        run_for(&c, 3);
        cluster_merge(&c, S, IMAGE("v2"));
        run_for(&c, 6);
        assert_string_equal(cluster_field(&c, PODS "/s-2", "/spec/containers/0/image"), "v2");
        assert_string_equal(cluster_field(&c, PODS "/s-1", "/spec/containers/0/image"), "v1");
        cluster_ask(&c, "DELETE", PODS "/s-0", NULL);
        run_for(&c, 3);
        assert_string_equal(cluster_field(&c, PODS "/s-0", "/spec/containers/0/image"), "v1");
        assert_string_equal(STATUS("updatedReplicas"), "1");
        assert_string_equal(STATUS("currentReplicas"), "2");
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_in_order),
                cmocka_unit_test(test_parallel),
                cmocka_unit_test(test_scales_down_from_the_top),
                cmocka_unit_test(test_comes_back_under_its_name),
                cmocka_unit_test(test_claims),
                cmocka_unit_test(test_update),
                cmocka_unit_test(test_partition),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
