/* The runner with made-up plugins: whom it asks in which order, when a phase ends, what it makes of
 * their words. */
#include "fake_plugins.h"

#include "base/util.h"
#include "model/cluster.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NONE 0
#define N0 1u
#define N1 2u
#define N2 4u

/* Three nodes, one pending pod, a profile of A, B and C with weights 1, 2 and 3. */
struct bench {
        struct cluster *cluster;
        struct arena arena;
        struct sched_profile *profile;
        struct sched_attempt attempt;
};

static void put(struct cluster *cluster, enum object_kind kind, const char *text) {
        struct json_doc *doc;
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        assert_int_equal(cluster_apply(cluster, kind, CHANGE_ADDED, json_doc_root(doc), NULL), 0);
        json_doc_free(doc);
}

static struct sched_profile *make_profile(void) {
        static const struct plugin_choice enabled[] = { { SLICE_INIT("Sort"), 0 },
                                                        { SLICE_INIT("A"), 1 },
                                                        { SLICE_INIT("B"), 2 },
                                                        { SLICE_INIT("C"), 3 },
                                                        { SLICE_INIT("Bind"), 0 } };
        static const struct slice all = SLICE_INIT("*");
        struct sched_profile_spec spec = { 0 };
        struct sched_profile *profile;
        spec.sets[POINT_MULTI] = (struct plugin_set){ ARRAY_LEN(enabled), 1, enabled, &all };
        const struct profile_env env = { .registry = fake_registry };
        assert_int_equal(sched_profile_new(&spec, &env, &profile, NULL), 0);
        return profile;
}

static void open_bench(struct bench *bench) {
        *bench = (struct bench){ .cluster = cluster_new(&(struct cluster_config){ 0 }) };
        arena_init(&bench->arena, 0);
        put(bench->cluster, OBJECT_NODE, "{\"metadata\":{\"name\":\"n0\"}}");
        put(bench->cluster, OBJECT_NODE, "{\"metadata\":{\"name\":\"n1\"}}");
        put(bench->cluster, OBJECT_NODE, "{\"metadata\":{\"name\":\"n2\"}}");
        put(bench->cluster, OBJECT_POD,
            "{\"metadata\":{\"namespace\":\"d\",\"name\":\"p\",\"uid\":\"u\"},\"spec\":{"
            "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        fakes_reset();
        bench->profile = make_profile();
        const struct attempt_request request = {
                .cluster = bench->cluster,
                .profile = bench->profile,
                .pod = cluster_find_pod(bench->cluster, SLICE_LITERAL("d"), SLICE_LITERAL("p")),
                .arena = &bench->arena,
        };
        sched_attempt_init(&bench->attempt, &request);
}

static void close_bench(struct bench *bench) {
        sched_attempt_release(&bench->attempt);
        sched_profile_free(bench->profile);
        arena_release(&bench->arena);
        cluster_free(bench->cluster);
        assert_int_equal(fake_open, 0);
}

static uint32_t bits_of(const struct bitset *nodes) {
        uint32_t bits = 0;
        for (size_t i = 0; nodes && i < FAKE_NODES; i++)
                bits |= (uint32_t)bitset_has(nodes, i) << i;
        return bits;
}

/* ---- PreEnqueue ---- */

static void test_the_first_gate_holds(void **state) {
        struct bench bench;
        struct phase_verdict gate;
        (void)state;
        open_bench(&bench);
        assert_false(sched_attempt_gate(&bench.attempt, &gate));
        assert_string_equal(fakes_asked(), "A.preEnqueue B.preEnqueue C.preEnqueue");
        fakes_reset();
        fakes[1] = (struct fake){ .pre_enqueue = VERDICT_UNRESOLVABLE, .reason = "gated" };
        assert_true(sched_attempt_gate(&bench.attempt, &gate));
        assert_string_equal(fakes_asked(), "A.preEnqueue B.preEnqueue");
        assert_string_equal(gate.plugin->name, "B");
        assert_int_equal(gate.code, VERDICT_UNRESOLVABLE);
        assert_int_equal(gate.reason_count, 1);
        assert_true(slice_is(gate.reasons[0], "gated"));
        close_bench(&bench);
}

/* ---- PreFilter ---- */

struct pre_filter_case {
        const char *name;
        enum verdict_code says[FAKE_COUNT];
        uint32_t only[FAKE_COUNT];
        enum verdict_code code;
        const char *asked;
        const char *reason; /* NULL = none */
        uint32_t left;      /* nodes after restrictions; NONE = no restriction */
        const char *absent; /* why others are left out; NULL = none are */
};

#define ALL_ASKED "A.preFilter B.preFilter C.preFilter"
#define OK3                                                                                        \
        { VERDICT_OK, VERDICT_OK, VERDICT_OK }

static const struct pre_filter_case pre_filter_cases[] = {
        { "all content", OK3, { NONE }, VERDICT_OK, ALL_ASKED, NULL, NONE, NULL },
        { "one restricts",
          OK3,
          { NONE, N0 | N1 },
          VERDICT_OK,
          ALL_ASKED,
          NULL,
          N0 | N1,
          "node(s) didn't satisfy plugin(s) [B]" },
        { "two restrict",
          OK3,
          { N0 | N1, NONE, N1 | N2 },
          VERDICT_OK,
          ALL_ASKED,
          NULL,
          N1,
          "node(s) didn't satisfy plugin(s) [A C]" },
        { "restrictions of who skips do not count",
          { VERDICT_OK, VERDICT_SKIP, VERDICT_OK },
          { NONE, N0 },
          VERDICT_OK,
          ALL_ASKED,
          NULL,
          NONE,
          NULL },
        { "nothing in common",
          OK3,
          { N0, N1 },
          VERDICT_UNRESOLVABLE,
          "A.preFilter B.preFilter",
          "node(s) didn't satisfy plugin(s) [A B] simultaneously",
          NONE,
          "node(s) didn't satisfy plugin(s) [A B]" },
        { "a refusal that others may outdo",
          { VERDICT_UNSCHEDULABLE, VERDICT_OK, VERDICT_UNRESOLVABLE },
          { NONE },
          VERDICT_UNRESOLVABLE,
          ALL_ASKED,
          "C says no",
          NONE,
          NULL },
        { "a refusal stays when the others agree",
          { VERDICT_OK, VERDICT_UNSCHEDULABLE, VERDICT_OK },
          { NONE },
          VERDICT_UNSCHEDULABLE,
          ALL_ASKED,
          "B says no",
          NONE,
          NULL },
        { "a final refusal ends the phase",
          { VERDICT_OK, VERDICT_UNRESOLVABLE, VERDICT_OK },
          { NONE },
          VERDICT_UNRESOLVABLE,
          "A.preFilter B.preFilter",
          "B says no",
          NONE,
          NULL },
        { "so does an error",
          { VERDICT_ERROR, VERDICT_OK, VERDICT_OK },
          { NONE },
          VERDICT_ERROR,
          "A.preFilter",
          "A says no",
          NONE,
          NULL },
};

static void check_pre_filter(const struct pre_filter_case *row) {
        static const char *const reasons[] = { "A says no", "B says no", "C says no" };
        struct bench bench;
        open_bench(&bench);
        for (size_t i = 0; i < FAKE_COUNT; i++)
                fakes[i] = (struct fake){ .pre_filter = row->says[i],
                                          .only = row->only[i],
                                          .reason = reasons[i] };
        enum verdict_code code = sched_attempt_pre_filter(&bench.attempt);
        const struct verdict *verdict = &bench.attempt.pre_filter;
        if (code != row->code || strcmp(fakes_asked(), row->asked) != 0)
                fail_msg("%s: %s after %s", row->name, verdict_code_name(code), fakes_asked());
        if (row->reason ? verdict->reason_count != 1 || !slice_is(verdict->reasons[0], row->reason)
                        : verdict->reason_count != 0)
                fail_msg("%s: " SLICE_FMT, row->name, SLICE_ARG(verdict->reasons[0]));
        if (bits_of(bench.attempt.only) != row->left)
                fail_msg("%s: nodes %u", row->name, bits_of(bench.attempt.only));
        if (row->absent ? !slice_is(*bench.attempt.absent_reason, row->absent)
                        : !!bench.attempt.absent_reason)
                fail_msg("%s: why others are left out", row->name);
        close_bench(&bench);
}

static void test_pre_filters(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(pre_filter_cases); i++)
                check_pre_filter(&pre_filter_cases[i]);
}

/* ---- Filter ---- */

static void all_nodes(struct bench *bench, struct bitset *ret_nodes) {
        *ret_nodes = bitset_in_arena(&bench->arena, FAKE_NODES);
        for (size_t i = 0; i < FAKE_NODES; i++)
                bitset_add(ret_nodes, i);
}

static void test_filters_narrow(void **state) {
        struct bench bench;
        struct bitset nodes;
        (void)state;
        open_bench(&bench);
        fakes[0] = (struct fake){ .refused = N0, .refusal = VERDICT_UNSCHEDULABLE, .reason = "a" };
        fakes[1] = (struct fake){ .refused = N1, .refusal = VERDICT_UNSCHEDULABLE, .reason = "b" };
        fakes[2].pre_filter = VERDICT_SKIP; /* and its filter is not asked */
        fakes[2].refused = N0 | N1 | N2;
        assert_int_equal(sched_attempt_pre_filter(&bench.attempt), VERDICT_OK);
        all_nodes(&bench, &nodes);
        sched_attempt_filter(&bench.attempt, &nodes);
        assert_int_equal(bits_of(&nodes), N2);
        /* B has no filter for many nodes and is asked about those that A left. */
        assert_string_equal(fakes_asked(), ALL_ASKED " A.filter B.explain B.explain");
        close_bench(&bench);
}

static void test_judging_agrees_with_filtering(void **state) {
        struct bench bench;
        struct node_refusal refusal;
        (void)state;
        open_bench(&bench);
        fakes[0] = (struct fake){ .refused = N0, .refusal = VERDICT_UNSCHEDULABLE, .reason = "a" };
        fakes[1] =
                (struct fake){ .refused = N0 | N1, .refusal = VERDICT_UNRESOLVABLE, .reason = "b" };
        sched_attempt_pre_filter(&bench.attempt);
        assert_false(sched_attempt_judge(&bench.attempt, (struct node_id){ 0 }, &refusal));
        assert_string_equal(refusal.plugin->name, "A"); /* the first that refuses */
        assert_int_equal(refusal.code, VERDICT_UNSCHEDULABLE);
        assert_true(refusal.reason_count == 1 && slice_is(refusal.reasons[0], "a"));
        assert_false(sched_attempt_judge(&bench.attempt, (struct node_id){ 1 }, &refusal));
        assert_string_equal(refusal.plugin->name, "B");
        assert_int_equal(refusal.code, VERDICT_UNRESOLVABLE);
        assert_true(sched_attempt_judge(&bench.attempt, (struct node_id){ 2 }, &refusal));
        close_bench(&bench);
}

/* ---- scores ---- */

static enum verdict_code score(struct bench *bench, struct attempt_scores *ret_scores,
                               struct verdict *verdict) {
        static const struct node_id nodes[] = { { 0 }, { 2 } };
        *verdict = (struct verdict){ .code = VERDICT_OK };
        return sched_attempt_score(&bench->attempt, (struct node_batch){ nodes, 2 }, true,
                                   ret_scores, verdict);
}

static void test_scores_are_weighted(void **state) {
        struct bench bench;
        struct attempt_scores scores;
        struct verdict verdict;
        (void)state;
        open_bench(&bench);
        fakes[0] = (struct fake){ .scores = { 5, 9, 7 }, .scale = 10 };
        fakes[1] = (struct fake){ .scores = { 100, 9, 0 } };
        fakes[2] = (struct fake){ .pre_score = VERDICT_SKIP, .scores = { 90, 90, 90 } };
        assert_int_equal(score(&bench, &scores, &verdict), VERDICT_OK);
        assert_string_equal(fakes_asked(), "A.preScore B.preScore C.preScore A.score A.normalize "
                                           "B.score");
        assert_int_equal(scores.totals[0], 50 + 2 * 100);
        assert_int_equal(scores.totals[1], 70);
        assert_int_equal(scores.column_count, 2);
        assert_int_equal(scores.columns[0].raw[0], 5);
        assert_int_equal(scores.columns[0].weighted[1], 70);
        assert_string_equal(scores.columns[1].plugin->name, "B");
        assert_int_equal(scores.columns[1].weight, 2);
        assert_int_equal(scores.columns[1].weighted[0], 200);
        close_bench(&bench);
}

static void test_scores_out_of_range(void **state) {
        static const int64_t bad[] = { -1, 101 };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
                struct bench bench;
                struct attempt_scores scores;
                struct verdict verdict;
                char text[64];
                open_bench(&bench);
                fakes[1].scores[2] = bad[i];
                assert_int_equal(score(&bench, &scores, &verdict), VERDICT_ERROR);
                snprintf(text, sizeof(text), "plugin \"B\" returns an invalid score %d",
                         (int)bad[i]);
                assert_true(slice_contains(verdict.reasons[0], slice_of(text)));
                close_bench(&bench);
        }
}

static void test_an_error_before_scores(void **state) {
        struct bench bench;
        struct attempt_scores scores;
        struct verdict verdict;
        (void)state;
        open_bench(&bench);
        fakes[1] = (struct fake){ .pre_score = VERDICT_ERROR, .reason = "broken" };
        assert_int_equal(score(&bench, &scores, &verdict), VERDICT_ERROR);
        assert_string_equal(fakes_asked(), "A.preScore B.preScore");
        assert_true(slice_is(verdict.reasons[0], "broken"));
        close_bench(&bench);
}

/* ---- PostFilter, Reserve, PreBind ---- */

static void test_post_filters(void **state) {
        static const struct {
                enum verdict_code says[FAKE_COUNT], code;
                const char *asked, *message;
        } cases[] = {
                { { VERDICT_UNSCHEDULABLE, VERDICT_UNSCHEDULABLE, VERDICT_UNSCHEDULABLE },
                  VERDICT_UNSCHEDULABLE,
                  "A.postFilter B.postFilter C.postFilter",
                  "a, b, c" },
                { { VERDICT_UNSCHEDULABLE, VERDICT_OK, VERDICT_ERROR },
                  VERDICT_OK,
                  "A.postFilter B.postFilter",
                  "" },
                { { VERDICT_UNSCHEDULABLE, VERDICT_ERROR, VERDICT_OK },
                  VERDICT_ERROR,
                  "A.postFilter B.postFilter",
                  "b" },
        };
        static const char *const reasons[] = { "a", "b", "c" };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench);
                for (size_t f = 0; f < FAKE_COUNT; f++)
                        fakes[f] = (struct fake){ .post_filter = cases[i].says[f],
                                                  .reason = reasons[f] };
                sched_attempt_post_filter(&bench.attempt);
                assert_int_equal(bench.attempt.preemption.code, cases[i].code);
                assert_string_equal(fakes_asked(), cases[i].asked);
                assert_true(slice_is(bench.attempt.preemption.message, cases[i].message));
                close_bench(&bench);
        }
}

static void test_who_reserves(void **state) {
        struct bench bench;
        (void)state;
        open_bench(&bench);
        fakes[1].pre_filter = VERDICT_SKIP;
        sched_attempt_pre_filter(&bench.attempt);
        sched_attempt_reserve(&bench.attempt, (struct node_id){ 1 }, &(struct reservation){ 0 });
        assert_string_equal(fakes_asked(), ALL_ASKED " A.reserve C.reserve");
        close_bench(&bench);
}

static void test_pre_bind(void **state) {
        static const struct {
                enum verdict_code says[FAKE_COUNT], code;
                const char *plugin; /* NULL = none */
                const char *asked;
        } cases[] = {
                { OK3, VERDICT_OK, NULL, "A.preBind B.preBind C.preBind" },
                { { VERDICT_WAIT, VERDICT_OK, VERDICT_OK },
                  VERDICT_WAIT,
                  "A",
                  "A.preBind B.preBind C.preBind" },
                { { VERDICT_WAIT, VERDICT_ERROR, VERDICT_OK },
                  VERDICT_ERROR,
                  "B",
                  "A.preBind B.preBind" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                struct verdict verdict = { .code = VERDICT_OK };
                const struct plugin *plugin = NULL;
                open_bench(&bench);
                for (size_t f = 0; f < FAKE_COUNT; f++)
                        fakes[f].pre_bind = cases[i].says[f];
                assert_int_equal(sched_attempt_pre_bind(&bench.attempt, (struct node_id){ 0 }, 0,
                                                        &plugin, &verdict),
                                 cases[i].code);
                assert_string_equal(fakes_asked(), cases[i].asked);
                assert_string_equal(plugin ? plugin->name : "",
                                    cases[i].plugin ? cases[i].plugin : "");
                close_bench(&bench);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_the_first_gate_holds),
                cmocka_unit_test(test_pre_filters),
                cmocka_unit_test(test_filters_narrow),
                cmocka_unit_test(test_judging_agrees_with_filtering),
                cmocka_unit_test(test_scores_are_weighted),
                cmocka_unit_test(test_scores_out_of_range),
                cmocka_unit_test(test_an_error_before_scores),
                cmocka_unit_test(test_post_filters),
                cmocka_unit_test(test_who_reserves),
                cmocka_unit_test(test_pre_bind),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
