/* The status of an Eviction: requesters, responders, which of them is Active, and its end. */
#include "base/util.h"
#include "evict/eviction_progress.h"
#include "evict/eviction_stages.h"
#include <stdlib.h>

static void list_requesters(const struct eviction_target *target, struct eviction_status *status) {
        static const enum eviction_intent order[] = { EVICTION_INTENT_EVICT,
                                                      EVICTION_INTENT_WITHDRAWN };

        status->requester_count = 0;
        for (size_t pass = 0; pass < ARRAY_LEN(order); pass++) {
                for (size_t i = 0; i < target->request_count; i++) {
                        const struct eviction_request *request = target->requests[i];
                        bool is_live = request->intent == EVICTION_INTENT_EVICT &&
                                       !request->object.is_deleting;
                        bool is_listed = false;

                        if (is_live != (order[pass] == EVICTION_INTENT_EVICT) ||
                            status->requester_count == EVICTION_REQUESTERS_MAX)
                                continue;
                        for (size_t k = 0; k < status->requester_count; k++)
                                is_listed |=
                                        slice_eq(status->requesters[k].name, request->requester);
                        if (!is_listed)
                                status->requesters[status->requester_count++] =
                                        (struct eviction_requester){ request->requester,
                                                                     order[pass] };
                }
        }
}

static bool has_same_requesters(const struct eviction_status *a, const struct eviction_status *b) {
        if (a->requester_count != b->requester_count)
                return false;
        for (size_t i = 0; i < a->requester_count; i++)
                if (a->requesters[i].intent != b->requesters[i].intent ||
                    !slice_eq(a->requesters[i].name, b->requesters[i].name))
                        return false;
        return true;
}

static void add_responder(struct eviction_status *status, const char *name, int32_t priority) {
        if (status->responder_count == EVICTION_RESPONDERS_MAX ||
            eviction_find_responder(status, slice_of(name)) >= 0)
                return;
        status->responders[status->responder_count++] =
                (struct eviction_responder){ .name = slice_of(name), .priority = priority };
        eviction_responders_sort(status->responders, status->responder_count);
}

/* A pod that a policy is for has its stages led by us, and a VM is migrated, whether the pod says
 * so or not. */
static void add_own_responders(const struct eviction_sync *sync, struct eviction_status *status) {
        const struct eviction_reconciler_config *config = &sync->reconciler->config;

        if (!sync->is_alive)
                return;
        if (config->leads_stages && eviction_policy_for(sync->reconciler, sync->pod))
                add_responder(status, EVICTION_STAGER, EVICTION_PRIORITY_STAGER);
        if (config->is_evictor && eviction_pod_is_vm(sync->pod))
                add_responder(status, EVICTION_VM_MOVER, EVICTION_PRIORITY_VM_MOVER);
}

void eviction_snapshot_responders(const struct eviction_sync *sync,
                                  struct eviction_status *status) {
        struct slice text = sync->is_alive ? sync->pod->responders : SLICE_EMPTY;
        struct err err = { 0 };

        /* A pod with a list that cannot be read is held, and comes here only when its Eviction is
         * over already. */
        if (eviction_responders_parse(text, status->responders, &status->responder_count, &err) < 0)
                eviction_responders_parse(SLICE_EMPTY, status->responders, &status->responder_count,
                                          &err);
        add_own_responders(sync, status);
        for (size_t i = 0; i < status->responder_count; i++) {
                struct eviction_responder *responder = &status->responders[i];

                responder->start = responder->heartbeat = WALL_TIME_UNSET;
                responder->expected = responder->completion = WALL_TIME_UNSET;
                responder->state = RESPONDER_INACTIVE;
        }
}

static void eviction_responders_finish(struct eviction_status *status,
                                       enum eviction_outcome outcome, enum responder_state state,
                                       struct wall_time now) {
        int active = eviction_active(status);

        if (active >= 0) {
                struct eviction_responder *responder = &status->responders[active];

                responder->state =
                        wall_time_is_set(responder->completion) ? RESPONDER_COMPLETED : state;
        }
        eviction_conditions_set(&status->conditions, outcome, now);
}

static void eviction_responders_activate(struct eviction_sync *sync, struct eviction_status *status,
                                         size_t index, const struct eviction *eviction) {
        struct eviction_responder *responder = &status->responders[index];

        responder->state = RESPONDER_ACTIVE;
        responder->start = eviction_stamp(sync->now.wall);
        eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("activate"),
                                                    .eviction = eviction->object.name,
                                                    .responder = responder->name });
}

/* One that this process is from now on: what its predecessor left undone is no silence. */
static bool is_our_part(const struct eviction_sync *sync,
                        const struct eviction_responder *responder) {
        const struct eviction_reconciler_config *config = &sync->reconciler->config;

        if (slice_is(responder->name, EVICTION_STAGER))
                return config->leads_stages;
        return config->is_evictor && (slice_is(responder->name, EVICTION_EVICTOR) ||
                                      slice_is(responder->name, EVICTION_VM_MOVER));
}

/* How long the Active responder has been silent, by changes we saw. */
static int64_t silence_ns(struct eviction_sync *sync, struct eviction_entry *entry, int active) {
        const struct eviction_responder *responder = &entry->eviction->status.responders[active];
        const struct eviction_reconciler *reconciler = sync->reconciler;
        struct wall_time beat =
                wall_time_is_set(responder->heartbeat) ? responder->heartbeat : responder->start;
        int64_t mono = sync->now.mono.ns, age = sync->now.wall.ns - beat.ns;
        /* Where the wall clock would be without steps since the start. */
        int64_t steady_age =
                reconciler->first_wall.ns + (mono - reconciler->first_mono.ns) - beat.ns;

        if (!entry->pulse.is_set || entry->pulse_of != active) {
                entry->pulse.is_set = true;
                entry->pulse_of = active;
                entry->pulse.beat = beat;
                entry->pulse.at.ns = mono - (age > 0 && !is_our_part(sync, responder) ? age : 0);
        } else if (entry->pulse.beat.ns != beat.ns) {
                entry->pulse.beat = beat;
                if (llabs(age) <= EVICTION_SKEW_NS || llabs(steady_age) <= EVICTION_SKEW_NS)
                        entry->pulse.at.ns = mono;
        }
        return mono - entry->pulse.at.ns;
}

/* The Active responder is done or silent: the next one becomes Active, or the eviction ends. */
static void activate_next(struct eviction_sync *sync, struct eviction_status *status, int active,
                          const struct eviction *eviction) {
        struct eviction_responder *responder = &status->responders[active];
        bool is_done = wall_time_is_set(responder->completion);

        responder->state = is_done ? RESPONDER_COMPLETED : RESPONDER_INTERRUPTED;
        if (!is_done) {
                sync->reconciler->stats.interrupts++;
                eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("heartbeat-lost"),
                                                            .eviction = eviction->object.name,
                                                            .responder = responder->name });
        }
        if ((size_t)active + 1 < status->responder_count)
                eviction_responders_activate(sync, status, (size_t)active + 1, eviction);
        else
                eviction_conditions_set(&status->conditions, EVICTION_NO_RESPONDER,
                                        eviction_stamp(sync->now.wall));
}

/* A responder of our own completes with its pod: it says so in the write that ends the eviction.
 */
static void complete_own(const struct eviction_sync *sync, struct eviction_responder *responder) {
        struct wall_time now = eviction_stamp(sync->now.wall);

        if (!sync->reconciler->config.is_evictor || wall_time_is_set(responder->completion) ||
            (!slice_is(responder->name, EVICTION_EVICTOR) &&
             !slice_is(responder->name, EVICTION_VM_MOVER)))
                return;
        if (now.ns < responder->start.ns) /* a clock that was set back */
                now = responder->start;
        if (wall_time_is_set(responder->heartbeat) && now.ns < responder->heartbeat.ns)
                now = responder->heartbeat;
        responder->heartbeat = responder->completion = now;
        responder->message = SLICE_LITERAL("the pod is gone or finished");
}

/* Gone or finished, when the responder had its time to say so; else cancelled; else onwards. */
static void eviction_responders_advance(struct eviction_sync *sync, struct eviction_entry *entry,
                                        struct eviction_status *status) {
        struct wall_time now = eviction_stamp(sync->now.wall);
        int active = eviction_active(status);

        if (active >= 0 && (sync->is_gone || sync->is_finished))
                complete_own(sync, &status->responders[active]);
        bool has_report = active < 0 || wall_time_is_set(status->responders[active].completion);
        if (sync->is_gone || sync->is_finished) {
                struct mono_time end = { sync->target->gone_at.ns + EVICTION_GONE_WAIT_NS };

                if (!has_report && sync->now.mono.ns < end.ns) {
                        eviction_target_wake(sync->target, end);
                        return;
                }
                eviction_responders_finish(
                        status, sync->is_gone ? EVICTION_POD_DELETED : EVICTION_POD_TERMINAL,
                        RESPONDER_INTERRUPTED, now);
        } else if (!sync->is_wanted) {
                eviction_responders_finish(status, EVICTION_CANCELED, RESPONDER_CANCELED, now);
        } else if (sync->is_alive && active >= 0) {
                int64_t silent_ns = silence_ns(sync, entry, active);

                if (has_report || silent_ns >= EVICTION_SILENCE_NS)
                        activate_next(sync, status, active, entry->eviction);
                else
                        eviction_target_wake(sync->target,
                                             (struct mono_time){ sync->now.mono.ns +
                                                                 EVICTION_SILENCE_NS - silent_ns });
        }
}

/* First write: responders are set once, here.  False while it waits for a slot
 * or for a reservation. */
static bool eviction_responders_begin(struct eviction_sync *sync, struct eviction_entry *entry,
                                      struct eviction_status *status) {
        struct wall_time now = eviction_stamp(sync->now.wall);
        bool is_over = sync->is_gone || sync->is_finished || sync->pod->has_group;
        char text[EVICTION_HOLD_TEXT_MAX];

        if (!is_over && sync->is_wanted &&
            (eviction_hold_reason(sync, text).len || eviction_lacks_reservation(entry->eviction) ||
             !eviction_admit(sync)))
                return false;
        eviction_snapshot_responders(sync, status);
        if (sync->is_gone || sync->is_finished)
                eviction_responders_finish(
                        status, sync->is_gone ? EVICTION_POD_DELETED : EVICTION_POD_TERMINAL,
                        RESPONDER_INACTIVE, now);
        else if (sync->pod->has_group)
                eviction_responders_finish(status, EVICTION_INVALID, RESPONDER_INACTIVE, now);
        else if (!sync->is_wanted)
                eviction_responders_finish(status, EVICTION_CANCELED, RESPONDER_INACTIVE, now);
        else {
                eviction_responders_activate(sync, status, 0, entry->eviction);
                eviction_conditions_set(&status->conditions, EVICTION_AWAITING, now);
        }
        return true;
}

static void audit_end(struct eviction_sync *sync, const struct eviction *eviction,
                      enum eviction_outcome outcome) {
        const char *op = eviction_outcome_is_evicted(outcome) ? "evicted"
                         : outcome == EVICTION_CANCELED       ? "cancel"
                                                              : "failed";

        sync->reconciler->stats.outcomes[outcome]++;
        eviction_reservations_end(sync, eviction);
        eviction_audit(sync,
                       (struct audit_record){ .op = slice_of(op),
                                              .eviction = eviction->object.name,
                                              .reason = slice_of(eviction_outcome_name(outcome)) });
}

static void patch_status(struct eviction_sync *sync, const struct eviction *eviction,
                         const struct eviction_status *status) {
        struct buf body = { 0 };

        if (eviction_outcome_is_final(status->conditions.outcome))
                audit_end(sync, eviction, status->conditions.outcome);
        eviction_patch_open(&eviction->object, &body);
        eviction_status_write(status, &body);
        buf_char(&body, '}');
        eviction_effect_add(sync, EVICTION_PATCH_STATUS, &eviction->object,
                            eviction_text_keep(sync->out, &body));
}

static bool eviction_responders_differs(const struct eviction_status *was,
                                        const struct eviction_status *is) {
        if (was->responder_count != is->responder_count ||
            was->observed_generation != is->observed_generation ||
            was->conditions.outcome != is->conditions.outcome || !has_same_requesters(was, is))
                return true;
        for (size_t i = 0; i < is->responder_count; i++)
                if (was->responders[i].state != is->responders[i].state)
                        return true;
        return false;
}

void eviction_settle(struct eviction_sync *sync, struct eviction_entry *entry) {
        struct eviction_status *status = xmalloc(sizeof(*status));

        *status = entry->eviction->status;
        list_requesters(sync->target, status);
        status->observed_generation = entry->eviction->object.generation;
        if (entry != eviction_active_entry(sync->target)) { /* a second one at the same time */
                if (status->responder_count == 0)
                        eviction_snapshot_responders(sync, status);
                eviction_responders_finish(status, EVICTION_INVALID, RESPONDER_INTERRUPTED,
                                           eviction_stamp(sync->now.wall));
        } else if (status->responder_count > 0) {
                eviction_responders_advance(sync, entry, status);
        } else if (!eviction_responders_begin(sync, entry, status)) {
                free(status);
                return;
        }
        if (eviction_responders_differs(&entry->eviction->status, status))
                patch_status(sync, entry->eviction, status);
        free(status);
}
