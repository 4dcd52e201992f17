/* Old configuration files as new ones: what stands in the new file, what is said about it, and what
 * is refused. */
#include "cmd/config_migrate.h"

#include "base/util.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OLD_POLICY "apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy\n"
#define POLICY "{apiVersion: descheduler/v1alpha2, kind: DeschedulerPolicy, "
#define BETA(n)                                                                                    \
        "apiVersion: kubescheduler.config.k8s.io/v1beta" n "\nkind: KubeSchedulerConfiguration\n"
#define V1 "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, "
#define VERSION_NOTE "f:1:13: apiVersion: descheduler/v1alpha1: now descheduler/v1alpha2\n"
#define BETA_NOTE(n)                                                                               \
        "f:1:13: apiVersion: kubescheduler.config.k8s.io/v1beta" n                                 \
        ": now kubescheduler.config.k8s.io/v1\n"
#define PROFILE(name, args, more, point)                                                           \
        "{name: strategy-" name "-profile, pluginConfig: [{name: DefaultEvictor" args              \
        "}, {name: " name more "}], plugins: {" point ": {enabled: [" name "]}}}"

/* expected: the new file as YAML; notes: whole text, NULL = not looked at. */
static const struct {
        const char *name, *text, *expected, *notes;
} cases[] = {
        { "an empty policy", OLD_POLICY, POLICY "profiles: []}", VERSION_NOTE },
        { "members of the policy",
          OLD_POLICY "nodeSelector: a=b\nmaxNoOfPodsToEvictPerNode: 1\n"
                     "maxNoOfPodsToEvictPerNamespace: 2\nignorePvcPods: true\n"
                     "strategies: {RemoveDuplicates: {enabled: true}}\n",
          POLICY "nodeSelector: a=b, maxNoOfPodsToEvictPerNode: 1, "
                 "maxNoOfPodsToEvictPerNamespace: 2, profiles: [" PROFILE(
                         "RemoveDuplicates", ", args: {ignorePvcPods: true}", "", "balance") "]}",
          VERSION_NOTE
          "f:6:16: ignorePvcPods: now profiles[*].pluginConfig[0].args.ignorePvcPods\n"
          "f:7:32: strategies.RemoveDuplicates: now profiles[0], at plugins.balance\n" },
        { "arguments of DefaultEvictor",
          OLD_POLICY
          "strategies:\n  RemovePodsViolatingNodeTaints:\n    enabled: true\n    params: "
          "{nodeFit: true, thresholdPriority: 5, excludedTaints: [a]}\n",
          POLICY "profiles: [" PROFILE("RemovePodsViolatingNodeTaints",
                                       ", args: {nodeFit: true, priorityThreshold: {value: 5}}",
                                       ", args: {excludedTaints: [a]}", "deschedule") "]}",
          NULL },
        { "states and phases of PodLifeTime, which took no nodeFit",
          OLD_POLICY "strategies:\n  PodLifeTime:\n    enabled: true\n    params: {nodeFit: true, "
                     "podLifeTime: {states: [Pending], podStatusPhases: [Running], "
                     "maxPodLifeTimeSeconds: 3}}\n",
          POLICY
          "profiles: [" PROFILE("PodLifeTime", "",
                                ", args: {states: [Running, Pending], maxPodLifeTimeSeconds: 3}",
                                "deschedule") "]}",
          NULL },
        { "namespaces of LowNodeUtilization, which takes no labels",
          OLD_POLICY
          "strategies:\n  LowNodeUtilization:\n    enabled: true\n    weight: 3\n    params: "
          "{namespaces: {exclude: [a]}, labelSelector: {}, "
          "nodeResourceUtilizationThresholds: {thresholds: {cpu: 1}, targetThresholds: "
          "{cpu: 2}, numberOfNodes: 3}}\n",
          POLICY "profiles: [" PROFILE("LowNodeUtilization", "",
                                       ", args: {evictableNamespaces: {exclude: [a]}, thresholds: "
                                       "{cpu: 1}, targetThresholds: {cpu: 2}, numberOfNodes: 3}",
                                       "balance") "]}",
          VERSION_NOTE
          "f:5:5: strategies.LowNodeUtilization: now profiles[0], at plugins.balance\n"
          "f:6:13: strategies.LowNodeUtilization.weight: had no effect: left out\n"
          "f:7:26: strategies.LowNodeUtilization.params.namespaces: now "
          "profiles[0].pluginConfig[1].args.evictableNamespaces\n"
          "f:7:57: strategies.LowNodeUtilization.params.labelSelector: LowNodeUtilization does not "
          "use it: left out\n"
          "f:7:109: strategies.LowNodeUtilization.params.nodeResourceUtilizationThresholds."
          "thresholds: now profiles[0].pluginConfig[1].args.thresholds\n"
          "f:7:137: strategies.LowNodeUtilization.params.nodeResourceUtilizationThresholds."
          "targetThresholds: now profiles[0].pluginConfig[1].args.targetThresholds\n"
          "f:7:162: strategies.LowNodeUtilization.params.nodeResourceUtilizationThresholds."
          "numberOfNodes: now profiles[0].pluginConfig[1].args.numberOfNodes\n" },
        { "soft constraints, and what is not enabled",
          OLD_POLICY "strategies:\n  RemoveFailedPods: {enabled: false}\n"
                     "  RemovePodsViolatingTopologySpreadConstraint: {enabled: true, params: "
                     "{includeSoftConstraints: true}}\n",
          POLICY "profiles: [" PROFILE("RemovePodsViolatingTopologySpreadConstraint", "",
                                       ", args: {constraints: [DoNotSchedule, ScheduleAnyway]}",
                                       "balance") "]}",
          NULL },
        { "the newest version", "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n",
          "{apiVersion: descheduler/v1alpha2, kind: DeschedulerPolicy}",
          "f:1:13: apiVersion: descheduler/v1alpha2 is the newest version\n" },
        { "v1beta3 without profiles", "# text\n" BETA("3") "parallelism: 3\n", V1 "parallelism: 3}",
          "f:2:13: apiVersion: kubescheduler.config.k8s.io/v1beta3: now "
          "kubescheduler.config.k8s.io/v1\nf:2:1: comments are left out\n" },
        { "weights of v1beta2", BETA("2"),
          V1 "profiles: [{plugins: {score: {enabled: [{name: TaintToleration, weight: 1}, {name: "
             "NodeAffinity, weight: 1}, {name: InterPodAffinity, weight: 1}]}}}]}",
          "f:1:1: profiles[0].plugins.score.enabled: TaintToleration stays at weight 1, the "
          "default of v1beta2; that of v1 is 3\n"
          "f:1:1: profiles[0].plugins.score.enabled: NodeAffinity stays at weight 1, the default "
          "of v1beta2; that of v1 is 2\n"
          "f:1:1: profiles[0].plugins.score.enabled: InterPodAffinity stays at weight 1, the "
          "default of v1beta2; that of v1 is 2\n" BETA_NOTE("2") },
        { "weights that were given, and plugins taken out",
          BETA("2") "profiles: [{plugins: {score: {disabled: [{name: NodeAffinity}], enabled: "
                    "[{name: TaintToleration, weight: 7}]}, multiPoint: {disabled: [{name: "
                    "InterPodAffinity}]}}}]\n",
          V1 "profiles: [{plugins: {score: {disabled: [{name: NodeAffinity}], enabled: [{name: "
             "TaintToleration, weight: 7}]}, multiPoint: {disabled: [{name: "
             "InterPodAffinity}]}}}]}",
          BETA_NOTE("2") },
        { "all taken out",
          BETA("2") "profiles: [{plugins: {score: {disabled: [{name: \"*\"}]}}}]\n",
          V1 "profiles: [{plugins: {score: {disabled: [{name: \"*\"}]}}}]}", BETA_NOTE("2") },
        { "weights of v1beta3 stay",
          BETA("3") "profiles: [{schedulerName: a}, {schedulerName: b}]\n",
          V1 "profiles: [{schedulerName: a}, {schedulerName: b}]}", BETA_NOTE("3") },
        { "volume limits of clouds",
          BETA("3") "profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}], disabled: "
                    "[{name: GCEPDLimits}, {name: NodeName}]}}}]\n",
          V1 "profiles: [{plugins: {filter: {enabled: [], disabled: [{name: NodeName}]}}}]}",
          BETA_NOTE("3") "f:3:49: profiles[0].plugins.filter.enabled[0].name: EBSLimits is no "
                         "more: left out; NodeVolumeLimits counts these volumes\n"
                         "f:3:80: profiles[0].plugins.filter.disabled[0].name: GCEPDLimits is no "
                         "more: left out; NodeVolumeLimits counts these volumes\n" },
        { "MostAllocated of v1beta1",
          BETA("1") "profiles:\n- plugins: {score: {disabled: [{name: "
                    "NodeResourcesLeastAllocated}, {name: NodeAffinity}], enabled: [{name: "
                    "NodeResourcesMostAllocated, weight: 5}, {name: TaintToleration, weight: 1}, "
                    "{name: InterPodAffinity, weight: 1}]}}\n  pluginConfig:\n  - name: "
                    "NodeResourcesMostAllocated\n    args: {resources: [{name: cpu, weight: 2}]}\n",
          V1 "profiles: [{plugins: {score: {disabled: [{name: NodeAffinity}], enabled: [{name: "
             "NodeResourcesFit, weight: 5}, {name: TaintToleration, weight: 1}, {name: "
             "InterPodAffinity, weight: 1}]}}, pluginConfig: [{name: NodeResourcesFit, args: "
             "{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 2}]}}}]}]}",
          NULL },
        { "a shape of v1beta1, no longer a plugin of its own",
          BETA("1") "profiles:\n- plugins: {score: {disabled: [{name: \"*\"}], enabled: [{name: "
                    "RequestedToCapacityRatio}]}}\n  pluginConfig:\n  - name: "
                    "RequestedToCapacityRatio\n    args: {shape: [{utilization: 0, score: 1}]}\n"
                    "  - {name: NodeResourcesFit, args: {ignoredResources: [a/b]}}\n",
          V1 "profiles: [{plugins: {score: {disabled: [{name: \"*\"}], enabled: [{name: "
             "NodeResourcesFit}]}}, pluginConfig: [{name: NodeResourcesFit, args: "
             "{ignoredResources: [a/b], scoringStrategy: {type: RequestedToCapacityRatio, "
             "requestedToCapacityRatio: {shape: [{utilization: 0, score: 1}]}}}}]}]}",
          NULL },
        { "fields of the process, and versions of arguments",
          BETA("3") "healthzBindAddress: \"0\"\nmetricsBindAddress: \"\"\nleaderElection: "
                    "{resourceLock: endpoints}\nprofiles: [{pluginConfig: [{name: "
                    "InterPodAffinity, args: {apiVersion: kubescheduler.config.k8s.io/v1beta3, "
                    "kind: InterPodAffinityArgs}}]}]\n",
          V1 "leaderElection: {resourceLock: leases}, profiles: [{pluginConfig: [{name: "
             "InterPodAffinity, args: {apiVersion: kubescheduler.config.k8s.io/v1, kind: "
             "InterPodAffinityArgs}}]}]}",
          NULL },
};

/* A text of YAML as the values that output_value writes. */
static void normalize(const char *text, struct buf *out) {
        CLEANUP(buf_release) struct buf yaml = { 0 };
        struct json_tree *tree = NULL;

        buf_printf(&yaml, "---\n%s", text); /* what begins with a brace is JSON */
        assert_int_equal(document_read_tree(buf_view(&yaml), &tree, NULL), 0);
        output_value(json_tree_root(tree), OUTPUT_YAML, out);
        json_tree_free(tree);
}

static void print_findings(const struct config_findings *findings, struct buf *out) {
        config_findings_print(findings, out);
        buf_char(out, '\0');
}

static void old_files_become_new_ones(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(buf_release) struct buf found = { 0 }, expected = { 0 }, notes = { 0 };
                CLEANUP(buf_release) struct buf refusals = { 0 };
                struct config_migration migration;

                config_migrate_text(&migration, &program_berth, slice_of(cases[i].text), "f");
                print_findings(&migration.changes, &notes);
                print_findings(&migration.refusals, &refusals);
                if (migration.refusals.count)
                        fail_msg("%s: %s", cases[i].name, refusals.data);
                output_value(json_tree_root(migration.tree), OUTPUT_YAML, &found);
                normalize(cases[i].expected, &expected);
                if (strcmp(found.data, expected.data) != 0)
                        fail_msg("%s:\n%s", cases[i].name, found.data);
                if (cases[i].notes && strcmp(notes.data, cases[i].notes) != 0)
                        fail_msg("%s:\n%s", cases[i].name, notes.data);
                config_migration_release(&migration);
        }
}

static const struct {
        const char *text, *refusal; /* a part of it */
} refused[] = {
        { "a: [", "malformed" },
        { "apiVersion: v1\nkind: Pod\n",
          "f:2:7: kind: expected DeschedulerPolicy or KubeSchedulerConfiguration, found \"Pod\"" },
        { "apiVersion: descheduler/v1\nkind: DeschedulerPolicy\n",
          "f:1:13: apiVersion: unknown version \"descheduler/v1\"" },
        { OLD_POLICY "---\n" OLD_POLICY, "expected one document" },
        { OLD_POLICY "strategies: {RemoveDuplicate: {enabled: true}}\n",
          "f:3:31: strategies.RemoveDuplicate: unknown strategy; did you mean "
          "\"RemoveDuplicates\"?" },
        { OLD_POLICY "strategy: {}\n", "strategy: unknown field" },
        { OLD_POLICY "maxNoOfPodsToEvictPerNodes: 1\n",
          "did you mean \"maxNoOfPodsToEvictPerNode\"?" },
        { OLD_POLICY "strategies: {RemoveDuplicates: {enable: true}}\n",
          "strategies.RemoveDuplicates.enable: unknown field; did you mean \"enabled\"?" },
        { OLD_POLICY "strategies: {PodLifeTime: {enabled: true, params: {podLifeTime: "
                     "{maxPodLifetimeSeconds: 1}}}}\n",
          "strategies.PodLifeTime.params.podLifeTime.maxPodLifetimeSeconds: unknown field; did "
          "you mean \"maxPodLifeTimeSeconds\"?" },
        { OLD_POLICY "strategies: {RemoveDuplicates: {enabled: true, params: {thresholdPriority: "
                     "1, thresholdPriorityClassName: a}}}\n",
          "only one of thresholdPriority" },
        { OLD_POLICY "strategies: {PodLifeTime: {enabled: true}}\n", "in the new version: " },
        { BETA("2") "profiles: [{plugins: {filter: {enabled: [{name: NodeLabel}]}}}]\n",
          "f:3:49: profiles[0].plugins.filter.enabled[0].name: NodeLabel has no successor: use "
          "addedAffinity of NodeAffinity" },
        { BETA("2") "profiles: [{pluginConfig: [{name: ServiceAffinity}]}]\n",
          "profiles[0].pluginConfig[0]: ServiceAffinity has no successor" },
        { BETA("1") "profiles: [{plugins: {score: {enabled: [{name: "
                    "NodeResourcesMostAllocated}]}}}]\n",
          "profiles[0]: scores by more than one of" },
        { BETA("3") "profiles: [{plugins: {score: {enabled: [{name: "
                    "NodeResourcesMostAllocated}]}}, pluginConfig: [{name: NodeResourcesFit, "
                    "args: {scoringStrategy: {type: LeastAllocated}}}]}]\n",
          "has a scoringStrategy already" },
        { BETA("3") "paralelism: 3\n",
          "f: paralelism: in the new version: unknown field; did you mean \"parallelism\"?" },
};

static void what_cannot_be_carried_over_is_refused(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
                CLEANUP(buf_release) struct buf out = { 0 };
                struct config_migration migration;

                config_migrate_text(&migration, &program_berth, slice_of(refused[i].text), "f");
                print_findings(&migration.refusals, &out);
                if (!strstr(out.data, refused[i].refusal))
                        fail_msg("%s: %s", refused[i].text, out.data);
                config_migration_release(&migration);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(old_files_become_new_ones),
                cmocka_unit_test(what_cannot_be_carried_over_is_refused),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
