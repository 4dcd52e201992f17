/* Slots as states of the eviction service: which evictions begin at once, which wait and for what,
 * and who comes next. */
#include "evict/evict_service.h"

#include "api/json.h"
#include "base/util.h"
#include "evict/slot_ledger.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define VM "\"labels\":{\"kubevirt.io\":\"virt-launcher\"}"
#define MARK "\"annotations\":{\"descheduler.alpha.kubernetes.io/eviction-in-progress\":\"\"}"
#define LEAVING "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"deletionGracePeriodSeconds\":30"
#define EVICTED                                                                                    \
        "{\"phase\":\"Running\",\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":"        \
        "\"True\","                                                                                \
        "\"reason\":\"EvictionByEvictionAPI\"}]}"
#define RUNNING "{\"phase\":\"Running\"}"
#define KURED "kured"
#define DESCHEDULER "sigs.k8s.io/descheduler"
#define OTHER "example.com/somebody"

struct scene {
        struct evict_service *service;
        struct evict_requester *requester;
        struct evict_sink sink;
        struct cluster *cluster; /* NULL = pods are shown one by one */
        struct action_list out;
        struct mono_time now;
        char reported[80]; /* what the last one that waits waits for */
};

static void on_reported(void *context, const struct evict_note *note) {
        struct scene *scene = context;
        if (note->kind == EVICT_NOTE_WAITS)
                snprintf(scene->reported, sizeof(scene->reported), "%s", note->text);
}

static const struct eviction_slot_limits one_per_node = { .node = 1 };

static struct scene *scene_new(const struct evict_config *config, bool has_model) {
        struct scene *scene = xcalloc(1, sizeof(*scene));
        struct evict_config full = *config;
        if (has_model)
                scene->cluster = cluster_new(
                        &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        full.cluster = scene->cluster;
        full.has_slots = true;
        full.report = on_reported;
        full.context = scene;
        scene->service = evict_service_new(&full);
        scene->requester = evict_service_join(
                scene->service,
                &(struct evict_requester_config){ .requests_as = "reboot.berth.dev/drain" });
        scene->sink = evict_requester_sink(scene->requester);
        action_list_init(&scene->out);
        scene->sink.begin_pass(scene->sink.context, &(struct evict_pass){ 0 });
        return scene;
}

static void scene_free(struct scene *scene) {
        evict_service_free(scene->service);
        cluster_free(scene->cluster);
        action_list_release(&scene->out);
        free(scene);
}

static struct json_doc *pod_object(const char *name, const char *meta, const char *status) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_doc *doc = NULL;
        buf_printf(&text,
                   "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"%s\"%s%s},"
                   "\"spec\":{\"nodeName\":\"n0\",\"containers\":[{\"name\":\"c\"}]},"
                   "\"status\":%s}",
                   name, name, *meta ? "," : "", meta, status);
        assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
        return doc;
}

/* A pod as it is now, by the way this process knows pods. */
static void show(struct scene *scene, const char *name, const char *meta, const char *status) {
        struct json_doc *doc = pod_object(name, meta, status);
        if (scene->cluster)
                assert_int_equal(cluster_apply(scene->cluster, OBJECT_POD, CHANGE_ADDED,
                                               json_doc_root(doc), NULL),
                                 0);
        else
                evict_service_saw_pod(scene->service, json_doc_root(doc), scene->now);
        json_doc_free(doc);
}

static void lose(struct scene *scene, const char *name) {
        if (scene->cluster)
                cluster_remove_pod(scene->cluster, SLICE_LITERAL("default"), slice_of(name));
        else
                evict_service_lost_pod(scene->service, slice_of(name));
}

static void ask(struct scene *scene, const char *name, const char *requester) {
        const struct evict_intent intent = {
                .pod = { .ns = SLICE_LITERAL("default"),
                         .name = slice_of(name),
                         .uid = slice_of(name) },
                .node = SLICE_LITERAL("n0"),
                .requested_by = slice_of(requester),
        };
        assert_int_equal(scene->sink.ask(scene->sink.context, &intent), EVICT_DONE);
}

/* One step, then the calls of it as "a b"; "request:" stands before an EvictionRequest. */
static const char *step(struct scene *scene) {
        static char text[200];
        size_t used = 0;
        struct evict_wants wants;
        text[0] = '\0';
        action_list_clear(&scene->out);
        evict_service_observe(scene->service, scene->now, (struct wall_time){ scene->now.ns });
        evict_service_step(scene->service, scene->now, &scene->out);
        for (size_t i = 0; i < scene->out.count; i++) {
                const struct action *action = &scene->out.items[i];
                bool is_request = action->kind == ACTION_CREATE_REQUEST;
                if (action->kind != ACTION_EVICT && !is_request)
                        continue;
                used += (size_t)snprintf(
                        text + used, sizeof(text) - used, "%s%s" SLICE_FMT, used ? " " : "",
                        is_request ? "request:" : "",
                        SLICE_ARG(is_request ? action->request.pod.name : action->target.name));
        }
        evict_service_wants(scene->service, &wants);
        assert_int_equal(wants.observations[EVICT_SIGHT_PODS] && scene->cluster, 0);
        return text;
}

/* What others have under way is listed: there is nothing besides what the test shows. */
static const char *step_listed(struct scene *scene) {
        struct evict_wants wants;
        CLEANUP(buf_release) struct buf first = { 0 };
        buf_text(&first, step(scene));
        evict_service_wants(scene->service, &wants);
        if (!wants.observations[EVICT_SIGHT_OWN])
                return step(scene);
        assert_string_equal(first.len ? first.data : "", ""); /* not before that is known */
        evict_service_listed_observations(scene->service);
        return step(scene);
}

static void answer(struct scene *scene, int code, const char *text) {
        for (size_t i = 0; i < scene->out.count; i++) {
                const struct action *action = &scene->out.items[i];
                const struct action_result result = { .id = action->id,
                                                      .kind = action->kind,
                                                      .code = code,
                                                      .retry_after_s = -1,
                                                      .text = slice_of(text) };
                evict_service_result(scene->service, &result, scene->now,
                                     (struct wall_time){ scene->now.ns });
        }
}

static void pass_s(struct scene *scene, int64_t seconds) {
        scene->now.ns += seconds * NS_PER_S;
}

static struct slot_ledger_stats stats_of(const struct scene *scene) {
        struct slot_ledger_stats stats;
        evict_service_slots(scene->service, &stats);
        return stats;
}

/* Plain pods take no slot: as many at a time as are asked for, and nothing is followed. */
static void test_plain_ones_pass(void **state) {
        (void)state;
        for (int has_model = 0; has_model < 2; has_model++) {
                struct scene *scene =
                        scene_new(&(struct evict_config){ .slots = one_per_node }, has_model);
                struct evict_wants wants;
                show(scene, "a", "", RUNNING);
                show(scene, "b", "", RUNNING);
                ask(scene, "a", KURED);
                ask(scene, "b", KURED);
                assert_string_equal(step(scene), "a b");
                evict_service_wants(scene->service, &wants);
                for (size_t i = 0; i < EVICT_SIGHT_COUNT; i++)
                        assert_false(wants.observations[i]);
                scene_free(scene);
        }
}

/* Machines of a node leave one after the other, known from the model or shown. */
static void test_machines_in_order(void **state) {
        (void)state;
        for (int has_model = 0; has_model < 2; has_model++) {
                struct scene *scene =
                        scene_new(&(struct evict_config){ .slots = one_per_node }, has_model);
                show(scene, "a", VM, RUNNING);
                show(scene, "b", VM, RUNNING);
                ask(scene, "a", DESCHEDULER);
                assert_string_equal(step_listed(scene), "a");
                answer(scene, BERTH_OK, "");
                show(scene, "a", VM "," LEAVING, EVICTED);
                ask(scene, "b", DESCHEDULER);
                assert_string_equal(step(scene), "");
                assert_string_equal(scene->reported, "of its node");
                pass_s(scene, 6);
                assert_string_equal(step(scene), "");
                assert_int_equal(stats_of(scene).held, 1);
                lose(scene, "a");
                assert_string_equal(step(scene), "b");
                answer(scene, BERTH_OK, "");
                lose(scene, "b");
                step(scene);
                assert_int_equal(stats_of(scene).held, 0);
                scene_free(scene);
        }
}

/* Who waits too long is refused with what it waits for, and keeps its place before later ones. */
static void test_patience(void **state) {
        (void)state;
        struct scene *scene = scene_new(&(struct evict_config){ .slots = one_per_node }, false);
        size_t at = 0;
        for (size_t i = 0; i < 3; i++)
                show(scene, (const char *[]){ "a", "b", "c" }[i], VM, RUNNING);
        ask(scene, "a", KURED);
        assert_string_equal(step_listed(scene), "a");
        answer(scene, BERTH_OK, "");
        ask(scene, "b", KURED);
        assert_string_equal(step(scene), "");
        struct mono_time due;
        assert_true(evict_service_next_due(scene->service, &due));
        pass_s(scene, EVICT_SLOT_PATIENCE_NS / NS_PER_S);
        show(scene, "a", VM "," MARK, RUNNING);
        assert_true(due.ns <= scene->now.ns);
        assert_string_equal(step(scene), "");
        /* It waits for another try now, and that can be withdrawn. */
        assert_int_equal(evict_requester_in_flight(scene->requester), 0);
        assert_int_equal(evict_requester_open(scene->requester), 1);
        scene->sink.begin_pass(scene->sink.context, &(struct evict_pass){ 0 });
        const struct evict_record *record = evict_requester_next_record(scene->requester, 1, &at);
        assert_int_equal(record->result, EVICT_RESULT_WITHDRAWN);
        assert_string_equal(record->text.ptr, "waiting for a slot of its node");
        ask(scene, "c", KURED);
        assert_string_equal(step(scene), "");
        ask(scene, "b", KURED);
        lose(scene, "a");
        assert_string_equal(step(scene), "b");
        scene_free(scene);
}

/* Whoever does not come back leaves the line. */
static void test_withdrawn_ones_leave(void **state) {
        (void)state;
        struct scene *scene = scene_new(&(struct evict_config){ .slots = one_per_node }, false);
        show(scene, "a", VM, RUNNING);
        show(scene, "b", VM, RUNNING);
        ask(scene, "a", KURED);
        assert_string_equal(step_listed(scene), "a");
        answer(scene, BERTH_OK, "");
        show(scene, "a", VM "," LEAVING, EVICTED);
        ask(scene, "b", KURED);
        assert_string_equal(step(scene), "");
        assert_int_equal(stats_of(scene).waiting, 1);
        pass_s(scene, 30);
        step(scene);
        scene->sink.begin_pass(scene->sink.context, &(struct evict_pass){ 0 });
        lose(scene, "a");
        pass_s(scene, SLOT_LEDGER_GRACE_NS / NS_PER_S);
        assert_string_equal(step(scene), "");
        pass_s(scene, SLOT_LEDGER_GRACE_NS / NS_PER_S);
        assert_string_equal(step(scene), "");
        assert_int_equal(stats_of(scene).waiting, 0);
        assert_int_equal(stats_of(scene).held, 0);
        scene_free(scene);
}

/* Reboots first, then others, the descheduler last; then by age. */
static void test_order(void **state) {
        (void)state;
        static const struct {
                const char *names, *requesters[3]; /* asked in this order */
        } cases[] = {
                { "cba", { DESCHEDULER, OTHER, KURED } },
                { "abc", { KURED, KURED, DESCHEDULER } },
                { "acb", { OTHER, DESCHEDULER, OTHER } },
                { "bac", { DESCHEDULER, OTHER, DESCHEDULER } },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene =
                        scene_new(&(struct evict_config){ .slots = one_per_node,
                                                          .slot_patience_ns = 900 * NS_PER_S },
                                  false);
                show(scene, "x", VM, RUNNING);
                ask(scene, "x", DESCHEDULER);
                assert_string_equal(step_listed(scene), "x");
                answer(scene, BERTH_OK, "");
                show(scene, "x", VM "," LEAVING, EVICTED);
                for (size_t pod = 0; pod < 3; pod++) {
                        char name[2] = { (char)('a' + pod), '\0' };
                        show(scene, name, VM, RUNNING);
                        ask(scene, name, cases[i].requesters[pod]);
                        assert_string_equal(step(scene), "");
                        pass_s(scene, 1);
                }
                lose(scene, "x");
                for (size_t position = 0; position < 3; position++) {
                        char name[2] = { cases[i].names[position], '\0' };
                        assert_string_equal(step(scene), name);
                        answer(scene, BERTH_OK, "");
                        lose(scene, name);
                }
                scene_free(scene);
        }
}

/* Evictions of other processes count: one in the background, one by the subresource, an Eviction
 * with responders at work, a migration. */
static void test_others_count(void **state) {
        (void)state;
        static const struct {
                enum evict_observation observation;
                const char *object;
                struct eviction_slot_limits limits;
        } cases[] = {
                { EVICT_SIGHT_PODS,
                  "{\"metadata\":{\"namespace\":\"default\",\"name\":\"o\",\"uid\":\"o\"," VM
                  "," MARK "},\"spec\":{\"nodeName\":\"n0\"},\"status\":" RUNNING "}",
                  { .node = 1 } },
                { EVICT_SIGHT_PODS,
                  "{\"metadata\":{\"namespace\":\"default\",\"name\":\"o\",\"uid\":\"o\"," VM
                  "," LEAVING "},\"spec\":{\"nodeName\":\"n0\"},\"status\":" EVICTED "}",
                  { .node = 1 } },
                { EVICT_SIGHT_OWN,
                  "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"Eviction\","
                  "\"metadata\":{\"namespace\":\"default\",\"name\":\"e\",\"uid\":\"e\","
                  "\"generation\":1},\"spec\":{\"target\":{\"pod\":{\"name\":\"o\",\"uid\":\"o\"}}}"
                  ","
                  "\"status\":{\"observedGeneration\":1,\"targetResponders\":[{\"name\":"
                  "\"mover.example.com/m\",\"priority\":5000,\"state\":\"Active\"},{\"name\":"
                  "\"imperative-eviction.k8s.io/"
                  "evictor\",\"priority\":100,\"state\":\"Inactive\"}],"
                  "\"responders\":[{\"name\":\"mover.example.com/m\",\"startTime\":"
                  "\"2026-01-01T00:00:00.000000Z\"},{\"name\":"
                  "\"imperative-eviction.k8s.io/evictor\"}]}}",
                  { .total = 1 } },
                { EVICT_SIGHT_MIGRATIONS,
                  "{\"metadata\":{\"namespace\":\"default\",\"name\":\"m\",\"uid\":\"m\"},"
                  "\"spec\":{\"vmiName\":\"o\"},\"status\":{\"phase\":\"Running\","
                  "\"migrationState\":{\"sourceNode\":\"n0\"}}}",
                  { .node = 1 } },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene =
                        scene_new(&(struct evict_config){ .slots = cases[i].limits }, false);
                struct json_doc *doc = NULL;
                assert_int_equal(json_parse(slice_of(cases[i].object), &doc, NULL), 0);
                show(scene, "a", VM, RUNNING);
                ask(scene, "a", KURED);
                assert_string_equal(step(scene), "");
                evict_service_saw(scene->service, cases[i].observation, json_doc_root(doc), false);
                evict_service_listed_observations(scene->service);
                assert_string_equal(step(scene), "");
                evict_service_saw(scene->service, cases[i].observation, json_doc_root(doc), true);
                assert_string_equal(step(scene), "a");
                json_doc_free(doc);
                scene_free(scene);
        }
}

/* What a budget refuses holds no slot: it is the next one's at once. */
static void test_refused_ones_wait_outside(void **state) {
        (void)state;
        struct scene *scene = scene_new(&(struct evict_config){ .slots = one_per_node }, false);
        show(scene, "a", VM, RUNNING);
        show(scene, "b", VM, RUNNING);
        ask(scene, "a", KURED);
        assert_string_equal(step_listed(scene), "a");
        ask(scene, "b", KURED);
        assert_string_equal(step(scene), "");
        action_list_clear(&scene->out);
        const struct action_result refusal = { .id = 1,
                                               .kind = ACTION_EVICT,
                                               .code = BERTH_ERR_TOO_MANY,
                                               .retry_after_s = -1,
                                               .text = SLICE_LITERAL("disruption budget") };
        assert_true(evict_service_result(scene->service, &refusal, scene->now,
                                         (struct wall_time){ 1 }));
        assert_string_equal(step(scene), "b");
        scene_free(scene);
}

/* An answer that was lost may stand for an eviction; one that was never given does not. */
static void test_outcomes_and_slots(void **state) {
        (void)state;
        static const struct {
                int code;
                const char *text;
                size_t held;
        } cases[] = {
                { BERTH_OK, "", 1 },
                { BERTH_ERR_TOO_MANY, "Eviction triggered evacuation", 1 },
                { BERTH_ERR_TIMEOUT, "no answer", 1 },
                { BERTH_ERR_TOO_MANY, "budget", 0 },
                { BERTH_ERR_NOT_FOUND, "gone", 0 },
                { BERTH_ERR_UNAVAILABLE, "no connection", 0 },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene =
                        scene_new(&(struct evict_config){ .slots = one_per_node }, false);
                show(scene, "a", VM, RUNNING);
                ask(scene, "a", KURED);
                assert_string_equal(step_listed(scene), "a");
                answer(scene, cases[i].code, cases[i].text);
                assert_int_equal(stats_of(scene).held, cases[i].held);
                scene_free(scene);
        }
}

/* Pods that cannot be read any more do not hold their slots for ever; one that is seen to stay was
 * not evicted after all. */
static void test_slots_come_back(void **state) {
        (void)state;
        static const struct {
                bool is_seen;
                int64_t holds_s, free_s;
        } cases[] = { { false, 599, 601 }, { true, 29, 31 } };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene =
                        scene_new(&(struct evict_config){ .slots = one_per_node }, false);
                show(scene, "a", VM, RUNNING);
                ask(scene, "a", KURED);
                assert_string_equal(step_listed(scene), "a");
                answer(scene, BERTH_OK, "");
                pass_s(scene, cases[i].holds_s);
                if (cases[i].is_seen)
                        show(scene, "a", VM, RUNNING);
                step(scene);
                assert_int_equal(stats_of(scene).held, 1);
                pass_s(scene, cases[i].free_s - cases[i].holds_s);
                if (cases[i].is_seen)
                        show(scene, "a", VM, RUNNING);
                step(scene);
                assert_int_equal(stats_of(scene).held, 0);
                scene_free(scene);
        }
}

/* A process that lists the pods of its node learns from the list who has left. */
static void test_listed_nodes(void **state) {
        (void)state;
        struct scene *scene = scene_new(&(struct evict_config){ .slots = one_per_node }, false);
        struct json_doc *doc = NULL;
        show(scene, "a", VM, RUNNING);
        ask(scene, "a", KURED);
        assert_string_equal(step_listed(scene), "a");
        answer(scene, BERTH_OK, "");
        assert_int_equal(json_parse(SLICE_LITERAL("{\"items\":[]}"), &doc, NULL), 0);
        evict_service_saw_node(scene->service, SLICE_LITERAL("n1"), json_doc_root(doc), scene->now);
        assert_int_equal(stats_of(scene).held, 1);
        evict_service_saw_node(scene->service, SLICE_LITERAL("n0"), json_doc_root(doc), scene->now);
        assert_int_equal(stats_of(scene).held, 0);
        json_doc_free(doc);
        scene_free(scene);
}

/* Slots for all: plain pods wait, too. */
static void test_for_all(void **state) {
        (void)state;
        struct scene *scene = scene_new(
                &(struct evict_config){ .slots = one_per_node, .slots_for_all = true }, false);
        show(scene, "a", "", RUNNING);
        show(scene, "b", "", RUNNING);
        ask(scene, "a", KURED);
        ask(scene, "b", KURED);
        assert_string_equal(step_listed(scene), "a");
        answer(scene, BERTH_OK, "");
        lose(scene, "a");
        assert_string_equal(step(scene), "b");
        scene_free(scene);
}

/* Others are followed while somebody waits or holds a slot, and a minute after. */
static void test_rest(void **state) {
        (void)state;
        struct scene *scene = scene_new(&(struct evict_config){ .slots = one_per_node }, false);
        struct evict_wants wants;
        show(scene, "a", VM, RUNNING);
        ask(scene, "a", KURED);
        assert_string_equal(step_listed(scene), "a");
        answer(scene, BERTH_OK, "");
        lose(scene, "a");
        step(scene);
        struct mono_time due;
        assert_true(evict_service_next_due(scene->service, &due));
        assert_int_equal(due.ns - scene->now.ns, EVICT_SLOT_REST_NS);
        evict_service_wants(scene->service, &wants);
        assert_true(wants.observations[EVICT_SIGHT_OWN]);
        scene->now = due;
        step(scene);
        evict_service_wants(scene->service, &wants);
        assert_false(wants.observations[EVICT_SIGHT_OWN]);
        assert_false(evict_service_next_due(scene->service, &due));
        scene_free(scene);
}

/* ---- EvictionRequests of the native kind ---- */

static void show_eviction(struct scene *scene, const char *manager) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_doc *doc = NULL;
        buf_printf(&text,
                   "{\"apiVersion\":\"lifecycle.k8s.io/v1alpha1\",\"kind\":\"Eviction\","
                   "\"metadata\":{\"namespace\":\"default\",\"name\":\"e\",\"uid\":\"e\","
                   "\"managedFields\":[{\"manager\":\"%s\",\"subresource\":\"status\"}]},"
                   "\"spec\":{\"target\":{\"pod\":{\"name\":\"x\",\"uid\":\"x\"}}},"
                   "\"status\":{\"targetResponders\":[{\"name\":\"mover.example.com/m\","
                   "\"priority\":5000,\"state\":\"Active\"},{\"name\":"
                   "\"imperative-eviction.k8s.io/evictor\",\"priority\":100,"
                   "\"state\":\"Inactive\"}],\"responders\":[{\"name\":\"mover.example.com/m\"},"
                   "{\"name\":\"imperative-eviction.k8s.io/evictor\"}]}}",
                   manager);
        assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
        evict_service_saw(scene->service, EVICT_SIGHT_NATIVE, json_doc_root(doc), false);
        json_doc_free(doc);
}

/* Slots where another controller grants none: they are taken before anything is asked, without end
 * of patience.  Our own controller grants them itself. */
static void test_requests(void **state) {
        (void)state;
        static const struct {
                const char *manager;
                enum evict_kinds kinds;
                const char *first, *second;
        } cases[] = {
                { "kube-controller-manager", EVICT_KINDS_NATIVE, "request:plain", "" },
                { "berth-evictions", EVICT_KINDS_NATIVE, "request:plain", "request:a" },
                { "berth-evictions", EVICT_KINDS_OWN, "request:a request:plain", "" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene =
                        scene_new(&(struct evict_config){ .slots = { .total = 1 },
                                                          .requests = EVICT_REQUESTS_ALWAYS },
                                  false);
                show(scene, "a", VM, RUNNING);
                show(scene, "plain", "", RUNNING);
                ask(scene, "a", KURED);
                ask(scene, "plain", KURED);
                assert_string_equal(step(scene), "");
                evict_service_saw_kinds(scene->service, cases[i].kinds, scene->now);
                assert_string_equal(step(scene), cases[i].first);
                show_eviction(scene, cases[i].manager);
                evict_service_listed_observations(scene->service);
                assert_string_equal(step(scene), cases[i].second);
                pass_s(scene, 2 * EVICT_SLOT_PATIENCE_NS / NS_PER_S);
                assert_string_equal(step(scene), "");
                scene_free(scene);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_plain_ones_pass),
                cmocka_unit_test(test_machines_in_order),
                cmocka_unit_test(test_patience),
                cmocka_unit_test(test_withdrawn_ones_leave),
                cmocka_unit_test(test_order),
                cmocka_unit_test(test_others_count),
                cmocka_unit_test(test_refused_ones_wait_outside),
                cmocka_unit_test(test_outcomes_and_slots),
                cmocka_unit_test(test_slots_come_back),
                cmocka_unit_test(test_listed_nodes),
                cmocka_unit_test(test_for_all),
                cmocka_unit_test(test_rest),
                cmocka_unit_test(test_requests),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
