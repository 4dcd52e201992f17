/* Acceptance cases 2 to 16 that are about the policy.  Names begin with the numbers.  Cases about
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
        { "2 v1alpha1",
          "apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy\nstrategies: {}\n", "v1alpha1",
          NULL },
        { "3 unknown key at the top", V2 "profilez: []\n", "profilez", "" },
        { "4 unknown key of args",
          V2 "profiles: [{name: p, pluginConfig: [{name: PodLifeTime, args: "
             "{maxPodLifeTimeSeconds: 1, maxAge: 2}}]}]\n",
          "maxAge", NULL },
        { "5 preEvictionFilter",
          V2 "profiles: [{name: p, plugins: {preEvictionFilter: {enabled: [Nope]}}}]\n",
          "preEvictionFilter", "" },
        { "5 preevictionfilter",
          V2 "profiles: [{name: p, plugins: {preevictionfilter: {enabled: [Nope]}}}]\n",
          "preevictionfilter", NULL },
        { "6 enabled without configuration",
          V2 "profiles: [{name: p, plugins: {balance: {enabled: [RemoveDuplicates]}}}]\n",
          "no entry in pluginConfig", NULL },
        { "7 at the wrong point",
          V2 "profiles: [{name: p, pluginConfig: [{name: LowNodeUtilization, args: {thresholds: "
             "{cpu: 1}, targetThresholds: {cpu: 2}}}], plugins: {deschedule: {enabled: "
             "[LowNodeUtilization]}}}]\n",
          "does not take part", NULL },
        { "8 unknown plugin", V2 "profiles: [{name: p, pluginConfig: [{name: Nope}]}]\n", "Nope",
          NULL },
        { "9 no apiVersion", "profiles: []\n", "apiVersion", "" },
        { "12 priority class absent",
          V2 "profiles: [{name: p, pluginConfig: [{name: DefaultEvictor, args: "
             "{priorityThreshold: {name: nope}}}]}]\n",
          "nope", NULL },
        { "12 value too high",
          V2 "profiles: [{name: p, pluginConfig: [{name: DefaultEvictor, args: "
             "{priorityThreshold: {value: 2000000001}}}]}]\n",
          "priorityThreshold", NULL },
        { "13 provider twice",
          V2 "metricsProviders: [{source: KubernetesMetrics}, {source: KubernetesMetrics}]\n",
          "metricsProviders", NULL },
        { "13 Prometheus without URL",
          V2 "metricsProviders: [{source: Prometheus, prometheus: {}}]\n", "url", NULL },
        { "14 negative limit", V2 "maxNoOfPodsToEvictTotal: -1\n", "maxNoOfPodsToEvictTotal",
          NULL },
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

static void run(const char *policy_text, const char *const *nodes, size_t node_count,
                bool is_parity, const char *expect) {
        struct notes notes = { 0 };
        struct config_problems *problems = config_problems_new();
        struct cluster *cluster = make_cluster(nodes, node_count);
        struct descheduler *descheduler = NULL;
        struct err err = { 0 };
        add_pod(cluster, "a");
        add_pod(cluster, "b");
        struct descheduler_policy *policy =
                descheduler_policy_read(slice_of(policy_text), "policy", is_parity, problems);
        assert_non_null(policy);
        if (descheduler_new(&(struct descheduler_config){ .cluster = cluster,
                                                          .policy = policy,
                                                          .registry = desched_registry,
                                                          .sink = { &notes, begin_pass, ask },
                                                          .is_parity = is_parity },
                            problems, &descheduler, &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        descheduler_pass(descheduler, (struct wall_time){ 1767830400LL * NS_PER_S });
        assert_string_equal(notes.text.len > 0 ? notes.text.data : "", expect);
        descheduler_free(descheduler);
        descheduler_policy_free(policy);
        config_problems_free(problems);
        cluster_free(cluster);
        buf_release(&notes.text);
}

static void test_11_one_ready_node(void **state) {
        (void)state;
        static const char text[] = V2 "profiles: [{name: p, pluginConfig: [{name: PodLifeTime, "
                                      "args: {maxPodLifeTimeSeconds: 1}}], plugins: {deschedule: "
                                      "{enabled: [PodLifeTime]}}}]\n";
        static const char *const nodes[] = { "n1", "n2" };
        run(text, nodes, 1, true, "");
        run(text, nodes, 1, false, "p:a p:b ");
        run(text, nodes, 2, true, "p:a p:b ");
}

static void test_16_points_before_profiles(void **state) {
        (void)state;
        static const char text[] =
                V2 "profiles:\n"
                   "- {name: one, pluginConfig: [{name: RemoveDuplicates}], plugins: {balance: "
                   "{enabled: [RemoveDuplicates]}}}\n"
                   "- {name: two, pluginConfig: [{name: PodLifeTime, args: "
                   "{maxPodLifeTimeSeconds: 1}}], plugins: {deschedule: {enabled: "
                   "[PodLifeTime]}}}\n";
        static const char *const nodes[] = { "n1", "n2" };
        run(text, nodes, 2, true, "two:a two:b one:b ");
        run(text, nodes, 2, false, "two:a two:b ");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_policies),
                cmocka_unit_test(test_11_one_ready_node),
                cmocka_unit_test(test_16_points_before_profiles),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
