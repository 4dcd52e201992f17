/* Acceptance cases 2 to 16 that are about the policy.  Names begin with their labels.  Cases about
 * the process (1, 10, 15) are in tests/e2e. */
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler.h"
#include "plugins/desched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define V2 "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n"

struct policy_case {
        const char *name, *text;
        const char *problem; /* NULL = accepted */
        const char *parity;  /* under parity: NULL = the same, "" = accepted */
};
static const struct policy_case cases[] = {
        { "desched-002 v1alpha1",
          "apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy\nstrategies: {}\n", "v1alpha1",
          NULL },
        { "desched-003 D5 unknown key at the top", V2 "profilez: []\n", "profilez", "" },
        { "desched-004 unknown key of args",
          V2 "profiles: [{name: p, pluginConfig: [{name: PodLifeTime, args: "
             "{maxPodLifeTimeSeconds: 1, maxAge: 2}}]}]\n",
          "maxAge", NULL },
        { "desched-005 D6 preEvictionFilter",
          V2 "profiles: [{name: p, plugins: {preEvictionFilter: {enabled: [Nope]}}}]\n",
          "preEvictionFilter", "" },
        { "desched-005 preevictionfilter",
          V2 "profiles: [{name: p, plugins: {preevictionfilter: {enabled: [Nope]}}}]\n",
          "preevictionfilter", NULL },
        { "desched-006 enabled without configuration",
          V2 "profiles: [{name: p, plugins: {balance: {enabled: [RemoveDuplicates]}}}]\n",
          "no entry in pluginConfig", NULL },
        { "desched-007 at the wrong point",
          V2 "profiles: [{name: p, pluginConfig: [{name: LowNodeUtilization, args: {thresholds: "
             "{cpu: 1}, targetThresholds: {cpu: 2}}}], plugins: {deschedule: {enabled: "
             "[LowNodeUtilization]}}}]\n",
          "does not take part", NULL },
        { "desched-008 unknown plugin", V2 "profiles: [{name: p, pluginConfig: [{name: Nope}]}]\n",
          "Nope", NULL },
        { "desched-009 no apiVersion", "profiles: []\n", "apiVersion", "" },
        { "desched-012 priority class absent",
          V2 "profiles: [{name: p, pluginConfig: [{name: DefaultEvictor, args: "
             "{priorityThreshold: {name: nope}}}]}]\n",
          "nope", NULL },
        { "desched-012 value too high",
          V2 "profiles: [{name: p, pluginConfig: [{name: DefaultEvictor, args: "
             "{priorityThreshold: {value: 2000000001}}}]}]\n",
          "priorityThreshold", NULL },
        { "desched-013 provider twice",
          V2 "metricsProviders: [{source: KubernetesMetrics}, {source: KubernetesMetrics}]\n",
          "metricsProviders", NULL },
        { "desched-013 Prometheus without URL",
          V2 "metricsProviders: [{source: Prometheus, prometheus: {}}]\n", "url", NULL },
        { "desched-014 negative limit", V2 "maxNoOfPodsToEvictTotal: -1\n",
          "maxNoOfPodsToEvictTotal", NULL },
};

static struct cluster *make_cluster(const char *const *nodes, size_t count) {
        struct cluster *cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        for (size_t i = 0; i < count; i++) {
                struct json_doc *doc = NULL;
                char text[256];
                snprintf(text, sizeof(text), "{\"metadata\":{\"name\":\"%s\"}}", nodes[i]);
                assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
                assert_int_equal(
                        cluster_apply(cluster, OBJECT_NODE, CHANGE_ADDED, json_doc_root(doc), NULL),
                        0);
                json_doc_free(doc);
        }
        return cluster;
}

static void add_pod(struct cluster *cluster, const char *name) {
        struct json_doc *doc = NULL;
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"d\",\"name\":\"%s\",\"uid\":\"%s\","
                 "\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"ownerReferences\":[{\"kind\":"
                 "\"ReplicaSet\",\"name\":\"o\",\"uid\":\"o\"}]},\"spec\":{\"nodeName\":\"n1\","
                 "\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\"}}",
                 name, name);
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        assert_int_equal(cluster_apply(cluster, OBJECT_POD, CHANGE_ADDED, json_doc_root(doc), NULL),
                         0);
        json_doc_free(doc);
}

static void judge(const struct policy_case *item, bool is_parity) {
        static const char *const nodes[] = { "n1", "n2" };
        struct config_problems *problems = config_problems_new();
        struct descheduler *descheduler = NULL;
        struct cluster *cluster = make_cluster(nodes, ARRAY_LEN(nodes));
        struct buf found = { 0 };
        const char *problem = item->problem;
        if (is_parity && item->parity)
                problem = item->parity[0] ? item->parity : NULL;
        struct descheduler_policy *policy =
                descheduler_policy_read(slice_of(item->text), "policy", is_parity, problems);
        if (policy)
                descheduler_new(&(struct descheduler_config){ .cluster = cluster,
                                                              .policy = policy,
                                                              .registry = desched_registry,
                                                              .is_parity = is_parity },
                                problems, &descheduler, NULL);
        config_problems_print(problems, &found);
        const char *text = found.len > 0 ? found.data : "";
        if (problem ? !strstr(text, problem) : found.len > 0)
                fail_msg("%s%s: %s", item->name, is_parity ? " (parity)" : "",
                         found.len > 0 ? text : "accepted");
        descheduler_free(descheduler);
        descheduler_policy_free(policy);
        config_problems_free(problems);
        cluster_free(cluster);
        buf_release(&found);
}

static void test_policies(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                judge(&cases[i], false);
                judge(&cases[i], true);
        }
}

/* ---- passes ---- */

struct notes {
        struct buf text;
};
static void begin_pass(void *context, const struct evict_pass *pass) {
        (void)context;
        (void)pass;
}
static enum evict_outcome ask(void *context, const struct evict_intent *intent) {
        struct notes *notes = context;
        buf_printf(&notes->text, SLICE_FMT ":" SLICE_FMT " ", SLICE_ARG(intent->profile),
                   SLICE_ARG(intent->pod.name));
        return EVICT_DONE;
}

struct pass_case {
        const char *name, *policy;
        size_t nodes;
        bool is_parity;
        const char *expect; /* PROFILE:POD in order */
};

static void run(const struct pass_case *item) {
        static const char *const nodes[] = { "n1", "n2" };
        bool is_parity = item->is_parity;
        struct notes notes = { 0 };
        struct config_problems *problems = config_problems_new();
        struct cluster *cluster = make_cluster(nodes, item->nodes);
        struct descheduler *descheduler = NULL;
        struct err err = { 0 };
        add_pod(cluster, "a");
        add_pod(cluster, "b");
        struct descheduler_policy *policy =
                descheduler_policy_read(slice_of(item->policy), "policy", is_parity, problems);
        assert_non_null(policy);
        if (descheduler_new(&(struct descheduler_config){ .cluster = cluster,
                                                          .policy = policy,
                                                          .registry = desched_registry,
                                                          .sink = { &notes, begin_pass, ask },
                                                          .is_parity = is_parity },
                            problems, &descheduler, &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        descheduler_pass(descheduler, (struct wall_time){ 1767830400LL * NS_PER_S });
        const char *found = notes.text.len > 0 ? notes.text.data : "";
        if (strcmp(found, item->expect) != 0)
                fail_msg("%s: \"%s\" instead of \"%s\"", item->name, found, item->expect);
        descheduler_free(descheduler);
        descheduler_policy_free(policy);
        config_problems_free(problems);
        cluster_free(cluster);
        buf_release(&notes.text);
}

#define ONE_RULE                                                                                   \
        V2 "profiles: [{name: p, pluginConfig: [{name: PodLifeTime, args: "                        \
           "{maxPodLifeTimeSeconds: 1}}], plugins: {deschedule: {enabled: [PodLifeTime]}}}]\n"
#define TWO_POINTS                                                                                 \
        V2 "profiles:\n"                                                                           \
           "- {name: one, pluginConfig: [{name: RemoveDuplicates}], plugins: {balance: "           \
           "{enabled: [RemoveDuplicates]}}}\n"                                                     \
           "- {name: two, pluginConfig: [{name: PodLifeTime, args: {maxPodLifeTimeSeconds: 1}}], " \
           "plugins: {deschedule: {enabled: [PodLifeTime]}}}\n"

static void test_passes(void **state) {
        static const struct pass_case passes[] = {
                { "desched-011 one ready node, parity", ONE_RULE, 1, true, "" },
                { "desched-011 D20 one ready node", ONE_RULE, 1, false, "p:a p:b " },
                { "desched-011 two ready nodes, parity", ONE_RULE, 2, true, "p:a p:b " },
                { "desched-016 points before profiles, parity", TWO_POINTS, 2, true,
                  "two:a two:b one:b " },
                { "desched-016 points before profiles", TWO_POINTS, 2, false, "two:a two:b " },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(passes); i++)
                run(&passes[i]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_policies),
                cmocka_unit_test(test_passes),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
