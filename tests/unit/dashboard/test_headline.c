/* What stands above the views, counted on clusters made for it. */
#include "dashboard/headline.h"

#include "model_test.h"

static void count(const struct cluster *cluster, struct arena *arena, struct headline *headline) {
        arena_clear(arena);
        headline_count(cluster, arena, headline);
}

static void test_pods_by_what_they_do(void **state) {
        static const struct {
                const char *members, *spec, *phase;
                enum pod_activity state;
        } cases[] = {
                { "", "", "Pending", POD_STATE_WAITING },
                { "", "'schedulingGates':[{'name':'g'}],", "Pending", POD_STATE_GATED },
                { "", "'nodeName':'n',", "Pending", POD_STATE_STARTING },
                { "", "'nodeName':'n',", "Running", POD_STATE_RUNNING },
                { "", "'nodeName':'n',", "Unknown", POD_STATE_UNKNOWN },
                { "", "'nodeName':'n',", "Failed", POD_STATE_FAILED },
                { "'deletionTimestamp':'2026-01-01T00:00:00Z',", "'nodeName':'n',", "Running",
                  POD_STATE_LEAVING },
                { "'deletionTimestamp':'2026-01-01T00:00:00Z',", "'nodeName':'n',", "Succeeded",
                  POD_STATE_SUCCEEDED },
        };
        struct cluster *cluster = cluster_for_test();
        CLEANUP(arena_release) struct arena arena;
        struct headline headline;

        (void)state;
        arena_init(&arena, 0);
        put_node(cluster, "n", "");
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                put(cluster, OBJECT_POD,
                    "{'metadata':{%s'namespace':'ns','name':'p%zu','uid':'u%zu'},'spec':{%s"
                    "'containers':[{'name':'c'}]},'status':{'phase':'%s'}}",
                    cases[i].members, i, i, cases[i].spec, cases[i].phase);
        count(cluster, &arena, &headline);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                if (headline.states[cases[i].state] != 1)
                        fail_msg("%s: %zu", pod_state_name(cases[i].state),
                                 headline.states[cases[i].state]);
        assert_int_equal(headline.pods, 8);
        assert_int_equal(headline.placed, 4);
        struct pod_id waiting = cluster_find_pod(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("p0"));
        cluster_assume(cluster, waiting, (struct node_id){ 0 });
        count(cluster, &arena, &headline);
        assert_int_equal(headline.states[POD_STATE_BINDING], 1);
        assert_int_equal(headline.placed, 5);
        cluster_free(cluster);
}

/* A budget keeps the pods that it covers, once its status is of what its spec says. */
static void test_guarded(void **state) {
        static const struct {
                const char *selector, *status;
                size_t guarded;
        } cases[] = {
                { "{'matchLabels':{'app':'web'}}", "'disruptionsAllowed':0,'expectedPods':2", 2 },
                { "{'matchLabels':{'app':'web'}}", "'disruptionsAllowed':1,'expectedPods':2", 0 },
                { "{'matchLabels':{'app':'none'}}", "'disruptionsAllowed':0,'expectedPods':2", 0 },
                { "{}", "'disruptionsAllowed':0,'expectedPods':3", 3 },
                { "{}", "'disruptionsAllowed':0,'expectedPods':0", 0 },
                { "{}", "'disruptionsAllowed':0,'expectedPods':3,'observedGeneration':1", 0 },
        };
        struct cluster *cluster = cluster_for_test();
        CLEANUP(arena_release) struct arena arena;
        struct headline headline;

        (void)state;
        arena_init(&arena, 0);
        put_node(cluster, "n", "");
        for (size_t i = 0; i < 4; i++) /* the last one waits */
                put(cluster, OBJECT_POD,
                    "{'metadata':{'namespace':'ns','name':'p%zu','uid':'u%zu','labels':{'app':'%s'}"
                    "},'spec':{%s'containers':[{'name':'c'}]},'status':{'phase':'Running'}}",
                    i, i, i < 2 ? "web" : "db", i < 3 ? "'nodeName':'n'," : "");
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                bool is_stale = strstr(cases[i].status, "observedGeneration");

                put(cluster, OBJECT_BUDGET,
                    "{'metadata':{'namespace':'ns','name':'b','generation':2},'spec':{'selector':"
                    "%s},'status':{%s%s}}",
                    cases[i].selector, cases[i].status, is_stale ? "" : ",'observedGeneration':2");
                count(cluster, &arena, &headline);
                if (headline.guarded != cases[i].guarded)
                        fail_msg("case %zu: %zu", i, headline.guarded);
        }
        cluster_free(cluster);
}

/* Two nodes of 4 cores: pods of 3 cores leave a core on each, where none of them fits. */
static void test_stranded(void **state) {
        struct cluster *cluster = cluster_for_test();
        CLEANUP(arena_release) struct arena arena;
        struct headline headline;

        (void)state;
        arena_init(&arena, 0);
        put_node(cluster, "a", "");
        put_node(cluster, "b", "");
        for (int i = 0; i < 3; i++) {
                put(cluster, OBJECT_POD,
                    "{'metadata':{'namespace':'ns','name':'p%d'},'spec':{'nodeName':'%s',"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'3'}}}]}}",
                    i, i == 1 ? "b" : "a");
                count(cluster, &arena, &headline);
                if (i == 0) {
                        assert_int_equal(headline.free_cpu, 5000);
                        assert_int_equal(headline.stranded_cpu, 1000);
                        assert_int_equal(headline.overcommitted, 0);
                } else if (i == 1) {
                        assert_int_equal(headline.stranded_cpu, 2000);
                } else { /* a holds six of four cores */
                        assert_int_equal(headline.free_cpu, 1000);
                        assert_int_equal(headline.overcommitted, 1);
                        assert_int_equal(headline.resources[RESOURCE_CPU].requested, 9000);
                        assert_int_equal(headline.resources[RESOURCE_PODS].requested, 3);
                }
        }
        put(cluster, OBJECT_NODE,
            "{'metadata':{'name':'b'},'spec':{'unschedulable':true},'status':{'allocatable':{"
            "'cpu':'4','pods':'10'}}}");
        count(cluster, &arena, &headline);
        assert_int_equal(headline.cordoned, 1);
        assert_int_equal(headline.free_cpu, 0);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_pods_by_what_they_do),
                cmocka_unit_test(test_guarded),
                cmocka_unit_test(test_stranded),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
