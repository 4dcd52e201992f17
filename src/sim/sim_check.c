/* What must hold: of every change of an Eviction, of every call, of the audit log, and in the
 * end. */
#include "sim/sim_world_priv.h"

#include "base/util.h"
#include "evict/eviction_policy.h"
#include "store/store.h"
#include <stdio.h>
#include <stdlib.h>

struct sim_beat { /* of one Eviction: its Active responder's last sign of life, as it happened */
        int active;
        struct wall_time value;
        struct mono_time at;
};

static struct eviction *sim_check_decode(const struct store_object *object) {
        struct eviction *eviction = NULL;
        struct json_doc *doc = NULL;

        if (!object || json_parse(store_object_body(object), &doc, NULL) < 0)
                return NULL;
        eviction_decode(json_doc_root(doc), &eviction, NULL);
        json_doc_free(doc);
        return eviction;
}

static struct wall_time beat_of(const struct eviction_status *status, int active) {
        const struct eviction_responder *responder = &status->responders[active];

        return wall_time_is_set(responder->heartbeat) ? responder->heartbeat : responder->start;
}

/* Remembers when, by the clock that never steps, a responder last showed life. */
static struct sim_beat *follow_beat(struct sim_world *world, const struct eviction *eviction) {
        struct sim_beat *beat = map_get(world->beats, eviction->object.uid);
        int active = eviction_active(&eviction->status);

        if (!beat) {
                beat = xcalloc(1, sizeof(*beat));
                beat->active = -1;
                map_put(world->beats, eviction->object.uid, beat);
        }
        if (active < 0)
                return beat;
        if (beat->active != active || beat->value.ns != beat_of(&eviction->status, active).ns) {
                beat->active = active;
                beat->value = beat_of(&eviction->status, active);
                beat->at = loop_mono(world->loop);
        }
        return beat;
}

/* The time by which a silence may be judged: what really passed, or what the clock says. */
static struct wall_time judge_time(struct sim_world *world, const struct sim_beat *beat) {
        struct wall_time now = loop_wall(world->loop);
        int64_t real = beat->value.ns + loop_mono(world->loop).ns - beat->at.ns;

        if (beat->active >= 0 && (!world->has_stepped || real > now.ns))
                now.ns = real;
        return now;
}

static void check_change(struct sim_world *world, const struct store_event *event) {
        struct eviction *was = sim_check_decode(event->previous),
                        *is = sim_check_decode(event->object);
        struct sim_beat *beat;
        struct err err = { 0 };

        world->changes++;
        if (!is)
                sim_violated(world, "an Eviction cannot be read");
        if (is && event->type != STORE_DELETED) {
                int active = was ? eviction_active(&was->status) : -1;

                beat = map_get(world->beats, is->object.uid);
                if (eviction_status_check(was ? &was->status : NULL, &is->status,
                                          beat ? judge_time(world, beat) : loop_wall(world->loop),
                                          true, &err) < 0 &&
                    is->status.responder_count)
                        sim_violated(world, SLICE_FMT ": %s", SLICE_ARG(is->object.name), err.text);
                if (active >= 0 && is->status.responders[active].state == RESPONDER_INTERRUPTED &&
                    !eviction_outcome_is_final(is->status.conditions.outcome))
                        world->interrupted++;
                follow_beat(world, is);
        }
        sim_reservations_see(world->reservations, was, is, event->type == STORE_DELETED);
        eviction_free(was);
        eviction_free(is);
}

static struct eviction_request *decode_request(const struct store_object *object) {
        struct eviction_request *request = NULL;
        struct json_doc *doc = NULL;

        if (object && json_parse(store_object_body(object), &doc, NULL) == 0)
                eviction_request_decode(json_doc_root(doc), &request, NULL);
        json_doc_free(doc);
        return request;
}

static void observe_request(struct sim_world *world, const struct store_event *event) {
        struct eviction_request *was = decode_request(event->previous),
                                *is = decode_request(event->object);

        if (is)
                sim_reservations_observe(world->reservations,
                                         was ? was->object.conditions.message : SLICE_EMPTY,
                                         is->object.conditions.message);
        eviction_request_free(was);
        eviction_request_free(is);
}

struct target_view {
        struct slice uid;
        struct sim_world *world;
        size_t running, active;
        size_t total, canceled, evicted;
};

static struct store_cursor *open_all(struct sim_world *world, int resource) {
        struct store_range range = { .resource = resource };
        struct store_cursor *cursor = NULL;

        store_cursor_open(world->store, &range, &cursor, NULL);
        return cursor;
}

/* Every Eviction as it is stored now. */
static void each_eviction(struct sim_world *world,
                          void (*visit)(void *context, const struct eviction *eviction),
                          void *context) {
        const struct store_object *object;

        if (world->evictions < 0)
                return;
        struct store_cursor *cursor = open_all(world, world->evictions);
        while ((object = store_cursor_next(cursor))) {
                struct eviction *eviction = sim_check_decode(object);

                if (eviction)
                        visit(context, eviction);
                eviction_free(eviction);
        }
        store_cursor_close(cursor);
}

static void view_target(void *context, const struct eviction *eviction) {
        struct target_view *view = context;

        if (!slice_eq(eviction->object.target_uid, view->uid))
                return;
        view->total++;
        view->active += eviction_active(&eviction->status) >= 0;
        view->running += !eviction_outcome_is_final(eviction->status.conditions.outcome);
        view->canceled += eviction->status.conditions.outcome == EVICTION_CANCELED;
        view->evicted += eviction_outcome_is_evicted(eviction->status.conditions.outcome);
}

static void check_target(struct sim_world *world, const struct store_object *object) {
        struct eviction *eviction = sim_check_decode(object);
        struct target_view view = { .world = world };

        if (!eviction)
                return;
        view.uid = eviction->object.target_uid;
        each_eviction(world, view_target, &view);
        if (view.active > 1)
                sim_violated(world, "%zu responders of one pod are Active", view.active);
        if (view.running > 1 && !world->allows_duplicates)
                sim_violated(world, "%zu Evictions of one pod are under way", view.running);
        eviction_free(eviction);
}

/* Looks into the store: within a change, the server is busy with the call that makes it. */
static bool sim_check_lives(struct sim_world *world, const struct eviction_object *object) {
        int pods = store_find_resource(world->store, SLICE_LITERAL("pods"));
        const struct store_object *pod =
                store_get(world->store, pods, slice_of(SIM_NS), object->target_name);
        struct json_doc *doc = NULL;
        bool is_alive = false;

        if (pod && json_parse(store_object_body(pod), &doc, NULL) == 0) {
                const struct json *root = json_doc_root(doc);
                struct slice phase = json_get_text(json_get(root, "status"), "phase");

                is_alive = slice_eq(json_get_text(json_get(root, "metadata"), "uid"),
                                    object->target_uid) &&
                           !slice_is(phase, "Succeeded") && !slice_is(phase, "Failed");
        }
        json_doc_free(doc);
        return is_alive;
}

struct slot_view {
        struct sim_world *world;
        size_t total, on_node;
};

static void view_slot(void *context, const struct eviction *eviction) {
        struct slot_view *view = context;

        if (eviction_active(&eviction->status) < 0 ||
            (!view->world->config.slots_for_all && eviction->status.responder_count < 2))
                return;
        view->total++;
        view->on_node += sim_check_lives(view->world, &eviction->object);
}

/* All pods are of one node; one that is gone uses nothing there.  Asks the server, which must not
 * be asked while it reports a change. */
void sim_check_slots(struct sim_world *world) {
        const struct eviction_slot_limits *slots = &world->config.slots;
        struct slot_view view = { .world = world };

        if (!world->has_changed || !world->config.has_slots)
                return;
        world->has_changed = false;
        each_eviction(world, view_slot, &view);
        if (slots->total && view.total > slots->total)
                sim_violated(world, "%zu evictions are at work, there are %u slots", view.total,
                             slots->total);
        if (slots->node && view.on_node > slots->node)
                sim_violated(world, "%zu evictions are at work on a node of %u slots", view.on_node,
                             slots->node);
}

static void on_change(void *context, int resource, const struct store_event *event) {
        struct sim_world *world = context;

        if (world->evictions < 0)
                world->evictions =
                        store_find_resource(world->store, SLICE_LITERAL("evictions.lifecycle."
                                                                        "berth.dev"));
        if (world->requests < 0)
                world->requests = store_find_resource(
                        world->store, SLICE_LITERAL("evictionrequests.lifecycle.berth.dev"));
        if (world->pods < 0)
                world->pods = store_find_resource(world->store, SLICE_LITERAL("pods"));
        if (world->reservations && resource == world->pods)
                sim_actors_see_pod(world->actors, event);
        if (world->reservations && world->requests >= 0 && resource == world->requests)
                observe_request(world, event);
        if (resource != world->evictions || world->evictions < 0 || world->config.is_unchecked)
                return;
        check_change(world, event);
        check_target(world, event->object);
        world->has_changed = true;
}

void sim_check_start(struct sim_world *world) {
        world->evictions = world->requests = world->pods = -1;
        world->beats = map_new();
        world->subscription = store_subscribe(world->store, STORE_ALL_RESOURCES, on_change, world);
}

void sim_check_stop(struct sim_world *world) {
        struct slice key;
        void *value;
        size_t at = 0;

        store_unsubscribe(world->store, world->subscription);
        while (map_next(world->beats, &at, &key, &value))
                free(value);
        map_free(world->beats);
}

/* An eviction is only asked for while an Eviction of that very pod is under way.  One that is gone
 * altogether went with its last request, which the process may not have seen yet. */
void sim_check_call(struct sim_world *world, const struct api_call *call) {
        struct json_doc *doc = NULL;
        struct target_view view = { .world = world };

        if (json_parse(call->body, &doc, NULL) < 0) {
                sim_violated(world, "an eviction call without a body");
                return;
        }
        view.uid = json_get_text(
                json_get(json_get(json_doc_root(doc), "deleteOptions"), "preconditions"), "uid");
        each_eviction(world, view_target, &view);
        if (view.uid.len == 0)
                sim_violated(world, "an eviction call without uid");
        else if (view.total && view.running == 0)
                sim_violated(world, "an eviction call for a pod whose Evictions are over");
        json_doc_free(doc);
}

void sim_check_audit(struct sim_world *world) {
        struct audit_chain chain = { 0 };
        struct err err = { 0 };

        if (audit_chain_verify(&chain, buf_view(&world->audit), &err) < 0)
                sim_violated(world, "audit: %s", err.text);
}

/* ---- the end ---- */

struct reservation_text;

struct settle {
        struct sim_world *world;
        char *text;
        size_t size;
        bool is_settled;
        struct sim_report *report;
        const struct reservation_text *words;
};

static void sim_check_unsettled(struct settle *settle, const char *what, struct slice name,
                                struct slice more) {
        settle->is_settled = false;
        snprintf(settle->text, settle->size, "%s " SLICE_FMT " " SLICE_FMT, what, SLICE_ARG(name),
                 SLICE_ARG(more));
}

static void judge_request(struct settle *settle, const struct eviction_request *request) {
        enum eviction_outcome outcome = request->object.conditions.outcome;
        bool is_wanted = request->intent == EVICTION_INTENT_EVICT && !request->object.is_deleting;
        bool is_alive = sim_check_lives(settle->world, &request->object);
        struct slice reason = slice_of(eviction_outcome_name(outcome));

        if (request->object.observed_generation < request->object.generation)
                sim_check_unsettled(settle, "not looked at: request", request->object.name, reason);
        else if (!is_alive && !eviction_outcome_is_final(outcome))
                sim_check_unsettled(settle, "open though its pod is gone: request",
                                    request->object.name, reason);
        else if (is_alive && eviction_outcome_is_evicted(outcome))
                sim_check_unsettled(settle, "evicted though its pod lives: request",
                                    request->object.name, reason);
        else if (is_alive && is_wanted && outcome != EVICTION_INVALID &&
                 !sim_actors_guards(settle->world->actors, request->object.target_name))
                sim_check_unsettled(settle, "wanted and not evicted: request", request->object.name,
                                    reason);
}

/* Stages that were interrupted are left as they are; all others are finished or undone. */
static void judge_hooks(struct settle *settle, const struct eviction *eviction) {
        enum eviction_outcome outcome = eviction->status.conditions.outcome;
        int index = eviction_find_responder(&eviction->status, SLICE_LITERAL(EVICTION_STAGER));

        if (index < 0 || !eviction_outcome_is_final(outcome) ||
            eviction->status.responders[index].state == RESPONDER_INTERRUPTED)
                return;
        const char *what = sim_hooks_left_behind(settle->world->hooks, eviction->object.uid,
                                                 outcome == EVICTION_CANCELED);
        if (what)
                sim_check_unsettled(settle, what, eviction->object.name,
                                    slice_of(eviction_outcome_name(outcome)));
        else if (eviction->finalizer_count)
                sim_check_unsettled(settle, "held for its stages:", eviction->object.name,
                                    SLICE_EMPTY);
}

static void judge_eviction(void *context, const struct eviction *eviction) {
        struct settle *settle = context;
        enum eviction_outcome outcome = eviction->status.conditions.outcome;
        struct target_view view = { .uid = eviction->object.target_uid };
        bool is_alive = sim_check_lives(settle->world, &eviction->object);

        each_eviction(settle->world, view_target, &view);
        judge_hooks(settle, eviction);
        if (eviction_outcome_is_evicted(outcome) && is_alive)
                sim_check_unsettled(settle, "evicted though its pod lives:", eviction->object.name,
                                    SLICE_EMPTY);
        if (!eviction_outcome_is_final(outcome) && !is_alive)
                sim_check_unsettled(settle, "open though its pod is gone:", eviction->object.name,
                                    SLICE_EMPTY);
}

static void each_request(struct sim_world *world,
                         void (*visit)(struct settle *, const struct eviction_request *),
                         struct settle *settle) {
        int resource = store_find_resource(world->store,
                                           SLICE_LITERAL("evictionrequests.lifecycle.berth.dev"));
        const struct store_object *object;

        if (resource < 0)
                return;
        struct store_cursor *cursor = open_all(world, resource);
        while ((object = store_cursor_next(cursor))) {
                struct eviction_request *request = NULL;
                struct json_doc *doc = NULL;

                if (json_parse(store_object_body(object), &doc, NULL) == 0 &&
                    eviction_request_decode(json_doc_root(doc), &request, NULL) == 0)
                        visit(settle, request);
                eviction_request_free(request);
                json_doc_free(doc);
        }
        store_cursor_close(cursor);
}

/* The request says that it waits for a reservation, or goes on without. */
struct reservation_text {
        struct slice uid; /* of the pod */
        const char *words;
};

static void judge_words(struct settle *settle, const struct eviction_request *request) {
        const struct reservation_text *text = settle->words;
        const struct eviction_conditions *conditions = &request->object.conditions;

        if (!slice_eq(request->object.target_uid, text->uid) || request->object.is_deleting ||
            request->intent != EVICTION_INTENT_EVICT || conditions->outcome != EVICTION_AWAITING ||
            slice_has_prefix(conditions->message, SLICE_LITERAL("waiting for a slot")))
                return;
        if (!slice_is(conditions->message, text->words))
                settle->is_settled = false;
}

/* NULL = there is nothing to say. */
static const char *words_about(struct sim_world *world, const struct eviction *eviction) {
        if (eviction_outcome_is_final(eviction->status.conditions.outcome) ||
            eviction->object.is_deleting || eviction->reserved_node.len ||
            !sim_check_lives(world, &eviction->object))
                return NULL;
        if (eviction->requires_reservation && eviction->status.responder_count == 0)
                return "waiting for capacity on another node";
        return slice_is(eviction->reserve_refusal, EVICTION_NOT_RESERVED)
                       ? "continues without reserved capacity"
                       : NULL;
}

static void judge_reservation(void *context, const struct eviction *eviction) {
        struct settle *settle = context;
        struct reservation_text text = { .uid = eviction->object.target_uid,
                                         .words = words_about(settle->world, eviction) };

        settle->words = &text;
        settle->is_settled = true;
        if (text.words)
                each_request(settle->world, judge_words, settle);
        settle->words = NULL;
        sim_reservations_note_words(settle->world->reservations, eviction, settle->is_settled);
}

void sim_check_reservations(struct sim_world *world) {
        struct settle settle = { .world = world };

        each_eviction(world, judge_reservation, &settle);
}

static void judge_guards(struct settle *settle) {
        struct sim_world *world = settle->world;

        for (size_t i = 0; i < sim_actors_count(world->actors); i++) {
                const char *name = sim_actors_guarded(world->actors, i);
                char path[SIM_PATH_MAX];

                if (!name)
                        continue;
                snprintf(path, sizeof(path), SIM_PODS "/%s", name);
                if (sim_world_ask(world, "GET", path, NULL, NULL) != 200)
                        sim_violated(world, "%s is gone despite its budget", name);
        }
}

bool sim_check_settled(struct sim_world *world, char *text, size_t size) {
        struct settle settle = { .world = world, .text = text, .size = size, .is_settled = true };

        if (world->evictions < 0)
                sim_check_unsettled(&settle, "the kinds are not served", SLICE_EMPTY, SLICE_EMPTY);
        each_request(world, judge_request, &settle);
        each_eviction(world, judge_eviction, &settle);
        judge_guards(&settle);
        return settle.is_settled;
}

static void count_eviction(void *context, const struct eviction *eviction) {
        struct sim_report *report = ((struct settle *)context)->report;
        enum eviction_outcome outcome = eviction->status.conditions.outcome;

        report->evicted += eviction_outcome_is_evicted(outcome);
        report->canceled += outcome == EVICTION_CANCELED;
        report->failed += outcome == EVICTION_INVALID || outcome == EVICTION_NO_RESPONDER;
}

static void count_request(struct settle *settle, const struct eviction_request *request) {
        (void)request;
        settle->report->requests++;
}

void sim_check_count(struct sim_world *world, struct sim_report *report) {
        struct settle settle = { .world = world, .report = report };

        each_request(world, count_request, &settle);
        each_eviction(world, count_eviction, &settle);
}
