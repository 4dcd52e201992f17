/* What the controller does about one target: conditions of requests, the next Eviction, its labels
 * and owners, and its status, at most one write per object. */
#include "base/util.h"
#include "evict/eviction_reconciler_priv.h"
#include "evict/eviction_stages.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 253
#define DOUBLINGS_MAX 16

static bool is_over(const struct eviction_slot *slot) {
        return eviction_outcome_is_final(slot->eviction->status.conditions.outcome);
}

/* Older by creation, then by name: which of two Evictions is the younger is the same for all. */
static bool is_before(const struct eviction_slot *a, const struct eviction_slot *b) {
        const struct eviction_object *left = &a->eviction->object, *right = &b->eviction->object;

        if (left->created.ns != right->created.ns)
                return left->created.ns < right->created.ns;
        return slice_compare(left->name, right->name) < 0;
}

/* Oldest that is not over; NULL when there is none. */
static struct eviction_slot *active_slot(const struct eviction_target *target) {
        struct eviction_slot *found = NULL;

        for (size_t i = 0; i < target->slot_count; i++)
                if (!is_over(target->slots[i]) && (!found || is_before(target->slots[i], found)))
                        found = target->slots[i];
        return found;
}

/* Newest evicted, else oldest active, else newest failed; NULL when there is none. */
static struct eviction_slot *relevant_slot(const struct eviction_target *target) {
        struct eviction_slot *evicted = NULL, *failed = NULL, *active = active_slot(target);

        for (size_t i = 0; i < target->slot_count; i++) {
                struct eviction_slot *slot = target->slots[i];
                enum eviction_outcome outcome = slot->eviction->status.conditions.outcome;
                struct eviction_slot **place =
                        eviction_outcome_is_evicted(outcome) ? &evicted : &failed;

                if (is_over(slot) && (!*place || is_before(*place, slot)))
                        *place = slot;
        }
        return evicted ? evicted : active ? active : failed;
}

/* ---- requests ---- */

static void patch_request(struct eviction_look *look, const struct eviction_request *request,
                          enum eviction_outcome outcome) {
        struct eviction_conditions conditions = request->object.conditions;
        struct buf body = { 0 };

        eviction_conditions_set(&conditions, outcome, eviction_stamp(look->now.wall));
        eviction_patch_open(&request->object, &body);
        buf_printf(&body, "{\"observedGeneration\":%lld,\"conditions\":",
                   (long long)request->object.generation);
        eviction_conditions_write(&conditions, request->object.generation, &body);
        buf_text(&body, "}}");
        if (outcome != request->object.conditions.outcome)
                eviction_audit(look, (struct audit_record){
                                             .op = SLICE_LITERAL("request"),
                                             .request = request->object.name,
                                             .requester = request->requester,
                                             .from = slice_of(eviction_outcome_name(
                                                     request->object.conditions.outcome)),
                                             .to = slice_of(eviction_outcome_name(outcome)) });
        eviction_effect_add(look, EVICTION_PATCH_REQUEST, &request->object,
                            eviction_text_keep(look->out, &body));
}

static bool is_invalid(const struct eviction_look *look, const struct eviction_request *request) {
        struct err err = { 0 };

        if (request->object.conditions.outcome == EVICTION_INVALID)
                return true;
        if (eviction_request_check(request, &err) < 0)
                return true;
        if (look->target->slot_count)
                return false;
        return look->is_gone || (look->is_alive && look->pod->has_group);
}

static void settle_requests(struct eviction_look *look) {
        const struct eviction_slot *slot = relevant_slot(look->target);

        for (size_t i = 0; i < look->target->request_count; i++) {
                const struct eviction_request *request = look->target->requests[i];
                enum eviction_outcome now = request->object.conditions.outcome;
                enum eviction_outcome outcome =
                        slot ? slot->eviction->status.conditions.outcome : EVICTION_AWAITING;

                if (eviction_outcome_is_evicted(now))
                        outcome = now;
                else if (is_invalid(look, request))
                        outcome = EVICTION_INVALID;
                else if (outcome == EVICTION_NEW || (outcome == EVICTION_INVALID && now != outcome))
                        outcome = EVICTION_AWAITING;
                if (outcome != now ||
                    request->object.observed_generation < request->object.generation)
                        patch_request(look, request, outcome);
        }
}

/* ---- the next Eviction ---- */

/* "pod-7-name" of the same pod name has number 7; 0 for other names. */
static uint64_t number_of(struct slice name, struct slice pod) {
        struct slice rest = slice_make(name.ptr + 4, name.len < 4 ? 0 : name.len - 4), digits;
        uint64_t number;

        if (!slice_has_prefix(name, SLICE_LITERAL("pod-")) || !slice_split(&rest, '-', &digits) ||
            !slice_to_u64(digits, &number))
                return 0;
        return slice_has_prefix(pod, rest) ? number : 0;
}

static uint64_t next_number(const struct eviction_look *look) {
        uint64_t highest = 0;
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(look->reconciler->targets, &at, &key, &value)) {
                const struct eviction_target *target = value;

                if (strcmp(target->pod_name, look->target->pod_name) != 0)
                        continue;
                for (size_t i = 0; i < target->slot_count; i++) {
                        uint64_t number =
                                number_of(target->slots[i]->eviction->object.name, target->name);

                        highest = number > highest ? number : highest;
                }
        }
        return highest + 1;
}

static size_t failures_of(const struct eviction_target *target, struct mono_time *ret_last) {
        size_t count = 0;

        for (size_t i = 0; i < target->slot_count; i++) {
                const struct eviction_slot *slot = target->slots[i];

                if (slot->eviction->status.conditions.outcome != EVICTION_NO_RESPONDER)
                        continue;
                if (count == 0 || slot->failed_at.ns > ret_last->ns)
                        *ret_last = slot->failed_at;
                count++;
        }
        return count;
}

/* An Eviction that ran out of responders is followed by another after 30 s, 60 s ... 30 min. */
static bool has_to_wait(struct eviction_look *look) {
        struct mono_time last = { 0 };
        size_t count = failures_of(look->target, &last);
        int64_t delay_ns = EVICTION_AGAIN_FIRST_NS;

        if (look->target->creates && look->target->next_create.ns > look->now.mono.ns) {
                eviction_target_wake(look->target, look->target->next_create);
                return true;
        }
        if (count == 0)
                return false;
        for (size_t i = 1; i < count && i < DOUBLINGS_MAX; i++)
                delay_ns *= 2;
        if (delay_ns > EVICTION_AGAIN_MAX_NS)
                delay_ns = EVICTION_AGAIN_MAX_NS;
        if (last.ns + delay_ns <= look->now.mono.ns)
                return false;
        eviction_target_wake(look->target, (struct mono_time){ last.ns + delay_ns });
        return true;
}

static void write_labels(const struct eviction_look *look, const struct eviction *eviction,
                         struct buf *out) {
        const struct eviction_target *target = look->target;
        const char *separator = "";

        buf_char(out, '{');
        for (size_t i = 0; eviction && i < eviction->status.responder_count; i++) {
                buf_text(out, separator);
                buf_json_string(out, eviction->status.responders[i].name);
                buf_text(out, ":\"responder\"");
                separator = ",";
        }
        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_request *request = target->requests[i];
                bool is_repeated = false;

                for (size_t k = 0; k < i; k++)
                        is_repeated |= slice_eq(target->requests[k]->requester, request->requester);
                if (is_repeated || eviction_requester_problem(request->requester))
                        continue;
                buf_text(out, separator);
                buf_json_string(out, request->requester);
                buf_text(out, eviction && eviction_find_responder(&eviction->status,
                                                                  request->requester) >= 0
                                      ? ":\"requester-responder\""
                                      : ":\"requester\"");
                separator = ",";
        }
        buf_char(out, '}');
}

/* Owners are the live requests.  What a deleted one leaves behind in the list means nothing to the
 * garbage collector. */
static void write_owners(const struct eviction_look *look, struct buf *out) {
        const struct eviction_target *target = look->target;
        const char *separator = "";

        buf_char(out, '[');
        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_object *object = &target->requests[i]->object;

                if (object->is_deleting)
                        continue;
                buf_printf(out,
                           "%s{\"apiVersion\":\"%s/" EVICTION_VERSION
                           "\",\"kind\":\"EvictionRequest\",\"name\":\"" SLICE_FMT
                           "\",\"uid\":\"" SLICE_FMT "\"}",
                           separator, look->reconciler->config.group, SLICE_ARG(object->name),
                           SLICE_ARG(object->uid));
                separator = ",";
        }
        buf_char(out, ']');
}

/* Requests that are gone, and known here still, get an Eviction that the garbage collector takes
 * away at once: the pauses grow until the watch tells. */
static void pause_creating(struct eviction_look *look) {
        struct eviction_target *target = look->target;
        int64_t delay_ns = NS_PER_S;

        for (uint32_t i = 0; i < target->creates && delay_ns < EVICTION_AGAIN_FIRST_NS; i++)
                delay_ns *= 2;
        target->creates++;
        target->next_create.ns = look->now.mono.ns + delay_ns;
}

static void create_next(struct eviction_look *look) {
        const struct eviction_target *target = look->target;
        struct eviction_object object = { .ns = target->ns };
        struct buf body = { 0 };
        char name[NAME_MAX_BYTES + 1];

        snprintf(name, sizeof(name), "pod-%llu-" SLICE_FMT, (unsigned long long)next_number(look),
                 SLICE_ARG(target->name));
        object.name = slice_of(name);
        buf_printf(
                &body,
                "{\"apiVersion\":\"%s/" EVICTION_VERSION
                "\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"" SLICE_FMT
                "\",\"labels\":",
                look->reconciler->config.group, name, SLICE_ARG(target->ns));
        write_labels(look, NULL, &body);
        buf_text(&body, ",\"ownerReferences\":");
        write_owners(look, &body);
        buf_printf(&body,
                   "},\"spec\":{\"target\":{\"pod\":{\"name\":\"" SLICE_FMT "\",\"uid\":\"%s\"}}}}",
                   SLICE_ARG(target->name), target->uid);
        eviction_audit(look, (struct audit_record){ .op = SLICE_LITERAL("create"),
                                                    .eviction = object.name });
        pause_creating(look);
        eviction_effect_add(look, EVICTION_CREATE, &object, eviction_text_keep(look->out, &body));
}

/* ---- labels, owners, finalizer ---- */

/* An Eviction that may have something to undo must not vanish before that. */
static const struct {
        const char *responder, *finalizer;
} holds[] = {
        { EVICTION_STAGER, STAGES_FINALIZER },
        { EVICTION_VM_MOVER, EVICTION_MOVE_FINALIZER },
};

static bool lacks_finalizer(const struct eviction *eviction, size_t hold) {
        return eviction_find_responder(&eviction->status, slice_of(holds[hold].responder)) >= 0 &&
               !eviction_has_finalizer(eviction, holds[hold].finalizer);
}

static bool lacks_finalizers(const struct eviction *eviction) {
        for (size_t i = 0; i < ARRAY_LEN(holds); i++)
                if (lacks_finalizer(eviction, i))
                        return true;
        return false;
}

static void write_finalizers(const struct eviction *eviction, struct buf *out) {
        const char *separator = "";

        buf_text(out, ",\"finalizers\":[");
        for (size_t i = 0; i < ARRAY_LEN(holds); i++) {
                if (!lacks_finalizer(eviction, i))
                        continue;
                buf_printf(out, "%s\"%s\"", separator, holds[i].finalizer);
                separator = ",";
        }
        for (size_t i = 0; i < eviction->finalizer_count; i++) {
                buf_text(out, separator);
                buf_json_string(out, eviction->finalizers[i]);
                separator = ",";
        }
        buf_char(out, ']');
}

static bool has_owner(const struct eviction *eviction, struct slice uid) {
        for (size_t i = 0; i < eviction->owner_count; i++)
                if (slice_eq(eviction->owners[i], uid))
                        return true;
        return false;
}

static bool has_label(const struct eviction *eviction, struct slice key, bool is_requester,
                      bool is_responder) {
        const char *expected = is_requester && is_responder ? "requester-responder"
                               : is_requester               ? "requester"
                                                            : "responder";

        for (size_t i = 0; i < eviction->labels.count; i++)
                if (slice_eq(eviction->labels.items[i].key, key))
                        return slice_is(eviction->labels.items[i].value, expected);
        return false;
}

static bool is_requester(const struct eviction_target *target, struct slice name) {
        for (size_t i = 0; i < target->request_count; i++)
                if (slice_eq(target->requests[i]->requester, name))
                        return true;
        return false;
}

static bool is_labelled(const struct eviction_target *target, const struct eviction *eviction) {
        const struct eviction_status *status = &eviction->status;

        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_request *request = target->requests[i];
                bool is_responder = eviction_find_responder(status, request->requester) >= 0;

                if (eviction_requester_problem(request->requester))
                        continue;
                if (!has_label(eviction, request->requester, true, is_responder))
                        return false;
                if (!request->object.is_deleting && !has_owner(eviction, request->object.uid))
                        return false;
        }
        for (size_t i = 0; i < status->responder_count; i++)
                if (!has_label(eviction, status->responders[i].name,
                               is_requester(target, status->responders[i].name), true))
                        return false;
        return true;
}

/* An owner that is gone, and known here still, is taken out again by the garbage collector: the
 * pauses grow until the watch tells. */
static bool has_to_pause(struct eviction_look *look, struct eviction_slot *slot) {
        int64_t delay_ns = NS_PER_S;

        if (slot->labellings && slot->next_label.ns > look->now.mono.ns) {
                eviction_target_wake(look->target, slot->next_label);
                return true;
        }
        for (uint32_t i = 0; i < slot->labellings && delay_ns < EVICTION_AGAIN_FIRST_NS; i++)
                delay_ns *= 2;
        slot->next_label.ns = look->now.mono.ns + (slot->labellings ? delay_ns : 0);
        slot->labellings++;
        return false;
}

static void label(struct eviction_look *look, struct eviction_slot *slot) {
        const struct eviction *eviction = slot->eviction;
        struct buf body = { 0 };

        if (is_labelled(look->target, eviction) && !lacks_finalizers(eviction)) {
                if (slot->next_label.ns <= look->now.mono.ns)
                        slot->labellings = 0;
                return;
        }
        if (has_to_pause(look, slot))
                return;
        buf_text(&body, "{\"metadata\":{\"uid\":");
        buf_json_string(&body, eviction->object.uid);
        buf_text(&body, ",\"resourceVersion\":");
        buf_json_string(&body, eviction->object.version);
        buf_text(&body, ",\"labels\":");
        write_labels(look, eviction, &body);
        buf_text(&body, ",\"ownerReferences\":");
        write_owners(look, &body);
        if (lacks_finalizers(eviction))
                write_finalizers(eviction, &body);
        buf_text(&body, "}}");
        eviction_effect_add(look, EVICTION_PATCH_META, &eviction->object,
                            eviction_text_keep(look->out, &body));
}

/* ---- status ---- */

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
static void add_own_responders(const struct eviction_look *look, struct eviction_status *status) {
        const struct eviction_reconciler_config *config = &look->reconciler->config;

        if (!look->is_alive)
                return;
        if (config->leads_stages && eviction_policy_for(look->reconciler, look->pod))
                add_responder(status, EVICTION_STAGER, EVICTION_PRIORITY_STAGER);
        if (config->is_evictor && eviction_pod_is_vm(look->pod))
                add_responder(status, EVICTION_VM_MOVER, EVICTION_PRIORITY_VM_MOVER);
}

static void snapshot_responders(const struct eviction_look *look, struct eviction_status *status) {
        struct slice text = look->is_alive ? look->pod->responders : SLICE_EMPTY;
        struct err err = { 0 };

        /* A list that may not be is as good as none: the evictor does the work. */
        if (eviction_responders_parse(text, status->responders, &status->responder_count, &err) < 0)
                eviction_responders_parse(SLICE_EMPTY, status->responders, &status->responder_count,
                                          &err);
        add_own_responders(look, status);
        for (size_t i = 0; i < status->responder_count; i++) {
                struct eviction_responder *responder = &status->responders[i];

                responder->start = responder->heartbeat = WALL_TIME_UNSET;
                responder->expected = responder->completion = WALL_TIME_UNSET;
                responder->state = RESPONDER_INACTIVE;
        }
}

static void finish(struct eviction_status *status, enum eviction_outcome outcome,
                   enum responder_state state, struct wall_time now) {
        int active = eviction_active(status);

        if (active >= 0) {
                struct eviction_responder *responder = &status->responders[active];

                responder->state =
                        wall_time_is_set(responder->completion) ? RESPONDER_COMPLETED : state;
        }
        eviction_conditions_set(&status->conditions, outcome, now);
}

static void activate(struct eviction_look *look, struct eviction_status *status, size_t index,
                     const struct eviction *eviction) {
        struct eviction_responder *responder = &status->responders[index];

        responder->state = RESPONDER_ACTIVE;
        responder->start = eviction_stamp(look->now.wall);
        eviction_audit(look, (struct audit_record){ .op = SLICE_LITERAL("activate"),
                                                    .eviction = eviction->object.name,
                                                    .responder = responder->name });
}

/* How long the Active responder has been silent, by changes we saw. */
static int64_t silence_ns(struct eviction_look *look, struct eviction_slot *slot, int active) {
        const struct eviction_responder *responder = &slot->eviction->status.responders[active];
        const struct eviction_reconciler *reconciler = look->reconciler;
        struct wall_time beat =
                wall_time_is_set(responder->heartbeat) ? responder->heartbeat : responder->start;
        int64_t mono = look->now.mono.ns, age = look->now.wall.ns - beat.ns;
        /* Where the wall clock would be without steps since the start. */
        int64_t steady_age =
                reconciler->first_wall.ns + (mono - reconciler->first_mono.ns) - beat.ns;

        if (!slot->pulse.is_set || slot->pulse_of != active) {
                slot->pulse.is_set = true;
                slot->pulse_of = active;
                slot->pulse.beat = beat;
                slot->pulse.at.ns = mono - (age > 0 ? age : 0);
        } else if (slot->pulse.beat.ns != beat.ns) {
                slot->pulse.beat = beat;
                if (llabs(age) <= EVICTION_SKEW_NS || llabs(steady_age) <= EVICTION_SKEW_NS)
                        slot->pulse.at.ns = mono;
        }
        return mono - slot->pulse.at.ns;
}

/* The Active responder is done or silent: the next one's turn, or the end. */
static void pass_turn(struct eviction_look *look, struct eviction_status *status, int active,
                      const struct eviction *eviction) {
        struct eviction_responder *responder = &status->responders[active];
        bool is_done = wall_time_is_set(responder->completion);

        responder->state = is_done ? RESPONDER_COMPLETED : RESPONDER_INTERRUPTED;
        if (!is_done) {
                look->reconciler->stats.interrupts++;
                eviction_audit(look, (struct audit_record){ .op = SLICE_LITERAL("heartbeat-lost"),
                                                            .eviction = eviction->object.name,
                                                            .responder = responder->name });
        }
        if ((size_t)active + 1 < status->responder_count)
                activate(look, status, (size_t)active + 1, eviction);
        else
                eviction_conditions_set(&status->conditions, EVICTION_NO_RESPONDER,
                                        eviction_stamp(look->now.wall));
}

/* Gone or finished, when the responder had its time to say so; else cancelled; else onwards. */
static void advance(struct eviction_look *look, struct eviction_slot *slot,
                    struct eviction_status *status) {
        struct wall_time now = eviction_stamp(look->now.wall);
        int active = eviction_active(status);
        bool has_report = active < 0 || wall_time_is_set(status->responders[active].completion);

        if (look->is_gone || look->is_finished) {
                struct mono_time end = { look->target->gone_at.ns + EVICTION_GONE_WAIT_NS };

                if (!has_report && look->now.mono.ns < end.ns) {
                        eviction_target_wake(look->target, end);
                        return;
                }
                finish(status, look->is_gone ? EVICTION_POD_DELETED : EVICTION_POD_TERMINAL,
                       RESPONDER_INTERRUPTED, now);
        } else if (!look->is_wanted) {
                finish(status, EVICTION_CANCELED, RESPONDER_CANCELED, now);
        } else if (look->is_alive && active >= 0) {
                int64_t silent_ns = silence_ns(look, slot, active);

                if (has_report || silent_ns >= EVICTION_SILENCE_NS)
                        pass_turn(look, status, active, slot->eviction);
                else
                        eviction_target_wake(look->target,
                                             (struct mono_time){ look->now.mono.ns +
                                                                 EVICTION_SILENCE_NS - silent_ns });
        }
}

/* First write: responders are set once, here. */
static void begin(struct eviction_look *look, struct eviction_slot *slot,
                  struct eviction_status *status) {
        struct wall_time now = eviction_stamp(look->now.wall);

        snapshot_responders(look, status);
        if (look->is_gone || look->is_finished)
                finish(status, look->is_gone ? EVICTION_POD_DELETED : EVICTION_POD_TERMINAL,
                       RESPONDER_INACTIVE, now);
        else if (look->pod->has_group)
                finish(status, EVICTION_INVALID, RESPONDER_INACTIVE, now);
        else if (!look->is_wanted)
                finish(status, EVICTION_CANCELED, RESPONDER_INACTIVE, now);
        else {
                activate(look, status, 0, slot->eviction);
                eviction_conditions_set(&status->conditions, EVICTION_AWAITING, now);
        }
}

static void audit_end(struct eviction_look *look, const struct eviction *eviction,
                      enum eviction_outcome outcome) {
        const char *op = eviction_outcome_is_evicted(outcome) ? "evicted"
                         : outcome == EVICTION_CANCELED       ? "cancel"
                                                              : "failed";

        look->reconciler->stats.outcomes[outcome]++;
        eviction_audit(look,
                       (struct audit_record){ .op = slice_of(op),
                                              .eviction = eviction->object.name,
                                              .reason = slice_of(eviction_outcome_name(outcome)) });
}

static void patch_status(struct eviction_look *look, const struct eviction *eviction,
                         const struct eviction_status *status) {
        struct buf body = { 0 };

        if (eviction_outcome_is_final(status->conditions.outcome))
                audit_end(look, eviction, status->conditions.outcome);
        eviction_patch_open(&eviction->object, &body);
        eviction_status_write(status, &body);
        buf_char(&body, '}');
        eviction_effect_add(look, EVICTION_PATCH_STATUS, &eviction->object,
                            eviction_text_keep(look->out, &body));
}

static bool differs(const struct eviction_status *was, const struct eviction_status *is) {
        if (was->responder_count != is->responder_count ||
            was->observed_generation != is->observed_generation ||
            was->conditions.outcome != is->conditions.outcome || !has_same_requesters(was, is))
                return true;
        for (size_t i = 0; i < is->responder_count; i++)
                if (was->responders[i].state != is->responders[i].state)
                        return true;
        return false;
}

static void settle_eviction(struct eviction_look *look, struct eviction_slot *slot) {
        struct eviction_status *status = xmalloc(sizeof(*status));

        *status = slot->eviction->status;
        list_requesters(look->target, status);
        status->observed_generation = slot->eviction->object.generation;
        if (slot != active_slot(look->target)) { /* a second one at the same time */
                if (status->responder_count == 0)
                        snapshot_responders(look, status);
                finish(status, EVICTION_INVALID, RESPONDER_INTERRUPTED,
                       eviction_stamp(look->now.wall));
        } else if (status->responder_count == 0) {
                begin(look, slot, status);
        } else {
                advance(look, slot, status);
        }
        if (differs(&slot->eviction->status, status))
                patch_status(look, slot->eviction, status);
        free(status);
}

/* ---- all of it ---- */

/* Failures count from when they were first seen; the stored time serves after a restart. */
static void note_failures(struct eviction_look *look) {
        for (size_t i = 0; i < look->target->slot_count; i++) {
                struct eviction_slot *slot = look->target->slots[i];
                const struct eviction_conditions *conditions = &slot->eviction->status.conditions;
                int64_t age_ns = look->now.wall.ns - conditions->failed_changed.ns;

                if (slot->has_failed_at || conditions->outcome != EVICTION_NO_RESPONDER)
                        continue;
                slot->has_failed_at = true;
                slot->failed_at.ns = look->now.mono.ns - (age_ns > 0 ? age_ns : 0);
        }
}

static bool has_evicted(const struct eviction_target *target) {
        for (size_t i = 0; i < target->slot_count; i++)
                if (eviction_outcome_is_evicted(
                            target->slots[i]->eviction->status.conditions.outcome))
                        return true;
        return false;
}

/* Requests of our own that are past their deadline: withdrawn, or the pod is deleted where its
 * policy says so. */
static void judge_deadlines(struct eviction_look *look) {
        const struct eviction_policy *policy =
                look->is_alive ? eviction_policy_for(look->reconciler, look->pod) : NULL;
        bool deletes = policy && policy->deletes_at_deadline && look->reconciler->config.may_delete;

        for (size_t i = 0; i < look->target->request_count && look->is_alive; i++) {
                const struct eviction_request *request = look->target->requests[i];
                int64_t left_ns = request->deadline.ns - look->now.wall.ns;

                if (!wall_time_is_set(request->deadline) || !eviction_request_is_ours(request) ||
                    request->intent != EVICTION_INTENT_EVICT || request->object.is_deleting ||
                    eviction_outcome_is_final(request->object.conditions.outcome))
                        continue;
                if (left_ns > 0)
                        eviction_target_wake(look->target,
                                             (struct mono_time){ look->now.mono.ns + left_ns });
                else if (!deletes)
                        eviction_withdraw(look, request, "deadline");
                else if (!look->pod->is_terminating && !look->is_finished)
                        eviction_delete_pod(look, request);
        }
}

static void settle_slots(struct eviction_look *look) {
        struct eviction_target *target = look->target;

        for (size_t i = 0; i < target->slot_count; i++) {
                struct eviction_slot *slot = target->slots[i];

                if (is_over(slot) || slot->eviction->object.is_deleting)
                        continue;
                if (!look->is_alive && !look->is_gone)
                        continue; /* not known whether the pod is there */
                label(look, slot);
                if (target->writes == 0) /* one write per object at a time */
                        settle_eviction(look, slot);
        }
}

void eviction_progress(struct eviction_look *look) {
        struct eviction_target *target = look->target;

        note_failures(look);
        judge_deadlines(look);
        if (target->writes)
                return;
        for (size_t i = 0; i < target->slot_count; i++)
                if (target->slots[i]->eviction->status.observed_generation)
                        target->creates = 0;
        settle_requests(look);
        settle_slots(look);
        if (look->is_wanted && look->is_alive && !look->pod->has_group && !active_slot(target) &&
            !has_evicted(target) && !has_to_wait(look))
                create_next(look);
}
