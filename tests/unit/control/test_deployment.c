/* Deployments: rollouts of both kinds, scaling, pausing, rolling back, what kubectl reads. */
#include "cluster.h"

#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define SETS "/apis/apps/v1/namespaces/default/replicasets"
#define D DEPLOYMENTS "/d"
#define DEPLOYMENT(spec)                                                                           \
        "{'metadata':{'name':'d'},'spec':{" spec "'selector':{'matchLabels':{'a':'b'}},"           \
        "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c',"           \
        "'image':'v1'}]}}}}"
#define IMAGE(tag) "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'" tag "'}]}}}}"
#define STATUS(field) cluster_field(&c, D, "/status/" field)
#define CONDITION(type, field) STATUS("conditions/type=" type "/" field)

static void run_for(struct cluster *c, int seconds) {
        for (int i = 0; i < seconds * 2; i++) {
                cluster_schedule(c);
                cluster_wait(c, 500);
        }
}

static struct cluster cluster_with(const char *deployment) {
        struct cluster c = cluster_new("kubelet,deployment,replicaset");

        assert_int_equal(cluster_post(&c, DEPLOYMENTS, deployment), 201);
        return c;
}

static void test_creates(void **state) {
        struct cluster c = cluster_with(DEPLOYMENT("'replicas':3,"));
        char hash[64];

        (void)state;
        assert_int_equal(cluster_count(&c, SETS), 1);
        assert_string_equal(CONDITION("Available", "status"), "False");
        assert_string_equal(CONDITION("Progressing", "status"), "True");
        assert_string_equal(cluster_field(&c, D,
                                          "/metadata/annotations/deployment.kubernetes.io~"
                                          "revision"),
                            "1");
        snprintf(hash, sizeof(hash), "%s",
                 cluster_item(&c, SETS, 0, "/metadata/labels/pod-template-hash"));
        assert_string_equal(cluster_item(&c, PODS, 0, "/metadata/labels/pod-template-hash"), hash);
        run_for(&c, 2);
        assert_string_equal(STATUS("replicas"), "3");
        assert_string_equal(STATUS("updatedReplicas"), "3");
        assert_string_equal(STATUS("availableReplicas"), "3");
        assert_string_equal(STATUS("unavailableReplicas"), "");
        assert_string_equal(CONDITION("Available", "reason"), "MinimumReplicasAvailable");
        assert_string_equal(CONDITION("Progressing", "reason"), "NewReplicaSetAvailable");
        assert_true(strstr(cluster_event(&c, "d", "ScalingReplicaSet"),
                           "Scaled up replica set d-") == c.text);
        cluster_free(&c);
}

/* At every moment: no more pods than replicas + surge, no fewer available than allowed. */
static void test_rolling_update(void **state) {
        static const struct {
                const char *strategy;
                int most, least;
        } cases[] = {
                { "'strategy':{'rollingUpdate':{'maxSurge':1,'maxUnavailable':0}},", 5, 4 },
                { "'strategy':{'rollingUpdate':{'maxSurge':0,'maxUnavailable':2}},", 4, 2 },
                { "", 5, 3 },
                { "'strategy':{'rollingUpdate':{'maxSurge':'100%','maxUnavailable':0}},", 8, 4 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cluster c;
                char body[1024];

                snprintf(body, sizeof(body), DEPLOYMENT("'replicas':4,%s"), cases[i].strategy);
                c = cluster_with(body);
                run_for(&c, 3);
                cluster_merge(&c, D, IMAGE("v2"));
                for (int n = 0; n < 60; n++) {
                        int live = 0, available;

                        run_for(&c, 1);
                        available = cluster_number(STATUS("availableReplicas"));
                        assert_true(available >= cases[i].least);
                        for (size_t k = 0; k < cluster_count(&c, SETS); k++)
                                live += cluster_number(cluster_item(&c, SETS, k, "/spec/replicas"));
                        assert_true(live <= cases[i].most);
                }
                assert_string_equal(STATUS("updatedReplicas"), "4");
                assert_string_equal(STATUS("replicas"), "4");
                assert_string_equal(STATUS("availableReplicas"), "4");
                assert_int_equal(cluster_count(&c, PODS), 4);
                assert_string_equal(CONDITION("Progressing", "reason"), "NewReplicaSetAvailable");
                cluster_free(&c);
        }
}

static void test_recreate(void **state) {
        struct cluster c = cluster_with(DEPLOYMENT("'replicas':2,'strategy':{'type':'Recreate'},"));

        (void)state;
        run_for(&c, 2);
        cluster_merge(&c, D, IMAGE("v2"));
        assert_int_equal(cluster_count(&c, SETS), 1); /* old pods still end */
        run_for(&c, 3);
        assert_int_equal(cluster_count(&c, SETS), 2);
        assert_int_equal(cluster_count(&c, PODS), 2);
        assert_string_equal(cluster_item(&c, PODS, 0, "/spec/containers/0/image"), "v2");
        cluster_free(&c);
}

static void test_rollback(void **state) {
        struct cluster c = cluster_with(DEPLOYMENT("'replicas':1,"));

        (void)state;
        run_for(&c, 2);
        cluster_merge(&c, D, IMAGE("v2"));
        run_for(&c, 4);
        cluster_merge(&c, D, IMAGE("v1"));
        run_for(&c, 4);
        assert_int_equal(cluster_count(&c, SETS), 2);
        assert_string_equal(cluster_field(&c, D,
                                          "/metadata/annotations/deployment.kubernetes.io~"
                                          "revision"),
                            "3");
        assert_string_equal(cluster_item(&c, PODS, 0, "/spec/containers/0/image"), "v1");
        cluster_free(&c);
}

static void test_history_limit(void **state) {
        struct cluster c = cluster_with(DEPLOYMENT("'replicas':1,'revisionHistoryLimit':1,"));

        (void)state;
        run_for(&c, 2);
        cluster_merge(&c, D, IMAGE("v2"));
        run_for(&c, 4);
        cluster_merge(&c, D, IMAGE("v3"));
        run_for(&c, 4);
        assert_int_equal(cluster_count(&c, SETS), 2);
        cluster_free(&c);
}

static void test_scale_and_pause(void **state) {
        struct cluster c = cluster_with(DEPLOYMENT("'replicas':4,"));

        (void)state;
        run_for(&c, 2);
        cluster_merge(&c, D, "{'spec':{'paused':true}}");
        assert_string_equal(CONDITION("Progressing", "reason"), "DeploymentPaused");
        assert_string_equal(CONDITION("Progressing", "status"), "Unknown");
        cluster_merge(&c, D, IMAGE("v2"));
        cluster_merge(&c, D, "{'spec':{'replicas':6}}");
        run_for(&c, 3);
        assert_int_equal(cluster_count(&c, SETS), 1);
        assert_int_equal(cluster_count(&c, PODS), 6);
        cluster_merge(&c, D, "{'spec':{'paused':false}}");
        run_for(&c, 10);
        assert_string_equal(STATUS("updatedReplicas"), "6");
        assert_string_equal(CONDITION("Progressing", "reason"), "NewReplicaSetAvailable");
        cluster_merge(&c, D, "{'spec':{'replicas':0}}");
        run_for(&c, 3);
        assert_int_equal(cluster_count(&c, PODS), 0);
        assert_string_equal(STATUS("observedGeneration"), cluster_field(&c, D,
                                                                        "/metadata/"
                                                                        "generation"));
        cluster_free(&c);
}

static void test_deadline(void **state) {
        struct cluster c = cluster_with(DEPLOYMENT("'replicas':1,'progressDeadlineSeconds':10,"));

        (void)state;
        cluster_wait(&c, 9000);
        assert_string_equal(CONDITION("Progressing", "status"), "True");
        cluster_wait(&c, 2000);
        assert_string_equal(CONDITION("Progressing", "status"), "False");
        assert_string_equal(CONDITION("Progressing", "reason"), "ProgressDeadlineExceeded");
        run_for(&c, 2);
        assert_string_equal(CONDITION("Progressing", "reason"), "NewReplicaSetAvailable");
        cluster_free(&c);
}

static void test_adopts_orphans(void **state) {
        struct cluster c = cluster_new("kubelet,deployment,replicaset,garbagecollector");
        char name[128];

        (void)state;
        cluster_post(&c, DEPLOYMENTS, DEPLOYMENT("'replicas':2,"));
        run_for(&c, 2);
        snprintf(name, sizeof(name), "%s", cluster_item(&c, SETS, 0, "/metadata/name"));
        cluster_ask(&c, "DELETE", D "?propagationPolicy=Orphan", NULL);
        assert_string_equal(cluster_item(&c, SETS, 0, "/metadata/ownerReferences"), "");
        cluster_post(&c, DEPLOYMENTS, DEPLOYMENT("'replicas':2,"));
        run_for(&c, 2);
        assert_int_equal(cluster_count(&c, SETS), 1);
        assert_string_equal(cluster_item(&c, SETS, 0, "/metadata/name"), name);
        assert_int_equal(cluster_count(&c, PODS), 2);
        assert_string_equal(STATUS("availableReplicas"), "2");
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_creates),       cmocka_unit_test(test_rolling_update),
                cmocka_unit_test(test_recreate),      cmocka_unit_test(test_rollback),
                cmocka_unit_test(test_history_limit), cmocka_unit_test(test_scale_and_pause),
                cmocka_unit_test(test_deadline),      cmocka_unit_test(test_adopts_orphans),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
