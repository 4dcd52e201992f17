/* Pods whose deletion was asked for, and what that costs budgets until their status shows it. */
#include "api/json.h"
#include "model/cluster.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static int setup(void **state) {
        *state = cluster_new(&(struct cluster_config){ 0 });
        return 0;
}

static int teardown(void **state) {
        cluster_free(*state);
        return 0;
}

__attribute__((format(printf, 3, 4))) static void apply(struct cluster *cluster,
                                                        enum object_kind kind, const char *format,
                                                        ...) {
        char text[2048];
        struct err err = { 0 };
        struct json_doc *doc;
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        assert_int_equal(json_parse(slice_of(text), &doc, &err), 0);
        if (cluster_apply(cluster, kind, CHANGE_UPDATED, json_doc_root(doc), &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        json_doc_free(doc);
}

static struct pod_id put_pod(struct cluster *cluster, const char *name, const char *app,
                             const char *status) {
        apply(cluster, OBJECT_POD,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"u-%s\",\"labels\""
              ":{\"app\":\"%s\"}},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\","
              "\"image\":\"i\"}]},\"status\":{%s}}",
              name, name, app, status);
        return cluster_find_pod(cluster, SLICE_LITERAL("default"), slice_of(name));
}

#define STARTED "\"startTime\":\"2026-01-01T00:00:00Z\""

static void put_budget(struct cluster *cluster, const char *ns, const char *app, int allowed,
                       int healthy) {
        apply(cluster, OBJECT_BUDGET,
              "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\"},\"spec\":{\"selector\":{"
              "\"matchLabels\":{\"app\":\"%s\"}}},\"status\":{\"disruptionsAllowed\":%d,"
              "\"currentHealthy\":%d}}",
              ns, app, app, allowed, healthy);
}

static const struct budget_row *budget(struct cluster *cluster, const char *ns) {
        bool is_known;
        struct str_id id = cluster_str(cluster, slice_of(ns), &is_known);
        size_t at = 0;
        assert_true(is_known);
        return cluster_budget_next(cluster, id, &at);
}

static uint32_t unseen(struct cluster *cluster) {
        return budget(cluster, "default")->unseen;
}

static void test_a_mark_is_a_charge(void **state) {
        put_budget(*state, "default", "a", 2, 5);
        put_budget(*state, "elsewhere", "a", 2, 5);
        struct pod_id pod = put_pod(*state, "p", "a", STARTED);
        struct pod_id other = put_pod(*state, "other", "b", STARTED);
        struct pod_id young = put_pod(*state, "young", "a", "\"phase\":\"Pending\"");
        uint64_t generation = cluster_generation(*state);
        cluster_mark_ending(*state, other);
        cluster_mark_ending(*state, young); /* was never healthy */
        assert_int_equal(unseen(*state), 0);
        assert_int_equal(cluster_generation(*state), generation); /* nobody has to look again */
        cluster_mark_ending(*state, pod);
        assert_int_equal(unseen(*state), 1);
        assert_int_equal(budget(*state, "elsewhere")->unseen, 0);
        assert_true(cluster_generation(*state) > generation);
        cluster_mark_ending(*state, pod);
        assert_int_equal(unseen(*state), 1); /* once */
        assert_true(pod_row_is_leaving(cluster_pod(*state, pod)));
}

static void test_a_void_mark_is_taken_back(void **state) {
        put_budget(*state, "default", "a", 2, 5);
        struct pod_id pod = put_pod(*state, "p", "a", STARTED);
        cluster_mark_ending(*state, pod);
        cluster_unmark_ending(*state, pod);
        assert_int_equal(unseen(*state), 0);
        assert_false(pod_row_is_leaving(cluster_pod(*state, pod)));
        cluster_unmark_ending(*state, pod);
        assert_int_equal(unseen(*state), 0);
}

/* Status after status, and how many of three charges it leaves. */
static void test_the_status_catches_up(void **state) {
        static const struct {
                const char *what;
                int allowed, healthy;
                uint32_t unseen;
        } steps[] = {
                { "something else changed", 4, 9, 3 }, { "one went", 3, 8, 2 },
                { "another one got ready", 4, 9, 2 },  { "two went", 2, 7, 0 },
                { "more went than charged", 0, 4, 0 },
        };
        const char *names[] = { "p", "q", "r" };
        put_budget(*state, "default", "a", 5, 9);
        for (size_t i = 0; i < 3; i++)
                cluster_mark_ending(*state, put_pod(*state, names[i], "a", STARTED));
        for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
                put_budget(*state, "default", "a", steps[i].allowed, steps[i].healthy);
                if (unseen(*state) != steps[i].unseen)
                        fail_msg("%s: %u unseen", steps[i].what, unseen(*state));
        }
}

/* What no status ever shows is forgotten, unless the budget was charged since. */
static void test_settling(void **state) {
        put_budget(*state, "default", "a", 5, 9);
        cluster_mark_ending(*state, put_pod(*state, "p", "a", STARTED));
        uint64_t first = cluster_charges(*state);
        cluster_mark_ending(*state, put_pod(*state, "q", "a", STARTED));
        cluster_settle_budgets(*state, first);
        assert_int_equal(unseen(*state), 2);
        uint64_t generation = cluster_generation(*state);
        cluster_settle_budgets(*state, cluster_charges(*state));
        assert_int_equal(unseen(*state), 0);
        assert_true(cluster_generation(*state) > generation);
}

/* The mark is the pod's, not its name's, and outlasts what the API tells of it. */
static void test_the_mark_stays_with_the_pod(void **state) {
        struct pod_id pod = put_pod(*state, "p", "a", STARTED);
        cluster_mark_ending(*state, pod);
        pod = put_pod(*state, "p", "b", STARTED ",\"phase\":\"Running\"");
        assert_true(cluster_pod(*state, pod)->is_ending);
        cluster_remove_pod(*state, SLICE_LITERAL("default"), SLICE_LITERAL("p"));
        pod = put_pod(*state, "p", "a", STARTED);
        assert_false(cluster_pod(*state, pod)->is_ending);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_a_mark_is_a_charge),          TEST(test_a_void_mark_is_taken_back),
                TEST(test_the_status_catches_up),       TEST(test_settling),
                TEST(test_the_mark_stays_with_the_pod),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
