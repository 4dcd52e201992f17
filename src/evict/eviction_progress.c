/* What the controller does about one target: conditions of requests, deadlines, and when the next
 * Eviction is due; at most one write per object. */
#include "evict/eviction_progress.h"

#include "base/util.h"
#include "evict/client_eviction.h"
#include "evict/eviction_stages.h"
#include <stdio.h>

#define WAITING_TEXT_MAX 80
#define QUIET_NS (10 * NS_PER_S)
#define QUIET_END_NS (2 * NS_PER_S)

/* Newest evicted, else oldest active, else newest failed; NULL when there is none. */
static struct eviction_entry *relevant_slot(const struct eviction_target *target) {
        struct eviction_entry *evicted = NULL, *failed = NULL,
                              *active = eviction_active_entry(target);

        for (size_t i = 0; i < target->entry_count; i++) {
                struct eviction_entry *entry = target->entries[i];
                enum eviction_outcome outcome = entry->eviction->status.conditions.outcome;
                struct eviction_entry **place =
                        eviction_outcome_is_evicted(outcome) ? &evicted : &failed;

                if (eviction_entry_is_over(entry) &&
                    (!*place || eviction_entry_is_before(*place, entry)))
                        *place = entry;
        }
        return evicted ? evicted : active ? active : failed;
}
/* ---- requests ---- */

/* What a request is told while its eviction waits; "" otherwise. */
static struct slice waiting_text(const struct eviction_look *look, enum eviction_outcome outcome,
                                 char *text) {
        const struct eviction_target *target = look->target;
        const struct eviction_entry *entry = eviction_active_entry(target);

        text[0] = '\0';
        if (outcome != EVICTION_AWAITING)
                return SLICE_EMPTY;
        if (target->is_waiting && target->refusal != EVICTION_SLOT_FREE)
                snprintf(text, WAITING_TEXT_MAX, "waiting for a slot %s",
                         eviction_slot_refusal_text(target->refusal));
        else if (entry && eviction_lacks_reservation(entry->eviction))
                snprintf(text, WAITING_TEXT_MAX, "waiting for capacity on another node");
        else if (entry && slice_is(entry->eviction->no_room, EVICTION_NO_ROOM))
                snprintf(text, WAITING_TEXT_MAX, "continues without reserved capacity");
        return slice_of(text);
}

static bool says_otherwise(const struct eviction_look *look, const struct eviction_request *request,
                           enum eviction_outcome outcome) {
        char text[WAITING_TEXT_MAX];

        return outcome == EVICTION_AWAITING &&
               !slice_eq(request->object.conditions.message, waiting_text(look, outcome, text));
}

static void patch_request(struct eviction_look *look, const struct eviction_request *request,
                          enum eviction_outcome outcome) {
        struct eviction_conditions conditions = request->object.conditions;
        char message[WAITING_TEXT_MAX];
        struct buf body = { 0 };

        eviction_conditions_set(&conditions, outcome, eviction_stamp(look->now.wall));
        conditions.message = waiting_text(look, outcome, message);
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
        if (look->target->entry_count)
                return false;
        return look->is_gone || (look->is_alive && look->pod->has_group);
}

/* Requesters of our own follow the Eviction as well: that theirs is under way is worth a write only
 * when it has not ended soon, and the end only when they have not taken the request back by then.
 */
static bool stays_quiet(struct eviction_look *look, const struct eviction_request *request,
                        enum eviction_outcome outcome) {
        const struct eviction_target *target = look->target;
        struct mono_time end = { target->heard.ns + QUIET_NS };

        if (eviction_outcome_is_evicted(outcome) && target->has_gone)
                end.ns = target->gone_at.ns + QUIET_END_NS;
        else if (outcome != EVICTION_AWAITING || request->object.observed_generation)
                return false;
        if (outcome == request->object.conditions.outcome || look->now.mono.ns >= end.ns ||
            !eviction_request_is_ours(request) || says_otherwise(look, request, outcome))
                return false;
        eviction_target_wake(look->target, end);
        return true;
}

/* What the request is to be told; entry: the Eviction that counts for it, if there is one. */
static enum eviction_outcome outcome_for(const struct eviction_look *look,
                                         const struct eviction_request *request,
                                         const struct eviction_entry *entry) {
        enum eviction_outcome now = request->object.conditions.outcome;
        enum eviction_outcome outcome =
                entry ? entry->eviction->status.conditions.outcome : EVICTION_AWAITING;

        if (eviction_outcome_is_evicted(now))
                return now;
        if (is_invalid(look, request))
                return EVICTION_INVALID;
        if (outcome == EVICTION_NEW || (outcome == EVICTION_INVALID && now != outcome))
                return EVICTION_AWAITING;
        if (look->target->is_waiting && eviction_outcome_is_final(outcome) &&
            !eviction_outcome_is_evicted(outcome))
                return EVICTION_AWAITING; /* the next one waits for a slot */
        return outcome;
}

static void settle_requests(struct eviction_look *look) {
        const struct eviction_entry *entry = relevant_slot(look->target);

        if (!look->target->has_heard) {
                look->target->has_heard = true;
                look->target->heard = look->now.mono;
        }
        for (size_t i = 0; i < look->target->request_count; i++) {
                const struct eviction_request *request = look->target->requests[i];
                enum eviction_outcome outcome = outcome_for(look, request, entry);

                if (stays_quiet(look, request, outcome))
                        continue;
                if (outcome != request->object.conditions.outcome ||
                    says_otherwise(look, request, outcome) ||
                    request->object.observed_generation < request->object.generation)
                        patch_request(look, request, outcome);
        }
}

/* ---- all of it ---- */

/* Failures count from when they were first seen; the stored time serves after a restart. */
static void note_failures(struct eviction_look *look) {
        for (size_t i = 0; i < look->target->entry_count; i++) {
                struct eviction_entry *entry = look->target->entries[i];
                const struct eviction_conditions *conditions = &entry->eviction->status.conditions;
                int64_t age_ns = look->now.wall.ns - conditions->failed_changed.ns;

                if (entry->has_failed_at || conditions->outcome != EVICTION_NO_RESPONDER)
                        continue;
                entry->has_failed_at = true;
                entry->failed_at.ns = look->now.mono.ns - (age_ns > 0 ? age_ns : 0);
        }
}

static bool has_evicted(const struct eviction_target *target) {
        for (size_t i = 0; i < target->entry_count; i++)
                if (eviction_outcome_is_evicted(
                            target->entries[i]->eviction->status.conditions.outcome))
                        return true;
        return false;
}

static bool has_deadline(const struct eviction_request *request) {
        return wall_time_is_set(request->deadline) && eviction_request_is_ours(request) &&
               request->intent == EVICTION_INTENT_EVICT && !request->object.is_deleting &&
               !eviction_outcome_is_final(request->object.conditions.outcome);
}

/* Requests of our own that are past their deadline: withdrawn, or the pod is deleted where its
 * policy says so. That of a client only says that the client has gone away. */
static void judge_deadlines(struct eviction_look *look) {
        const struct eviction_policy *policy =
                look->is_alive ? eviction_policy_for(look->reconciler, look->pod) : NULL;
        bool deletes = policy && policy->deletes_at_deadline && look->reconciler->config.may_delete;

        for (size_t i = 0; i < look->target->request_count && look->is_alive; i++) {
                const struct eviction_request *request = look->target->requests[i];
                int64_t left_ns = request->deadline.ns - look->now.wall.ns;

                if (!has_deadline(request))
                        continue;
                if (left_ns > 0)
                        eviction_target_wake(look->target,
                                             (struct mono_time){ look->now.mono.ns + left_ns });
                else if (!deletes || client_eviction_is_requester(request->requester))
                        eviction_withdraw(look, request, "deadline");
                else if (!look->pod->is_terminating && !look->is_finished)
                        eviction_delete_pod(look, request);
        }
}

static void settle_slots(struct eviction_look *look) {
        struct eviction_target *target = look->target;

        for (size_t i = 0; i < target->entry_count; i++) {
                struct eviction_entry *entry = target->entries[i];

                if (eviction_entry_is_over(entry) || entry->eviction->object.is_deleting)
                        continue;
                if (!look->is_alive && !look->is_gone)
                        continue; /* not known whether the pod is there */
                eviction_reservations_tell(look, entry);
                eviction_orphans_watch(look, entry);
                eviction_label(look, entry);
                if (target->writes == 0) /* one write per object at a time */
                        eviction_settle(look, entry);
        }
}

void eviction_progress(struct eviction_look *look) {
        struct eviction_target *target = look->target;

        note_failures(look);
        eviction_admission_settle(look);
        judge_deadlines(look);
        if (target->writes)
                return;
        for (size_t i = 0; i < target->entry_count; i++)
                if (target->entries[i]->eviction->status.observed_generation)
                        target->creates = 0;
        settle_requests(look);
        settle_slots(look);
        if (look->is_wanted && look->is_alive && !look->pod->has_group &&
            !eviction_active_entry(target) && !has_evicted(target) &&
            !eviction_next_has_to_wait(look) && eviction_admit(look))
                eviction_next_create(look);
}
