/* Evictions that begin with a 429 and are finished by somebody else: scripts of what happens to a
 * pod, and what must have been sent and counted by then. */
#include "api/json.h"
#include "base/buf.h"
#include "base/util.h"
#include "evict/evict_service.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define PREFIX "descheduler.alpha.kubernetes.io/"
#define BEGUN "admission webhook denied the request: Eviction triggered evacuation of VMI \"a/vm\""

struct bench {
        struct cluster *cluster;
        struct evict_service *service;
        struct evict_requester *requester;
        struct evict_sink sink;
        struct action_list out;
        struct mono_time now;
        const char *name; /* of the case */
};

static void open_bench(struct bench *bench, const char *name, bool is_parity, bool follows) {
        *bench = (struct bench){ .name = name };
        bench->cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        bench->service = evict_service_new(&(struct evict_config){ .cluster = bench->cluster });
        bench->requester = evict_service_join(
                bench->service, &(struct evict_requester_config){ .follows_background = follows,
                                                                  .max_attempts = 1,
                                                                  .is_parity = is_parity });
        bench->sink = evict_requester_sink(bench->requester);
        action_list_init(&bench->out);
}

static void close_bench(struct bench *bench) {
        evict_service_free(bench->service);
        action_list_release(&bench->out);
        cluster_free(bench->cluster);
}

/* marks: r for request-evict-only, p for eviction-in-progress. */
static void put(struct bench *bench, const char *pod, const char *marks, const char *phase) {
        struct buf text = { 0 };
        struct json_doc *doc;
        buf_printf(
                &text,
                "{\"metadata\":{\"namespace\":\"a\",\"name\":\"%s\",\"uid\":\"%s\","
                "\"annotations\":{\"x\":\"y\"%s%s}},\"spec\":{\"nodeName\":\"n1\",\"containers\":"
                "[{\"name\":\"c\"}]},\"status\":{\"phase\":\"%s\"}}",
                pod, pod, strchr(marks, 'r') ? ",\"" PREFIX "request-evict-only\":\"\"" : "",
                strchr(marks, 'p') ? ",\"" PREFIX "eviction-in-progress\":\"\"" : "", phase);
        assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
        assert_int_equal(
                cluster_apply(bench->cluster, OBJECT_POD, CHANGE_ADDED, json_doc_root(doc), NULL),
                0);
        json_doc_free(doc);
        buf_release(&text);
}

static void observe(struct bench *bench) {
        evict_service_observe(bench->service, bench->now, (struct wall_time){ bench->now.ns });
}

static void begin(struct bench *bench, struct evict_limits limits) {
        observe(bench);
        bench->sink.begin_pass(bench->sink.context,
                               &(struct evict_pass){ .limits = limits, .now = { bench->now.ns } });
}

static enum evict_outcome ask(struct bench *bench, const char *pod) {
        const struct evict_intent intent = {
                .pod = { .ns = SLICE_LITERAL("a"), .name = slice_of(pod), .uid = slice_of(pod) },
                .node = SLICE_LITERAL("n1"),
                .plugin = SLICE_LITERAL("PodLifeTime"),
                .profile = SLICE_LITERAL("p"),
                .requested_by = SLICE_LITERAL("d"),
        };
        return bench->sink.ask(bench->sink.context, &intent);
}

/* Sends what is due and answers it; returns the number of evictions. */
static size_t answer_some(struct bench *bench, int code, const char *text) {
        size_t count = 0;
        action_list_clear(&bench->out);
        evict_service_step(bench->service, bench->now, &bench->out);
        for (size_t i = 0; i < bench->out.count; i++) {
                const struct action_result result = { .id = bench->out.items[i].id,
                                                      .kind = ACTION_EVICT,
                                                      .code = code,
                                                      .retry_after_s = -1,
                                                      .text = slice_of(text) };
                if (bench->out.items[i].kind == ACTION_EVICT)
                        count += evict_service_result(bench->service, &result, bench->now,
                                                      (struct wall_time){ bench->now.ns });
        }
        return count;
}

/* Until nothing is due: under parity evictions come one by one. */
static size_t answer(struct bench *bench, int code, const char *text) {
        size_t sum = 0, count;
        while ((count = answer_some(bench, code, text)) > 0)
                sum += count;
        return sum;
}

static uint64_t counted(const struct bench *bench, enum evict_result result) {
        const struct evict_count *counts;
        uint64_t sum = 0;
        size_t count = evict_requester_counts(bench->requester, &counts);
        for (size_t i = 0; i < count; i++)
                if (counts[i].result == result)
                        sum += counts[i].count;
        return sum;
}

/* ---- one pod ---- */

/* One letter of a script: a pass in which the pod is wanted, ... */
enum step {
        WANT_SENT = 'W',    /* wanted; the call is answered: it has begun */
        WANT_REFUSED = 'R', /* wanted; the call is answered by a 429 of another kind */
        WANT_NOT = 'n',     /* wanted; no call may follow */
        MARK = '+',         /* eviction-in-progress appears */
        UNMARK = '-',
        RELEASE = 'k', /* request-evict-only goes away */
        SUCCEED = 's',
        FAIL = 'f',
        DELETE = 'd',
        NINE = '9', /* nine minutes pass */
};

static void want(struct bench *bench, char step) {
        const char *text = step == WANT_REFUSED ? "Cannot evict pod: budget" : BEGUN;
        begin(bench, (struct evict_limits){ 0 });
        enum evict_outcome outcome = ask(bench, "vm");
        size_t sent = answer(bench, BERTH_ERR_TOO_MANY, text);
        if (sent != (step != WANT_NOT) || (outcome == EVICT_REPEATED) != (step == WANT_NOT))
                fail_msg("%s: step %c: %zu calls, outcome %d", bench->name, step, sent,
                         (int)outcome);
}

static void take(struct bench *bench, char step) {
        switch (step) {
        case MARK:
                put(bench, "vm", "rp", "Running");
                break;
        case UNMARK:
                put(bench, "vm", "r", "Running");
                break;
        case RELEASE:
                put(bench, "vm", "", "Running");
                break;
        case SUCCEED:
                put(bench, "vm", "rp", "Succeeded");
                break;
        case FAIL:
                put(bench, "vm", "rp", "Failed");
                break;
        case DELETE:
                cluster_remove_pod(bench->cluster, SLICE_LITERAL("a"), SLICE_LITERAL("vm"));
                break;
        case NINE:
                bench->now.ns += 540 * NS_PER_S;
                break;
        default:
                want(bench, step);
        }
        observe(bench);
}

enum both { DEFAULT = 1, PARITY = 2, BOTH = 3 };

static void test_one_pod(void **state) {
        (void)state;
        static const struct {
                const char *name, *marks, *steps;
                unsigned in; /* enum both */
                uint64_t background, success, error;
                bool is_off;
        } cases[] = {
                { "desched-108 evict-F1 begun, then not asked again", "r", "Wnn", BOTH, 1, 0, 0 },
                { "desched-108 deleted", "r", "W+nd", BOTH, 1, 1, 0 },
                { "desched-108 deleted, never marked", "r", "Wd", BOTH, 1, 1, 0 },
                { "desched-108 evict-F4 mark removed: asked again", "r", "W+n-W", BOTH, 2, 0, 0 },
                { "desched-108 gate off", "r", "RR", BOTH, 0, 0, 2, true },
                { "evict-F2 another 429", "r", "RRW", BOTH, 1, 0, 2 },
                { "not marked for it by its owner", "", "w", BOTH, 0, 0, 1 },
                { "succeeded", "r", "W+s", BOTH, 1, 1, 0 },
                { "failed", "r", "W+f", BOTH, 1, 0, 1 },
                { "released: asked again, an error like any other", "r", "Wkw", BOTH, 1, 0, 1 },
                { "evict-F3 nobody carries it on", "r", "W9n9", DEFAULT, 1, 0, 1 },
                { "evict-F3 asked again afterwards", "r", "W99W", DEFAULT, 2, 0, 1 },
                { "evict-F3 parity: by a sweep every ten minutes", "r", "9W9n99W", PARITY, 2, 0,
                  1 },
                { "D18 a long migration goes on", "r", "W+9999n", DEFAULT, 1, 0, 0 },
                { "D18 parity: a long migration is asked again", "r", "W+9999W", PARITY, 2, 0, 1 },
                { "somebody else's is not counted at its end", "r", "+n9999nd", BOTH, 0, 0, 0 },
                { "marked before the call", "rp", "n-Wd", BOTH, 1, 1, 0 },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                for (int is_parity = 0; is_parity < 2; is_parity++) {
                        struct bench bench;
                        if (!(cases[i].in & (is_parity ? PARITY : DEFAULT)))
                                continue;
                        open_bench(&bench, cases[i].name, is_parity, !cases[i].is_off);
                        put(&bench, "vm", cases[i].marks, "Running");
                        observe(&bench);
                        for (const char *step = cases[i].steps; *step; step++)
                                take(&bench, *step == 'w' ? 'W' : *step);
                        if (counted(&bench, EVICT_RESULT_BACKGROUND) != cases[i].background ||
                            counted(&bench, EVICT_RESULT_SUCCESS) != cases[i].success ||
                            counted(&bench, EVICT_RESULT_ERROR) != cases[i].error)
                                fail_msg("%s: parity %d: background %d, success %d, error %d",
                                         cases[i].name, is_parity,
                                         (int)counted(&bench, EVICT_RESULT_BACKGROUND),
                                         (int)counted(&bench, EVICT_RESULT_SUCCESS),
                                         (int)counted(&bench, EVICT_RESULT_ERROR));
                        assert_int_equal(evict_requester_open(bench.requester), 0);
                        close_bench(&bench);
                }
        }
}

static void test_finished_pod_is_ignored(void **state) {
        (void)state;
        for (int is_parity = 0; is_parity < 2; is_parity++) {
                const struct evict_count *counts;
                struct bench bench;
                open_bench(&bench, "finished", is_parity, true);
                put(&bench, "vm", "r", "Succeeded");
                want(&bench, WANT_SENT);
                want(&bench, WANT_SENT);
                assert_int_equal(evict_requester_counts(bench.requester, &counts), 0);
                assert_int_equal(evict_requester_open(bench.requester), 0);
                close_bench(&bench);
        }
}

/* ---- limits ---- */

struct limit_case {
        const char *name;
        int running; /* marked by somebody before the start */
        int begun;   /* of the first pass, answered: it has begun */
        int evicted; /* of each later round, let through */
        struct evict_limits limits;
        enum evict_outcome last;
};

static enum evict_outcome ask_number(struct bench *bench, int number) {
        char pod[16];
        snprintf(pod, sizeof(pod), "p%d", number);
        return ask(bench, pod);
}

static void put_pods(struct bench *bench, int running) {
        for (int i = 0; i < 9; i++) {
                char pod[16];
                snprintf(pod, sizeof(pod), "p%d", i);
                put(bench, pod, i < running ? "rp" : "r", "Running");
        }
}

/* The same pass goes on, and so does the next: none is counted twice. */
static void run_rounds(struct bench *bench, const struct limit_case *one) {
        for (int round = 0; round < 2; round++) {
                for (int i = 0; i <= one->evicted; i++) {
                        enum evict_outcome got = ask_number(bench, 4 + i);
                        if (got != (i < one->evicted ? EVICT_DONE : one->last))
                                fail_msg("%s: round %d, pod %d: %d", one->name, round, i, (int)got);
                }
                assert_int_equal(answer(bench, BERTH_OK, ""), one->evicted);
                begin(bench, one->limits);
        }
}

static void test_limits(void **state) {
        (void)state;
        static const struct limit_case cases[] = {
                { "desched-109 two in the background, limit 4",
                  0,
                  2,
                  2,
                  { .has_total = true, .total = 4 },
                  EVICT_TOTAL_LIMIT },
                { "desched-109 by node",
                  0,
                  2,
                  2,
                  { .has_node = true, .node = 4 },
                  EVICT_NODE_LIMIT },
                { "desched-109 by namespace",
                  0,
                  2,
                  2,
                  { .has_namespace = true, .ns = 4 },
                  EVICT_NAMESPACE_LIMIT },
                { "evict-F5 restart with three",
                  3,
                  0,
                  1,
                  { .has_total = true, .total = 4 },
                  EVICT_TOTAL_LIMIT },
                { "evict-F5 restart with three, limit 3",
                  3,
                  0,
                  0,
                  { .has_total = true, .total = 3 },
                  EVICT_TOTAL_LIMIT },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases) * 2; i++) {
                const struct limit_case *one = &cases[i / 2];
                struct bench bench;
                open_bench(&bench, one->name, i % 2, true);
                put_pods(&bench, one->running);
                begin(&bench, one->limits);
                for (int j = 0; j < one->begun; j++)
                        assert_int_equal(ask_number(&bench, j), EVICT_DONE);
                assert_int_equal(answer(&bench, BERTH_ERR_TOO_MANY, BEGUN), one->begun);
                run_rounds(&bench, one);
                close_bench(&bench);
        }
}

/* Sends what is due and leaves it unanswered; the number of calls. */
static size_t send_only(struct bench *bench) {
        action_list_clear(&bench->out);
        evict_service_step(bench->service, bench->now, &bench->out);
        return bench->out.count;
}

static void answer_sent(struct bench *bench, int code, const char *text) {
        for (size_t i = 0; i < bench->out.count; i++)
                evict_service_result(bench->service,
                                     &(struct action_result){ .id = bench->out.items[i].id,
                                                              .kind = ACTION_EVICT,
                                                              .code = code,
                                                              .retry_after_s = -1,
                                                              .text = slice_of(text) },
                                     bench->now, (struct wall_time){ bench->now.ns });
}

/* A call that is open when the next pass begins may yet go on in the background: it counts there as
 * if that pass had asked. */
static void test_late_answer(void **state) {
        static const struct {
                const char *marks;
                int code;
                const char *text;
                enum evict_outcome before,
                        after; /* the answer, of a limit of two with one moving */
        } cases[] = {
                { "r", BERTH_ERR_TOO_MANY, BEGUN, EVICT_TOTAL_LIMIT, EVICT_TOTAL_LIMIT },
                { "r", BERTH_ERR_FORBIDDEN, "no", EVICT_TOTAL_LIMIT, EVICT_TOTAL_LIMIT },
                { "r", BERTH_OK, "", EVICT_TOTAL_LIMIT, EVICT_TOTAL_LIMIT },
                { "", BERTH_OK, "", EVICT_DONE, EVICT_TOTAL_LIMIT }, /* the first ask counts now */
        };
        const struct evict_limits limits = { .has_total = true, .total = 2 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench, "late answer", false, true);
                put(&bench, "a", "rp", "Running");
                put(&bench, "b", cases[i].marks, "Running");
                put(&bench, "c", "r", "Running");
                put(&bench, "d", "r", "Running");
                begin(&bench, limits);
                assert_int_equal(ask(&bench, "b"), EVICT_DONE);
                assert_int_equal(send_only(&bench), 1);
                begin(&bench, limits);
                assert_int_equal(ask(&bench, "c"), cases[i].before);
                answer_sent(&bench, cases[i].code, cases[i].text);
                assert_int_equal(ask(&bench, "d"), cases[i].after);
                begin(&bench, limits); /* what was answered is not carried over */
                assert_int_equal(ask(&bench, "d"), cases[i].code == BERTH_ERR_TOO_MANY
                                                           ? EVICT_TOTAL_LIMIT
                                                           : EVICT_DONE);
                close_bench(&bench);
        }
}

/* A budget that says no is no reason not to ask: who evicts in the background answers first. */
static void test_budget_is_not_asked(void **state) {
        (void)state;
        static const char budget[] =
                "{\"metadata\":{\"namespace\":\"a\",\"name\":\"b\",\"generation\":1},\"spec\":{"
                "\"selector\":{}},\"status\":{\"observedGeneration\":1,\"disruptionsAllowed\":0,"
                "\"currentHealthy\":2,\"desiredHealthy\":2,\"expectedPods\":2}}";
        struct bench bench;
        struct json_doc *doc;
        open_bench(&bench, "budget", false, true);
        assert_int_equal(json_parse(slice_of(budget), &doc, NULL), 0);
        cluster_apply(bench.cluster, OBJECT_BUDGET, CHANGE_ADDED, json_doc_root(doc), NULL);
        json_doc_free(doc);
        put(&bench, "vm", "r", "Running");
        put(&bench, "web", "", "Running");
        begin(&bench, (struct evict_limits){ 0 });
        assert_int_equal(ask(&bench, "web"), EVICT_BUDGET);
        assert_int_equal(ask(&bench, "vm"), EVICT_DONE);
        close_bench(&bench);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_one_pod),
                cmocka_unit_test(test_finished_pod_is_ignored),
                cmocka_unit_test(test_limits),
                cmocka_unit_test(test_late_answer),
                cmocka_unit_test(test_budget_is_not_asked),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
