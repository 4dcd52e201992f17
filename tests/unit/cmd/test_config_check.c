/* What berth config check finds in texts: everything, with its place. */
#include "cmd/config_check.h"

#include "base/util.h"
#include "cmd/command.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SCHEDULER "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
#define POLICY "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n"
#define EVICTION                                                                                   \
        "apiVersion: lifecycle.berth.dev/v1alpha1\nkind: EvictionPolicy\n"                         \
        "metadata: {name: a, namespace: b}\n"
#define POD(image, words)                                                                          \
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n"      \
        "    image: " image "\n" words
#define CONTAINER "spec.containers[0]."

static const struct check_case {
        const char *name, *text, *expected;
} cases[] = {
        { "a good configuration", SCHEDULER, "" },
        { "a good policy", POLICY "maxNoOfPodsToEvictTotal: 3\n", "" },
        { "several in one configuration",
          SCHEDULER "parallelism: 0\nprofiles:\n- plugins:\n    score:\n      enabled:\n"
                    "      - name: ImageLocalty\n  pluginConfig:\n  - name: NodeResourceFit\n",
          "f:3:14: parallelism: must be at least 1, is 0\n"
          "f:8:15: profiles[0].plugins.score.enabled[0].name: ScorePlugin \"ImageLocalty\" does "
          "not "
          "exist; did you mean \"ImageLocality\"?\n"
          "f:10:11: profiles[0].pluginConfig[0].name: warning: plugin \"NodeResourceFit\" does not "
          "exist; did you mean \"NodeResourcesFit\"?\n" },
        { "plugins that are taken out",
          SCHEDULER
          "profiles:\n- plugins:\n    multiPoint: {disabled: [{name: \"*\"}, {name: Nod}, {name: "
          "NodePort}]}\n    score: {disabled: [{name: NodeAffinity}, {name: ImageLocalty}]}\n"
          "    queueSort: {enabled: [{name: PrioritySort}]}\n"
          "    bind: {enabled: [{name: DefaultBinder}]}\n",
          "f:5:49: profiles[0].plugins.multiPoint.disabled[1].name: warning: plugin \"Nod\" does "
          "not exist\n"
          "f:5:62: profiles[0].plugins.multiPoint.disabled[2].name: warning: plugin \"NodePort\" "
          "does not exist; did you mean \"NodePorts\"?\n"
          "f:6:53: profiles[0].plugins.score.disabled[1].name: warning: plugin \"ImageLocalty\" "
          "does not exist; did you mean \"ImageLocality\"?\n" },
        { "a label selector of arguments",
          POLICY "profiles:\n- pluginConfig:\n  - name: PodLifeTime\n"
                 "    args: {maxPodLifeTimeSeconds: 3, labelSelector: {matchLabel: {a: b}}}\n",
          "f:6:66: profiles[0].pluginConfig[0].args.labelSelector.matchLabel: unknown field; did "
          "you mean \"matchLabels\"?\n" },
        { "several in one policy",
          POLICY "maxNoOfPodsToEvictPerNod: 3\nprofiles:\n- pluginConfig:\n  - name: PodLifetime\n",
          "f:3:1: maxNoOfPodsToEvictPerNod: unknown field; did you mean "
          "\"maxNoOfPodsToEvictPerNode\"?\n"
          "f:6:11: profiles[0].pluginConfig[0].name: plugin \"PodLifetime\" is not known; did you "
          "mean \"PodLifeTime\"?\n" },
        { "a policy that is one of several documents", POLICY "---\n" POLICY "profils: []\n",
          "f:1:1: warning: the program reads only the first of the 2 documents\n"
          "f:6:1: profils: unknown field; did you mean \"profiles\"?\n" },
        { "in a list",
          "apiVersion: v1\nkind: List\nitems:\n- apiVersion: descheduler/v1alpha2\n"
          "  kind: DeschedulerPolicy\n  nodeSelector: 3\n",
          "f:6:17: items[0].nodeSelector: expected a string, found 3; quotes make it a string\n" },
        { "in a ConfigMap",
          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  p.yaml: |\n"
          "    apiVersion: descheduler/v1alpha2\n    kind: DeschedulerPolicy\n    profil: 3\n",
          "f (ConfigMap m, p.yaml):3:1: profil: unknown field; did you mean \"profiles\"?\n" },
        { "a kind like one of ours", "apiVersion: descheduler.sigs/v1\nkind: DeschedulerPolicies\n",
          "" },
        { "a misspelt kind", "apiVersion: x/v1\nkind: DeschedulrPolicy\n",
          "f:2:7: kind: unknown kind; did you mean \"DeschedulerPolicy\"?\n" },
        { "another version", "apiVersion: descheduler/v2\nkind: DeschedulerPolicy\n",
          "f:1:13: apiVersion: expected \"descheduler/v1alpha2\", found \"descheduler/v2\"\n" },
        { "no object", "- 3\n", "f:1:1: expected an object with apiVersion and kind\n" },
        { "nothing", "", "f: the file is empty\n" },
        { "no YAML", "a: [1\n", NULL },
        { "a good EvictionPolicy",
          EVICTION "spec: {selector: {}, stages: [{name: s, kind: evict}]}\n", "" },
        { "an EvictionPolicy",
          EVICTION "spec:\n  selectr: {}\n  stages:\n  - {name: s, kind: http}\n",
          "f:5:3: spec.selector: Required value\n"
          "f:5:12: spec.selectr: unknown field; did you mean \"selector\"?\n" },
        { "an EvictionPolicy that only its reader refuses",
          EVICTION "spec: {selector: {}, stages: [{name: s, kind: http, http: {url: http://x}}]}\n",
          NULL },
        { "another kind of the group",
          "apiVersion: lifecycle.berth.dev/v1alpha1\nkind: EvictionPlicy\n",
          "f:2:7: kind: expected EvictionPolicy, EvictionRequest or Eviction\n" },
        { "an option of descheduler",
          POD("registry.k8s.io/descheduler/descheduler:v0.36.0",
              "    command: [/bin/descheduler]\n    args: [--dryrun, --policy-config-file=x]\n"),
          "f:9:12: " CONTAINER "args[0]: unknown option --dryrun; did you mean --dry-run?\n" },
        { "a feature gate of kube-scheduler",
          POD("x", "    command: [kube-scheduler, --feature-gates=GangSchedulin=true]\n"),
          "f:8:31: " CONTAINER "command[1]: option --feature-gates: unrecognized feature gate: "
          "GangSchedulin; did you mean \"GangScheduling\"?\n" },
        { "a command of berth", POD("localhost:5000/berth@sha256:0", "    args: [reboots]\n"),
          "f:8:12: " CONTAINER "args[0]: unknown command \"reboots\"; did you mean \"reboot\"?\n" },
        { "a value of a list", POD("berth", "    args: [plan, -o, yml]\n"),
          "f:8:18: " CONTAINER "args[1]: option --output: expected one of text, json, yaml, found "
          "\"yml\"; did you mean \"yaml\"?\n" },
        { "what is missing", POD("berth", "    args: [descheduler]\n"),
          "f:8:11: " CONTAINER "args: expected --policy-config-file FILE\n" },
        { "what the kubelet fills in",
          POD("berth", "    args: [descheduler, --deadline=$(X), --policy-config-file=$(Y)]\n"),
          "" },
        { "kured's environment",
          POD("kured", "    env:\n    - {name: KURED_PERIOD, value: soon}\n"
                       "    - {name: KURED_NODE_ID, valueFrom: {fieldRef: {fieldPath: a}}}\n"),
          "f:9:35: " CONTAINER "env[0].value: option --period: expected a duration such as 90s or "
          "5m, found \"soon\"\n" },
        { "a misspelt variable of kured",
          POD("kured", "    env:\n    - {name: KURED_REBOOT_DAY, value: mo}\n"
                       "    - {name: KURED_UNRELATED, value: mo}\n"
                       "    - {name: KURED_NODE_ID, value: a}\n"),
          "f:9:14: " CONTAINER "env[0].name: warning: no option; did you mean "
          "\"KURED_REBOOT_DAYS\"?\n" },
        { "a role of berth run", POD("berth", "    args: [run, --roles=schedulr]\n"),
          "f:8:17: " CONTAINER "args[1]: option --roles: expected each of scheduler, descheduler, "
          "evictions, reboot once at most, found \"schedulr\"; did you mean \"scheduler\"?\n" },
        { "two options that do not go together, and a third",
          POD("kured", "    args: [--node-id=n, --start-time=x, --reboot-method=y]\n"),
          "f:8:25: " CONTAINER "args[1]: option --start-time: expected a time of day such as 9am, "
          "09:30am, 17 or 15:04:05, found \"x\"\n"
          "f:8:41: " CONTAINER "args[2]: option --reboot-method: expected command, signal or "
          "logind\n" },
        { "another program", POD("nginx", "    args: [--perod]\n"), "" },
        { "a shell", POD("kured", "    command: [sh, -c, exit]\n"), "" },
};

static void everything_is_found(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(buf_release) struct buf out = { 0 };
                struct config_check check;

                config_check_init(&check, &program_berth, false);
                config_check_text(&check, slice_of(cases[i].text), "f");
                config_findings_print(&check.findings, &out);
                const char *found = out.len ? out.data : "";
                if (cases[i].expected ? strcmp(found, cases[i].expected) != 0
                                      : check.findings.mistake_count != 1)
                        fail_msg("%s: %s", cases[i].name, found);
                config_check_release(&check);
        }
}

/* Unknown keys pass as they do upstream; the values of known ones do not. */
static void parity_takes_what_upstream_takes(void **state) {
        struct config_check check;

        (void)state;
        config_check_init(&check, &program_berth, true);
        config_check_text(&check, SLICE_LITERAL(POLICY "profils: []\n"), "f");
        assert_int_equal(check.findings.count, 0);
        config_check_text(&check, SLICE_LITERAL(POLICY "profiles: 3\n"), "f");
        assert_int_equal(check.findings.mistake_count, 1);
        config_check_release(&check);
}

static void objects_are_counted(void **state) {
        static const char text[] = POLICY "---\napiVersion: v1\nkind: Service\n---\n" SCHEDULER;
        struct config_check check;

        (void)state;
        config_check_init(&check, &program_berth, false);
        config_check_text(&check, slice_of(text), "f");
        assert_int_equal(check.checked_count, 2);
        assert_int_equal(check.skipped_count, 1);
        config_check_path(&check, "/nonexistent/file");
        assert_int_equal(check.failed_count, 1);
        config_check_release(&check);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(everything_is_found),
                cmocka_unit_test(parity_takes_what_upstream_takes),
                cmocka_unit_test(objects_are_counted),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
