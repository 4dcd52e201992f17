/* Disruption budgets: the arithmetic, and the status through pods, controllers and evictions. */
#include "cluster.h"
#include "control/budget_math.h"

#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define B BUDGETS "/b"
#define SETS "/apis/apps/v1/namespaces/default/replicasets"
#define STATUS(field) cluster_field(&c, B, "/status/" field)
#define BUDGET(spec)                                                                               \
        "{'metadata':{'name':'b'},'spec':{'selector':{'matchLabels':{'a':'b'}}," spec "}}"
#define SET(replicas)                                                                              \
        "{'metadata':{'name':'r'},'spec':{'replicas':" replicas ",'selector':{'matchLabels':"      \
        "{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':"    \
        "'c','image':'i'}]}}}}"

static void test_arithmetic(void **state) {
        static const struct {
                const char *name, *min, *max; /* JSON */
                int64_t pods, scale, healthy, expected, desired, allowed;
        } cases[] = {
                { "evict-B1: maxUnavailable 30%", NULL, "\"30%\"", 7, 7, 7, 7, 4, 3 },
                { "evict-B1: minAvailable 50%", "\"50%\"", NULL, 7, 7, 7, 7, 4, 3 },
                { "evict-B2: matches nothing", "0", NULL, 0, 0, 0, 0, 0, 0 },
                { NULL, "2", NULL, 3, 0, 3, 3, 2, 1 },
                { NULL, "3", NULL, 3, 0, 3, 3, 3, 0 },
                { NULL, "5", NULL, 3, 0, 3, 3, 5, 0 },
                { NULL, "0", NULL, 3, 0, 3, 3, 0, 3 },
                { NULL, "\"50%\"", NULL, 3, 3, 3, 3, 2, 1 }, /* rounds up */
                { NULL, "\"100%\"", NULL, 3, 3, 3, 3, 3, 0 },
                { NULL, "\"1%\"", NULL, 10, 10, 10, 10, 1, 9 },
                { NULL, "\"0%\"", NULL, 10, 10, 4, 10, 0, 4 },
                { NULL, NULL, "1", 3, 3, 3, 3, 2, 1 },
                { NULL, NULL, "1", 3, 3, 2, 3, 2, 0 },
                { NULL, NULL, "5", 3, 3, 3, 3, 0, 3 },
                { NULL, NULL, "0", 3, 3, 3, 3, 3, 0 },
                { NULL, NULL, "\"30%\"", 10, 10, 10, 10, 7, 3 },
                { NULL, NULL, "\"25%\"", 3, 3, 3, 3, 2, 1 }, /* rounds up: one may go */
                { NULL, NULL, "\"100%\"", 3, 3, 1, 3, 0, 1 },
                { NULL, NULL, "1", 1, 0, 1, 0, 0, 0 }, /* nobody expects any */
                { NULL, NULL, "1", 2, 3, 2, 3, 2, 0 }, /* one still to come */
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *min = NULL, *max = NULL;
                struct budget_input input = { .pods = cases[i].pods,
                                              .scale = cases[i].scale,
                                              .healthy = cases[i].healthy };
                struct budget_output output;

                if (cases[i].min)
                        json_parse(slice_of(cases[i].min), &min, NULL);
                if (cases[i].max)
                        json_parse(slice_of(cases[i].max), &max, NULL);
                input.min_available = json_doc_root(min);
                input.max_unavailable = json_doc_root(max);
                output = budget_compute(&input);
                if (output.expected != cases[i].expected || output.desired != cases[i].desired ||
                    output.allowed != cases[i].allowed)
                        fail_msg("case %zu %s: %d %d %d", i, cases[i].name ? cases[i].name : "",
                                 (int)output.expected, (int)output.desired, (int)output.allowed);
                json_doc_free(min);
                json_doc_free(max);
        }
}

static struct cluster cluster_with(const char *budget) {
        struct cluster c = cluster_new("kubelet,replicaset,disruption");

        assert_int_equal(cluster_post(&c, SETS, SET("3")), 201);
        assert_int_equal(cluster_post(&c, BUDGETS, budget), 201);
        return c;
}

static void evict_first(struct cluster *c, int wanted) {
        char path[256], body[256], name[128];

        snprintf(name, sizeof(name), "%s", cluster_item(c, PODS, 0, "/metadata/name"));
        snprintf(path, sizeof(path), PODS "/%s/eviction", name);
        snprintf(body, sizeof(body), "{'metadata':{'name':'%s'}}", name);
        assert_int_equal(cluster_post(c, path, body), wanted);
}

static void test_follows_pods(void **state) {
        struct cluster c = cluster_with(BUDGET("'maxUnavailable':1"));

        (void)state;
        assert_string_equal(STATUS("expectedPods"), "3");
        assert_string_equal(STATUS("currentHealthy"), "0");
        assert_string_equal(STATUS("disruptionsAllowed"), "0");
        assert_string_equal(STATUS("conditions/type=DisruptionAllowed/reason"), "InsufficientPods");
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        assert_string_equal(STATUS("currentHealthy"), "3");
        assert_string_equal(STATUS("desiredHealthy"), "2");
        assert_string_equal(STATUS("disruptionsAllowed"), "1");
        assert_string_equal(STATUS("conditions/type=DisruptionAllowed/status"), "True");
        assert_string_equal(STATUS("observedGeneration"), "1");
        evict_first(&c, 201);
        assert_string_equal(STATUS("disruptionsAllowed"), "0");
        evict_first(&c, 201); /* the same pod, on its way already */
        cluster_wait(&c, 1000);
        cluster_free(&c);
}

static void test_budget_holds(void **state) {
        struct cluster c = cluster_with(BUDGET("'minAvailable':3"));

        (void)state;
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        assert_string_equal(STATUS("disruptionsAllowed"), "0");
        evict_first(&c, 429);
        cluster_merge(&c, B, "{'spec':{'minAvailable':'50%'}}");
        assert_string_equal(STATUS("desiredHealthy"), "2");
        assert_string_equal(STATUS("disruptionsAllowed"), "1");
        evict_first(&c, 201);
        cluster_merge(&c, SETS "/r", "{'spec':{'replicas':6}}");
        assert_string_equal(STATUS("expectedPods"), "6");
        cluster_free(&c);
}

static void test_disrupted_pods_age(void **state) {
        struct cluster c = cluster_with(BUDGET("'maxUnavailable':1"));
        char patch[256], pod[128];

        (void)state;
        cluster_schedule(&c);
        cluster_wait(&c, 1000);
        snprintf(patch, sizeof(patch),
                 "{'status':{'disruptedPods':{'%s':'2026-01-01T00:00:01Z','nobody':"
                 "'2026-01-01T00:00:01Z'}}}",
                 cluster_item(&c, PODS, 0, "/metadata/name"));
        snprintf(pod, sizeof(pod), "%s", cluster_item(&c, PODS, 0, "/metadata/name"));
        assert_int_equal(cluster_merge(&c, B "/status", patch), 200);
        assert_string_equal(STATUS("disruptionsAllowed"), "0");
        assert_string_equal(STATUS("disruptedPods/nobody"), "");
        cluster_wait(&c, 119000);
        assert_string_equal(STATUS("disruptionsAllowed"), "0");
        cluster_wait(&c, 2000);
        assert_string_equal(STATUS("disruptionsAllowed"), "1");
        assert_string_equal(STATUS("disruptedPods"), "");
        assert_string_not_equal(cluster_event(&c, pod, "NotDeleted"), "gone");
        assert_string_equal(cluster_event(&c, "nobody", "NotDeleted"), "gone");
        cluster_free(&c);
}

static void test_unmanaged(void **state) {
        struct cluster c = cluster_new("kubelet,disruption");

        (void)state;
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'p','labels':{'a':'b'}},'spec':{'nodeName':"
                     "'n0','containers':[{'name':'c','image':'i'}]}}");
        cluster_post(&c, BUDGETS, BUDGET("'maxUnavailable':1"));
        cluster_wait(&c, 1000);
        assert_string_equal(STATUS("expectedPods"), "0");
        assert_string_equal(STATUS("currentHealthy"), "1");
        assert_string_equal(STATUS("disruptionsAllowed"), "0");
        assert_string_not_equal(cluster_event(&c, "b", "UnmanagedPods"), "gone");
        cluster_free(&c);
}

static void test_unknown_controller(void **state) {
        struct cluster c = cluster_new("kubelet,disruption");

        (void)state;
        cluster_post(&c, BUDGETS, BUDGET("'maxUnavailable':1"));
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'p','labels':{'a':'b'},'ownerReferences':[{'apiVersion':"
                     "'x.io/v1','kind':'Thing','name':'t','uid':'u','controller':true}]},'spec':{"
                     "'nodeName':'n0','containers':[{'name':'c','image':'i'}]}}");
        assert_string_equal(STATUS("conditions/type=DisruptionAllowed/reason"), "SyncFailed");
        assert_string_equal(STATUS("disruptionsAllowed"), "0");
        cluster_free(&c);
}

static void test_stale_target(void **state) {
        struct cluster c = cluster_new("kubelet,disruption");

        (void)state;
        cluster_post(&c, PODS,
                     "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c',"
                     "'image':'i'}]}}");
        cluster_merge(&c, PODS "/p/status",
                      "{'status':{'conditions':[{'type':'DisruptionTarget','status':'True',"
                      "'reason':'EvictionByEvictionAPI','lastTransitionTime':"
                      "'2026-01-01T00:00:00Z'}]}}");
        cluster_wait(&c, 119000);
        assert_string_equal(
                cluster_field(&c, PODS "/p", "/status/conditions/type=DisruptionTarget/status"),
                "True");
        cluster_wait(&c, 2000);
        assert_string_equal(
                cluster_field(&c, PODS "/p", "/status/conditions/type=DisruptionTarget/status"),
                "False");
        cluster_free(&c);
}

#define NAMED(title, test)                                                                         \
        { title, test, NULL, NULL, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                NAMED("evict-B1 evict-B2: arithmetic", test_arithmetic),
                cmocka_unit_test(test_follows_pods),
                cmocka_unit_test(test_budget_holds),
                NAMED("evict-B3: let go and not deleted", test_disrupted_pods_age),
                cmocka_unit_test(test_unmanaged),
                cmocka_unit_test(test_unknown_controller),
                NAMED("evict-B3: no target any more", test_stale_target),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
