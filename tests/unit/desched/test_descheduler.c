/* Building from a policy and one pass: order, what is told to the sink, what is wrong with a
 * policy, explanations. */
#include "desched/descheduler.h"

#include "base/util.h"
#include "config/descheduler_policy.h"
#include "plugins/desched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEAD "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n"

/* ---- a sink that writes down ---- */

struct notes {
        struct buf text; /* "rule:pod " per eviction */
        struct evict_pass pass;
        size_t dry_runs, budget;
        enum evict_outcome refusal; /* of all; EVICT_DONE = none */
        int64_t grace_s;            /* of the last; -1 = none was given */
};

static void begin_pass(void *context, const struct evict_pass *pass) {
        struct notes *notes = context;
        notes->pass = *pass;
}

static enum evict_outcome ask(void *context, const struct evict_intent *intent) {
        struct notes *notes = context;
        if (notes->budget == 0)
                return EVICT_TOTAL_LIMIT;
        notes->budget--;
        notes->grace_s = intent->has_grace ? intent->grace_s : -1;
        if (notes->refusal != EVICT_DONE)
                return notes->refusal;
        notes->dry_runs += intent->is_dry_run;
        buf_printf(&notes->text, SLICE_FMT "/" SLICE_FMT ":" SLICE_FMT " ",
                   SLICE_ARG(intent->profile), SLICE_ARG(intent->plugin),
                   SLICE_ARG(intent->pod.name));
        return EVICT_DONE;
}

/* ---- a cluster: n1 tainted, n2; pods given as (name, node, phase) ---- */

static void apply(struct cluster *cluster, enum object_kind kind, const char *text) {
        struct json_doc *doc = NULL;
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        assert_int_equal(cluster_apply(cluster, kind, CHANGE_ADDED, json_doc_root(doc), NULL), 0);
        json_doc_free(doc);
}

static void add_pod(struct cluster *cluster, const char *name, const char *node,
                    const char *owner) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"d\",\"name\":\"%s\",\"uid\":\"%s\","
                 "\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"ownerReferences\":[{\"kind\":"
                 "\"%s\",\"name\":\"o\",\"uid\":\"o\"}]},\"spec\":{\"nodeName\":\"%s\","
                 "\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\"}}",
                 name, name, owner, node);
        apply(cluster, OBJECT_POD, text);
}

static struct cluster *make_cluster(void) {
        struct cluster *cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        apply(cluster, OBJECT_NODE,
              "{\"metadata\":{\"name\":\"n1\"},\"spec\":{\"taints\":[{\"key\":\"t\",\"effect\":"
              "\"NoSchedule\"}]},\"status\":{\"allocatable\":{\"pods\":\"9\"}}}");
        apply(cluster, OBJECT_NODE,
              "{\"metadata\":{\"name\":\"n2\"},\"status\":{\"allocatable\":{\"pods\":\"9\"}}}");
        add_pod(cluster, "a", "n1", "ReplicaSet");
        add_pod(cluster, "b", "n2", "ReplicaSet");
        add_pod(cluster, "c", "n1", "DaemonSet");
        return cluster;
}

static const struct wall_time now = { 1767830400LL * NS_PER_S }; /* 2026-01-08 */

struct bench {
        struct cluster *cluster;
        struct config_problems *problems;
        struct descheduler_policy *policy;
        struct descheduler *descheduler;
        struct notes notes;
};

static void open_bench(struct bench *bench, const char *text, bool is_parity, bool is_dry_run) {
        struct err err = { 0 };
        *bench = (struct bench){ .cluster = make_cluster(),
                                 .problems = config_problems_new(),
                                 .notes = { .budget = 100 } };
        bench->policy =
                descheduler_policy_read(slice_of(text), "policy.yaml", is_parity, bench->problems);
        assert_non_null(bench->policy);
        const struct descheduler_config config = { .cluster = bench->cluster,
                                                   .policy = bench->policy,
                                                   .registry = desched_registry,
                                                   .sink = { &bench->notes, begin_pass, ask },
                                                   .is_parity = is_parity,
                                                   .is_dry_run = is_dry_run };
        if (descheduler_new(&config, bench->problems, &bench->descheduler, &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
}

static void close_bench(struct bench *bench) {
        descheduler_free(bench->descheduler);
        descheduler_policy_free(bench->policy);
        config_problems_free(bench->problems);
        cluster_free(bench->cluster);
        buf_release(&bench->notes.text);
}

static const char two_profiles[] =
        HEAD "profiles:\n"
             "- name: one\n"
             "  pluginConfig: [{name: RemoveDuplicates, args: {}}, "
             "{name: PodLifeTime, args: {maxPodLifeTimeSeconds: 60}}]\n"
             "  plugins: {balance: {enabled: [RemoveDuplicates]}, "
             "deschedule: {enabled: [PodLifeTime]}}\n"
             "- name: two\n"
             "  pluginConfig: [{name: RemovePodsViolatingNodeTaints}]\n"
             "  plugins: {deschedule: {enabled: [RemovePodsViolatingNodeTaints]}}\n";

/* ---- passes ---- */

static void test_order(void **state) {
        (void)state;
        static const struct {
                bool is_parity, is_dry_run;
                const char *evictions;
        } cases[] = {
                { false, false, "one/PodLifeTime:a one/PodLifeTime:b " },
                { true, false,
                  "one/PodLifeTime:a one/PodLifeTime:b two/RemovePodsViolatingNodeTaints:a " },
                { true, true, "one/PodLifeTime:a one/PodLifeTime:b " },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench, two_profiles, cases[i].is_parity, cases[i].is_dry_run);
                const struct desched_report *report = descheduler_pass(bench.descheduler, now);
                assert_string_equal(bench.notes.text.data, cases[i].evictions);
                assert_int_equal(bench.notes.dry_runs, cases[i].is_dry_run ? 2 : 0);
                assert_int_equal(report->node_count, 2);
                assert_int_equal(report->rule_count, 3);
                assert_true(slice_is(report->rules[1].plugin, "RemovePodsViolatingNodeTaints"));
                assert_true(slice_is(report->rules[2].plugin, "RemoveDuplicates"));
                assert_true(report->rules[2].is_balance);
                assert_int_equal(report->rules[0].evicted, 2);
                close_bench(&bench);
        }
}

static void test_pass_again(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, two_profiles, false, false);
        descheduler_pass(bench.descheduler, now);
        buf_clear(&bench.notes.text);
        descheduler_pass(bench.descheduler, now);
        assert_string_equal(bench.notes.text.data, "one/PodLifeTime:a one/PodLifeTime:b ");
        close_bench(&bench);
}

/* Between regular passes a rule is asked when its time has come, not before and not without. */
static void test_due_rules_are_asked(void **state) {
        (void)state;
        static const char policy[] =
                HEAD "profiles:\n"
                     "- name: p\n"
                     "  pluginConfig: [{name: PodLifeTime, args: {maxPodLifeTimeSeconds: 604900}}, "
                     "{name: RemovePodsViolatingNodeTaints}]\n"
                     "  plugins: {deschedule: {enabled: [RemovePodsViolatingNodeTaints, "
                     "PodLifeTime]}}\n";
        const struct wall_time due = { now.ns + 101 * NS_PER_S }; /* pods are 604,800 s old */
        struct bench bench;
        open_bench(&bench, policy, false, false);
        descheduler_pass(bench.descheduler, now);
        assert_string_equal(bench.notes.text.data, "p/RemovePodsViolatingNodeTaints:a ");
        buf_clear(&bench.notes.text);
        struct wall_time next;
        assert_true(descheduler_next_due(bench.descheduler, &next));
        assert_int_equal(next.ns, due.ns);

        const struct desched_report *report =
                descheduler_react(bench.descheduler, (struct wall_time){ due.ns - 1 }, 0);
        assert_true(report->rules[0].was_passed_over && report->rules[1].was_passed_over);
        assert_true(descheduler_next_due(bench.descheduler, &next)); /* still to come */
        assert_int_equal(next.ns, due.ns);
        assert_int_equal(bench.notes.text.len, 0);

        report = descheduler_react(bench.descheduler, due, 0);
        assert_true(report->rules[0].was_passed_over);
        assert_false(report->rules[1].was_passed_over);
        assert_string_equal(bench.notes.text.data, "p/PodLifeTime:a p/PodLifeTime:b ");

        buf_clear(&bench.notes.text);
        report = descheduler_react(bench.descheduler, due, CLUSTER_NODE_TAINTS);
        assert_false(report->rules[0].was_passed_over);
        close_bench(&bench);
}

static void test_limits_are_passed_on(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench,
                   HEAD "maxNoOfPodsToEvictPerNode: 3\nmaxNoOfPodsToEvictTotal: 0\n"
                        "evictionFailureEventNotification: true\n",
                   false, false);
        const struct desched_report *report = descheduler_pass(bench.descheduler, now);
        const struct evict_pass *pass = &bench.notes.pass;
        assert_false(report->is_skipped);
        assert_true(pass->limits.has_node && pass->limits.has_total);
        assert_false(pass->limits.has_namespace);
        assert_int_equal(pass->limits.node, 3);
        assert_int_equal(pass->limits.total, 0);
        assert_true(pass->notes_failures);
        assert_int_equal(pass->now.ns, now.ns);
        close_bench(&bench);
}

static void test_refused_evictions_are_counted(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, two_profiles, false, false);
        bench.notes.budget = 1;
        const struct desched_report *report = descheduler_pass(bench.descheduler, now);
        assert_int_equal(report->evicted, 1);
        assert_int_equal(report->rules[0].evicted, 1);
        assert_int_equal(report->rules[0].limited, 1);
        close_bench(&bench);
}

/* Whatever the reason, what was refused is counted apart from what a limit stopped. */
static void test_refusals_are_no_limits(void **state) {
        (void)state;
        static const struct {
                enum evict_outcome outcome;
                size_t refused, limited;
        } cases[] = {
                { EVICT_BUDGET, 2, 0 },     { EVICT_REPEATED, 2, 0 },
                { EVICT_FAILED, 2, 0 },     { EVICT_NOT_BETTER, 2, 0 },
                { EVICT_NODE_LIMIT, 0, 2 }, { EVICT_NAMESPACE_LIMIT, 0, 2 },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench, two_profiles, false, false);
                bench.notes.refusal = cases[i].outcome;
                const struct desched_report *report = descheduler_pass(bench.descheduler, now);
                assert_int_equal(report->evicted, 0);
                assert_int_equal(report->rules[0].evicted, 0);
                assert_int_equal(report->rules[0].refused, cases[i].refused);
                assert_int_equal(report->rules[0].limited, cases[i].limited);
                close_bench(&bench);
        }
}

static void test_grace_is_passed_on(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, two_profiles, false, false);
        descheduler_pass(bench.descheduler, now);
        assert_int_equal(bench.notes.grace_s, -1);
        close_bench(&bench);
        char policy[1024];
        snprintf(policy, sizeof(policy), "%s%s", two_profiles, "gracePeriodSeconds: 17\n");
        open_bench(&bench, policy, false, false);
        descheduler_pass(bench.descheduler, now);
        assert_int_equal(bench.notes.grace_s, 17);
        close_bench(&bench);
}

static void test_plugin_failure(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench,
                   HEAD "profiles:\n"
                        "- name: p\n"
                        "  pluginConfig: [{name: LowNodeUtilization, args: {thresholds: {cpu: 1}, "
                        "targetThresholds: {cpu: 2}, metricsUtilization: {source: "
                        "KubernetesMetrics}}}, {name: PodLifeTime, args: "
                        "{maxPodLifeTimeSeconds: 60}}]\n"
                        "  plugins: {balance: {enabled: [LowNodeUtilization]}, "
                        "deschedule: {enabled: [PodLifeTime]}}\n",
                   false, false);
        const struct desched_report *report = descheduler_pass(bench.descheduler, now);
        assert_int_equal(report->rules[0].code, BERTH_OK);
        assert_int_equal(report->rules[0].evicted, 2);
        assert_int_equal(report->rules[1].code, BERTH_ERR_UNAVAILABLE);
        assert_non_null(strstr(report->rules[1].text, "KubernetesMetrics"));
        close_bench(&bench);
}

/* ---- reasons ---- */

static void note_spared(void *context, const struct desched_rule_report *rule, struct pod_id pod,
                        struct slice reasons) {
        (void)pod;
        buf_printf(context, SLICE_FMT ": " SLICE_FMT "\n", SLICE_ARG(rule->plugin),
                   SLICE_ARG(reasons));
}

static void test_reasons(void **state) {
        (void)state;
        struct bench bench;
        struct buf text = { 0 };
        open_bench(&bench, two_profiles, false, false);
        struct pod_id pod = cluster_find_pod(bench.cluster, SLICE_LITERAL("d"), SLICE_LITERAL("c"));
        descheduler_explain(bench.descheduler, now, pod, &text);
        assert_string_equal(text.data, "one: pod is related to a DaemonSet\n"
                                       "two: pod is related to a DaemonSet\n");
        buf_clear(&text);
        pod = cluster_find_pod(bench.cluster, SLICE_LITERAL("d"), SLICE_LITERAL("a"));
        descheduler_explain(bench.descheduler, now, pod, &text);
        assert_int_equal(text.len, 0);
        const struct desched_observer observer = { &text, note_spared };
        descheduler_observe(bench.descheduler, &observer);
        const struct desched_report *report = descheduler_pass(bench.descheduler, now);
        assert_string_equal(text.data,
                            "PodLifeTime: pod is related to a DaemonSet\n"
                            "RemovePodsViolatingNodeTaints: pod is related to a DaemonSet\n"
                            "RemoveDuplicates: pod is related to a DaemonSet\n");
        assert_int_equal(report->rules[0].spared, 1);
        buf_release(&text);
        close_bench(&bench);
}

/* Named among the filters or not, the evictor is asked once and says all it has against a pod. */
static void test_the_evictor_is_asked_once(void **state) {
        (void)state;
        static const char *const filters[] = {
                "", ", filter: {enabled: [DefaultEvictor]}, preevictionfilter: {enabled: "
                    "[DefaultEvictor]}"
        };
        for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
                char policy[512];
                struct bench bench;
                struct buf text = { 0 };
                snprintf(policy, sizeof(policy),
                         HEAD "profiles:\n- name: p\n  pluginConfig: [{name: DefaultEvictor, args: "
                              "{}}, {name: PodLifeTime, args: {maxPodLifeTimeSeconds: 60}}]\n"
                              "  plugins: {deschedule: {enabled: [PodLifeTime]}%s}\n",
                         filters[i]);
                open_bench(&bench, policy, false, false);
                apply(bench.cluster, OBJECT_POD,
                      "{\"metadata\":{\"namespace\":\"d\",\"name\":\"m\",\"uid\":\"m\","
                      "\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"},"
                      "\"ownerReferences\":[{\"kind\":\"Node\",\"name\":\"n2\",\"uid\":\"n\"}]},"
                      "\"spec\":{\"nodeName\":\"n2\",\"containers\":[{\"name\":\"c\"}]},\"status\":"
                      "{"
                      "\"phase\":\"Running\"}}");
                descheduler_explain(
                        bench.descheduler, now,
                        cluster_find_pod(bench.cluster, SLICE_LITERAL("d"), SLICE_LITERAL("m")),
                        &text);
                assert_string_equal(text.data, "p: pod is a mirror pod\n");
                buf_release(&text);
                close_bench(&bench);
        }
}

/* ---- problems ---- */

static void print_problems(const char *policy_text, bool is_parity, struct buf *out) {
        struct config_problems *problems = config_problems_new();
        struct descheduler *descheduler = NULL;
        struct cluster *cluster = make_cluster();
        struct descheduler_policy *policy =
                descheduler_policy_read(slice_of(policy_text), "policy.yaml", is_parity, problems);
        assert_non_null(policy);
        const struct descheduler_config config = { .cluster = cluster,
                                                   .policy = policy,
                                                   .registry = desched_registry,
                                                   .is_parity = is_parity };
        struct err err = { 0 };
        int code = descheduler_new(&config, problems, &descheduler, &err);
        assert_int_equal(code<0, problems->count> 0);
        config_problems_print(problems, out);
        descheduler_free(descheduler);
        descheduler_policy_free(policy);
        config_problems_free(problems);
        cluster_free(cluster);
}

static void test_problems(void **state) {
        (void)state;
        static const struct {
                const char *name, *text;
                const char *parts[4]; /* of the printed problems */
        } cases[] = {
                { "two mistakes",
                  HEAD "profiles:\n"
                       "- name: p\n"
                       "  pluginConfig:\n"
                       "  - name: PodLifeTime\n"
                       "    args: {maxPodLifeTimeSeconds: old}\n"
                       "  - name: RemoveFailedPods\n"
                       "    args:\n"
                       "      exitcodes: [1]\n",
                  { "policy.yaml:7:", "profiles[0].pluginConfig[0].args.maxPodLifeTimeSeconds",
                    "policy.yaml:10:", "profiles[0].pluginConfig[1].args.exitcodes" } },
                { "one that cannot be made",
                  HEAD "profiles:\n"
                       "- name: p\n"
                       "  pluginConfig:\n"
                       "  - name: LowNodeUtilization\n"
                       "    args: {thresholds: {cpu: 1, memory: 1}, targetThresholds: {cpu: 2, "
                       "memory: 2}, metricsUtilization: {source: Prometheus, prometheus: {query: "
                       "q}}}\n"
                       "  plugins: {balance: {enabled: [LowNodeUtilization]}}\n",
                  { "policy.yaml:6:", "profiles[0].pluginConfig[0].args",
                    "thresholds must name just" } },
                { "unknown plugin",
                  HEAD "profiles: [{name: p, pluginConfig: [{name: Nope}]}]\n",
                  { "profiles[0].pluginConfig[0].name", "\"Nope\"" } },
                { "no arguments",
                  HEAD "profiles: [{name: p, plugins: {deschedule: {enabled: [PodLifeTime]}}}]\n",
                  { "policy.yaml:3:", "profiles[0].plugins.deschedule.enabled",
                    "no entry in pluginConfig" } },
                { "wrong point",
                  HEAD "profiles: [{name: p, pluginConfig: [{name: RemoveDuplicates}], "
                       "plugins: {deschedule: {enabled: [RemoveDuplicates]}}}]\n",
                  { "policy.yaml:3:", "profiles[0].plugins.deschedule.enabled",
                    "\"RemoveDuplicates\" does not take part" } },
                { "priority class",
                  HEAD "profiles: [{name: p, pluginConfig: [{name: DefaultEvictor, args: "
                       "{priorityThreshold: {name: nope}}}]}]\n",
                  { "policy.yaml:3:", "profiles[0].pluginConfig[0].args", "priorityThreshold",
                    "no priority class \"nope\"" } },
                { "node selector, second profile",
                  HEAD "nodeSelector: 'a=('\n"
                       "profiles: [{name: p}, {name: q, pluginConfig: [{name: x}]}]\n",
                  { "policy.yaml:3:", "nodeSelector", "profiles[1].pluginConfig[0]" } },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf out = { 0 };
                print_problems(cases[i].text, false, &out);
                for (size_t j = 0; j < 4 && cases[i].parts[j]; j++)
                        if (out.len == 0 || !strstr(out.data, cases[i].parts[j]))
                                fail_msg("%s: \"%s\" is not in: %s", cases[i].name,
                                         cases[i].parts[j], out.len ? out.data : "");
                buf_release(&out);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_order),
                cmocka_unit_test(test_pass_again),
                cmocka_unit_test(test_due_rules_are_asked),
                cmocka_unit_test(test_limits_are_passed_on),
                cmocka_unit_test(test_refused_evictions_are_counted),
                cmocka_unit_test(test_refusals_are_no_limits),
                cmocka_unit_test(test_grace_is_passed_on),
                cmocka_unit_test(test_plugin_failure),
                cmocka_unit_test(test_reasons),
                cmocka_unit_test(test_the_evictor_is_asked_once),
                cmocka_unit_test(test_problems),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
