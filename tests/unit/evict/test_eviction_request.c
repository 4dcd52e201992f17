/* EvictionRequest and Eviction objects: names, order of responders, and what status may follow what
 * (the rules of the API, cases C10, C11, D1, D3, D4). */
#include "base/util.h"
#include "evict/eviction_request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define MIN_NS (60 * NS_PER_S)
#define START_NS (1767225600LL * NS_PER_S)

static void test_responder_names(void **state) {
        static const struct {
                const char *name;
                int64_t priority;
                bool is_good;
        } cases[] = {
                { "acme.io/move", 1000, true },     { "acme.io/move", 100000, true },
                { "acme.io/move", 999, false },     { "acme.io/move", 100001, false },
                { "x.k8s.io/y", 5000, false },      { "k8s.io/y", 5000, false },
                { "kubernetes.io/y", 5000, false }, { "notk8s.io/y", 5000, true },
                { "plain", 5000, false },           { "acme.io/", 5000, false },
                { EVICTION_EVICTOR, 100, true },    { EVICTION_EVICTOR, 5000, false },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const char *problem =
                        eviction_responder_problem(slice_of(cases[i].name), cases[i].priority);

                if ((!problem) != cases[i].is_good)
                        fail_msg("%s=%lld: %s", cases[i].name, (long long)cases[i].priority,
                                 problem ? problem : "accepted");
        }
}

static void test_responders(void **state) {
        static const struct {
                const char *text, *order; /* NULL = refused */
        } cases[] = {
                { "", EVICTION_EVICTOR },
                { "l.io/x=5000,b.io/x=10000,a.io/x=10000",
                  "a.io/x b.io/x l.io/x " EVICTION_EVICTOR },
                { "z.a.io/x=2000, a.io/y=2000 ,a.io/x=2000",
                  "a.io/x a.io/y z.a.io/x " EVICTION_EVICTOR },
                { "a.io/x=2000,a.io/x=3000", NULL },
                { "a.io/x=999", NULL },
                { "a.io/x", NULL },
                { EVICTION_EVICTOR "=100", NULL },
                { "a.io/1=2000,a.io/2=2000,a.io/3=2000,a.io/4=2000,a.io/5=2000,a.io/6=2000,"
                  "a.io/7=2000,a.io/8=2000,a.io/9=2000,a.io/10=2000,a.io/11=2000",
                  NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct eviction_responder list[EVICTION_RESPONDERS_MAX];
                struct buf order = { 0 };
                struct err err = { 0 };
                size_t count;
                int code = eviction_responders_parse(slice_of(cases[i].text), list, &count, &err);

                assert_int_equal(code, cases[i].order ? 0 : BERTH_ERR_INVALID);
                for (size_t k = 0; code == 0 && k < count; k++)
                        buf_printf(&order, "%s" SLICE_FMT, k ? " " : "", SLICE_ARG(list[k].name));
                if (code == 0 && !slice_is(buf_view(&order), cases[i].order))
                        fail_msg("%s: " SLICE_FMT, cases[i].text, SLICE_ARG(buf_view(&order)));
                buf_release(&order);
        }
}

static struct eviction_request *decode_request(const char *requester, const char *uid,
                                               const char *intent) {
        struct eviction_request *request = NULL;
        struct json_doc *doc;
        struct buf text = { 0 };

        buf_printf(&text,
                   "{\"metadata\":{\"name\":\"r\",\"namespace\":\"d\",\"uid\":\"u\"},\"spec\":{"
                   "\"requester\":\"%s\",\"intent\":\"%s\",\"target\":{\"pod\":{\"name\":\"p\","
                   "\"uid\":\"%s\"}}}}",
                   requester, intent, uid);
        assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
        assert_int_equal(eviction_request_decode(json_doc_root(doc), &request, NULL), 0);
        json_doc_free(doc);
        buf_release(&text);
        return request;
}

static void test_requests(void **state) {
        static const char uid[] = "12345678-1234-4abc-8def-1234567890ab";
        static const struct {
                const char *requester, *uid, *intent, *path; /* path NULL = valid */
        } cases[] = {
                { "acme.io/foo", uid, "Eviction", NULL },
                { "acme.io/foo", uid, "Withdrawn", NULL },
                { "foo", uid, "Eviction", "spec.requester" },
                { "x.kubernetes.io/foo", uid, "Eviction", "spec.requester" },
                { "acme.io/foo", uid, "Maybe", "spec.intent" },
                { "acme.io/foo", "12345678-1234-4ABC-8def-1234567890ab", "Eviction",
                  "spec.target.pod.uid" },
                { "acme.io/foo", "12", "Eviction", "spec.target.pod.uid" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct eviction_request *request =
                        decode_request(cases[i].requester, cases[i].uid, cases[i].intent);
                struct err err = { 0 };
                int code = eviction_request_check(request, &err);

                assert_int_equal(code, cases[i].path ? BERTH_ERR_INVALID : 0);
                assert_string_equal(err.path, cases[i].path ? cases[i].path : "");
                eviction_request_free(request);
        }
}

/* ---- status ---- */

static struct eviction_status running(void) {
        struct eviction_status status = { .observed_generation = 1 };
        struct wall_time start = { START_NS };

        assert_int_equal(eviction_responders_parse(SLICE_LITERAL("a.io/x=2000,b.io/x=2000"),
                                                   status.responders, &status.responder_count,
                                                   NULL),
                         0);
        for (size_t i = 0; i < status.responder_count; i++) {
                struct eviction_responder *responder = &status.responders[i];

                responder->start = responder->heartbeat = WALL_TIME_UNSET;
                responder->expected = responder->completion = WALL_TIME_UNSET;
        }
        status.responders[0].state = RESPONDER_ACTIVE;
        status.responders[0].start = start;
        eviction_conditions_set(&status.conditions, EVICTION_AWAITING, start);
        return status;
}

static void activate_next(struct eviction_status *status, int64_t at_ns) {
        status->responders[1].state = RESPONDER_ACTIVE;
        status->responders[1].start.ns = START_NS + at_ns;
}
static void complete(struct eviction_status *status, int64_t at_ns) {
        status->responders[0].state = RESPONDER_COMPLETED;
        status->responders[0].completion.ns = START_NS + at_ns;
        activate_next(status, at_ns);
}
static void complete_alone(struct eviction_status *status, int64_t at_ns) {
        complete(status, at_ns);
        status->responders[1].state = RESPONDER_INACTIVE;
        status->responders[1].start = WALL_TIME_UNSET;
}
static void complete_without_time(struct eviction_status *status, int64_t at_ns) {
        complete(status, at_ns);
        status->responders[0].completion = WALL_TIME_UNSET;
}
static void interrupt(struct eviction_status *status, int64_t at_ns) {
        status->responders[0].state = RESPONDER_INTERRUPTED;
        activate_next(status, at_ns);
}
static void cancel(struct eviction_status *status, int64_t at_ns) {
        status->responders[0].state = RESPONDER_CANCELED;
        eviction_conditions_set(&status->conditions, EVICTION_CANCELED,
                                (struct wall_time){ START_NS + at_ns });
}
static void cancel_while_active(struct eviction_status *status, int64_t at_ns) {
        cancel(status, at_ns);
        status->responders[0].state = RESPONDER_ACTIVE;
}
static void beat(struct eviction_status *status, int64_t at_ns) {
        status->responders[0].heartbeat.ns = START_NS + at_ns;
}
static void beat_early(struct eviction_status *status, int64_t at_ns) {
        beat(status, at_ns - 31 * NS_PER_S);
}
static void beat_before_start(struct eviction_status *status, int64_t at_ns) {
        beat(status, -at_ns);
}
static void beat_while_inactive(struct eviction_status *status, int64_t at_ns) {
        status->responders[1].heartbeat.ns = START_NS + at_ns;
}
static void skip_responder(struct eviction_status *status, int64_t at_ns) {
        complete_alone(status, at_ns);
        status->responders[2].state = RESPONDER_ACTIVE;
        status->responders[2].start.ns = START_NS + at_ns;
}
static void rename_responder(struct eviction_status *status, int64_t at_ns) {
        (void)at_ns;
        status->responders[1].name = SLICE_LITERAL("c.io/x");
}
static void two_at_once(struct eviction_status *status, int64_t at_ns) {
        activate_next(status, at_ns);
}
static void go_back(struct eviction_status *status, int64_t at_ns) {
        (void)at_ns;
        status->observed_generation = 0;
}

static void test_status(void **state) {
        static const struct {
                const char *name;
                void (*change)(struct eviction_status *status, int64_t at_ns);
                int64_t at_ns;
                bool is_good;
        } cases[] = {
                { "completed", complete, MIN_NS, true },
                { "completed, nobody next", complete_alone, MIN_NS, false },
                { "evict-D3: completed without completionTime", complete_without_time, MIN_NS,
                  false },
                { "interrupted after silence", interrupt, 20 * MIN_NS, true },
                { "evict-D3: interrupted too early", interrupt, 19 * MIN_NS, false },
                { "cancelled", cancel, MIN_NS, true },
                { "cancelled, still Active", cancel_while_active, MIN_NS, false },
                { "heartbeat", beat, MIN_NS, true },
                { "evict-D4: heartbeat 31 s off", beat_early, 10 * MIN_NS, false },
                { "heartbeat before the start", beat_before_start, NS_PER_S, false },
                { "heartbeat while Inactive", beat_while_inactive, MIN_NS, false },
                { "a responder skipped", skip_responder, MIN_NS, false },
                { "another name", rename_responder, MIN_NS, false },
                { "two Active", two_at_once, MIN_NS, false },
                { "generation goes back", go_back, MIN_NS, false },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct eviction_status before = running(), after = before;
                struct wall_time now = { START_NS + cases[i].at_ns };
                struct err err = { 0 };

                cases[i].change(&after, cases[i].at_ns);
                if ((eviction_status_check(&before, &after, now, false, &err) == 0) !=
                    cases[i].is_good)
                        fail_msg("%s: %s", cases[i].name, err.code ? err.text : "accepted");
        }
}

/* The clock was set back by an hour: the responder goes on with the times that are stored, and no
 * write is refused for it; other times are. */
static void test_clock_set_back(void **state) {
        static const struct {
                const char *name;
                void (*change)(struct eviction_status *status, int64_t at_ns);
                int64_t at_ns; /* before the clock is set back to 59 minutes before the start */
                bool is_good;
        } cases[] = {
                { "completed at its last heartbeat", complete, MIN_NS, true },
                { "completed as the clock says now", complete, -59 * MIN_NS, false },
                { "completed a minute after its heartbeat", complete, 2 * MIN_NS, false },
                { "heartbeat as the clock says now", beat, -59 * MIN_NS, false },
        };
        struct wall_time now = { START_NS - 59 * MIN_NS };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct eviction_status before = running(), after;
                struct err err = { 0 };

                beat(&before, MIN_NS);
                after = before;
                cases[i].change(&after, cases[i].at_ns);
                if (after.responders[1].state == RESPONDER_ACTIVE)
                        after.responders[1].start = now;
                if ((eviction_status_check(&before, &after, now, false, &err) == 0) !=
                    cases[i].is_good)
                        fail_msg("%s: %s", cases[i].name, err.code ? err.text : "accepted");
        }
}

static void test_final_is_final(void **state) {
        struct eviction_status before = running(), after;
        struct wall_time now = { START_NS + MIN_NS };

        (void)state;
        assert_int_equal(eviction_status_check(NULL, &before, now, true, NULL), 0);
        cancel(&before, MIN_NS);
        after = before;
        eviction_conditions_set(&after.conditions, EVICTION_POD_DELETED, now);
        assert_int_equal(eviction_status_check(&before, &after, now, false, NULL),
                         BERTH_ERR_INVALID);
}

/* What is written reads back as the same. */
static void test_round_trip(void **state) {
        struct eviction_status status = running();
        struct eviction *eviction = NULL;
        struct json_doc *doc;
        struct buf text = { 0 };

        (void)state;
        status.responders[0].message = SLICE_LITERAL("half \"done\"");
        status.requesters[status.requester_count++] =
                (struct eviction_requester){ SLICE_LITERAL("acme.io/foo"), EVICTION_INTENT_EVICT };
        complete(&status, MIN_NS);
        buf_text(&text, "{\"metadata\":{\"name\":\"e\",\"uid\":\"u\"},\"status\":");
        eviction_status_write(&status, &text);
        buf_text(&text, "}");
        assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
        assert_int_equal(eviction_decode(json_doc_root(doc), &eviction, NULL), 0);
        json_doc_free(doc);
        assert_int_equal(eviction->status.responder_count, 3);
        assert_int_equal(eviction_active(&eviction->status), 1);
        assert_int_equal(eviction->status.conditions.outcome, EVICTION_AWAITING);
        assert_true(slice_is(eviction->status.responders[0].message, "half \"done\""));
        assert_int_equal(eviction->status.responders[0].completion.ns, START_NS + MIN_NS);
        assert_int_equal(eviction->status.requesters[0].intent, EVICTION_INTENT_EVICT);
        eviction_free(eviction);
        buf_release(&text);
}

#define NAMED(title, test)                                                                         \
        { title, test, NULL, NULL, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                NAMED("evict-C11: names and priorities of responders", test_responder_names),
                NAMED("evict-C10 evict-C11: the order of responders", test_responders),
                cmocka_unit_test(test_requests),
                NAMED("evict-D1 evict-D3 evict-D4: what may follow what", test_status),
                cmocka_unit_test(test_clock_set_back),
                cmocka_unit_test(test_final_is_final),
                cmocka_unit_test(test_round_trip),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
