/* The eviction service: limits, budgets, calls in flight, back-off, events, records. */
#include "evict/evict_service.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define REQUESTER "sigs.k8s.io/descheduler"

struct bench {
        struct evict_service *service;
        struct evict_requester *requester;
        struct evict_sink sink;
        struct action_list out;
        struct mono_time now;
        struct wall_time wall;
};

static void open_bench_of(struct bench *bench, const struct cluster *cluster,
                          const struct evict_requester_config *config) {
        *bench = (struct bench){ .wall = { 1000 * NS_PER_S } };
        bench->service = evict_service_new(&(struct evict_config){ .cluster = cluster });
        bench->requester = evict_service_join(bench->service, config);
        bench->sink = evict_requester_sink(bench->requester);
        action_list_init(&bench->out);
}

static void open_bench(struct bench *bench, const struct evict_requester_config *config) {
        open_bench_of(bench, NULL, config);
}

static void close_bench(struct bench *bench) {
        evict_service_free(bench->service);
        action_list_release(&bench->out);
}

static void begin(struct bench *bench, struct evict_limits limits, bool notes_failures) {
        const struct evict_pass pass = { .limits = limits,
                                         .now = bench->wall,
                                         .notes_failures = notes_failures };
        bench->sink.begin_pass(bench->sink.context, &pass);
}

static struct evict_intent intent(const char *ns, const char *name, const char *node) {
        return (struct evict_intent){
                .pod = { .ns = slice_of(ns), .name = slice_of(name), .uid = slice_of(name) },
                .node = slice_of(node),
                .plugin = SLICE_LITERAL("PodLifeTime"),
                .profile = SLICE_LITERAL("p"),
                .requested_by = SLICE_LITERAL(REQUESTER),
        };
}

static enum evict_outcome ask(struct bench *bench, const char *ns, const char *name,
                              const char *node) {
        struct evict_intent one = intent(ns, name, node);
        return bench->sink.ask(bench->sink.context, &one);
}

static size_t step(struct bench *bench) {
        action_list_clear(&bench->out);
        evict_service_step(bench->service, bench->now, &bench->out);
        return bench->out.count;
}

/* Answers the first eviction of the last step. */
static void answer(struct bench *bench, int code, int retry_after_s, const char *text) {
        for (size_t i = 0; i < bench->out.count; i++) {
                if (bench->out.items[i].kind != ACTION_EVICT)
                        continue;
                const struct action_result result = { .id = bench->out.items[i].id,
                                                      .kind = ACTION_EVICT,
                                                      .code = code,
                                                      .retry_after_s = retry_after_s,
                                                      .text = slice_of(text) };
                assert_true(evict_service_result(bench->service, &result, bench->now, bench->wall));
                return;
        }
        fail_msg("no eviction to answer");
}

static const struct evict_record *last_record(const struct bench *bench) {
        const struct evict_record *record, *last = NULL;
        size_t at = 0;
        while ((record = evict_requester_next_record(bench->requester, 0, &at)))
                last = record;
        return last;
}

/* ---- limits ---- */

static void test_limits(void **state) {
        (void)state;
        static const struct {
                const char *name;
                struct evict_limits limits;
                enum evict_outcome outcomes[4]; /* a/1 on n1, a/2 on n1, b/3 on n2, a/4 on n2 */
        } cases[] = {
                { "none", { 0 }, { EVICT_DONE, EVICT_DONE, EVICT_DONE, EVICT_DONE } },
                { "total 0",
                  { .has_total = true },
                  { EVICT_TOTAL_LIMIT, EVICT_TOTAL_LIMIT, EVICT_TOTAL_LIMIT, EVICT_TOTAL_LIMIT } },
                { "total 2",
                  { .has_total = true, .total = 2 },
                  { EVICT_DONE, EVICT_DONE, EVICT_TOTAL_LIMIT, EVICT_TOTAL_LIMIT } },
                { "node 1",
                  { .has_node = true, .node = 1 },
                  { EVICT_DONE, EVICT_NODE_LIMIT, EVICT_DONE, EVICT_NODE_LIMIT } },
                { "namespace 2",
                  { .has_namespace = true, .ns = 2 },
                  { EVICT_DONE, EVICT_DONE, EVICT_DONE, EVICT_NAMESPACE_LIMIT } },
                { "node before namespace",
                  { .has_node = true, .node = 1, .has_namespace = true, .ns = 1 },
                  { EVICT_DONE, EVICT_NODE_LIMIT, EVICT_DONE, EVICT_NODE_LIMIT } },
                { "total before node",
                  { .has_total = true, .total = 1, .has_node = true, .node = 1 },
                  { EVICT_DONE, EVICT_TOTAL_LIMIT, EVICT_TOTAL_LIMIT, EVICT_TOTAL_LIMIT } },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench, &(struct evict_requester_config){ 0 });
                begin(&bench, cases[i].limits, false);
                const enum evict_outcome got[] = { ask(&bench, "a", "1", "n1"),
                                                   ask(&bench, "a", "2", "n1"),
                                                   ask(&bench, "b", "3", "n2"),
                                                   ask(&bench, "a", "4", "n2") };
                size_t done = 0;
                for (size_t j = 0; j < 4; j++) {
                        if (got[j] != cases[i].outcomes[j])
                                fail_msg("%s: pod %zu: %d", cases[i].name, j + 1, (int)got[j]);
                        done += got[j] == EVICT_DONE;
                }
                assert_int_equal(step(&bench), done);
                close_bench(&bench);
        }
}

static void test_limits_start_again(void **state) {
        (void)state;
        struct bench bench;
        const struct evict_limits one = { .has_total = true, .total = 1 };
        open_bench(&bench, &(struct evict_requester_config){ 0 });
        begin(&bench, one, false);
        assert_int_equal(ask(&bench, "a", "1", "n1"), EVICT_DONE);
        assert_int_equal(ask(&bench, "a", "2", "n1"), EVICT_TOTAL_LIMIT);
        step(&bench);
        answer(&bench, BERTH_OK, -1, "");
        begin(&bench, one, false);
        assert_int_equal(ask(&bench, "a", "2", "n1"), EVICT_DONE);
        close_bench(&bench);
}

static void test_limit_is_reported(void **state) {
        (void)state;
        static const struct {
                const char *name;
                struct evict_limits limits;
                const char *note, *result;
        } cases[] = {
                { "desched-102 total 0: a Warning, and counted by the text",
                  { .has_total = true },
                  "pod eviction from n1 node by sigs.k8s.io/descheduler failed: total eviction "
                  "limit exceeded (0)",
                  "maximum number of evicted pods per a descheduling cycle reached" },
                { "node",
                  { .has_node = true },
                  "pod eviction from n1 node by sigs.k8s.io/descheduler failed: node eviction "
                  "limit exceeded (0)",
                  "maximum number of evicted pods per node reached" },
                { "namespace",
                  { .has_namespace = true },
                  "pod eviction from n1 node by sigs.k8s.io/descheduler failed: namespace "
                  "eviction limit exceeded (0)",
                  "maximum number of evicted pods per namespace reached" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench, &(struct evict_requester_config){ 0 });
                begin(&bench, cases[i].limits, true);
                ask(&bench, "a", "1", "n1");
                assert_int_equal(step(&bench), 1);
                const struct action *event = &bench.out.items[0];
                assert_int_equal(event->kind, ACTION_RECORD_EVENT);
                assert_true(event->event.is_warning);
                assert_true(slice_is(event->event.reason, "EvictionFailed"));
                if (!slice_is(event->event.note, cases[i].note))
                        fail_msg("%s: " SLICE_FMT, cases[i].name, SLICE_ARG(event->event.note));
                const struct evict_count *counts;
                assert_int_equal(evict_requester_counts(bench.requester, &counts), 1);
                assert_string_equal(evict_result_name(counts[0].result), cases[i].result);
                begin(&bench, cases[i].limits, false);
                ask(&bench, "a", "1", "n1");
                assert_int_equal(step(&bench), 0);
                close_bench(&bench);
        }
}

/* ---- actions ---- */

static void test_D8_action(void **state) {
        (void)state;
        for (int is_parity = 0; is_parity < 2; is_parity++) {
                struct bench bench;
                open_bench(&bench, &(struct evict_requester_config){ .is_parity = is_parity });
                begin(&bench, (struct evict_limits){ 0 }, false);
                struct evict_intent one = intent("a", "1", "n1");
                one.has_grace = true;
                one.grace_s = 7;
                one.reason = SLICE_LITERAL("because");
                assert_int_equal(bench.sink.ask(bench.sink.context, &one), EVICT_DONE);
                assert_int_equal(step(&bench), 1);
                const struct action *action = &bench.out.items[0];
                assert_int_equal(action->kind, ACTION_EVICT);
                assert_true(slice_is(action->target.kind, "Pod"));
                assert_true(slice_is(action->target.ns, "a"));
                assert_true(slice_is(action->target.name, "1"));
                assert_true(slice_is(action->target.uid, is_parity ? "" : "1"));
                assert_true(slice_is(action->evict.plugin, "PodLifeTime"));
                assert_true(slice_is(action->evict.profile, "p"));
                assert_true(slice_is(action->evict.reason, "because"));
                assert_true(slice_is(action->evict.requested_by, REQUESTER));
                assert_true(action->evict.has_grace);
                assert_int_equal(action->evict.grace_s, 7);
                close_bench(&bench);
        }
}

static void test_no_uid(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, &(struct evict_requester_config){ 0 });
        begin(&bench, (struct evict_limits){ 0 }, false);
        struct evict_intent one = intent("a", "1", "n1");
        one.pod.uid = SLICE_EMPTY;
        assert_int_equal(bench.sink.ask(bench.sink.context, &one), EVICT_FAILED);
        assert_int_equal(step(&bench), 0);
        close_bench(&bench);
}

static void test_dry_run(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, &(struct evict_requester_config){ 0 });
        begin(&bench, (struct evict_limits){ .has_total = true, .total = 1 }, true);
        struct evict_intent one = intent("a", "1", "n1"), two = intent("a", "2", "n1");
        one.is_dry_run = two.is_dry_run = true;
        assert_int_equal(bench.sink.ask(bench.sink.context, &one), EVICT_DONE);
        assert_int_equal(bench.sink.ask(bench.sink.context, &two), EVICT_TOTAL_LIMIT);
        assert_int_equal(step(&bench), 0);
        assert_int_equal(evict_requester_open(bench.requester), 0);
        size_t at = 0;
        const struct evict_record *record = evict_requester_next_record(bench.requester, 0, &at);
        assert_int_equal(record->result, EVICT_RESULT_DRY_RUN);
        close_bench(&bench);
}

static void test_D19_repeated(void **state) {
        (void)state;
        for (int is_parity = 0; is_parity < 2; is_parity++) {
                struct bench bench;
                open_bench(&bench, &(struct evict_requester_config){ .is_parity = is_parity });
                begin(&bench, (struct evict_limits){ .has_total = true, .total = 2 }, false);
                assert_int_equal(ask(&bench, "a", "1", "n1"), EVICT_DONE);
                assert_int_equal(ask(&bench, "a", "1", "n1"),
                                 is_parity ? EVICT_DONE : EVICT_REPEATED);
                assert_int_equal(ask(&bench, "a", "2", "n1"),
                                 is_parity ? EVICT_TOTAL_LIMIT : EVICT_DONE);
                close_bench(&bench);
        }
}

static void test_in_flight(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, &(struct evict_requester_config){ .max_in_flight = 2 });
        begin(&bench, (struct evict_limits){ 0 }, false);
        for (int i = 0; i < 5; i++) {
                char name[16];
                snprintf(name, sizeof(name), "p%d", i);
                assert_int_equal(ask(&bench, "a", name, "n1"), EVICT_DONE);
        }
        assert_int_equal(step(&bench), 2);
        assert_int_equal(evict_requester_in_flight(bench.requester), 2);
        struct mono_time due;
        assert_false(evict_service_next_due(bench.service, &due));
        answer(&bench, BERTH_OK, -1, "");
        assert_true(evict_service_next_due(bench.service, &due));
        assert_true(due.ns <= bench.now.ns);
        assert_int_equal(step(&bench), 2); /* an event and the third eviction */
        assert_int_equal(evict_requester_in_flight(bench.requester), 2);
        assert_int_equal(evict_requester_open(bench.requester), 4);
        close_bench(&bench);
}

/* ---- results ---- */

static void test_results(void **state) {
        (void)state;
        static const struct {
                const char *name;
                int code;
                const char *text;
                enum evict_result result; /* EVICT_RESULT_COUNT: tried again */
                bool warns;
        } cases[] = {
                { "done", BERTH_OK, "", EVICT_RESULT_SUCCESS, false },
                { "absent", BERTH_ERR_NOT_FOUND, "pods \"1\" not found", EVICT_RESULT_GONE, false },
                { "other pod", BERTH_ERR_CONFLICT, "Precondition failed: UID in precondition",
                  EVICT_RESULT_GONE, false },
                { "conflict", BERTH_ERR_CONFLICT, "the object has been modified",
                  EVICT_RESULT_COUNT, false },
                { "budget", BERTH_ERR_TOO_MANY, "Cannot evict pod", EVICT_RESULT_COUNT, false },
                { "timeout", BERTH_ERR_TIMEOUT, "", EVICT_RESULT_COUNT, false },
                { "two budgets", BERTH_ERR_INTERNAL, "more than one", EVICT_RESULT_COUNT, false },
                { "terminating namespace", BERTH_ERR_FORBIDDEN, "namespace a is being terminated",
                  EVICT_RESULT_COUNT, false },
                { "no right", BERTH_ERR_FORBIDDEN, "no", EVICT_RESULT_ERROR, true },
                { "invalid", BERTH_ERR_INVALID, "no", EVICT_RESULT_ERROR, true },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench, &(struct evict_requester_config){ 0 });
                begin(&bench, (struct evict_limits){ 0 }, true);
                ask(&bench, "a", "1", "n1");
                step(&bench);
                answer(&bench, cases[i].code, -1, cases[i].text);
                bool is_open = evict_requester_open(bench.requester) == 1;
                if (is_open != (cases[i].result == EVICT_RESULT_COUNT))
                        fail_msg("%s: open %d", cases[i].name, is_open);
                if (!is_open && last_record(&bench)->result != cases[i].result)
                        fail_msg("%s: %d", cases[i].name, (int)last_record(&bench)->result);
                step(&bench);
                bool has_warned = bench.out.count == 1 && bench.out.items[0].event.is_warning;
                if (has_warned != cases[i].warns)
                        fail_msg("%s: warned %d", cases[i].name, has_warned);
                close_bench(&bench);
        }
}

static void test_success_event(void **state) {
        (void)state;
        static const struct {
                const char *reason, *note;
        } cases[] = {
                { "", "pod eviction from n1 node by sigs.k8s.io/descheduler" },
                { "too old", "pod eviction from n1 node by sigs.k8s.io/descheduler: too old" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                open_bench(&bench, &(struct evict_requester_config){ 0 });
                begin(&bench, (struct evict_limits){ 0 }, false);
                struct evict_intent one = intent("a", "1", "n1");
                one.reason = slice_of(cases[i].reason);
                bench.sink.ask(bench.sink.context, &one);
                step(&bench);
                answer(&bench, BERTH_OK, -1, "");
                assert_int_equal(step(&bench), 1);
                const struct event_action *event = &bench.out.items[0].event;
                assert_false(event->is_warning);
                assert_true(slice_is(event->reason, "PodLifeTime"));
                assert_true(slice_is(event->action, "Descheduled"));
                assert_true(slice_is(event->note, cases[i].note));
                assert_true(slice_is(event->controller, "sigs.k8s.io.descheduler"));
                close_bench(&bench);
        }
}

static void test_back_off(void **state) {
        (void)state;
        static const struct {
                int retry_after_s;
                int64_t delay_s;
        } tries[] = { { -1, 5 }, { -1, 10 }, { 10, 20 }, { 90, 90 }, { 0, 80 } };
        struct bench bench;
        struct mono_time due;
        open_bench(&bench, &(struct evict_requester_config){ .max_attempts = 6 });
        begin(&bench, (struct evict_limits){ 0 }, true);
        ask(&bench, "a", "1", "n1");
        assert_int_equal(step(&bench), 1);
        for (size_t i = 0; i < ARRAY_LEN(tries); i++) {
                answer(&bench, BERTH_ERR_TOO_MANY, tries[i].retry_after_s, "budget");
                assert_true(evict_service_next_due(bench.service, &due));
                assert_int_equal(due.ns - bench.now.ns, tries[i].delay_s * NS_PER_S);
                bench.now.ns = due.ns - 1;
                assert_int_equal(step(&bench), 0);
                bench.now.ns = due.ns;
                assert_int_equal(step(&bench), 1);
        }
        answer(&bench, BERTH_ERR_TOO_MANY, -1, "budget");
        assert_int_equal(evict_requester_open(bench.requester), 0);
        assert_int_equal(last_record(&bench)->result, EVICT_RESULT_ERROR);
        assert_int_equal(last_record(&bench)->attempts, 6);
        assert_true(slice_is(last_record(&bench)->text, "budget"));
        assert_int_equal(step(&bench), 1);
        assert_true(slice_is(bench.out.items[0].event.note,
                             "pod eviction from n1 node by sigs.k8s.io/descheduler failed: "
                             "budget"));
        const struct evict_rule_stats *rules;
        assert_int_equal(evict_requester_rules(bench.requester, &rules), 1);
        assert_int_equal(rules[0].asked, 1);
        assert_int_equal(rules[0].retries, 5);
        assert_int_equal(rules[0].results[EVICT_RESULT_ERROR], 1);
        close_bench(&bench);
}

static void test_parity_tries_once(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, &(struct evict_requester_config){ .is_parity = true });
        begin(&bench, (struct evict_limits){ 0 }, false);
        ask(&bench, "a", "1", "n1");
        step(&bench);
        answer(&bench, BERTH_ERR_TOO_MANY, -1, "budget");
        assert_int_equal(evict_requester_open(bench.requester), 0);
        assert_int_equal(last_record(&bench)->result, EVICT_RESULT_ERROR);
        close_bench(&bench);
}

/* D17: what the server bids to try later makes everything wait upstream, here only itself. */
static void test_D17_retry_after(void **state) {
        (void)state;
        for (int is_parity = 0; is_parity < 2; is_parity++) {
                struct bench bench;
                struct mono_time due;
                open_bench(&bench, &(struct evict_requester_config){ .is_parity = is_parity,
                                                                     .max_in_flight = 1 });
                begin(&bench, (struct evict_limits){ 0 }, false);
                ask(&bench, "a", "1", "n1");
                ask(&bench, "a", "2", "n1");
                step(&bench);
                answer(&bench, BERTH_ERR_TOO_MANY, 10, "budget");
                assert_int_equal(step(&bench), is_parity ? 0 : 1);
                for (int i = 0; is_parity && i < 10; i++) {
                        assert_true(evict_service_next_due(bench.service, &due));
                        assert_int_equal(due.ns - bench.now.ns, 10 * NS_PER_S);
                        bench.now = due;
                        assert_int_equal(step(&bench), 1);
                        answer(&bench, BERTH_ERR_TOO_MANY, 10, "budget");
                }
                if (is_parity) {
                        assert_int_equal(last_record(&bench)->result, EVICT_RESULT_ERROR);
                        assert_int_equal(last_record(&bench)->attempts, 11);
                        assert_int_equal(step(&bench), 1);
                }
                close_bench(&bench);
        }
}

/* A refusal is counted and ends nothing else. */
static void test_pass_goes_on(void **state) {
        (void)state;
        static const struct {
                const char *name;
                bool is_parity;
                int code;
                enum evict_result result;
        } cases[] = {
                { "desched-105 429", true, BERTH_ERR_TOO_MANY, EVICT_RESULT_ERROR },
                { "desched-105 404", true, BERTH_ERR_NOT_FOUND, EVICT_RESULT_ERROR },
                { "desched-105 404 by default", false, BERTH_ERR_NOT_FOUND, EVICT_RESULT_GONE },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const struct evict_count *counts;
                struct bench bench;
                open_bench(&bench, &(struct evict_requester_config){
                                           .is_parity = cases[i].is_parity, .max_in_flight = 1 });
                begin(&bench, (struct evict_limits){ 0 }, false);
                ask(&bench, "a", "1", "n1");
                ask(&bench, "a", "2", "n1");
                step(&bench);
                answer(&bench, cases[i].code, -1, "no");
                step(&bench);
                answer(&bench, BERTH_OK, -1, "");
                size_t count = evict_requester_counts(bench.requester, &counts);
                if (count != 2 || counts[0].result != cases[i].result || counts[0].count != 1 ||
                    counts[1].result != EVICT_RESULT_SUCCESS)
                        fail_msg("%s: %zu results, first %d", cases[i].name, count,
                                 (int)counts[0].result);
                close_bench(&bench);
        }
}

static void test_withdrawn_by_next_pass(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, &(struct evict_requester_config){ .max_in_flight = 2 });
        begin(&bench, (struct evict_limits){ 0 }, false);
        ask(&bench, "a", "1", "n1");
        step(&bench);
        answer(&bench, BERTH_ERR_TOO_MANY, -1, "budget"); /* waits */
        ask(&bench, "a", "2", "n1");
        step(&bench);                /* in flight */
        ask(&bench, "a", "3", "n1"); /* queued */
        begin(&bench, (struct evict_limits){ 0 }, false);
        assert_int_equal(evict_requester_open(bench.requester), 1);
        assert_int_equal(last_record(&bench)->result, EVICT_RESULT_WITHDRAWN);
        assert_int_equal(ask(&bench, "a", "1", "n1"), EVICT_DONE);
        assert_int_equal(ask(&bench, "a", "2", "n1"), EVICT_REPEATED);
        close_bench(&bench);
}

static void test_foreign_result(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, &(struct evict_requester_config){ 0 });
        begin(&bench, (struct evict_limits){ 0 }, false);
        ask(&bench, "a", "1", "n1");
        step(&bench);
        struct action_result result = { .id = bench.out.items[0].id + 1, .kind = ACTION_EVICT };
        assert_false(evict_service_result(bench.service, &result, bench.now, bench.wall));
        result.id = bench.out.items[0].id;
        result.kind = ACTION_BIND;
        assert_false(evict_service_result(bench.service, &result, bench.now, bench.wall));
        assert_int_equal(evict_requester_open(bench.requester), 1);
        close_bench(&bench);
}

/* ---- records ---- */

static void test_record_ring(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, &(struct evict_requester_config){ .max_records = 3 });
        begin(&bench, (struct evict_limits){ .has_total = true }, false);
        for (int i = 1; i <= 5; i++) {
                char name[16];
                snprintf(name, sizeof(name), "p%d", i);
                ask(&bench, "a", name, "n1");
        }
        const struct evict_record *record;
        size_t at = 0, count = 0;
        while ((record = evict_requester_next_record(bench.requester, 0, &at)))
                assert_int_equal(record->number, 3 + count++);
        assert_int_equal(count, 3);
        at = 0;
        record = evict_requester_next_record(bench.requester, 4, &at);
        assert_true(slice_is(record->pod.name, "p5"));
        assert_null(evict_requester_next_record(bench.requester, 4, &at));
        const struct evict_count *counts;
        assert_int_equal(evict_requester_counts(bench.requester, &counts), 1);
        assert_int_equal(counts[0].count, 5);
        assert_true(slice_is(counts[0].node, "n1"));
        close_bench(&bench);
}

/* ---- budgets ---- */

static void put_pod(struct cluster *cluster, const char *name, const char *phase,
                    const char *ready) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"a\",\"name\":\"%s\",\"uid\":\"%s\",\"labels\":{"
                 "\"app\":\"x\"}},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"c\"}]},"
                 "\"status\":{\"phase\":\"%s\",\"conditions\":[{\"type\":\"Ready\",\"status\":"
                 "\"%s\"}]}}",
                 name, name, phase, ready);
        struct json_doc *doc;
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        assert_int_equal(cluster_apply(cluster, OBJECT_POD, CHANGE_ADDED, json_doc_root(doc), NULL),
                         0);
        json_doc_free(doc);
}

static void put_budget(struct cluster *cluster, const char *name, const char *more_spec,
                       int allowed, int healthy, int desired) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"a\",\"name\":\"%s\",\"generation\":1},\"spec\":{"
                 "%s\"selector\":{\"matchLabels\":{\"app\":\"x\"}}},\"status\":{"
                 "\"observedGeneration\":1,\"disruptionsAllowed\":%d,\"currentHealthy\":%d,"
                 "\"desiredHealthy\":%d,\"expectedPods\":3}}",
                 name, more_spec, allowed, healthy, desired);
        struct json_doc *doc;
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        assert_int_equal(
                cluster_apply(cluster, OBJECT_BUDGET, CHANGE_ADDED, json_doc_root(doc), NULL), 0);
        json_doc_free(doc);
}

static void test_budgets(void **state) {
        (void)state;
        static const struct {
                const char *name, *spec, *phase, *ready;
                int budgets, allowed, healthy;
                bool is_parity;
                enum evict_outcome first, second;
                bool desires_none; /* desiredHealthy 0 instead of 2 */
        } cases[] = {
                { "no budget", "", "Running", "True", 0, 0, 0, false, EVICT_DONE, EVICT_DONE },
                { "one left", "", "Running", "True", 1, 1, 3, false, EVICT_DONE, EVICT_BUDGET },
                { "none left", "", "Running", "True", 1, 0, 2, false, EVICT_BUDGET, EVICT_BUDGET },
                { "two left", "", "Running", "True", 1, 2, 4, false, EVICT_DONE, EVICT_DONE },
                { "parity", "", "Running", "True", 1, 0, 2, true, EVICT_DONE, EVICT_DONE },
                { "several", "", "Running", "True", 2, 5, 7, false, EVICT_BUDGET, EVICT_BUDGET },
                { "finished", "", "Failed", "False", 1, 0, 2, false, EVICT_DONE, EVICT_DONE },
                { "pending", "", "Pending", "False", 1, 0, 2, false, EVICT_DONE, EVICT_DONE },
                { "unready, healthy budget", "", "Running", "False", 1, 0, 2, false, EVICT_DONE,
                  EVICT_DONE },
                { "unready, unhealthy budget", "", "Running", "False", 1, 0, 1, false, EVICT_BUDGET,
                  EVICT_BUDGET },
                { "unready, nothing desired: not yet counted", "", "Running", "False", 1, 0, 0,
                  false, EVICT_BUDGET, EVICT_BUDGET, .desires_none = true },
                { "unready, always allowed", "\"unhealthyPodEvictionPolicy\":\"AlwaysAllow\",",
                  "Running", "False", 1, 0, 1, false, EVICT_DONE, EVICT_DONE },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cluster *cluster = cluster_new(
                        &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
                put_pod(cluster, "1", cases[i].phase, cases[i].ready);
                put_pod(cluster, "2", cases[i].phase, cases[i].ready);
                for (int b = 0; b < cases[i].budgets; b++)
                        put_budget(cluster, b == 0 ? "b0" : "b1", cases[i].spec, cases[i].allowed,
                                   cases[i].healthy, cases[i].desires_none ? 0 : 2);
                struct bench bench;
                open_bench_of(&bench, cluster,
                              &(struct evict_requester_config){ .is_parity = cases[i].is_parity });
                begin(&bench, (struct evict_limits){ 0 }, false);
                enum evict_outcome first = ask(&bench, "a", "1", "n1");
                enum evict_outcome second = ask(&bench, "a", "2", "n1");
                if (first != cases[i].first || second != cases[i].second)
                        fail_msg("%s: %d, %d", cases[i].name, (int)first, (int)second);
                close_bench(&bench);
                cluster_free(cluster);
        }
}

/* ---- finished pods, reports, passes between passes ---- */

static enum evict_outcome ask_way(struct bench *bench, const char *name, enum evict_way way) {
        struct evict_intent one = intent("a", name, "n1");
        one.way = way;
        return bench->sink.ask(bench->sink.context, &one);
}

static void test_deletion(void **state) {
        (void)state;
        for (int is_parity = 0; is_parity < 2; is_parity++) {
                struct bench bench;
                open_bench(&bench, &(struct evict_requester_config){ .is_parity = is_parity });
                begin(&bench, (struct evict_limits){ .has_total = true, .total = 1 }, false);
                assert_int_equal(ask_way(&bench, "1", EVICT_WAY_DELETE), EVICT_DONE);
                assert_int_equal(ask_way(&bench, "2", EVICT_WAY_DELETE), EVICT_TOTAL_LIMIT);
                assert_int_equal(step(&bench), 1);
                const struct action *action = &bench.out.items[0];
                assert_int_equal(action->kind, ACTION_DELETE_POD);
                assert_true(slice_is(action->target.uid, "1")); /* always a precondition */
                const struct action_result result = { .id = action->id, .kind = ACTION_DELETE_POD };
                assert_true(evict_service_result(bench.service, &result, bench.now, bench.wall));
                assert_int_equal(last_record(&bench)->result, EVICT_RESULT_SUCCESS);
                assert_int_equal(step(&bench), 1); /* the event */
                assert_true(slice_contains(bench.out.items[0].event.note,
                                           SLICE_LITERAL("deletion of finished pod")));
                close_bench(&bench);
        }
}

static void test_report(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, &(struct evict_requester_config){ 0 });
        begin(&bench, (struct evict_limits){ .has_total = true }, true);
        assert_int_equal(ask_way(&bench, "1", EVICT_WAY_REPORT), EVICT_DONE);
        assert_int_equal(step(&bench), 0);
        assert_int_equal(last_record(&bench)->result, EVICT_RESULT_DRY_RUN);
        close_bench(&bench);
}

static void test_continued_pass(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, &(struct evict_requester_config){ 0 });
        struct evict_pass pass = { .limits = { .has_total = true, .total = 2 }, .now = bench.wall };
        bench.sink.begin_pass(bench.sink.context, &pass);
        assert_int_equal(ask(&bench, "a", "1", "n1"), EVICT_DONE);
        pass.continues = true;
        bench.sink.begin_pass(bench.sink.context, &pass);
        assert_int_equal(evict_requester_open(bench.requester), 1); /* not withdrawn */
        assert_int_equal(ask(&bench, "a", "2", "n1"), EVICT_DONE);
        assert_int_equal(ask(&bench, "a", "3", "n1"), EVICT_TOTAL_LIMIT);
        pass.continues = false;
        bench.sink.begin_pass(bench.sink.context, &pass);
        assert_int_equal(ask(&bench, "a", "3", "n1"), EVICT_DONE);
        close_bench(&bench);
}

/* Two roles of a process: a pass of one leaves the other's limits, waiting evictions and records
 * alone; a pod that one of them evicts is not asked for by the other. */
static void test_requesters(void **state) {
        (void)state;
        struct bench bench;
        open_bench(&bench, &(struct evict_requester_config){ 0 });
        struct evict_requester *other =
                evict_service_join(bench.service, &(struct evict_requester_config){ .name = "b" });
        struct evict_sink sink = evict_requester_sink(other);
        const struct evict_pass pass = { .limits = { .has_total = true, .total = 1 } };
        struct evict_intent first = intent("a", "1", "n1"), second = intent("a", "2", "n1");
        begin(&bench, (struct evict_limits){ 0 }, false);
        sink.begin_pass(sink.context, &pass);
        assert_int_equal(ask(&bench, "a", "1", "n1"), EVICT_DONE);
        assert_int_equal(sink.ask(sink.context, &first), EVICT_REPEATED);
        assert_int_equal(sink.ask(sink.context, &second), EVICT_DONE);
        assert_int_equal(ask(&bench, "a", "3", "n1"), EVICT_DONE); /* no limit of this one */
        sink.begin_pass(sink.context, &pass);
        assert_int_equal(evict_requester_open(bench.requester), 2);
        assert_int_equal(evict_requester_open(other), 0); /* withdrawn */
        assert_null(last_record(&bench));
        size_t at = 0;
        assert_int_equal(evict_requester_next_record(other, 0, &at)->result,
                         EVICT_RESULT_WITHDRAWN);
        assert_int_equal(step(&bench), 2);
        close_bench(&bench);
}

/* Calls are made at once, whatever limits and others say; whoever made one is told, and judges. */
static void test_calls(void **state) {
        (void)state;
        static const struct {
                enum evict_way way;
                enum action_kind kind;
                enum evict_route route;
                int code;
                const char *text;
                enum evict_result result;
        } cases[] = {
                { EVICT_WAY_PREEMPT, ACTION_DELETE_POD, EVICT_ROUTE_PREEMPTION, BERTH_OK, "",
                  EVICT_RESULT_SUCCESS },
                { EVICT_WAY_PREEMPT, ACTION_DELETE_POD, EVICT_ROUTE_PREEMPTION, BERTH_ERR_NOT_FOUND,
                  "gone", EVICT_RESULT_GONE },
                { EVICT_WAY_PREEMPT, ACTION_DELETE_POD, EVICT_ROUTE_PREEMPTION,
                  BERTH_ERR_UNAVAILABLE, "down", EVICT_RESULT_ERROR },
                { EVICT_WAY_EVICT, ACTION_EVICT, EVICT_ROUTE_SUBRESOURCE, BERTH_ERR_TOO_MANY,
                  "budget", EVICT_RESULT_ERROR },
                { EVICT_WAY_EVICT, ACTION_EVICT, EVICT_ROUTE_SUBRESOURCE, BERTH_ERR_TOO_MANY,
                  "Eviction triggered evacuation", EVICT_RESULT_BACKGROUND },
                { EVICT_WAY_DELETE, ACTION_DELETE_POD, EVICT_ROUTE_DELETE, BERTH_OK, "",
                  EVICT_RESULT_SUCCESS },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct bench bench;
                struct evict_answer reported = { 0 };
                open_bench(&bench, &(struct evict_requester_config){ 0 });
                struct evict_requester *caller = evict_service_join(
                        bench.service,
                        &(struct evict_requester_config){ .owner = &bench, .has_no_events = true });
                struct evict_intent wanted = intent("a", "1", "n1");
                begin(&bench, (struct evict_limits){ .has_total = true, .total = 1 }, false);
                ask(&bench, "a", "1", "n1"); /* the other one's, still waiting to be sent */
                wanted.way = cases[i].way;
                evict_requester_call(caller, &(struct evict_call){ 77, wanted }, bench.wall,
                                     &bench.out);
                assert_int_equal(bench.out.count, 1);
                assert_int_equal(bench.out.items[0].kind, cases[i].kind);
                assert_true(slice_is(bench.out.items[0].target.uid, "1"));
                assert_int_equal(evict_requester_in_flight(caller), 1);
                const struct action_result result = { .id = bench.out.items[0].id,
                                                      .kind = cases[i].kind,
                                                      .code = cases[i].code,
                                                      .text = slice_of(cases[i].text) };
                assert_true(evict_service_result(bench.service, &result, bench.now, bench.wall));
                assert_true(evict_service_take_answer(bench.service, &reported));
                assert_ptr_equal(reported.owner, &bench);
                assert_int_equal(reported.id, 77);
                assert_false(evict_service_take_answer(bench.service, &reported));
                assert_int_equal(evict_requester_open(caller), 0); /* no retry of ours */
                assert_int_equal(evict_requester_ended(caller, cases[i].route, cases[i].result), 1);
                assert_int_equal(evict_requester_open(bench.requester), 1);
                close_bench(&bench);
        }
}

/* A pod that is called away is open for everyone; calls that are dropped are not heard of. */
static void test_open_calls(void **state) {
        (void)state;
        struct bench bench;
        struct evict_answer reported;
        open_bench(&bench, &(struct evict_requester_config){ 0 });
        struct evict_requester *caller =
                evict_service_join(bench.service, &(struct evict_requester_config){ 0 });
        struct evict_intent wanted = intent("a", "1", "n1");
        wanted.way = EVICT_WAY_PREEMPT;
        evict_requester_call(caller, &(struct evict_call){ 5, wanted }, bench.wall, &bench.out);
        begin(&bench, (struct evict_limits){ 0 }, false);
        assert_int_equal(ask(&bench, "a", "1", "n1"), EVICT_REPEATED);
        evict_requester_drop_calls(caller);
        const struct action_result late = { .id = bench.out.items[0].id,
                                            .kind = ACTION_DELETE_POD };
        assert_false(evict_service_result(bench.service, &late, bench.now, bench.wall));
        assert_false(evict_service_take_answer(bench.service, &reported));
        assert_int_equal(ask(&bench, "a", "1", "n1"), EVICT_DONE);
        close_bench(&bench);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_limits),
                cmocka_unit_test(test_limits_start_again),
                cmocka_unit_test(test_limit_is_reported),
                cmocka_unit_test(test_D8_action),
                cmocka_unit_test(test_no_uid),
                cmocka_unit_test(test_dry_run),
                cmocka_unit_test(test_D19_repeated),
                cmocka_unit_test(test_in_flight),
                cmocka_unit_test(test_results),
                cmocka_unit_test(test_success_event),
                cmocka_unit_test(test_back_off),
                cmocka_unit_test(test_parity_tries_once),
                cmocka_unit_test(test_pass_goes_on),
                cmocka_unit_test(test_D17_retry_after),
                cmocka_unit_test(test_withdrawn_by_next_pass),
                cmocka_unit_test(test_foreign_result),
                cmocka_unit_test(test_record_ring),
                cmocka_unit_test(test_budgets),
                cmocka_unit_test(test_deletion),
                cmocka_unit_test(test_report),
                cmocka_unit_test(test_continued_pass),
                cmocka_unit_test(test_requesters),
                cmocka_unit_test(test_calls),
                cmocka_unit_test(test_open_calls),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
