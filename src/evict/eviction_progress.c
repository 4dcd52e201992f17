/* What the controller does about one target: conditions of requests, deadlines, and when the next
 * Eviction is due; at most one write per object. */
#include "evict/eviction_progress.h"

#include "base/util.h"
#include "evict/client_eviction.h"
#include "evict/eviction_stages.h"
#include <stdio.h>

#define QUIET_NS (10 * NS_PER_S)
#define QUIET_END_NS (2 * NS_PER_S)
#define TIDY_NS (120 * NS_PER_S)

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

/* Nothing may begin: what is to prepare the pod cannot be read. */
static bool is_held(const struct eviction_sync *sync, char *text) {
        const struct eviction_entry *entry = eviction_active_entry(sync->target);

        return !(entry && entry->eviction->status.responder_count) &&
               eviction_hold_reason(sync, text).len > 0;
}

/* The message of a request while its eviction waits; "" otherwise. */
static struct slice waiting_text(const struct eviction_sync *sync, enum eviction_outcome outcome,
                                 char *text) {
        const struct eviction_target *target = sync->target;
        const struct eviction_entry *entry = eviction_active_entry(target);

        text[0] = '\0';
        if (outcome != EVICTION_AWAITING)
                return SLICE_EMPTY;
        if (is_held(sync, text))
                return slice_of(text);
        if (target->is_waiting && target->refusal != EVICTION_SLOT_FREE)
                snprintf(text, EVICTION_HOLD_TEXT_MAX, "waiting for a slot %s",
                         eviction_slot_refusal_text(target->refusal));
        else if (entry && eviction_lacks_reservation(entry->eviction))
                snprintf(text, EVICTION_HOLD_TEXT_MAX, "waiting for capacity on another node");
        else if (entry && slice_is(entry->eviction->reserve_refusal, EVICTION_NOT_RESERVED))
                snprintf(text, EVICTION_HOLD_TEXT_MAX, "continues without reserved capacity");
        return slice_of(text);
}

/* Why it can never be carried out; stays what it was once that was said. */
static struct slice invalid_text(const struct eviction_sync *sync,
                                 const struct eviction_request *request, char *text) {
        const struct eviction_target *target = sync->target;
        struct err err = { 0 };

        if (request->object.conditions.outcome == EVICTION_INVALID)
                return request->object.conditions.message;
        if (eviction_request_check(request, &err) < 0)
                snprintf(text, EVICTION_HOLD_TEXT_MAX, "%.100s: %.250s", err.path, err.text);
        else if (sync->is_gone && sync->pod)
                snprintf(text, EVICTION_HOLD_TEXT_MAX,
                         "the pod has another uid: " SLICE_FMT ", not %.64s",
                         SLICE_ARG(sync->pod->uid), target->uid);
        else if (sync->is_gone)
                snprintf(text, EVICTION_HOLD_TEXT_MAX, "there is no such pod");
        else
                snprintf(text, EVICTION_HOLD_TEXT_MAX,
                         "pods with spec.schedulingGroup are not evicted by requests");
        return slice_of(text);
}

static bool says_otherwise(const struct eviction_sync *sync, const struct eviction_request *request,
                           enum eviction_outcome outcome) {
        char text[EVICTION_HOLD_TEXT_MAX];

        return outcome == EVICTION_AWAITING &&
               !slice_eq(request->object.conditions.message, waiting_text(sync, outcome, text));
}

static void patch_request(struct eviction_sync *sync, const struct eviction_request *request,
                          enum eviction_outcome outcome) {
        struct eviction_conditions conditions = request->object.conditions;
        char message[EVICTION_HOLD_TEXT_MAX];
        struct buf body = { 0 };

        eviction_conditions_set(&conditions, outcome, eviction_stamp(sync->now.wall));
        conditions.message = outcome == EVICTION_INVALID ? invalid_text(sync, request, message)
                                                         : waiting_text(sync, outcome, message);
        eviction_patch_open(&request->object, &body);
        buf_printf(&body, "{\"observedGeneration\":%lld,\"conditions\":",
                   (long long)request->object.generation);
        eviction_conditions_write(&conditions, request->object.generation, &body);
        buf_text(&body, "}}");
        if (outcome == EVICTION_AWAITING &&
            slice_has_prefix(conditions.message, SLICE_LITERAL("held: ")))
                eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("hold"),
                                                            .request = request->object.name,
                                                            .request_uid = request->object.uid,
                                                            .requester = request->requester,
                                                            .message = conditions.message });
        if (outcome != request->object.conditions.outcome)
                eviction_audit(sync,
                               (struct audit_record){
                                       .op = SLICE_LITERAL("request"),
                                       .request = request->object.name,
                                       .request_uid = request->object.uid,
                                       .message = outcome == EVICTION_INVALID ? conditions.message
                                                                              : SLICE_EMPTY,
                                       .requester = request->requester,
                                       .user = eviction_user_of(sync, request),
                                       .from = slice_of(eviction_outcome_name(
                                               request->object.conditions.outcome)),
                                       .to = slice_of(eviction_outcome_name(outcome)) });
        eviction_effect_add(sync, EVICTION_PATCH_REQUEST, &request->object,
                            eviction_text_keep(sync->out, &body));
}

static bool is_invalid(const struct eviction_sync *sync, const struct eviction_request *request) {
        struct err err = { 0 };

        if (request->object.conditions.outcome == EVICTION_INVALID)
                return true;
        if (eviction_request_check(request, &err) < 0)
                return true;
        if (sync->target->entry_count)
                return false;
        return sync->is_gone || (sync->is_alive && sync->pod->has_group);
}

/* Requesters of our own follow the Eviction as well: that theirs is under way is worth a write only
 * when it has not ended soon, and the end only when they have not taken the request back by then.
 */
static bool stays_quiet(struct eviction_sync *sync, const struct eviction_request *request,
                        enum eviction_outcome outcome) {
        const struct eviction_target *target = sync->target;
        struct mono_time end = { target->seen.ns + QUIET_NS };

        if (eviction_outcome_is_evicted(outcome) && target->has_gone)
                end.ns = target->gone_at.ns + QUIET_END_NS;
        else if (outcome != EVICTION_AWAITING || request->object.observed_generation)
                return false;
        if (outcome == request->object.conditions.outcome || sync->now.mono.ns >= end.ns ||
            !eviction_request_is_ours(request) || says_otherwise(sync, request, outcome))
                return false;
        eviction_target_wake(sync->target, end);
        return true;
}

/* What the last Eviction says of a request that was made, or withdrawn, at another time than the
 * Eviction stands for. */
static enum eviction_outcome outcome_as_wanted(const struct eviction_sync *sync,
                                               const struct eviction_request *request,
                                               enum eviction_outcome outcome) {
        bool wants = request->intent == EVICTION_INTENT_EVICT && !request->object.is_deleting;

        if (outcome == EVICTION_NEW && !sync->is_wanted)
                return EVICTION_CANCELED; /* before anything began */
        if (outcome == EVICTION_NEW || (outcome == EVICTION_CANCELED && wants && !sync->is_gone))
                return EVICTION_AWAITING; /* the next one is for this request */
        return outcome;
}

/* The message of the request; entry: the Eviction that counts for it, if there is one. */
static enum eviction_outcome outcome_for(const struct eviction_sync *sync,
                                         const struct eviction_request *request,
                                         const struct eviction_entry *entry) {
        enum eviction_outcome now = request->object.conditions.outcome;
        enum eviction_outcome outcome =
                entry ? entry->eviction->status.conditions.outcome : EVICTION_NEW;

        if (eviction_outcome_is_evicted(now))
                return now;
        if (is_invalid(sync, request))
                return EVICTION_INVALID;
        if (outcome == EVICTION_INVALID && now != outcome)
                return EVICTION_AWAITING;
        outcome = outcome_as_wanted(sync, request, outcome);
        char text[EVICTION_HOLD_TEXT_MAX];
        bool waits = sync->target->is_waiting || (sync->is_wanted && is_held(sync, text));

        if (waits && eviction_outcome_is_final(outcome) && !eviction_outcome_is_evicted(outcome))
                return EVICTION_AWAITING; /* the next one waits for a slot, or is held */
        return outcome;
}

static void settle_requests(struct eviction_sync *sync) {
        const struct eviction_entry *entry = relevant_slot(sync->target);

        if (!sync->target->has_seen) {
                sync->target->has_seen = true;
                sync->target->seen = sync->now.mono;
        }
        for (size_t i = 0; i < sync->target->request_count; i++) {
                const struct eviction_request *request = sync->target->requests[i];
                enum eviction_outcome outcome = outcome_for(sync, request, entry);

                if (stays_quiet(sync, request, outcome))
                        continue;
                if (outcome != request->object.conditions.outcome ||
                    says_otherwise(sync, request, outcome) ||
                    request->object.observed_generation < request->object.generation)
                        patch_request(sync, request, outcome);
        }
}

/* Requesters of our own delete their requests as they end. One that was killed, or whose DELETE got
 * lost, leaves its request, and with it the Eviction. */
static void tidy_requests(struct eviction_sync *sync) {
        struct eviction_target *target = sync->target;
        struct mono_time end = { target->gone_at.ns + TIDY_NS };

        if (!target->has_gone)
                return;
        if (end.ns < target->next_tidy.ns)
                end = target->next_tidy;
        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_request *request = target->requests[i];

                if (!eviction_request_is_ours(request) || request->object.is_deleting ||
                    !eviction_outcome_is_final(request->object.conditions.outcome))
                        continue;
                if (sync->now.mono.ns < end.ns) {
                        eviction_target_wake(target, end);
                        return;
                }
                eviction_tidy(sync, request);
                target->next_tidy.ns = sync->now.mono.ns + TIDY_NS;
        }
}

/* ---- all of it ---- */

/* Failures count from when they were first seen; the stored time serves after a restart. */
static void note_failures(struct eviction_sync *sync) {
        for (size_t i = 0; i < sync->target->entry_count; i++) {
                struct eviction_entry *entry = sync->target->entries[i];
                const struct eviction_conditions *conditions = &entry->eviction->status.conditions;
                int64_t age_ns = sync->now.wall.ns - conditions->failed_changed.ns;

                if (entry->has_failed_at || conditions->outcome != EVICTION_NO_RESPONDER)
                        continue;
                entry->has_failed_at = true;
                entry->failed_at.ns = sync->now.mono.ns - (age_ns > 0 ? age_ns : 0);
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
static void judge_deadlines(struct eviction_sync *sync) {
        const struct eviction_policy *policy =
                sync->is_alive ? eviction_policy_for(sync->reconciler, sync->pod) : NULL;
        bool deletes = policy && policy->deletes_at_deadline && sync->reconciler->config.may_delete;

        for (size_t i = 0; i < sync->target->request_count && sync->is_alive; i++) {
                const struct eviction_request *request = sync->target->requests[i];
                int64_t left_ns = request->deadline.ns - sync->now.wall.ns;

                if (!has_deadline(request))
                        continue;
                if (left_ns > 0)
                        eviction_target_wake(sync->target,
                                             (struct mono_time){ sync->now.mono.ns + left_ns });
                else if (!deletes || client_eviction_is_requester(request->requester))
                        eviction_withdraw(sync, request, "deadline");
                else if (!sync->pod->is_terminating && !sync->is_finished)
                        eviction_delete_pod(sync, request);
        }
}

static void settle_slots(struct eviction_sync *sync) {
        struct eviction_target *target = sync->target;

        for (size_t i = 0; i < target->entry_count; i++) {
                struct eviction_entry *entry = target->entries[i];

                if (eviction_entry_is_over(entry) || entry->eviction->object.is_deleting)
                        continue;
                if (!sync->is_alive && !sync->is_gone)
                        continue; /* not known whether the pod is there */
                eviction_reservations_report(sync, entry);
                eviction_orphans_watch(sync, entry);
                eviction_label(sync, entry);
                if (target->writes == 0) /* one write per object at a time */
                        eviction_settle(sync, entry);
        }
}

void eviction_progress(struct eviction_sync *sync) {
        struct eviction_target *target = sync->target;
        char text[EVICTION_HOLD_TEXT_MAX];

        note_failures(sync);
        eviction_admission_settle(sync);
        judge_deadlines(sync);
        if (target->writes)
                return;
        for (size_t i = 0; i < target->entry_count; i++)
                if (target->entries[i]->eviction->status.observed_generation)
                        target->creates = 0;
        settle_requests(sync);
        if (target->writes == 0)
                tidy_requests(sync);
        settle_slots(sync);
        if (sync->is_wanted && sync->is_alive && !sync->pod->has_group &&
            !eviction_active_entry(target) && !has_evicted(target) && !is_held(sync, text) &&
            !eviction_next_has_to_wait(sync) && eviction_admit(sync))
                eviction_next_create(sync);
}
