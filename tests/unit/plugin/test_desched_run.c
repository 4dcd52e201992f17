/* The descheduler's pass as plugins see it: order, listings, what is hidden, memo. */
#include "plugin/desched_run.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void apply(struct cluster *cluster, enum object_kind kind, const char *text) {
        struct json_doc *doc = NULL;
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        assert_int_equal(cluster_apply(cluster, kind, CHANGE_ADDED, json_doc_root(doc), NULL), 0);
        json_doc_free(doc);
}

static void add_node(struct cluster *cluster, const char *name, const char *ready) {
        char text[256];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"%s\"},\"status\":{\"conditions\":[{\"type\":\"Ready\","
                 "\"status\":\"%s\"}]}}",
                 name, ready);
        apply(cluster, OBJECT_NODE, text);
}

static void add_pod(struct cluster *cluster, const char *ns, const char *name, const char *day,
                    const char *phase) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"%s-%s\","
                 "\"creationTimestamp\":\"2026-01-%sT00:00:00Z\"},\"spec\":{\"nodeName\":\"b\","
                 "\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"%s\"}}",
                 ns, name, ns, name, day, phase);
        apply(cluster, OBJECT_POD, text);
}

struct asked {
        struct slice uid, reason;
};

static enum evict_outcome ask(void *context, const struct evict_intent *intent) {
        *(struct asked *)context = (struct asked){ intent->pod.uid, intent->reason };
        return EVICT_DONE;
}

struct bench {
        struct cluster *cluster;
        struct arena pass, scratch;
        struct asked asked;
        struct desched_run run;
};

static void open_bench(struct bench *bench, bool is_parity, bool is_dry_run) {
        *bench = (struct bench){ .cluster = cluster_new(
                                         &(struct cluster_config){ .keeps_finished = true }) };
        arena_init(&bench->pass, 0);
        arena_init(&bench->scratch, 0);
        add_node(bench->cluster, "c", "True");
        add_node(bench->cluster, "b", "True");
        add_node(bench->cluster, "a", "False");
        add_node(bench->cluster, "d", "True");
        add_pod(bench->cluster, "y", "new", "03", "Running");
        add_pod(bench->cluster, "y", "old", "01", "Running");
        add_pod(bench->cluster, "x", "same", "02", "Failed");
        add_pod(bench->cluster, "w", "same", "02", "Running");
        add_pod(bench->cluster, "w", "even", "02", "Succeeded");
        bench->run = (struct desched_run){ .cluster = bench->cluster,
                                           .pass = &bench->pass,
                                           .scratch = &bench->scratch,
                                           .is_parity = is_parity,
                                           .is_dry_run = is_dry_run,
                                           .sink = { .context = &bench->asked, .ask = ask } };
        struct bitset selected = cluster_live_nodes(bench->cluster, &bench->pass);
        bitset_remove(&selected, cluster_find_node(bench->cluster, SLICE_LITERAL("d")).index);
        desched_run_prepare(&bench->run, &selected);
}

static void close_bench(struct bench *bench) {
        desched_run_finish(&bench->run);
        arena_release(&bench->pass);
        arena_release(&bench->scratch);
        cluster_free(bench->cluster);
}

static void check_pods(struct bench *bench, enum pod_listing listing, const char *expected) {
        const struct pod_id *pods;
        struct node_id node = cluster_find_node(bench->cluster, SLICE_LITERAL("b"));
        size_t count = desched_run_pods(&bench->run, node, listing, &pods);
        char text[256] = "";
        size_t length = 0;
        for (size_t i = 0; i < count; i++) {
                const struct pod_row *pod = cluster_pod(bench->cluster, pods[i]);
                length += (size_t)snprintf(text + length, sizeof(text) - length,
                                           "%s" SLICE_FMT "/%s", i > 0 ? " " : "",
                                           SLICE_ARG(cluster_text(bench->cluster, pod->ns)),
                                           pod->name);
        }
        assert_string_equal(text, expected);
}

static void test_order(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, false, false);
        struct node_batch_list nodes = desched_run_nodes(&bench.run);
        assert_int_equal(nodes.count, 2);
        assert_true(slice_is(cluster_node_name(bench.cluster, nodes.nodes[0]), "b"));
        assert_true(slice_is(cluster_node_name(bench.cluster, nodes.nodes[1]), "c"));
        check_pods(&bench, PODS_ALL, "y/old w/even w/same x/same y/new");
        check_pods(&bench, PODS_ACTIVE, "y/old w/same y/new");
        check_pods(&bench, PODS_FINISHED, "w/even x/same");
        close_bench(&bench);
}

static void test_hidden_after_asking(void **state) {
        (void)state;
        static const struct {
                bool is_parity, is_dry_run, is_hidden;
        } cases[] = { { false, false, true },
                      { false, true, true },
                      { true, false, false },
                      { true, true, true } };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench, cases[i].is_parity, cases[i].is_dry_run);
                struct pod_id pod =
                        cluster_find_pod(bench.cluster, SLICE_LITERAL("y"), SLICE_LITERAL("old"));
                assert_int_equal(desched_run_evict(&bench.run, pod, SLICE_EMPTY), EVICT_DONE);
                assert_true(slice_is(bench.asked.uid, "y-old"));
                check_pods(&bench, PODS_ACTIVE,
                           cases[i].is_hidden ? "w/same y/new" : "y/old w/same y/new");
                close_bench(&bench);
        }
}

/* ---- what evictions take ---- */

static int64_t expect_seconds(void *context, struct pod_id pod, struct wall_time now) {
        (void)pod;
        (void)now;
        return *(const int64_t *)context * NS_PER_S;
}

static bool place_elsewhere(void *context, struct pod_id pod, struct placement *ret_placement) {
        (void)pod;
        *ret_placement = *(const struct placement *)context;
        return true;
}

static void ignore_move(void *context, struct pod_id pod, struct node_id node) {
        (void)context;
        (void)pod;
        (void)node;
}

static void test_expected_time(void **state) {
        (void)state;
        static const struct {
                int64_t expected_s, gain;
                const char *reason, *reported;
                bool stays, is_forced;
        } cases[] = {
                { 0, 1, "why", "why", false, false },
                { 59, 1, "why", "why; its eviction is expected to take 59s", false, false },
                { 60, 1, "why", NULL, true, false },
                { 60, 2, "", "its eviction is expected to take 1m0s", false, false },
                { 600, 10, "why", NULL, true, false },
                { 600, 11, "why", "why; its eviction is expected to take 10m0s", false, false },
                { 7200, 20, "why", NULL, true, false },
                { 7200, 21, "why", "why; its eviction is expected to take 2h0m0s", false, false },
                { 7200, 0, "why", "why; its eviction is expected to take 2h0m0s", false, true },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench, false, false);
                int64_t expected_s = cases[i].expected_s;
                struct placement placement = {
                        .is_placed = true,
                        .node = cluster_find_node(bench.cluster, SLICE_LITERAL("c")),
                        .has_gain = !cases[i].is_forced,
                        .gain = cases[i].gain,
                };
                const struct placement_predictor oracle = { .context = &placement,
                                                            .place = place_elsewhere,
                                                            .move = ignore_move };
                const struct expected_times expected_times = { &expected_s, expect_seconds };
                bench.run.is_mover = true;
                bench.run.moves = (struct desched_moves){ .predictor = &oracle, .min_gain = 1 };
                bench.run.expected_times = &expected_times;
                struct pod_id pod =
                        cluster_find_pod(bench.cluster, SLICE_LITERAL("y"), SLICE_LITERAL("old"));
                assert_int_equal(desched_run_evict(&bench.run, pod, slice_of(cases[i].reason)),
                                 cases[i].stays ? EVICT_NOT_BETTER : EVICT_DONE);
                if (cases[i].reported)
                        assert_true(slice_is(bench.asked.reason, cases[i].reported));
                close_bench(&bench);
        }
}

static void test_memo(void **state) {
        (void)state;
        struct bench bench;
        int x = 0, y = 0;
        open_bench(&bench, false, false);
        assert_null(desched_run_cached(&bench.run, &x, 1));
        desched_run_cache_put(&bench.run, &x, 1, &y);
        assert_ptr_equal(desched_run_cached(&bench.run, &x, 1), &y);
        assert_null(desched_run_cached(&bench.run, &x, 2));
        assert_null(desched_run_cached(&bench.run, &y, 1));
        close_bench(&bench);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_order),
                cmocka_unit_test(test_hidden_after_asking),
                cmocka_unit_test(test_expected_time),
                cmocka_unit_test(test_memo),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
