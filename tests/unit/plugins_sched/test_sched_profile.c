/* Profiles: defaults, merging, order, weights, and what is refused. */
#include "base/util.h"
#include "config/document.h"
#include "plugin/sched_profile_list.h"
#include "plugins/sched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define HEAD                                                                                       \
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: "                                       \
        "KubeSchedulerConfiguration\nprofiles:\n"

struct built {
        struct scheduler_configuration *configuration;
        struct sched_profile_list list;
        struct err err;
};

static int build(const char *text, struct built *built) {
        struct config_problems *problems = config_problems_new();
        struct profile_env env = { .registry = sched_registry };
        *built = (struct built){ 0 };
        built->configuration = scheduler_configuration_read(slice_of(text), "test", problems);
        int r = config_problems_to_err(problems, &built->err);
        config_problems_free(problems);
        return r < 0 ? r
                     : sched_profile_list_init(&built->list, built->configuration, &env,
                                               &built->err);
}

static void release(struct built *built) {
        sched_profile_list_release(&built->list);
        scheduler_configuration_free(built->configuration);
}

static void expect_point(const struct sched_profile *profile, enum sched_point point,
                         const char *wanted) {
        struct buf names = { 0 };
        for (size_t i = 0; i < profile->points[point].count; i++) {
                if (i > 0)
                        buf_char(&names, ' ');
                buf_text(&names, profile->plugins[profile->points[point].plugins[i]].plugin->name);
        }
        assert_string_equal(names.data ? names.data : "", wanted);
        buf_release(&names);
}

static int64_t weight_of(const struct sched_profile *profile, const char *name) {
        const struct profile_plugin *plugin = sched_profile_find(profile, slice_of(name));
        assert_non_null(plugin);
        return plugin->weight;
}

static void test_defaults(void **state) {
        (void)state;
        struct profile_env env = { .registry = sched_registry };
        struct sched_profile *profile;
        assert_int_equal(sched_profile_new_default(&env, &profile, NULL), 0);
        expect_point(profile, POINT_PRE_SCORE,
                     "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding "
                     "PodTopologySpread InterPodAffinity NodeResourcesBalancedAllocation");
        expect_point(profile, POINT_POST_FILTER, "DynamicResources DefaultPreemption");
        expect_point(profile, POINT_RESERVE, "VolumeBinding DynamicResources");
        expect_point(profile, POINT_BIND, "DefaultBinder");
        assert_int_equal(weight_of(profile, "TaintToleration"), 3);
        assert_int_equal(weight_of(profile, "ImageLocality"), 1);
        sched_profile_free(profile);
}

/* What is behind feature gates joins the defaults; placements have weights of their own. */
static void test_gates_add_plugins(void **state) {
        static const struct {
                uint32_t gates;
                const char *generate, *score, *permit;
        } cases[] = {
                { 0, "", "NodeResourcesFit", "" },
                { FEATURE_GROUPS | FEATURE_GANGS, "", "NodeResourcesFit", "GangScheduling" },
                { FEATURE_GROUPS | FEATURE_PLACEMENTS, "TopologyPlacementGenerator",
                  "NodeResourcesFit PodGroupPodsCount", "" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct profile_env env = { .registry = sched_registry, .gates = cases[i].gates };
                struct sched_profile *profile;
                assert_int_equal(sched_profile_new_default(&env, &profile, NULL), 0);
                expect_point(profile, POINT_PLACEMENT_GENERATE, cases[i].generate);
                expect_point(profile, POINT_PLACEMENT_SCORE, cases[i].score);
                expect_point(profile, POINT_PERMIT, cases[i].permit);
                sched_profile_free(profile);
        }
}

static void test_placement_weights(void **state) {
        (void)state;
        struct built built;
        assert_int_equal(build(HEAD "- plugins:\n"
                                    "    multiPoint:\n"
                                    "      enabled: [{name: NodeResourcesFit, weight: 3}]\n"
                                    "    placementScore:\n"
                                    "      enabled: [{name: PodGroupPodsCount, weight: 4}]\n",
                               &built),
                         0);
        expect_point(built.list.items[0], POINT_PLACEMENT_SCORE,
                     "NodeResourcesFit PodGroupPodsCount");
        const struct profile_plugin *fit =
                sched_profile_find(built.list.items[0], SLICE_LITERAL("NodeResourcesFit"));
        const struct profile_plugin *count =
                sched_profile_find(built.list.items[0], SLICE_LITERAL("PodGroupPodsCount"));
        assert_int_equal(fit->placement_weight, 3);
        assert_int_equal(count->placement_weight, 4);
        release(&built);
}

static void test_disable_all_enable_one(void **state) {
        (void)state;
        struct built built;
        assert_int_equal(build(HEAD "- plugins:\n"
                                    "    score:\n"
                                    "      disabled: [{name: '*'}]\n"
                                    "      enabled: [{name: ImageLocality, weight: 5}]\n",
                               &built),
                         0);
        expect_point(built.list.items[0], POINT_SCORE, "ImageLocality");
        assert_int_equal(weight_of(built.list.items[0], "ImageLocality"), 5);
        release(&built);
}

static void test_specific_weight_wins(void **state) {
        (void)state;
        struct built built;
        assert_int_equal(build(HEAD "- plugins:\n"
                                    "    multiPoint:\n"
                                    "      enabled: [{name: NodeResourcesFit, weight: 3}]\n"
                                    "    score:\n"
                                    "      enabled: [{name: NodeResourcesFit, weight: 7}]\n",
                               &built),
                         0);
        assert_int_equal(weight_of(built.list.items[0], "NodeResourcesFit"), 7);
        expect_point(built.list.items[0], POINT_QUEUE_SORT, "PrioritySort");
        release(&built);
}

static const char *const refused[] = {
        HEAD "- plugins:\n    filter:\n      enabled: [{name: Nobody}]\n",
        HEAD "- plugins:\n    score:\n      enabled: [{name: NodeName}]\n",
        HEAD "- plugins:\n    filter:\n      enabled: [{name: NodePorts}, {name: NodePorts}]\n",
        HEAD "- plugins:\n    bind:\n      disabled: [{name: '*'}]\n",
        HEAD "- plugins:\n    queueSort:\n      disabled: [{name: '*'}]\n",
        HEAD "- plugins:\n    score:\n      enabled: [{name: NodeResourcesFit, weight: -4}]\n",
        HEAD "- pluginConfig:\n  - name: NodeResourcesFit\n    args: {nothing: 1}\n",
        HEAD "- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n"
             "      scoringStrategy: {type: Best}\n",
        HEAD "- pluginConfig:\n  - name: InterPodAffinity\n    args:\n"
             "      hardPodAffinityWeight: 101\n",
        HEAD "- pluginConfig:\n  - name: NodeAffinity\n    args: {kind: InterPodAffinityArgs}\n",
        HEAD "- pluginConfig:\n  - name: DefaultPreemption\n    args:\n"
             "      {minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}\n",
};

static void test_refused(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
                struct built built;
                if (build(refused[i], &built) == 0)
                        fail_msg("accepted: %s", refused[i]);
                assert_true(built.err.text[0] != '\0');
                scheduler_configuration_free(built.configuration);
        }
}

#define CASE(label, test)                                                                          \
        { label, test, NULL, NULL, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_defaults),
                cmocka_unit_test(test_gates_add_plugins),
                cmocka_unit_test(test_placement_weights),
                CASE("sched-102 all disabled, one enabled", test_disable_all_enable_one),
                CASE("sched-102 the specific weight", test_specific_weight_wins),
                cmocka_unit_test(test_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
