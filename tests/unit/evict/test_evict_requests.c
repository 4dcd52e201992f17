/* EvictionRequests as states of the eviction service: what is written, what answers mean, and what
 * happens where nobody answers. */
#include "evict/evict_service.h"

#include "api/json.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct scene {
        struct evict_service *service;
        struct evict_requester *requester;
        struct evict_sink sink;
        struct action_list out;
        struct mono_time now;
        const char *prefix;  /* of the names of requests that are shown */
        const char *created; /* of requests; now is 00:16:40 */
        size_t direct;       /* times it was told that requests are not used */
        char text[400];
};

static void on_reported(void *context, const struct evict_note *note) {
        struct scene *scene = context;
        scene->direct += note->kind == EVICT_NOTE_DIRECT;
}

static struct scene *scene_with(enum evict_request_mode mode, bool minds_requests) {
        struct scene *scene = xcalloc(1, sizeof(*scene));
        scene->service = evict_service_new(&(struct evict_config){ .requests = mode,
                                                                   .minds_requests = minds_requests,
                                                                   .report = on_reported,
                                                                   .context = scene });
        scene->prefix = "descheduler";
        scene->created = "1970-01-01T00:16:40Z";
        scene->requester = evict_service_join(
                scene->service,
                &(struct evict_requester_config){ .name = "descheduler",
                                                  .requests_as = "descheduler.berth.dev/evict",
                                                  .max_attempts = 2 });
        scene->sink = evict_requester_sink(scene->requester);
        action_list_init(&scene->out);
        scene->sink.begin_pass(scene->sink.context, &(struct evict_pass){ 0 });
        return scene;
}

static struct scene *scene_new(enum evict_request_mode mode) {
        return scene_with(mode, false);
}

static struct scene *scene_minding(void) {
        return scene_with(EVICT_REQUESTS_NEVER, true);
}

static void scene_free(struct scene *scene) {
        evict_service_free(scene->service);
        action_list_release(&scene->out);
        free(scene);
}

static void ask_way(struct scene *scene, const char *name, enum evict_way way, bool is_finished) {
        const struct evict_intent intent = {
                .pod = { .ns = SLICE_LITERAL("a"), .name = slice_of(name), .uid = slice_of(name) },
                .way = way,
                .is_finished = is_finished
        };
        assert_int_equal(scene->sink.ask(scene->sink.context, &intent), EVICT_DONE);
}

static void ask(struct scene *scene, const char *name) {
        ask_way(scene, name, EVICT_WAY_EVICT, false);
}

/* One step; its calls as "create-request NAME evict NAME". */
static const char *step(struct scene *scene) {
        size_t used = 0;
        scene->text[0] = '\0';
        action_list_clear(&scene->out);
        evict_service_observe(scene->service, scene->now,
                              (struct wall_time){ 1000 * NS_PER_S + scene->now.ns });
        evict_service_step(scene->service, scene->now, &scene->out);
        for (size_t i = 0; i < scene->out.count; i++) {
                const struct action *action = &scene->out.items[i];
                if (action->kind != ACTION_RECORD_EVENT)
                        used += (size_t)snprintf(scene->text + used, sizeof(scene->text) - used,
                                                 "%s%s " SLICE_FMT, used ? " " : "",
                                                 action_kind_name(action->kind),
                                                 SLICE_ARG(action->target.name));
        }
        return scene->text;
}

static void answer(struct scene *scene, int code) {
        for (size_t i = 0; i < scene->out.count; i++)
                evict_service_result(scene->service,
                                     &(struct action_result){ .id = scene->out.items[i].id,
                                                              .kind = scene->out.items[i].kind,
                                                              .code = code,
                                                              .retry_after_s = -1,
                                                              .text = SLICE_LITERAL("text") },
                                     scene->now, (struct wall_time){ 1000 * NS_PER_S });
}

/* A request as the watch brings it; conditions is the list's text. */
static void show(struct scene *scene, const char *pod, int observed, const char *conditions,
                 bool is_removed) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_doc *doc = NULL;
        buf_printf(&text,
                   "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionRequest\","
                   "\"metadata\":{\"namespace\":\"a\",\"name\":\"%s-%s\",\"uid\":\"r\","
                   "\"generation\":1,\"creationTimestamp\":\"%s\"},\"spec\":{\"target\":{\"pod\":{"
                   "\"name\":\"%s\",\"uid\":"
                   "\"%s\"}},\"requester\":\"descheduler.berth.dev/evict\",\"intent\":\"Eviction\"}"
                   ",\"status\":{\"observedGeneration\":%d,\"conditions\":[%s]}}",
                   scene->prefix, pod, scene->created, pod, pod, observed, conditions);
        assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
        evict_service_saw_request(scene->service, json_doc_root(doc), is_removed, scene->now,
                                  (struct wall_time){ 1000 * NS_PER_S });
        evict_service_saw_any_request(scene->service, json_doc_root(doc), is_removed, scene->now);
        json_doc_free(doc);
}

#define CONDITION(type, status, reason)                                                            \
        "{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"" reason                    \
        "\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}"
#define AWAITING                                                                                   \
        CONDITION("TargetEvicted", "False", "AwaitingEviction")                                    \
        "," CONDITION("Failed", "False", "AwaitingEviction")
#define DONE                                                                                       \
        CONDITION("TargetEvicted", "True", "PodDeleted")                                           \
        "," CONDITION("Failed", "False", "PodDeleted")
#define FAILED(reason)                                                                             \
        CONDITION("TargetEvicted", "False", reason) "," CONDITION("Failed", "True", reason)

/* The pod 1 is asked for by a request that was written. */
static struct scene *requested(enum evict_request_mode mode) {
        struct scene *scene = scene_new(mode);
        struct evict_wants wants;
        ask(scene, "1");
        assert_string_equal(step(scene), "");
        evict_service_wants(scene->service, &wants);
        assert_true(wants.kinds);
        evict_service_saw_kinds(scene->service, EVICT_KINDS_OWN, scene->now);
        assert_string_equal(step(scene), "create-request descheduler-1");
        const struct action *action = &scene->out.items[0];
        assert_string_equal(action->request.group, "lifecycle.berth.dev");
        assert_true(slice_is(action->request.label, "descheduler"));
        assert_true(slice_is(action->request.pod.uid, "1"));
        assert_int_equal(action->request.deadline.ns, 1000 * NS_PER_S + EVICT_REQUEST_DEADLINE_NS);
        answer(scene, BERTH_OK);
        evict_service_wants(scene->service, &wants);
        assert_false(wants.kinds);
        assert_true(wants.own_requests);
        assert_string_equal(wants.selector, "berth.dev/requested-by in (descheduler)");
        return scene;
}

static void test_outcomes(void **state) {
        (void)state;
        static const struct {
                const char *name, *conditions;
                bool is_removed;
                bool is_over;
                enum evict_result result; /* when it is over */
                const char *next;         /* calls that follow */
        } cases[] = {
                { "under way", AWAITING, false, false, EVICT_RESULT_COUNT, "" },
                { "evicted", DONE, false, true, EVICT_RESULT_SUCCESS,
                  "withdraw-request descheduler-1" },
                { "gone before", FAILED("EvictionInvalid"), false, true, EVICT_RESULT_GONE,
                  "withdraw-request descheduler-1" },
                { "withdrawn", FAILED("CanceledDueToNoRequesters"), false, false,
                  EVICT_RESULT_COUNT, "withdraw-request descheduler-1" },
                { "no responder is left: another Eviction follows", FAILED("NoFurtherResponder"),
                  false, false, EVICT_RESULT_COUNT, "" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene = requested(EVICT_REQUESTS_ALWAYS);
                size_t at = 0;
                show(scene, "1", 1, cases[i].conditions, cases[i].is_removed);
                if ((evict_requester_open(scene->requester) == 0) != cases[i].is_over)
                        fail_msg("%s", cases[i].name);
                const struct evict_record *record =
                        evict_requester_next_record(scene->requester, 0, &at);
                if (cases[i].is_over && record->result != cases[i].result)
                        fail_msg("%s: %s", cases[i].name, evict_result_name(record->result));
                if (cases[i].is_over)
                        assert_int_equal(record->route, EVICT_ROUTE_REQUEST);
                assert_string_equal(step(scene), cases[i].next);
                scene_free(scene);
        }
}

static void withdraw_all(struct scene *scene) {
        scene->sink.begin_pass(scene->sink.context, &(struct evict_pass){ .withdraws = true });
}

/* A requester that wants nothing any more leaves no request behind, and may ask again. */
static void test_withdrawn_by_its_requester(void **state) {
        (void)state;
        struct scene *scene = requested(EVICT_REQUESTS_ALWAYS);
        size_t at = 0;
        show(scene, "1", 1, AWAITING, false);
        ask(scene, "2");
        assert_string_equal(step(scene), "create-request descheduler-2"); /* no answer yet */
        ask(scene, "3");
        withdraw_all(scene);
        assert_string_equal(step(scene), "withdraw-request descheduler-1");
        assert_int_equal(evict_requester_open(scene->requester), 1);
        const struct evict_record *record = evict_requester_next_record(scene->requester, 0, &at);
        assert_int_equal(record->result, EVICT_RESULT_WITHDRAWN);
        scene_free(scene);

        scene = scene_new(EVICT_REQUESTS_ALWAYS);
        ask(scene, "1");
        step(scene);
        withdraw_all(scene); /* while the kinds are looked up */
        evict_service_saw_kinds(scene->service, EVICT_KINDS_OWN, scene->now);
        assert_string_equal(step(scene), "");
        ask(scene, "1");
        assert_string_equal(step(scene), "create-request descheduler-1");
        withdraw_all(scene); /* while it is written */
        answer(scene, BERTH_OK);
        assert_int_equal(evict_requester_open(scene->requester), 0);
        assert_string_equal(step(scene), "withdraw-request descheduler-1");
        ask(scene, "1");
        assert_string_equal(step(scene), "create-request descheduler-1");
        scene_free(scene);
}

/* A status of before our last word says nothing; a request that somebody deletes was withdrawn. */
static void test_stale_and_deleted(void **state) {
        (void)state;
        struct scene *scene = requested(EVICT_REQUESTS_ALWAYS);
        show(scene, "1", 0, DONE, false);
        assert_int_equal(evict_requester_in_flight(scene->requester), 1);
        show(scene, "1", 0, "", true);
        assert_int_equal(evict_requester_in_flight(scene->requester), 0);
        assert_int_equal(evict_requester_open(scene->requester), 1); /* for another try */
        scene_free(scene);

        scene = requested(EVICT_REQUESTS_ALWAYS); /* one that a controller has begun with */
        show(scene, "1", 1, AWAITING, false);
        show(scene, "1", 1, AWAITING, true);
        assert_int_equal(evict_requester_in_flight(scene->requester), 0);
        assert_int_equal(evict_requester_open(scene->requester), 1);
        scene_free(scene);
}

/* The scene when the watch has shown a request of a process before, and the pod is asked for. */
static struct scene *asked_again(enum evict_request_mode mode, const char *conditions) {
        struct scene *scene = requested(mode);
        show(scene, "1", 1, AWAITING, false);
        show(scene, "2", 1, conditions, false);
        ask(scene, "2");
        assert_string_equal(step(scene), "create-request descheduler-2");
        return scene;
}

/* A process that starts again finds requests of the one before: what is under way goes on, and what
 * is over makes place. Their last news may have come before the pod was asked for. */
static void test_stored_before(void **state) {
        (void)state;
        struct scene *scene = asked_again(EVICT_REQUESTS_AUTO, AWAITING);
        answer(scene, BERTH_ERR_EXISTS);
        scene->now.ns += 2 * EVICT_REQUEST_UNANSWERED_NS;
        assert_string_equal(step(scene), "");
        show(scene, "2", 1, DONE, false);
        assert_string_equal(step(scene), "withdraw-request descheduler-2");
        scene_free(scene);

        scene = asked_again(EVICT_REQUESTS_ALWAYS, FAILED("CanceledDueToNoRequesters"));
        answer(scene, BERTH_ERR_EXISTS);
        assert_string_equal(step(scene), "withdraw-request descheduler-2");
        scene->now.ns += EVICT_RETRY_FIRST_MS * NS_PER_MS;
        assert_string_equal(step(scene), "create-request descheduler-2");
        answer(scene, BERTH_OK);
        show(scene, "2", 1, FAILED("CanceledDueToNoRequesters"), true); /* the former one */
        assert_string_equal(step(scene), "");
        show(scene, "2", 1, AWAITING, false);
        show(scene, "2", 1, AWAITING, true);
        assert_string_equal(step(scene), "withdraw-request descheduler-2");
        scene_free(scene);
}

/* What others, or this process under another name, ask for the same pod says nothing of ours. */
static void test_request_of_another(void **state) {
        (void)state;
        struct scene *scene = requested(EVICT_REQUESTS_ALWAYS);
        scene->prefix = "reboot";
        show(scene, "1", 1, FAILED("CanceledDueToNoRequesters"), false);
        show(scene, "1", 1, FAILED("CanceledDueToNoRequesters"), true);
        assert_int_equal(evict_requester_in_flight(scene->requester), 1);
        scene_free(scene);
}

/* The cluster serves the native group by now, or did when one look went wrong: where nobody
 * answers, it is looked again, and what nobody answers is asked for there. */
static void test_other_group(void **state) {
        (void)state;
        struct evict_wants wants;
        struct scene *scene = requested(EVICT_REQUESTS_ALWAYS);
        show(scene, "1", 1, AWAITING, false);
        ask(scene, "2");
        step(scene);
        answer(scene, BERTH_OK);
        scene->now.ns += EVICT_REQUEST_UNANSWERED_NS;
        assert_string_equal(step(scene), "create-request descheduler-2");
        evict_service_wants(scene->service, &wants);
        assert_true(wants.kinds);
        answer(scene, BERTH_ERR_EXISTS);
        evict_service_saw_kinds(scene->service, EVICT_KINDS_NATIVE, scene->now);
        assert_string_equal(step(scene),
                            "create-request descheduler-2 withdraw-request descheduler-2");
        assert_string_equal(scene->out.items[0].request.group, "lifecycle.k8s.io");
        assert_string_equal(scene->out.items[1].request.group, "lifecycle.berth.dev");
        evict_service_wants(scene->service, &wants);
        assert_false(wants.kinds);
        scene_free(scene);

        scene = requested(EVICT_REQUESTS_ALWAYS); /* found out while one is written */
        ask(scene, "2");
        step(scene);
        evict_service_saw_kinds(scene->service, EVICT_KINDS_NATIVE, scene->now);
        answer(scene, BERTH_OK);
        assert_string_equal(step(scene),
                            "create-request descheduler-1 create-request descheduler-2 "
                            "withdraw-request descheduler-1 withdraw-request descheduler-2");
        scene_free(scene);

        scene = requested(EVICT_REQUESTS_ALWAYS); /* it serves none any more */
        evict_service_saw_kinds(scene->service, EVICT_KINDS_ABSENT, scene->now);
        assert_string_equal(step(scene), "withdraw-request descheduler-1");
        assert_int_equal(evict_requester_in_flight(scene->requester), 0);
        scene_free(scene);
}

/* A look that found nothing out changes nothing that is known. */
static void test_kinds_not_found_out(void **state) {
        (void)state;
        struct evict_wants wants;
        struct scene *scene = requested(EVICT_REQUESTS_ALWAYS);
        evict_service_saw_kinds(scene->service, EVICT_KINDS_UNKNOWN, scene->now);
        assert_string_equal(step(scene), "");
        evict_service_wants(scene->service, &wants);
        assert_string_equal(wants.group, "lifecycle.berth.dev");
        scene_free(scene);

        scene = scene_new(EVICT_REQUESTS_AUTO);
        ask(scene, "1");
        assert_string_equal(step(scene), "");
        evict_service_saw_kinds(scene->service, EVICT_KINDS_UNKNOWN, scene->now);
        assert_string_equal(step(scene), "evict 1");
        scene_free(scene);
}

/* A request that was answered as written and never stored. */
static void test_written_again(void **state) {
        (void)state;
        struct scene *scene = requested(EVICT_REQUESTS_ALWAYS);
        struct mono_time due;
        assert_true(evict_service_next_due(scene->service, &due));
        scene->now = due;
        assert_string_equal(step(scene), "create-request descheduler-1");
        answer(scene, BERTH_ERR_EXISTS); /* it was stored, and nobody answers */
        assert_string_equal(step(scene), "");
        show(scene, "1", 1, AWAITING, false);
        scene->now.ns += 2 * EVICT_REQUEST_UNANSWERED_NS;
        assert_string_equal(step(scene), "");
        scene_free(scene);
}

/* Nobody answers: the request is taken back and the subresource called, then for ten minutes at
 * once; afterwards requests are tried again. */
static void test_unanswered(void **state) {
        (void)state;
        struct scene *scene = requested(EVICT_REQUESTS_AUTO);
        struct mono_time due;
        assert_true(evict_service_next_due(scene->service, &due));
        assert_int_equal(due.ns - scene->now.ns, EVICT_REQUEST_UNANSWERED_NS);
        scene->now.ns = due.ns - 1;
        assert_string_equal(step(scene), "");
        scene->now = due;
        assert_string_equal(step(scene), "evict 1 withdraw-request descheduler-1");
        assert_int_equal(scene->direct, 1);
        answer(scene, BERTH_OK);
        ask(scene, "2");
        assert_string_equal(step(scene), "evict 2");
        scene->now.ns += EVICT_REQUEST_RETRY_NS;
        ask(scene, "3");
        assert_string_equal(step(scene), "");
        evict_service_saw_kinds(scene->service, EVICT_KINDS_NATIVE, scene->now);
        assert_string_equal(step(scene), "create-request descheduler-3");
        assert_string_equal(scene->out.items[0].request.group, "lifecycle.k8s.io");
        scene_free(scene);
}

/* One that is answered goes on, whoever else is not. */
static void test_answered_one_goes_on(void **state) {
        (void)state;
        struct scene *scene = requested(EVICT_REQUESTS_AUTO);
        show(scene, "1", 1, AWAITING, false);
        ask(scene, "2");
        assert_string_equal(step(scene), "create-request descheduler-2");
        answer(scene, BERTH_ERR_CONFLICT); /* of a process before: as good as written */
        scene->now.ns += EVICT_REQUEST_UNANSWERED_NS;
        assert_string_equal(step(scene), "evict 2 withdraw-request descheduler-2");
        show(scene, "1", 1, DONE, false);
        assert_int_equal(
                evict_requester_ended(scene->requester, EVICT_ROUTE_REQUEST, EVICT_RESULT_SUCCESS),
                1);
        scene_free(scene);
}

/* What may not be written, or is not served, goes by the subresource. */
static void test_not_written(void **state) {
        (void)state;
        struct scene *scene = scene_new(EVICT_REQUESTS_AUTO);
        ask(scene, "1");
        step(scene);
        evict_service_saw_kinds(scene->service, EVICT_KINDS_OWN, scene->now);
        assert_string_equal(step(scene), "create-request descheduler-1");
        answer(scene, BERTH_ERR_FORBIDDEN);
        assert_string_equal(step(scene), "evict 1");
        scene_free(scene);

        scene = scene_new(EVICT_REQUESTS_AUTO);
        ask(scene, "1");
        step(scene);
        evict_service_saw_kinds(scene->service, EVICT_KINDS_ABSENT, scene->now);
        assert_int_equal(scene->direct, 1);
        assert_string_equal(step(scene), "evict 1");
        scene_free(scene);

        scene = scene_new(EVICT_REQUESTS_NEVER);
        ask(scene, "1");
        assert_string_equal(step(scene), "evict 1");
        scene_free(scene);
}

/* Mode auto: one is tried; the others wait until somebody has answered it. */
static void test_auto(void **state) {
        (void)state;
        struct scene *scene = requested(EVICT_REQUESTS_AUTO);
        ask(scene, "2");
        ask(scene, "3");
        assert_string_equal(step(scene), "");
        show(scene, "1", 1, AWAITING, false);
        assert_string_equal(step(scene),
                            "create-request descheduler-2 create-request descheduler-3");
        scene_free(scene);

        scene = requested(EVICT_REQUESTS_AUTO);
        ask(scene, "2");
        assert_string_equal(step(scene), "");
        scene->now.ns += EVICT_REQUEST_UNANSWERED_NS;
        assert_string_equal(step(scene), "evict 1 evict 2 withdraw-request descheduler-1");
        scene_free(scene);
}

/* Mode always: waits for whoever answers, and is refused where the cluster has no such kinds or no
 * right to write them. */
static void test_always(void **state) {
        (void)state;
        struct scene *scene = requested(EVICT_REQUESTS_ALWAYS);
        struct mono_time due;
        for (int i = 0; i < 10; i++) {
                assert_true(evict_service_next_due(scene->service, &due));
                scene->now = due;
                assert_string_equal(step(scene), "create-request descheduler-1");
                answer(scene, BERTH_ERR_EXISTS);
        }
        assert_int_equal(evict_requester_in_flight(scene->requester), 1);
        show(scene, "1", 1, DONE, false);
        assert_int_equal(evict_requester_open(scene->requester), 0);
        assert_int_equal(scene->direct, 0);
        scene_free(scene);

        static const struct {
                enum evict_kinds kinds;
                int code;
                const char *text;
        } cases[] = {
                { EVICT_KINDS_ABSENT, BERTH_OK, "the cluster has no EvictionRequests" },
                { EVICT_KINDS_OWN, BERTH_ERR_FORBIDDEN, "" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const struct evict_record *record;
                size_t at = 0;
                scene = scene_new(EVICT_REQUESTS_ALWAYS);
                ask(scene, "1");
                step(scene);
                evict_service_saw_kinds(scene->service, cases[i].kinds, scene->now);
                step(scene);
                if (cases[i].code != BERTH_OK)
                        answer(scene, cases[i].code);
                scene->now.ns += EVICT_RETRY_FIRST_MS * NS_PER_MS;
                assert_string_equal(step(scene), "");
                record = evict_requester_next_record(scene->requester, 0, &at);
                assert_non_null(record);
                assert_int_equal(record->result, EVICT_RESULT_ERROR);
                assert_true(slice_has_prefix(record->text, slice_of(cases[i].text)));
                assert_true(slice_contains(record->text, SLICE_LITERAL("always")) ||
                            cases[i].code != BERTH_OK);
                scene_free(scene);
        }
}

/* That the subresource is called is said once, not every ten minutes, until somebody answers. */
static void test_said_once(void **state) {
        (void)state;
        struct scene *scene = scene_new(EVICT_REQUESTS_AUTO);
        for (int i = 0; i < 3; i++) {
                ask(scene, i == 0 ? "1" : i == 1 ? "2" : "3");
                assert_string_equal(step(scene), "");
                evict_service_saw_kinds(scene->service, EVICT_KINDS_ABSENT, scene->now);
                step(scene);
                answer(scene, BERTH_OK);
                scene->now.ns += EVICT_REQUEST_RETRY_NS;
        }
        assert_int_equal(scene->direct, 1);
        scene_free(scene);
}

/* A pod that somebody asked to evict is left to that, whichever way this one evicts: its stages may
 * be under way.  A request that nobody looks at counts for half a minute only, as this process sees
 * it: what any clock says of when it was made does not matter. */
static void test_minds_requests(void **state) {
        (void)state;
        static const struct {
                const char *name;
                int generation;      /* that was observed */
                const char *created; /* now is 00:16:40 */
                int64_t age_s;       /* since it was seen */
                bool is_left;
        } cases[] = {
                { "somebody looks at it", 1, "1970-01-01T00:16:40Z", 31, true },
                { "it is new", 0, "1970-01-01T00:16:35Z", 29, true },
                { "it is new, by a clock an hour ahead", 0, "1970-01-01T01:16:35Z", 29, true },
                { "it is new, by a clock ten minutes late", 0, "1970-01-01T00:06:35Z", 29, true },
                { "nobody looks at it", 0, "1970-01-01T00:16:35Z", 30, false },
                { "nobody looks at it, made in an hour", 0, "1970-01-01T01:16:40Z", 30, false },
                { "nobody looks at it, made long ago", 0, "1970-01-01T00:06:40Z", 30, false },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene = scene_minding();
                struct evict_wants wants;
                scene->created = cases[i].created;
                ask(scene, "1");
                ask(scene, "2");
                assert_string_equal(step(scene), "");
                evict_service_saw_kinds(scene->service, EVICT_KINDS_OWN, scene->now);
                assert_string_equal(step(scene), "");
                evict_service_wants(scene->service, &wants);
                assert_true(wants.all_requests);
                show(scene, "1", cases[i].generation, AWAITING, false);
                scene->now.ns += cases[i].age_s * NS_PER_S;
                show(scene, "1", cases[i].generation, AWAITING, false); /* no new one */
                evict_service_listed_requests(scene->service);
                if (strcmp(step(scene), cases[i].is_left ? "evict 2" : "evict 1 evict 2") != 0)
                        fail_msg("%s: %s", cases[i].name, scene->text);
                if (cases[i].is_left) {
                        show(scene, "1", 1, AWAITING, true);
                        scene->now.ns += EVICT_RETRY_FIRST_MS * NS_PER_MS;
                        assert_string_equal(step(scene), "evict 1");
                }
                scene_free(scene);
        }
        /* Where the kinds are not served nothing is followed. */
        struct scene *scene = scene_minding();
        struct evict_wants wants;
        ask(scene, "1");
        assert_string_equal(step(scene), "");
        evict_service_saw_kinds(scene->service, EVICT_KINDS_ABSENT, scene->now);
        assert_string_equal(step(scene), "evict 1");
        evict_service_wants(scene->service, &wants);
        assert_false(wants.all_requests);
        assert_int_equal(scene->direct, 0);
        scene_free(scene);
}

/* Pods that have finished go by themselves, but not while somebody's request is open. */
static void test_cleanup(void **state) {
        (void)state;
        static const struct {
                enum evict_way way;
                bool is_finished;
                const char *call;
        } cases[] = { { EVICT_WAY_DELETE, false, "delete-pod 1" },
                      { EVICT_WAY_EVICT, true, "evict 1" } };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene = scene_new(EVICT_REQUESTS_ALWAYS);
                struct evict_wants wants;
                ask_way(scene, "1", cases[i].way, cases[i].is_finished);
                assert_string_equal(step(scene), "");
                evict_service_saw_kinds(scene->service, EVICT_KINDS_OWN, scene->now);
                assert_string_equal(step(scene), "");
                evict_service_wants(scene->service, &wants);
                assert_true(wants.all_requests);
                show(scene, "1", 1, AWAITING, false);
                evict_service_listed_requests(scene->service);
                assert_string_equal(step(scene), ""); /* refused: another try later */
                assert_int_equal(evict_requester_in_flight(scene->requester), 0);
                show(scene, "1", 1, AWAITING, true);
                scene->now.ns += EVICT_RETRY_FIRST_MS * NS_PER_MS;
                assert_string_equal(step(scene), cases[i].call);
                scene_free(scene);

                scene = scene_new(EVICT_REQUESTS_NEVER);
                ask_way(scene, "1", cases[i].way, cases[i].is_finished);
                assert_string_equal(step(scene), cases[i].call);
                scene_free(scene);
        }
}

/* A new pass leaves what is under way alone. */
static void test_pass(void **state) {
        (void)state;
        struct scene *scene = requested(EVICT_REQUESTS_ALWAYS);
        scene->sink.begin_pass(scene->sink.context, &(struct evict_pass){ 0 });
        assert_int_equal(evict_requester_in_flight(scene->requester), 1);
        assert_string_equal(step(scene), "");
        scene_free(scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_always),
                cmocka_unit_test(test_said_once),
                cmocka_unit_test(test_minds_requests),
                cmocka_unit_test(test_outcomes),
                cmocka_unit_test(test_withdrawn_by_its_requester),
                cmocka_unit_test(test_stale_and_deleted),
                cmocka_unit_test(test_written_again),
                cmocka_unit_test(test_stored_before),
                cmocka_unit_test(test_request_of_another),
                cmocka_unit_test(test_other_group),
                cmocka_unit_test(test_kinds_not_found_out),
                cmocka_unit_test(test_unanswered),
                cmocka_unit_test(test_answered_one_goes_on),
                cmocka_unit_test(test_not_written),
                cmocka_unit_test(test_auto),
                cmocka_unit_test(test_cleanup),
                cmocka_unit_test(test_pass),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
