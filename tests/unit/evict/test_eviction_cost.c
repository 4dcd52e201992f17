/* What evicting a pod is expected to take: whose samples count, and of which policy. */
#include "evict/eviction_cost.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define NOW ((struct wall_time){ 1767225600LL * NS_PER_S })

static const char policies[] =
        "{\"items\":[{\"metadata\":{\"namespace\":\"d\",\"name\":\"low\"},\"spec\":{\"selector\":{"
        "\"matchLabels\":{\"app\":\"vm\"}},\"stages\":[{\"name\":\"one\",\"kind\":\"evict\","
        "\"timeout\":\"1h\"}]}},"
        "{\"metadata\":{\"namespace\":\"d\",\"name\":\"bad\"},\"spec\":{\"selector\":{},\"stages\":"
        "[]}},"
        "{\"metadata\":{\"namespace\":\"d\",\"name\":\"vm\"},\"spec\":{\"precedence\":3,"
        "\"selector\":{\"matchLabels\":{\"app\":\"vm\"}},\"stages\":[{\"name\":\"move\","
        "\"kind\":\"evict\"},{\"name\":\"end\",\"kind\":\"delete\",\"timeout\":\"30s\"}]}}]}";

struct bench {
        struct cluster *cluster;
        struct eviction_costs *costs;
        struct eviction_history *history;
};

static void set_policies(struct bench *bench, const char *text) {
        struct json_doc *doc = NULL;

        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        eviction_costs_set_policies(bench->costs, json_doc_root(doc));
        json_doc_free(doc);
}

/* As the controller stores it. */
static void set_history(struct bench *bench) {
        struct json_doc *doc = NULL;
        struct buf text = { 0 };

        eviction_history_write(bench->history, &text);
        assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
        eviction_costs_set_history(bench->costs, json_doc_root(doc));
        json_doc_free(doc);
        buf_release(&text);
}

static void learn(struct bench *bench, const char *owner, int64_t seconds) {
        const struct history_key key = { SLICE_LITERAL("d/vm"), slice_of(owner),
                                         SLICE_LITERAL("move") };

        for (int i = 0; i < HISTORY_ENOUGH; i++)
                eviction_history_add(bench->history, &key, seconds * NS_PER_S, NOW);
}

static void add_pod(struct bench *bench, const char *ns, const char *name, const char *app,
                    const char *owner) {
        struct json_doc *doc = NULL;
        char text[600];

        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"%s\",\"labels\":{"
                 "\"app\":\"%s\"},\"ownerReferences\":[{\"kind\":\"Other\",\"name\":\"x\","
                 "\"uid\":\"1\"},{\"kind\":\"VM\",\"name\":\"%s\",\"uid\":\"2\","
                 "\"controller\":true}]},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}",
                 ns, name, name, app, owner);
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        assert_int_equal(
                cluster_apply(bench->cluster, OBJECT_POD, CHANGE_ADDED, json_doc_root(doc), NULL),
                0);
        json_doc_free(doc);
}

static int64_t cost_s(const struct bench *bench, const char *ns, const char *name) {
        struct pod_id pod = cluster_find_pod(bench->cluster, slice_of(ns), slice_of(name));

        assert_false(pod_id_is_none(pod));
        return eviction_costs_of(bench->costs, bench->cluster, pod, NOW) / NS_PER_S;
}

static int set_up(void **state) {
        static struct bench bench;

        bench = (struct bench){ .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                .costs = eviction_costs_new(),
                                .history = eviction_history_new() };
        add_pod(&bench, "d", "known", "vm", "a");
        add_pod(&bench, "d", "new", "vm", "b");
        add_pod(&bench, "d", "plain", "web", "a");
        add_pod(&bench, "e", "known", "vm", "a");
        *state = &bench;
        return 0;
}

static int tear_down(void **state) {
        struct bench *bench = *state;

        cluster_free(bench->cluster);
        eviction_costs_free(bench->costs);
        eviction_history_free(bench->history);
        return 0;
}

static void test_without_policies(void **state) {
        struct bench *bench = *state;

        learn(bench, "VM/a", 60);
        set_history(bench);
        assert_int_equal(cost_s(bench, "d", "known"), 0);
        set_policies(bench, "{\"items\":7}");
        assert_int_equal(eviction_costs_policy_count(bench->costs), 0);
}

static void test_whose_samples(void **state) {
        struct bench *bench = *state;

        set_policies(bench, policies);
        assert_int_equal(eviction_costs_policy_count(bench->costs), 3);
        assert_int_equal(cost_s(bench, "d", "known"), 330); /* timeouts: nothing is known */
        learn(bench, "VM/b", 20);
        learn(bench, "VM/a", 60);
        set_history(bench);
        assert_int_equal(cost_s(bench, "d", "known"), 90); /* its own, and a timeout */
        learn(bench, "VM/c", 20);
        set_history(bench);
        assert_int_equal(cost_s(bench, "d", "new"), 50);
        add_pod(bench, "d", "stranger", "vm", "z");
        assert_int_equal(cost_s(bench, "d", "stranger"), 50); /* the policy's */
        assert_int_equal(cost_s(bench, "d", "plain"), 86400); /* held: "bad" cannot be read */
        assert_int_equal(cost_s(bench, "e", "known"), 0);
        eviction_costs_set_history(bench->costs, NULL);
        assert_int_equal(cost_s(bench, "d", "known"), 330);
        set_policies(bench, "{\"items\":[]}");
        assert_int_equal(cost_s(bench, "d", "known"), 0);
}

static void expect_hold(const struct bench *bench, const char *name, const char *why) {
        struct pod_id pod = cluster_find_pod(bench->cluster, SLICE_LITERAL("d"), slice_of(name));
        char text[EVICTION_HOLD_TEXT_MAX];
        struct slice found = eviction_costs_hold(bench->costs, bench->cluster, pod, text);

        if (!slice_contains(found, slice_of(why)) || (!why[0] && found.len))
                fail_msg("%s: \"" SLICE_FMT "\", not \"%s\"", name, SLICE_ARG(found), why);
}

static void see_eviction(struct bench *bench, const char *pod, const char *message) {
        struct json_doc *doc = NULL;
        char text[1200];

        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"d\",\"name\":\"pod-1-%s\"},\"spec\":{\"target\":{"
                 "\"pod\":{\"name\":\"%s\",\"uid\":\"%s\"}}},\"status\":{\"targetResponders\":[{"
                 "\"name\":\"" EVICTION_STAGER "\",\"priority\":5000,\"state\":\"Active\"}],"
                 "\"responders\":[{\"name\":\"" EVICTION_STAGER "\",\"message\":\"%s\"}]}}",
                 pod, pod, pod, message);
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        eviction_costs_see_eviction(bench->costs, json_doc_root(doc));
        json_doc_free(doc);
}

/* Pods that stay, whatever a policy would like to evict. */
static void test_holds(void **state) {
        struct bench *bench = *state;

        expect_hold(bench, "known", "");
        set_policies(bench, policies);
        expect_hold(bench, "known", "");
        expect_hold(bench, "plain", "held: EvictionPolicy \"bad\" cannot be read: ");
        see_eviction(bench, "known", "stage=1/2 name=move policy=vm attempt=1; half way");
        expect_hold(bench, "known", "");
        see_eviction(bench, "known",
                     "held=1/2 name=move policy=vm attempt=1 hold=1; held: stage 1 (move) failed, "
                     "and its onFailure is Hold");
        expect_hold(bench, "known", "held: stage 1 (move) failed, and its onFailure is Hold");
        expect_hold(bench, "new", "");
}

/* Both percentiles, and how many samples are behind the stage that has fewest. */
static void test_expected(void **state) {
        struct bench *bench = *state;
        struct pod_id pod =
                cluster_find_pod(bench->cluster, SLICE_LITERAL("d"), SLICE_LITERAL("known"));
        struct history_estimate estimate;

        assert_false(eviction_costs_expect(bench->costs, bench->cluster, pod, NOW, &estimate));
        set_policies(bench, policies);
        assert_true(eviction_costs_expect(bench->costs, bench->cluster, pod, NOW, &estimate));
        assert_int_equal(estimate.p95_ns, 330 * NS_PER_S);
        assert_int_equal(estimate.count, 0);
        for (int i = 0; i < 2; i++)
                learn(bench, "VM/a", i ? 600 : 60);
        set_history(bench);
        eviction_costs_expect(bench->costs, bench->cluster, pod, NOW, &estimate);
        assert_int_equal(estimate.p50_ns, 90 * NS_PER_S);
        assert_int_equal(estimate.p95_ns, 630 * NS_PER_S);
        assert_int_equal(estimate.count, 0); /* the other stage was never seen */
}

/* Sums of many cannot overflow. */
static void test_longest(void **state) {
        struct bench *bench = *state;

        set_policies(bench,
                     "{\"items\":[{\"metadata\":{\"namespace\":\"d\",\"name\":\"p\"},\"spec\":"
                     "{\"selector\":{\"matchLabels\":{\"app\":\"web\"}},\"stages\":[{\"name\":"
                     "\"x\",\"kind\":\"evict\","
                     "\"timeout\":\"48h\"}]}}]}");
        assert_int_equal(cost_s(bench, "d", "plain"), 24 * 3600);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_without_policies, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_whose_samples, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_holds, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_expected, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_longest, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
