/* The choice of controllers, synthetic nodes, and the small controllers that keep house. */
#include "cluster.h"

#define JOBS "/apis/batch/v1/namespaces/default/jobs"
#define CRONS "/apis/batch/v1/namespaces/default/cronjobs"

static void test_lists(void **state) {
        static const struct {
                const char *list, *problem;
        } cases[] = {
                { "*", NULL },
                { "none", NULL },
                { "*,-kubelet", NULL },
                { "kubelet, replicaset-controller,deployment", NULL },
                { "kubelet,nonesuch",
                  "unknown controller \"nonesuch\"; known are *, none, kubelet" },
                { "-nonesuch", "unknown controller \"nonesuch\"" },
                { "kubelet,", "unknown controller \"\"" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct err err = { 0 };
                int r = control_check_controllers(cases[i].list, &err);

                assert_int_equal(r, cases[i].problem ? BERTH_ERR_INVALID : 0);
                if (cases[i].problem)
                        assert_memory_equal(err.text, cases[i].problem, strlen(cases[i].problem));
        }
        assert_string_equal(control_controller_name(0), "kubelet");
        assert_null(control_controller_name(1000 / 10));
}

static void test_left_out(void **state) {
        struct cluster c = cluster_new("*,-deployment,-kubelet");

        (void)state;
        cluster_post(&c, "/apis/apps/v1/namespaces/default/deployments",
                     "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
                     "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':"
                     "'c','image':'i'}]}}}}");
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, "/apis/apps/v1/namespaces/default/replicasets"), 0);
        cluster_free(&c);
}

static void test_nodes(void **state) {
        static const char *const labels[] = { "tier", "gold", NULL };
        struct cluster c = cluster_new("none");
        struct err err;

        (void)state;
        assert_int_equal(control_add_nodes(c.control, 2, NULL, &err), 0);
        assert_int_equal(control_add_nodes(c.control, 1, NULL, &err), 0);
        assert_string_equal(cluster_field(&c, NODES "/node-2", "/status/allocatable/memory"),
                            "32Gi");
        assert_int_equal(
                control_add_nodes(c.control, 4,
                                  &(struct control_node){
                                          .prefix = "z", .cpu = "2", .labels = labels, .zones = 3 },
                                  &err),
                0);
        assert_string_equal(cluster_field(&c, NODES "/z3", "/metadata/labels/tier"), "gold");
        assert_string_equal(
                cluster_field(&c, NODES "/z3", "/metadata/labels/topology.kubernetes.io~zone"),
                "zone-0");
        assert_string_equal(cluster_field(&c, NODES "/z3", "/status/capacity/cpu"), "2");
        assert_int_equal(
                control_add_nodes(c.control, 1, &(struct control_node){ .cpu = "much" }, &err),
                BERTH_ERR_INVALID);
        cluster_free(&c);
}

static void test_namespace_defaults(void **state) {
        struct cluster c = cluster_new("serviceaccount,root-ca-cert-publisher");

        (void)state;
        cluster_post(&c, "/api/v1/namespaces", "{'metadata':{'name':'t'}}");
        assert_string_equal(
                cluster_field(&c, "/api/v1/namespaces/t/serviceaccounts/default", "/metadata/name"),
                "default");
        assert_string_equal(cluster_field(&c,
                                          "/api/v1/namespaces/default/configmaps/"
                                          "kube-root-ca.crt",
                                          "/metadata/name"),
                            "kube-root-ca.crt");
        cluster_ask(&c, "DELETE", "/api/v1/namespaces/t/serviceaccounts/default", NULL);
        assert_string_equal(
                cluster_field(&c, "/api/v1/namespaces/t/serviceaccounts/default", "/metadata/name"),
                "default");
        cluster_free(&c);
}

static void test_pods_of_lost_nodes(void **state) {
        struct cluster c = cluster_new("kubelet,podgc");

        (void)state;
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'p','finalizers':['x.io/hold']},'spec':{"
                     "'nodeName':'n0','containers':[{'name':'c','image':'i'}]}}");
        cluster_wait(&c, 1000);
        cluster_ask(&c, "DELETE", NODES "/n0", NULL);
        cluster_wait(&c, 39000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "Running");
        cluster_wait(&c, 2000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "Failed");
        assert_string_equal(
                cluster_field(&c, PODS "/p", "/status/conditions/type=DisruptionTarget/reason"),
                "DeletionByPodGC");
        cluster_merge(&c, PODS "/p", "{'metadata':{'finalizers':null}}");
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "gone");
        cluster_free(&c);
}

static void run_for(struct cluster *c, int seconds) {
        for (int i = 0; i < seconds; i++) {
                cluster_schedule(c);
                cluster_wait(c, 1000);
        }
}

static void test_ttl(void **state) {
        struct cluster c = cluster_new("kubelet,job,ttl-after-finished,garbagecollector");

        (void)state;
        cluster_post(&c, JOBS,
                     "{'metadata':{'name':'j'},'spec':{'ttlSecondsAfterFinished':10,'template':{"
                     "'metadata':{'annotations':{'sandbox.berth.dev/run':'2s'}},'spec':{"
                     "'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}");
        run_for(&c, 8);
        assert_string_equal(cluster_field(&c, JOBS "/j", "/status/succeeded"), "1");
        run_for(&c, 8);
        assert_string_equal(cluster_field(&c, JOBS "/j", "/metadata/name"), "gone");
        assert_int_equal(cluster_count(&c, PODS), 0);
        cluster_free(&c);
}

static struct cluster cluster_with_cron(const char *spec, const char *run) {
        struct cluster c = cluster_new("kubelet,job,cronjob,garbagecollector");
        char body[1024];

        snprintf(body, sizeof(body),
                 "{'metadata':{'name':'c'},'spec':{'schedule':'* * * * *',%s'jobTemplate':{'spec':{"
                 "'template':{'metadata':{'annotations':{'sandbox.berth.dev/run':'%s'}},'spec':{"
                 "'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}}}",
                 spec, run);
        assert_int_equal(cluster_post(&c, CRONS, body), 201);
        return c;
}

static void test_cron(void **state) {
        struct cluster c = cluster_with_cron("'successfulJobsHistoryLimit':2,", "5s");

        (void)state;
        run_for(&c, 59);
        assert_int_equal(cluster_count(&c, JOBS), 0);
        run_for(&c, 3);
        assert_int_equal(cluster_count(&c, JOBS), 1);
        assert_string_equal(cluster_field(&c, CRONS "/c", "/status/lastScheduleTime"),
                            "2026-01-01T00:01:00Z");
        assert_string_equal(cluster_field(&c, CRONS "/c", "/status/active/0/kind"), "Job");
        run_for(&c, 20);
        assert_string_equal(cluster_field(&c, CRONS "/c", "/status/active/0/kind"), "");
        assert_string_equal(cluster_field(&c, CRONS "/c", "/status/lastSuccessfulTime"),
                            "2026-01-01T00:01:05Z");
        run_for(&c, 240);
        assert_int_equal(cluster_count(&c, JOBS), 2);
        cluster_merge(&c, CRONS "/c", "{'spec':{'suspend':true}}");
        run_for(&c, 120);
        assert_string_equal(cluster_field(&c, CRONS "/c", "/status/lastScheduleTime"),
                            "2026-01-01T00:05:00Z");
        cluster_free(&c);
}

static void test_cron_concurrency(void **state) {
        static const struct {
                const char *policy;
                size_t jobs;
        } cases[] = { { "Allow", 3 }, { "Forbid", 1 }, { "Replace", 1 } };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cluster c;
                char spec[64];

                snprintf(spec, sizeof(spec), "'concurrencyPolicy':'%s',", cases[i].policy);
                c = cluster_with_cron(spec, "run");
                run_for(&c, 190);
                assert_int_equal(cluster_count(&c, JOBS), cases[i].jobs);
                cluster_free(&c);
        }
}

#define QUOTA(spec) "{'metadata':{'name':'q'},'spec':{'hard':{" spec "}}}"
#define QUOTAS "/api/v1/namespaces/default/resourcequotas"
#define USED(key) cluster_field(&c, QUOTAS "/q", "/status/used/" key)

static void test_quota(void **state) {
        struct cluster c = cluster_new("kubelet,resourcequota,persistentvolume-binder");

        (void)state;
        assert_int_equal(
                cluster_post(&c, QUOTAS,
                             QUOTA("'pods':'4','requests.cpu':'2','memory':'1Gi','limits.memory':"
                                   "'2Gi','configmaps':'9','count/jobs.batch':'1',"
                                   "'requests.storage':'1Ti','persistentvolumeclaims':'3'")),
                201);
        assert_string_equal(USED("pods"), "0");
        for (int i = 0; i < 2; i++) {
                char body[512];

                snprintf(
                        body, sizeof(body),
                        "{'metadata':{'name':'p%d','annotations':{'sandbox.berth.dev/run':'%ds'}},"
                        "'spec':{'nodeName':'n0','restartPolicy':'Never','containers':[{'name':'c',"
                        "'image':'i','resources':{'requests':{'cpu':'300m','memory':'64Mi'},"
                        "'limits':{'memory':'1Gi'}}}]}}",
                        i, i ? 1000 : 1);
                cluster_post(&c, PODS, body);
        }
        cluster_post(&c, "/api/v1/namespaces/default/configmaps", "{'metadata':{'name':'m'}}");
        cluster_post(&c, "/api/v1/namespaces/default/persistentvolumeclaims",
                     "{'metadata':{'name':'c'},'spec':{'accessModes':['ReadWriteOnce'],'resources':"
                     "{'requests':{'storage':'2Gi'}}}}");
        assert_string_equal(USED("pods"), "2");
        assert_string_equal(USED("requests.cpu"), "600m");
        assert_string_equal(USED("memory"), "128Mi");
        assert_string_equal(USED("limits.memory"), "2Gi");
        assert_string_equal(USED("configmaps"), "1");
        assert_string_equal(USED("count~jobs.batch"), "0");
        assert_string_equal(USED("requests.storage"), "2Gi");
        assert_string_equal(USED("persistentvolumeclaims"), "1");
        cluster_wait(&c, 2000); /* one pod ends */
        assert_string_equal(USED("pods"), "1");
        assert_string_equal(USED("requests.cpu"), "300m");
        assert_string_equal(cluster_field(&c, QUOTAS "/q", "/status/hard/pods"), "4");
        cluster_free(&c);
}

static void test_quota_scopes(void **state) {
        static const struct {
                const char *scope, *pods;
        } cases[] = { { "BestEffort", "1" },
                      { "NotBestEffort", "1" },
                      { "Terminating", "1" },
                      { "NotTerminating", "1" } };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cluster c = cluster_new("resourcequota");
                char body[256];

                snprintf(body, sizeof(body),
                         "{'metadata':{'name':'q'},'spec':{'hard':{'pods':'4'},'scopes':['%s']}}",
                         cases[i].scope);
                assert_int_equal(cluster_post(&c, QUOTAS, body), 201);
                cluster_post(&c, PODS,
                             "{'metadata':{'name':'a'},'spec':{'activeDeadlineSeconds':5,"
                             "'containers':[{'name':'c','image':'i'}]}}");
                cluster_post(&c, PODS,
                             "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'c',"
                             "'image':'i','resources':{'requests':{'cpu':'1'}}}]}}");
                assert_string_equal(USED("pods"), cases[i].pods);
                cluster_free(&c);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_lists),
                cmocka_unit_test(test_left_out),
                cmocka_unit_test(test_nodes),
                cmocka_unit_test(test_namespace_defaults),
                cmocka_unit_test(test_pods_of_lost_nodes),
                cmocka_unit_test(test_ttl),
                cmocka_unit_test(test_cron),
                cmocka_unit_test(test_cron_concurrency),
                cmocka_unit_test(test_quota),
                cmocka_unit_test(test_quota_scopes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
