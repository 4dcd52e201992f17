/* Leads a pod through the stages of its policy, one call at a time. */
#include "evict/eviction_stages.h"

#include "base/util.h"
#include <stdio.h>

/* ---- while Active ---- */

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

/* Heartbeats only while hooks answer: with a silent hook the responder is to be interrupted. */
static void eviction_stages_beat(struct eviction_sync *sync, struct eviction_entry *entry) {
        struct stages_run *run = &entry->stages;
        bool is_alive = run->bad_in_row < 2;
        struct mono_time due = { run->last_beat.ns + pause_of(entry) };

        if (!is_alive && !run->has_news)
                return;
        if (due.ns <= sync->now.mono.ns)
                eviction_stages_store(sync, entry, false);
        else
                eviction_target_wake(sync->target, due);
}
/* Time is up for the stage, or for all of them; true when something was decided. */
static bool judge_time(struct eviction_sync *sync, struct eviction_entry *entry,
                       const struct eviction_policy *policy) {
        struct stages_run *run = &entry->stages;
        const struct eviction_stage *stage = &policy->stages[run->state.index];
        int64_t stage_end = run->stage_started.ns + stage->timeout_ns;
        int64_t policy_end =
                policy->deadline_ns ? run->started.ns + policy->deadline_ns : INT64_MAX;
        int64_t end = stage_end < policy_end ? stage_end : policy_end;

        if (sync->now.mono.ns < end) {
                eviction_target_wake(sync->target, (struct mono_time){ end });
                return false;
        }
        if (run->is_calling) { /* its answer comes first */
                eviction_stages_stop_call(sync, entry);
                return true;
        }
        snprintf(run->text, sizeof(run->text), "%s",
                 policy_end <= sync->now.mono.ns ? "the deadline of the policy passed"
                                                 : "the time of the stage passed");
        eviction_stages_fail(sync, entry,
                             policy_end <= sync->now.mono.ns &&
                                             stage->on_failure != STAGE_FAILS_TO_HOLD
                                     ? STAGE_FAILS_TO_ROLLBACK
                                     : stage->on_failure);
        eviction_target_wake(sync->target, sync->now.mono);
        return true;
}

/* The stages ended without success: when no other requester wants the eviction it is withdrawn,
 * else the next responder follows. */
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

/* ---- holding the pod ---- */

/* Reports the reason as a heartbeat: a responder without heartbeats is interrupted. */
static void eviction_stages_hold(struct eviction_sync *sync, struct eviction_entry *entry,
                                 const struct eviction_responder *own, const char *why) {
        struct stages_run *run = &entry->stages;
        struct mono_time due = { run->last_beat.ns + STAGES_BEAT_NS };

        if (!slice_contains(own->message, slice_of(why))) {
                snprintf(run->text, sizeof(run->text), "%s", why);
                eviction_stages_audit(sync, entry, "hold", "");
        } else if (sync->now.mono.ns < due.ns) {
                eviction_target_wake(sync->target, due);
                return;
        }
        if (run->is_known) {
                eviction_stages_store(sync, entry, false);
                return;
        }
        run->last_beat = sync->now.mono;
        eviction_report(
                sync, entry->eviction,
                eviction_find_responder(&entry->eviction->status, SLICE_LITERAL(EVICTION_STAGER)),
                &(struct eviction_news){ .message = why, .expected = WALL_TIME_UNSET });
}

/* A stage failed whose policy says that the pod stays. */
static void hold_failed(struct eviction_sync *sync, struct eviction_entry *entry,
                        const struct eviction_policy *policy,
                        const struct eviction_responder *own) {
        const struct stages_state *state = &entry->stages.state;
        struct slice name = state->holder <= policy->stage_count
                                    ? policy->stages[state->holder - 1].name
                                    : SLICE_EMPTY;
        char text[EVICTION_HOLD_TEXT_MAX];

        snprintf(text, sizeof(text),
                 "held: stage %u (" SLICE_FMT
                 ") failed, and its onFailure is Hold; withdraw the request to end this",
                 state->holder, SLICE_ARG(name));
        snprintf(entry->stages.text, sizeof(entry->stages.text), "%s", text);
        eviction_stages_hold(sync, entry, own, text);
}

static bool is_stored(const struct eviction_entry *entry, struct slice message) {
        struct stages_state stored;

        return stages_state_parse(message, &stored) &&
               stages_state_eq(&stored, &entry->stages.state);
}

/* What undoing leads to, and what follows a stage that was passed over. */
static void leave_failure(struct eviction_sync *sync, struct stages_run *run,
                          const struct eviction_policy *policy) {
        if (run->state.mode == STAGES_UNDO) {
                run->state.mode = run->state.holder ? STAGES_HELD : STAGES_DECLINED;
        } else if (run->state.mode == STAGES_SKIP) {
                run->state.mode = STAGES_RUN;
                if (policy->stages[run->state.index].on_failure == STAGE_FAILS_TO_DECLINE)
                        run->state.mode = STAGES_DECLINED;
                else
                        eviction_stages_go_on(sync, run, policy);
        }
}

static void eviction_stages_lead(struct eviction_sync *sync, struct eviction_entry *entry,
                                 const struct eviction_policy *policy,
                                 const struct eviction_responder *own) {
        struct stages_run *run = &entry->stages;

        if ((run->state.mode == STAGES_UNDO || run->state.mode == STAGES_SKIP) &&
            !eviction_stages_undo(sync, entry, policy))
                return;
        leave_failure(sync, run, policy);
        if (run->state.mode == STAGES_HELD && !eviction_is_ours_alone(sync->target)) {
                hold_failed(sync, entry, policy, own);
                return;
        }
        if (run->state.mode == STAGES_DECLINED || run->state.mode == STAGES_HELD) {
                eviction_stages_decline(sync, entry);
                return;
        }
        if (run->state.mode == STAGES_OVER || !is_stored(entry, own->message)) {
                eviction_stages_store(sync, entry, run->state.mode == STAGES_OVER);
                return;
        }
        if (judge_time(sync, entry, policy))
                return;
        if (!run->is_calling && run->next_call.ns <= sync->now.mono.ns)
                eviction_stages_perform(sync, entry, &policy->stages[run->state.index]);
        if (!run->is_calling && run->next_call.ns > sync->now.mono.ns)
                eviction_target_wake(sync->target, run->next_call);
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
        struct stages_run *run = &entry->stages;

        run->is_known = true;
        run->expected = WALL_TIME_UNSET;
        run->started = mono_of(sync, own->start);
        run->last_beat = sync->now.mono;
        if (stages_state_parse(own->message, &run->state)) {
                run->has_sent = true;
                run->stage_started = mono_of(sync, run->state.since);
                run->next_call = sync->now.mono;
                return;
        }
        run->state = (struct stages_state){ .mode = STAGES_DECLINED,
                                            .attempt = 1,
                                            .since = eviction_stamp(sync->now.wall) };
        const struct eviction_policy *policy =
                sync->is_alive ? eviction_policy_for(sync->reconciler, sync->pod) : NULL;
        if (!policy)
                return;
        run->state.mode = STAGES_RUN;
        snprintf(run->state.policy, sizeof(run->state.policy), SLICE_FMT, SLICE_ARG(policy->name));
        eviction_stages_enter(sync, run, policy, 0);
}

/* A stage that evicts or deletes the pod is over when the pod is: that is how long it takes. */
static void learn_end(const struct eviction_sync *sync, struct stages_run *run,
                      const struct eviction_policy *policy) {
        enum stage_kind kind = policy->stages[run->state.index].kind;
        unsigned bit = 1U << run->state.index;

        if ((kind != STAGE_EVICT && kind != STAGE_DELETE) || run->called != STAGES_CALLED_POD ||
            (run->state.done & bit))
                return;
        run->state.done |= bit;
        eviction_stages_learn(sync, run, policy);
}

/* The pod is gone: whatever a hook is doing still is cancelled after the end. */
static void eviction_stages_leave(struct eviction_sync *sync, struct eviction_entry *entry,
                                  const struct eviction_policy *policy, const char *why) {
        struct stages_run *run = &entry->stages;

        if (policy && run->state.index < policy->stage_count && run->state.mode == STAGES_RUN)
                learn_end(sync, run, policy);
        snprintf(run->text, sizeof(run->text), "%s", why);
        eviction_stages_store(sync, entry, true);
}

static bool stages_may_act(const struct eviction_sync *sync, const struct eviction *eviction,
                           const struct eviction_responder *own) {
        bool is_safe = !sync->reconciler->config.is_controller ||
                       eviction_has_finalizer(eviction, STAGES_FINALIZER);

        return own->state == RESPONDER_ACTIVE && eviction->status.observed_generation != 0 &&
               !wall_time_is_set(own->completion) && is_safe &&
               (sync->is_gone || sync->is_finished || sync->is_alive);
}

/* The policy that leads, or would: the one at work, else the best for the pod. */
static const struct eviction_policy *policy_at_work(const struct eviction_sync *sync,
                                                    const struct eviction_entry *entry) {
        return entry->stages.is_known ? eviction_policy_named(sync, entry->stages.state.policy)
                                      : eviction_policy_for(sync->reconciler, sync->pod);
}

/* While the policy cannot be read nothing goes on, and no time passes for the stage. */
static bool is_frozen(struct eviction_sync *sync, struct eviction_entry *entry,
                      const struct eviction_responder *own) {
        struct stages_run *run = &entry->stages;
        char text[EVICTION_HOLD_TEXT_MAX];

        if (!sync->is_alive || sync->is_finished)
                return false;
        struct slice why = eviction_policy_hold_reason(policy_at_work(sync, entry), text);
        if (why.len) {
                run->is_frozen = true;
                eviction_stages_hold(sync, entry, own, text);
        } else if (run->is_frozen) {
                run->is_frozen = false;
                run->text[0] = '\0';
                run->stage_started = run->next_call = sync->now.mono;
        }
        return why.len > 0;
}

static void eviction_stages_act_active(struct eviction_sync *sync, struct eviction_entry *entry,
                                       const struct eviction_responder *own) {
        struct stages_run *run = &entry->stages;
        const struct eviction_policy *policy;
        struct stages_state stored;

        if (!run->is_known && stages_state_parse(own->message, &stored))
                eviction_stages_resume(sync, entry, own);
        if (sync->is_alive)
                snprintf(run->owner, sizeof(run->owner), SLICE_FMT, SLICE_ARG(sync->pod->owner));
        if (is_frozen(sync, entry, own))
                return;
        if (!run->is_known)
                eviction_stages_resume(sync, entry, own);
        policy = eviction_policy_named(sync, run->state.policy);
        if (sync->is_gone || sync->is_finished) {
                eviction_stages_leave(sync, entry, policy, "the pod is gone or finished");
        } else if (!policy || run->state.index >= policy->stage_count) {
                run->state.mode = STAGES_DECLINED;
                eviction_stages_leave(sync, entry, NULL, "its EvictionPolicy was deleted");
        } else {
                if (run->has_answer && run->state.mode == STAGES_RUN)
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
        else if (stages_may_act(sync, eviction, &status->responders[index]))
                eviction_stages_act_active(sync, entry, &status->responders[index]);
}
