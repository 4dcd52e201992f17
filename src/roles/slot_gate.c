/* Lets evictions wait for slots. */
#include "roles/slot_gate.h"

#include "api/json.h"
#include "base/log.h"
#include "base/util.h"
#include "evict/eviction_reconciler.h"
#include "loop/action_request.h"
#include "loop/pod_path.h"
#include "roles/slot_gate_priv.h"
#include "roles/slot_watch.h"
#include <stdlib.h>

struct gate_request {
        struct api_request caller;
        struct slot_gate *gate;
        struct api_request *inner; /* of the transport behind; NULL = none is open */
        bool learns;               /* from the reply */
        /* Of an eviction that takes a slot; owned. */
        bool is_slow, is_sent, is_told;
        bool is_request; /* an EvictionRequest instead */
        bool has_passed; /* whose slot its own controller grants */
        char *path, *body, *ns, *name, *uid;
        struct loop_timer patience;
        struct gate_request *next, *prev;
};

/* ---- requests ---- */

static struct gate_request *open_request(struct slot_gate *gate, void *context) {
        struct gate_request *request = xcalloc(1, sizeof(*request));

        request->gate = gate;
        request->caller.context = context;
        request->next = gate->open;
        if (request->next)
                request->next->prev = request;
        gate->open = request;
        return request;
}

static void close_request(struct gate_request *request) {
        struct slot_gate *gate = request->gate;

        loop_timer_disarm(gate->config.loop, &request->patience);
        if (request->prev)
                request->prev->next = request->next;
        else
                gate->open = request->next;
        if (request->next)
                request->next->prev = request->prev;
        free(request->path);
        free(request->body);
        free(request->ns);
        free(request->name);
        free(request->uid);
        free(request);
}

static void slot_gate_answer(struct gate_request *request, const struct api_reply *reply) {
        void (*done)(void *, const struct api_reply *) = request->caller.done;
        void *user = request->caller.context;

        close_request(request);
        if (done)
                done(user, reply);
}

/* ---- what passes ---- */

static void on_passed(void *context, const struct api_reply *reply) {
        struct gate_request *request = context;

        if (request->learns && reply->status == 200)
                slot_gate_learn(request->gate, reply->body);
        slot_gate_answer(request, reply);
}

static void on_opened(void *context, int status) {
        struct gate_request *request = context;

        if (request->caller.events->opened)
                request->caller.events->opened(request->caller.context, status);
}

static void on_data(void *context, struct slice chunk) {
        struct gate_request *request = context;

        request->caller.events->data(request->caller.context, chunk);
}

static void on_ended(void *context, const struct api_reply *reply) {
        struct gate_request *request = context;
        const struct api_stream_events *events = request->caller.events;
        void *user = request->caller.context;

        close_request(request);
        events->ended(user, reply);
}

/* ---- the eviction itself ---- */

static struct slot_target target_of(const struct gate_request *request) {
        return (struct slot_target){ slice_of(request->ns), slice_of(request->name),
                                     slice_of(request->uid), request->is_request };
}

/* Whether it is under way now, and for how long, only the pod tells. */
static void on_evicted(void *context, const struct api_reply *reply) {
        struct gate_request *request = context;
        struct slot_gate *gate = request->gate;
        const struct slot_target target = target_of(request);
        bool is_begun = reply->status == 429 && slice_contains(slice_of(reply->error.text),
                                                               SLICE_LITERAL(EVICTION_MOVING_TEXT));

        if (request->has_passed)
                slot_ledger_end(gate->ledger, target.uid);
        else if (is_begun || reply->status == 0 || (reply->status >= 200 && reply->status < 300))
                slot_gate_hold(gate, &target, is_begun);
        else if (reply->status == 404)
                slot_ledger_end(gate->ledger, target.uid);
        else
                slot_ledger_give_back(gate->ledger, target.uid, loop_mono(gate->config.loop));
        slot_gate_turn_soon(gate);
        slot_gate_answer(request, reply);
}

static void slot_gate_send(struct gate_request *request) {
        loop_timer_disarm(request->gate->config.loop, &request->patience);
        request->is_sent = true;
        request->inner = transport_call(request->gate->config.inner,
                                        &(struct api_call){ .method = API_POST,
                                                            .path = slice_of(request->path),
                                                            .body = slice_of(request->body) },
                                        on_evicted, request);
}

/* ---- turns ---- */

static const char *reason_of(const struct gate_request *request) {
        const struct slot_gate *gate = request->gate;

        if (!slot_watch_is_ready(gate->watch))
                return "while evictions of others are listed";
        return eviction_slot_refusal_text(
                slot_ledger_refusal(gate->ledger, slice_of(request->uid)));
}

static void slot_gate_tell(struct gate_request *request) {
        if (request->is_told || !slot_watch_is_ready(request->gate->watch))
                return;
        request->is_told = true;
        LOG(LOG_INFO, "WaitsForSlot", log_text("namespace", request->ns),
            log_text("pod", request->name), log_text("slot", reason_of(request)));
}

static bool is_resting(const struct slot_gate *gate) {
        struct slot_ledger_stats stats;

        slot_ledger_stats(gate->ledger, &stats);
        return stats.waiting == 0 && stats.held == 0;
}

/* By the controller of EvictionRequests, which is ours. */
static bool is_granted_elsewhere(const struct gate_request *request) {
        const struct slot_watch *watch = request->gate->watch;

        return request->is_request && slot_watch_is_ready(watch) && !slot_watch_is_foreign(watch);
}

static void slot_gate_turn(void *context) {
        struct slot_gate *gate = context;
        struct loop *loop = gate->config.loop;
        struct gate_request *next;

        if (gate->watch && slot_watch_is_ready(gate->watch)) {
                if (gate->cluster)
                        slot_pods_see_model(gate->ledger, gate->cluster, gate->config.for_all);
                slot_ledger_turns(gate->ledger, loop_mono(loop));
        }
        for (struct gate_request *request = gate->open; request; request = next) {
                next = request->next;
                if (!request->is_slow || request->is_sent)
                        continue;
                request->has_passed = is_granted_elsewhere(request);
                if (request->has_passed || slot_ledger_holds(gate->ledger, slice_of(request->uid)))
                        slot_gate_send(request);
                else
                        slot_gate_tell(request);
        }
        loop_timer_disarm(loop, &gate->turn);
        if (slot_ledger_is_waiting(gate->ledger))
                loop_timer_arm(loop, &gate->turn, SLOT_TURN_NS);
        loop_timer_disarm(loop, &gate->rest);
        if (is_resting(gate))
                loop_timer_arm(loop, &gate->rest, SLOT_REST_NS);
}

void slot_gate_turn_soon(struct slot_gate *gate) {
        loop_timer_disarm(gate->config.loop, &gate->turn);
        loop_timer_arm(gate->config.loop, &gate->turn, 0);
}

static void on_seen(void *context) {
        slot_gate_turn_soon(context);
}

static void follow_others(struct slot_gate *gate) {
        if (!gate->watch)
                gate->watch =
                        slot_watch_new(&(struct slot_watch_config){ .transport = gate->config.inner,
                                                                    .loop = gate->config.loop,
                                                                    .ledger = gate->ledger,
                                                                    .follows_pods = !gate->cluster,
                                                                    .for_all = gate->config.for_all,
                                                                    .changed = on_seen,
                                                                    .context = gate });
}

static void slot_gate_rest(void *context) {
        struct slot_gate *gate = context;

        if (!is_resting(gate))
                return;
        slot_watch_free(gate->watch);
        gate->watch = NULL;
}

/* ---- asking ---- */

/* Who waits is told so now and then, and asks again. */
static void on_patience(void *context) {
        struct gate_request *request = context;
        struct slot_gate *gate = request->gate;
        struct api_reply reply = { .status = 429, .retry_after_s = -1 };

        err_set(&reply.error, BERTH_ERR_TOO_MANY, "waiting for a slot %s", reason_of(request));
        slot_ledger_leave(gate->ledger, slice_of(request->uid), loop_mono(gate->config.loop));
        slot_gate_answer(request, &reply);
}

static void wait_for_slot(struct gate_request *request, const struct slot_asker *asker) {
        struct slot_gate *gate = request->gate;
        int64_t patience_ns =
                gate->config.patience_ns ? gate->config.patience_ns : SLOT_PATIENCE_NS;

        request->patience = (struct loop_timer){ .fired = on_patience, .context = request };
        if (!request->is_request)
                loop_timer_arm(gate->config.loop, &request->patience, patience_ns);
        slot_ledger_ask(gate->ledger, asker, loop_mono(gate->config.loop));
        follow_others(gate);
        slot_gate_turn_soon(gate);
}

static struct slice requester_of(const struct json *body) {
        return json_get_text(json_get(json_get(body, "metadata"), "annotations"), "requested-by");
}

/* What finished leaves no room to protect. */
static bool is_cleanup(const struct json *body) {
        return json_get(json_get(json_get(body, "metadata"), "annotations"), FINISHED_POD_KEY);
}

/* True when this takes a slot: the call is kept until it is its turn. */
static bool slot_gate_keep(struct gate_request *request, const struct api_call *call,
                           const struct slot_target *target, struct slice requester) {
        struct slot_asker asker;
        char owner[SLOT_OWNER_MAX];

        if (!target->uid.len || !slot_gate_finds(request->gate, target, owner, &asker))
                return false;
        request->is_slow = true;
        request->is_request = target->is_request;
        request->path = slice_dup(call->path);
        request->body = slice_dup(call->body);
        request->ns = slice_dup(target->ns);
        request->name = slice_dup(target->name);
        request->uid = slice_dup(target->uid);
        asker.rank = eviction_rank_of(requester);
        wait_for_slot(request, &asker);
        return true;
}

static bool keep_eviction(struct gate_request *request, const struct api_call *call,
                          const struct pod_path *path) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        const struct json *body;
        struct slot_target target = { .ns = path->ns, .name = path->name };

        if (json_parse(call->body, &doc, NULL) < 0)
                return false;
        body = json_doc_root(doc);
        target.uid =
                json_get_text(json_get(json_get(body, "deleteOptions"), "preconditions"), "uid");
        return !is_cleanup(body) && slot_gate_keep(request, call, &target, requester_of(body));
}

#define REQUESTS_PREFIX "/apis/" EVICTION_GROUP_NATIVE "/" EVICTION_VERSION "/namespaces/"

/* Of the native kind: the other one is always reconciled by berth. */
static bool keep_request(struct gate_request *request, const struct api_call *call) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        const struct json *spec, *pod;
        struct slot_target target = { .is_request = true };
        struct slice rest = call->path;

        if (!slice_has_prefix(rest, SLICE_LITERAL(REQUESTS_PREFIX)))
                return false;
        rest = slice_make(rest.ptr + sizeof(REQUESTS_PREFIX) - 1,
                          rest.len - (sizeof(REQUESTS_PREFIX) - 1));
        if (!slice_split(&rest, '/', &target.ns) || !slice_is(rest, "evictionrequests") ||
            json_parse(call->body, &doc, NULL) < 0)
                return false;
        spec = json_get(json_doc_root(doc), "spec");
        pod = json_get(json_get(spec, "target"), "pod");
        target.name = json_get_text(pod, "name");
        target.uid = json_get_text(pod, "uid");
        return slot_gate_keep(request, call, &target, json_get_text(spec, "requester"));
}

static bool slot_gate_begin(struct gate_request *request, const struct api_call *call) {
        struct pod_path path;

        if (call->method != API_POST)
                return false;
        if (pod_path_read(call->path, &path))
                return slice_is(path.rest, "eviction") && keep_eviction(request, call, &path);
        return keep_request(request, call);
}

/* ---- the transport ---- */

static struct api_request *call_through(void *self, const struct api_call *call,
                                        void (*done)(void *context, const struct api_reply *reply),
                                        void *context) {
        struct slot_gate *gate = self;
        struct gate_request *request = open_request(gate, context);

        request->caller.done = done;
        request->learns = slot_gate_may_learn(gate, call);
        if (!slot_gate_begin(request, call))
                request->inner = transport_call(gate->config.inner, call, on_passed, request);
        return &request->caller;
}

static struct api_request *stream_through(void *self, const struct api_call *call,
                                          const struct api_stream_events *events, void *context) {
        static const struct api_stream_events own = { .opened = on_opened,
                                                      .data = on_data,
                                                      .ended = on_ended };
        struct slot_gate *gate = self;
        struct gate_request *request = open_request(gate, context);

        request->caller.events = events;
        request->inner = transport_stream(gate->config.inner, call, &own, request);
        return &request->caller;
}

/* A call that was on its way may have been carried out. */
static void slot_gate_cancel(void *self, struct api_request *handle) {
        struct gate_request *request = CONTAINER_OF(handle, struct gate_request, caller);
        struct slot_gate *gate = self;
        const struct slot_target target = target_of(request);

        if (request->inner)
                transport_cancel(gate->config.inner, request->inner);
        if (request->is_slow && request->is_sent)
                slot_gate_hold(gate, &target, false);
        else if (request->is_slow)
                slot_ledger_end(gate->ledger, target.uid);
        close_request(request);
}

static const struct transport_ops ops = { .call = call_through,
                                          .stream = stream_through,
                                          .cancel = slot_gate_cancel };

struct transport slot_gate_transport(struct slot_gate *gate) {
        return (struct transport){ .ops = &ops, .self = gate };
}

/* ---- life ---- */

struct slot_gate *slot_gate_new(const struct slot_gate_config *config) {
        struct slot_gate *gate = xcalloc(1, sizeof(*gate));

        gate->config = *config;
        gate->ledger = slot_ledger_new(&config->limits);
        gate->pods = map_new();
        gate->held = map_new();
        gate->turn = (struct loop_timer){ .fired = slot_gate_turn, .context = gate };
        gate->look = (struct loop_timer){ .fired = slot_gate_look, .context = gate };
        gate->rest = (struct loop_timer){ .fired = slot_gate_rest, .context = gate };
        return gate;
}

void slot_gate_know(struct slot_gate *gate, const struct cluster *cluster) {
        gate->cluster = cluster;
}

void slot_gate_free(struct slot_gate *gate) {
        if (!gate)
                return;
        loop_timer_disarm(gate->config.loop, &gate->turn);
        loop_timer_disarm(gate->config.loop, &gate->look);
        loop_timer_disarm(gate->config.loop, &gate->rest);
        slot_watch_free(gate->watch);
        while (gate->open) {
                if (gate->open->inner)
                        transport_cancel(gate->config.inner, gate->open->inner);
                close_request(gate->open);
        }
        slot_gate_drop_held(gate);
        slot_gate_forget_pods(gate);
        map_free(gate->pods);
        slot_ledger_free(gate->ledger);
        free(gate);
}

void slot_gate_stats(const struct slot_gate *gate, struct slot_ledger_stats *ret_stats) {
        slot_ledger_stats(gate->ledger, ret_stats);
}
