/* Leads a pod through the stages of its policy, one call at a time. */
#include "evict/eviction_stages.h"

#include "base/util.h"
#include <stdio.h>

const struct eviction_policy *eviction_policy_for(const struct eviction_reconciler *reconciler,
                                                  const struct eviction_pod *pod) {
        const struct eviction_policy *best = NULL;
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->policies, &at, &key, &value)) {
                const struct eviction_policy *policy = value;

                if (slice_eq(policy->ns, pod->ns) &&
                    selector_matches(&policy->selector, pod->labels) &&
                    (!best || eviction_policy_is_before(policy, best)))
                        best = policy;
        }
        return best;
}

/* ---- a turn ---- */

/* Whether there was a report since the stage began: the first that it has to say is worth more than
 * what follows. */
static bool has_reported(const struct eviction_entry *entry) {
        const struct eviction_status *status = &entry->eviction->status;
        int index = eviction_find_responder(status, SLICE_LITERAL(EVICTION_STAGER));

        return index >= 0 &&
               status->responders[index].heartbeat.ns > entry->stages.state.since.ns + NS_PER_S;
}

static int64_t pause_of(const struct eviction_entry *entry) {
        if (!entry->stages.has_news)
                return STAGES_BEAT_NS;
        return has_reported(entry) ? STAGES_NEWS_NS : STAGES_FIRST_NEWS_NS;
}

/* Signs of life only while hooks answer: a silent one must not keep the turn for ever. */
static void eviction_stages_beat(struct eviction_sync *sync, struct eviction_entry *entry) {
        struct stages_turn *turn = &entry->stages;
        bool is_alive = turn->bad_in_row < 2;
        struct mono_time due = { turn->last_beat.ns + pause_of(entry) };

        if (!is_alive && !turn->has_news)
                return;
        if (due.ns <= sync->now.mono.ns)
                eviction_stages_store(sync, entry, false);
        else
                eviction_target_wake(sync->target, due);
}
/* Time is up for the stage, or for all of them; true when something was decided. */
static bool judge_time(struct eviction_sync *sync, struct eviction_entry *entry,
                       const struct eviction_policy *policy) {
        struct stages_turn *turn = &entry->stages;
        const struct eviction_stage *stage = &policy->stages[turn->state.index];
        int64_t stage_end = turn->stage_started.ns + stage->timeout_ns;
        int64_t turn_end = policy->deadline_ns ? turn->started.ns + policy->deadline_ns : INT64_MAX;
        int64_t end = stage_end < turn_end ? stage_end : turn_end;

        if (sync->now.mono.ns < end) {
                eviction_target_wake(sync->target, (struct mono_time){ end });
                return false;
        }
        if (turn->is_calling) { /* its answer comes first */
                eviction_stages_stop_call(sync, entry);
                return true;
        }
        snprintf(turn->text, sizeof(turn->text), "%s",
                 turn_end <= sync->now.mono.ns ? "the deadline of the policy passed"
                                               : "the time of the stage passed");
        eviction_stages_fail(sync, entry,
                             turn_end <= sync->now.mono.ns ? STAGE_FAILS_TO_ROLLBACK
                                                           : stage->on_failure);
        eviction_target_wake(sync->target, sync->now.mono);
        return true;
}

/* The turn is over without success: when nobody else wants the eviction it is withdrawn, else the
 * next responder follows. */
static void eviction_stages_decline(struct eviction_sync *sync, struct eviction_entry *entry) {
        eviction_stages_audit(sync, entry, "decline", "");
        if (!eviction_is_ours_alone(sync->target)) {
                eviction_stages_store(sync, entry, true);
                return;
        }
        for (size_t i = 0; i < sync->target->request_count; i++) {
                const struct eviction_request *request = sync->target->requests[i];

                if (request->intent == EVICTION_INTENT_EVICT && !request->object.is_deleting)
                        eviction_withdraw(sync, request, "declined");
        }
}

static bool is_stored(const struct eviction_entry *entry, struct slice message) {
        struct stages_state stored;

        return stages_state_parse(message, &stored) &&
               stages_state_eq(&stored, &entry->stages.state);
}

static void eviction_stages_lead(struct eviction_sync *sync, struct eviction_entry *entry,
                                 const struct eviction_policy *policy,
                                 const struct eviction_responder *own) {
        struct stages_turn *turn = &entry->stages;

        if ((turn->state.mode == STAGES_UNDO || turn->state.mode == STAGES_SKIP) &&
            !eviction_stages_undo(sync, entry, policy))
                return;
        if (turn->state.mode == STAGES_UNDO)
                turn->state.mode = STAGES_DECLINED;
        if (turn->state.mode == STAGES_SKIP) {
                turn->state.mode = STAGES_RUN;
                if (policy->stages[turn->state.index].on_failure == STAGE_FAILS_TO_DECLINE)
                        turn->state.mode = STAGES_DECLINED;
                else
                        eviction_stages_go_on(sync, turn, policy);
        }
        if (turn->state.mode == STAGES_DECLINED) {
                eviction_stages_decline(sync, entry);
                return;
        }
        if (turn->state.mode == STAGES_OVER || !is_stored(entry, own->message)) {
                eviction_stages_store(sync, entry, turn->state.mode == STAGES_OVER);
                return;
        }
        if (judge_time(sync, entry, policy))
                return;
        if (!turn->is_calling && turn->next_call.ns <= sync->now.mono.ns)
                eviction_stages_perform(sync, entry, &policy->stages[turn->state.index]);
        if (!turn->is_calling && turn->next_call.ns > sync->now.mono.ns)
                eviction_target_wake(sync->target, turn->next_call);
        eviction_stages_beat(sync, entry);
}

/* ---- beginning, going on, leaving ---- */

static struct mono_time mono_of(const struct eviction_sync *sync, struct wall_time when) {
        int64_t age_ns = wall_time_is_set(when) ? sync->now.wall.ns - when.ns : 0;

        return (struct mono_time){ sync->now.mono.ns - (age_ns > 0 ? age_ns : 0) };
}

/* Where an earlier process left it, or at the first stage. */
static void eviction_stages_resume(struct eviction_sync *sync, struct eviction_entry *entry,
                                   const struct eviction_responder *own) {
        struct stages_turn *turn = &entry->stages;

        turn->is_known = true;
        turn->expected = WALL_TIME_UNSET;
        turn->started = mono_of(sync, own->start);
        turn->last_beat = sync->now.mono;
        if (stages_state_parse(own->message, &turn->state)) {
                turn->has_sent = true;
                turn->stage_started = mono_of(sync, turn->state.since);
                turn->next_call = sync->now.mono;
                return;
        }
        turn->state = (struct stages_state){ .mode = STAGES_DECLINED,
                                             .attempt = 1,
                                             .since = eviction_stamp(sync->now.wall) };
        const struct eviction_policy *policy =
                sync->is_alive ? eviction_policy_for(sync->reconciler, sync->pod) : NULL;
        if (!policy)
                return;
        turn->state.mode = STAGES_RUN;
        snprintf(turn->state.policy, sizeof(turn->state.policy), SLICE_FMT,
                 SLICE_ARG(policy->name));
        eviction_stages_enter(sync, turn, policy, 0);
}

/* The pod is gone: whatever a hook is doing still is cancelled after the end. */
static void eviction_stages_leave(struct eviction_sync *sync, struct eviction_entry *entry,
                                  const char *why) {
        struct stages_turn *turn = &entry->stages;

        snprintf(turn->text, sizeof(turn->text), "%s", why);
        eviction_stages_store(sync, entry, true);
}

static bool is_our_turn(const struct eviction_sync *sync, const struct eviction *eviction,
                        const struct eviction_responder *own) {
        bool is_safe = !sync->reconciler->config.is_controller ||
                       eviction_has_finalizer(eviction, STAGES_FINALIZER);

        return own->state == RESPONDER_ACTIVE && eviction->status.observed_generation != 0 &&
               !wall_time_is_set(own->completion) && is_safe &&
               (sync->is_gone || sync->is_finished || sync->is_alive);
}

static void take_turn(struct eviction_sync *sync, struct eviction_entry *entry,
                      const struct eviction_responder *own) {
        struct stages_turn *turn = &entry->stages;
        const struct eviction_policy *policy;

        if (!turn->is_known)
                eviction_stages_resume(sync, entry, own);
        policy = eviction_policy_named(sync, turn->state.policy);
        if (sync->is_gone || sync->is_finished) {
                eviction_stages_leave(sync, entry, "the pod is gone or finished");
        } else if (!policy || turn->state.index >= policy->stage_count) {
                turn->state.mode = STAGES_DECLINED;
                eviction_stages_leave(sync, entry, "its EvictionPolicy was deleted");
        } else {
                if (turn->has_answer && turn->state.mode == STAGES_RUN)
                        eviction_stages_take_answer(sync, entry, policy);
                eviction_stages_lead(sync, entry, policy, own);
        }
}

void eviction_stages_act(struct eviction_sync *sync, struct eviction_entry *entry) {
        const struct eviction *eviction = entry->eviction;
        const struct eviction_status *status = &eviction->status;
        int index = eviction_find_responder(status, SLICE_LITERAL(EVICTION_STAGER));

        if (index < 0 || sync->target->writes)
                return;
        if (eviction_outcome_is_final(status->conditions.outcome) || eviction->object.is_deleting)
                eviction_stages_end(sync, entry);
        else if (is_our_turn(sync, eviction, &status->responders[index]))
                take_turn(sync, entry, &status->responders[index]);
}
