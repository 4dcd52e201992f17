/* Leads a pod through the stages of its policy, one call at a time. */
#include "evict/eviction_stages.h"

#include "base/util.h"
#include "evict/eviction_history.h"
#include <stdio.h>
#include <string.h>

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

const struct eviction_policy *eviction_policy_named(const struct eviction_look *look,
                                                    const char *name) {
        char key[600];

        snprintf(key, sizeof(key), SLICE_FMT "/%s", SLICE_ARG(look->target->ns), name);
        return map_get(look->reconciler->policies, slice_of(key));
}

void eviction_stages_audit(struct eviction_look *look, const struct eviction_slot *slot,
                           const char *op, const char *reason) {
        const struct stages_state *state = &slot->stages.state;
        const struct eviction_policy *policy = eviction_policy_named(look, state->policy);
        bool has_stage = policy && state->index < policy->stage_count;

        eviction_audit(look,
                       (struct audit_record){ .op = slice_of(op),
                                              .eviction = slot->eviction->object.name,
                                              .responder = SLICE_LITERAL(EVICTION_STAGER),
                                              .stage = has_stage ? policy->stages[state->index].name
                                                                 : SLICE_EMPTY,
                                              .reason = slice_of(reason),
                                              .message = slice_of(slot->stages.text) });
}

/* ---- calls ---- */

static void await_answer(struct eviction_look *look, struct eviction_slot *slot,
                         struct eviction_effect *effect, enum stages_called called) {
        slot->stages.called = called;
        eviction_effect_is_of_stages(look, effect);
        slot->stages.is_calling = true;
        slot->stages.is_stopping = false;
        slot->stages.call_id = effect->id;
}

void eviction_stages_call(struct eviction_look *look, struct eviction_slot *slot,
                          const struct hook_order *order) {
        struct arena *arena = &look->out->arena;
        struct eviction_effect *effect;
        struct buf body = { 0 };

        eviction_hook_body(look, slot->eviction, order, &body);
        effect = eviction_effect_add(look, EVICTION_HOOK, &slot->eviction->object,
                                     eviction_text_keep(look->out, &body));
        effect->call = (struct eviction_call){
                .is_exec = order->hook->is_exec,
                .url = arena_slice(arena, order->hook->url),
                .secret = arena_slice(arena, order->hook->secret),
                .command = arena_slice(arena, order->hook->command),
                .timeout_ns = order->hook->is_exec ? order->stage->timeout_ns : STAGES_CALL_NS,
        };
        slot->stages.is_poll = strcmp(order->op, "poll") == 0;
        await_answer(look, slot, effect, STAGES_CALLED_HOOK);
}

void eviction_stages_stop_call(struct eviction_look *look, struct eviction_slot *slot) {
        struct eviction_effects *out = look->out;

        if (slot->stages.is_stopping)
                return;
        slot->stages.is_stopping = true;
        eviction_effect_stop(out, slot->stages.call_id);
}

static void run_hook(struct eviction_look *look, struct eviction_slot *slot,
                     const struct eviction_stage *stage) {
        struct stages_turn *turn = &slot->stages;
        struct hook_order order = { .op = turn->has_sent ? "poll" : "run",
                                    .stage = stage,
                                    .hook = &stage->hook,
                                    .state = &turn->state,
                                    .deadline = { turn->state.since.ns + stage->timeout_ns } };

        if (!turn->has_sent)
                eviction_stages_audit(look, slot, "stage-start", "");
        eviction_stages_call(look, slot, &order);
}

static void call_pod(struct eviction_look *look, struct eviction_slot *slot, bool deletes) {
        const struct eviction_target *target = look->target;
        struct buf body = { 0 };

        if (deletes)
                buf_printf(&body, "{\"preconditions\":{\"uid\":\"%s\"}}", target->uid);
        else
                eviction_body_write(target, EVICTION_STAGER, &body);
        eviction_stages_audit(look, slot, deletes ? "delete-call" : "evict-call", "");
        await_answer(look, slot,
                     eviction_effect_add(look, deletes ? EVICTION_DELETE_POD : EVICTION_EVICT_POD,
                                         &slot->eviction->object,
                                         eviction_text_keep(look->out, &body)),
                     STAGES_CALLED_POD);
}

/* ---- waiting ---- */

static int64_t ready_others(const struct eviction_look *look, const struct selector *selector) {
        int64_t count = 0;
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(look->reconciler->pods, &at, &key, &value)) {
                const struct eviction_pod *pod = &((struct kept_pod *)value)->pod;

                if (pod->is_ready && !pod->is_terminating && !pod->is_finished &&
                    slice_eq(pod->ns, look->target->ns) && !slice_is(pod->uid, look->target->uid) &&
                    selector_matches(selector, pod->labels))
                        count++;
        }
        return count;
}

static bool holds(struct eviction_look *look, struct stages_turn *turn,
                  const struct eviction_wait *wait) {
        bool has_label = false;

        if (wait->counts_ready) {
                int64_t count = ready_others(look, &wait->ready);

                if (count < wait->ready_count) {
                        snprintf(turn->text, sizeof(turn->text), "%lld of %lld other pods ready",
                                 (long long)count, (long long)wait->ready_count);
                        return false;
                }
        }
        if (!wait->label_key.len)
                return true;
        for (size_t i = 0; i < look->pod->labels.count; i++)
                has_label |= slice_eq(look->pod->labels.items[i].key, wait->label_key) &&
                             slice_eq(look->pod->labels.items[i].value, wait->label_value);
        if (!has_label)
                snprintf(turn->text, sizeof(turn->text), "waiting for label " SLICE_FMT,
                         SLICE_ARG(wait->label_key));
        return has_label;
}

static void check_wait(struct eviction_look *look, struct eviction_slot *slot,
                       const struct eviction_stage *stage) {
        struct stages_turn *turn = &slot->stages;
        struct eviction_effect *effect;

        turn->bad_in_row = 0;
        if (!holds(look, turn, &stage->wait)) {
                turn->has_news = true;
                turn->next_call.ns = look->now.mono.ns + STAGES_CHECK_NS;
                eviction_target_wake(look->target, turn->next_call);
                return;
        }
        if (!stage->wait.url.len) {
                turn->has_answer = true;
                turn->verdict = HOOK_DONE;
                eviction_target_wake(look->target, look->now.mono);
                return;
        }
        effect = eviction_effect_add(look, EVICTION_HOOK, &slot->eviction->object, SLICE_EMPTY);
        effect->call =
                (struct eviction_call){ .is_get = true,
                                        .url = arena_slice(&look->out->arena, stage->wait.url),
                                        .timeout_ns = STAGES_CALL_NS };
        await_answer(look, slot, effect, STAGES_CALLED_URL);
}

/* ---- answers ---- */

void eviction_stages_result(struct eviction_slot *slot,
                            const struct eviction_effect_result *result) {
        struct stages_turn *turn = &slot->stages;
        struct hook_answer answer = eviction_hook_answer(result, turn->is_poll);

        if (turn->called == STAGES_CALLED_URL)
                answer.verdict = result->http == 200 ? HOOK_DONE : HOOK_RETRY;
        else if (turn->called == STAGES_CALLED_POD)
                answer.verdict = result->code == BERTH_OK || result->code == BERTH_ERR_NOT_FOUND
                                         ? HOOK_IN_PROGRESS
                                         : HOOK_RETRY;
        if (turn->called == STAGES_CALLED_POD && answer.verdict == HOOK_IN_PROGRESS)
                answer.text = SLICE_LITERAL("the pod is being deleted");
        turn->is_calling = false;
        turn->has_answer = true;
        turn->verdict = (int)answer.verdict;
        turn->retry_after_s = answer.retry_after_s;
        turn->eta_s = answer.eta_s;
        snprintf(turn->text, sizeof(turn->text), SLICE_FMT, SLICE_ARG(answer.text));
}

/* ---- what is expected ---- */

static struct history_estimate expected_of(const struct eviction_look *look,
                                           const struct eviction_policy *policy, size_t index) {
        char name[600];
        struct history_key key = { .owner = look->pod ? look->pod->owner : SLICE_EMPTY,
                                   .stage = policy->stages[index].name };

        snprintf(name, sizeof(name), SLICE_FMT "/" SLICE_FMT, SLICE_ARG(policy->ns),
                 SLICE_ARG(policy->name));
        key.policy = slice_of(name);
        return eviction_history_estimate(look->reconciler->config.history, &key,
                                         policy->stages[index].timeout_ns, look->now.wall);
}

/* The end of all stages: this one's median, once that passed its 95th percentile, then nothing is
 * said; and the medians of those to come. */
static void expect(const struct eviction_look *look, struct stages_turn *turn,
                   const struct eviction_policy *policy) {
        struct history_estimate now;
        int64_t spent_ns = look->now.mono.ns - turn->stage_started.ns, left_ns;

        turn->expected = WALL_TIME_UNSET;
        if (!look->reconciler->config.history || turn->state.mode != STAGES_RUN)
                return;
        now = expected_of(look, policy, turn->state.index);
        left_ns = (spent_ns < now.p50_ns ? now.p50_ns : now.p95_ns) - spent_ns;
        if (now.count == 0 || left_ns <= 0)
                return;
        for (size_t i = turn->state.index + 1; i < policy->stage_count; i++)
                left_ns += expected_of(look, policy, i).p50_ns;
        turn->expected.ns = look->now.wall.ns + left_ns;
}

static void learn(const struct eviction_look *look, const struct stages_turn *turn,
                  const struct eviction_policy *policy) {
        char name[600];
        struct history_key key = { .owner = look->pod ? look->pod->owner : SLICE_EMPTY,
                                   .stage = policy->stages[turn->state.index].name };

        if (!look->reconciler->config.history)
                return;
        snprintf(name, sizeof(name), SLICE_FMT "/" SLICE_FMT, SLICE_ARG(policy->ns),
                 SLICE_ARG(policy->name));
        key.policy = slice_of(name);
        eviction_history_add(look->reconciler->config.history, &key,
                             look->now.mono.ns - turn->stage_started.ns, look->now.wall);
}

static void set_stage(struct eviction_look *look, struct stages_turn *turn,
                      const struct eviction_policy *policy, size_t index) {
        turn->state.index = index;
        turn->state.attempt = 1;
        turn->state.since = eviction_stamp(look->now.wall);
        turn->state.is_open =
                turn->state.mode == STAGES_RUN && stage_is_hook(&policy->stages[index]);
        turn->has_sent = false;
        turn->stage_started = turn->next_call = look->now.mono;
        turn->bad_in_row = 0;
        expect(look, turn, policy);
}

static void go_on(struct eviction_look *look, struct stages_turn *turn,
                  const struct eviction_policy *policy) {
        if (turn->state.index + 1 < policy->stage_count) {
                set_stage(look, turn, policy, turn->state.index + 1);
                return;
        }
        turn->state.mode = STAGES_OVER;
        turn->state.is_open = false;
}

static void fail_stage(struct eviction_look *look, struct eviction_slot *slot,
                       enum stage_failure how) {
        struct stages_turn *turn = &slot->stages;

        eviction_stages_audit(look, slot, "stage-end", "Failed");
        if (how == STAGE_FAILS_TO_ROLLBACK)
                turn->state.mode = STAGES_UNDO;
        else
                turn->state.mode = STAGES_SKIP;
        turn->state.attempt = 1;
        turn->state.since = eviction_stamp(look->now.wall);
        turn->stage_started = turn->next_call = look->now.mono;
}

static int64_t pause_after(uint32_t attempts) {
        int64_t delay_ns = NS_PER_S;

        for (uint32_t i = 1; i < attempts && delay_ns < 60 * NS_PER_S; i++)
                delay_ns *= 2;
        return delay_ns;
}

/* A try went wrong: another one, or the stage failed. */
static void try_again(struct eviction_look *look, struct eviction_slot *slot,
                      const struct eviction_policy *policy) {
        struct stages_turn *turn = &slot->stages;
        const struct eviction_stage *stage = &policy->stages[turn->state.index];
        int64_t delay_ns = pause_after(turn->state.attempt);

        turn->bad_in_row++;
        if (turn->state.attempt > stage->retries) {
                if (turn->verdict == HOOK_FAILED)
                        turn->state.is_open = false; /* it said so itself: nothing to cancel */
                fail_stage(look, slot, stage->on_failure);
                return;
        }
        turn->state.attempt++;
        if (turn->retry_after_s * NS_PER_S > delay_ns)
                delay_ns = turn->retry_after_s * NS_PER_S;
        turn->next_call.ns = look->now.mono.ns + delay_ns;
        if (turn->verdict == HOOK_FAILED)
                turn->has_sent = false;
        else if (turn->verdict == HOOK_SILENT)
                turn->has_sent = true;
}

static void take_progress(struct eviction_look *look, struct eviction_slot *slot,
                          const struct eviction_policy *policy) {
        struct stages_turn *turn = &slot->stages;
        int64_t delay_ns =
                turn->retry_after_s > 0 ? turn->retry_after_s * NS_PER_S : STAGES_POLL_NS;

        turn->has_sent = true;
        turn->has_news = true;
        turn->bad_in_row = 0;
        turn->next_call.ns = look->now.mono.ns + delay_ns;
        if (turn->eta_s > 0)
                turn->expected.ns = look->now.wall.ns + turn->eta_s * NS_PER_S;
        else
                expect(look, turn, policy);
}

/* Of an evict, delete or wait stage: what is not so yet is asked again later. */
static void ask_later(struct eviction_look *look, struct stages_turn *turn) {
        int64_t delay_ns = EVICTION_TRY_FIRST_NS;

        for (uint32_t i = 0; i < turn->bad_in_row && delay_ns < 60 * NS_PER_S; i++)
                delay_ns *= 2;
        turn->bad_in_row++;
        turn->has_news = true;
        turn->next_call.ns = look->now.mono.ns + delay_ns;
}

static void take_answer(struct eviction_look *look, struct eviction_slot *slot,
                        const struct eviction_policy *policy) {
        struct stages_turn *turn = &slot->stages;
        const struct eviction_stage *stage = &policy->stages[turn->state.index];

        turn->has_answer = false;
        if (turn->verdict == HOOK_DONE) {
                turn->state.is_open = false;
                turn->state.done |= 1U << turn->state.index;
                learn(look, turn, policy);
                eviction_stages_audit(look, slot, "stage-end", "Done");
                go_on(look, turn, policy);
        } else if (!stage_is_hook(stage)) {
                ask_later(look, turn);
        } else if (turn->verdict == HOOK_IN_PROGRESS) {
                take_progress(look, slot, policy);
        } else if (turn->verdict == HOOK_UNKNOWN) {
                turn->has_sent = false;
        } else if (turn->verdict == HOOK_DECLINES) {
                eviction_stages_audit(look, slot, "stage-end", "Declined");
                turn->state.mode = STAGES_DECLINED;
                turn->state.is_open = false;
        } else {
                try_again(look, slot, policy);
        }
}

/* ---- a turn ---- */

void eviction_stages_store(struct eviction_look *look, struct eviction_slot *slot, bool is_done) {
        const struct eviction *eviction = slot->eviction;
        struct stages_turn *turn = &slot->stages;
        struct buf text = { 0 };
        struct eviction_news news = { .is_done = is_done, .expected = turn->expected };

        stages_state_write(&turn->state, eviction_policy_named(look, turn->state.policy),
                           turn->text, &text);
        buf_char(&text, '\0');
        news.message = text.data;
        eviction_report(look, eviction,
                        eviction_find_responder(&eviction->status, SLICE_LITERAL(EVICTION_STAGER)),
                        &news);
        turn->has_news = false;
        turn->last_beat = look->now.mono;
        buf_release(&text);
}

/* Signs of life only while hooks answer: a silent one must not keep the turn for ever. */
static void beat(struct eviction_look *look, struct eviction_slot *slot) {
        struct stages_turn *turn = &slot->stages;
        bool is_alive = turn->bad_in_row < 2;
        int64_t pause_ns = turn->has_news ? STAGES_NEWS_NS : STAGES_BEAT_NS;
        struct mono_time due = { turn->last_beat.ns + pause_ns };

        if (!is_alive && !turn->has_news)
                return;
        if (due.ns <= look->now.mono.ns)
                eviction_stages_store(look, slot, false);
        else
                eviction_target_wake(look->target, due);
}

static void perform(struct eviction_look *look, struct eviction_slot *slot,
                    const struct eviction_stage *stage) {
        if (look->pod->is_terminating && !stage_is_hook(stage))
                return; /* it is on its way */
        switch (stage->kind) {
        case STAGE_HTTP:
        case STAGE_EXEC:
                run_hook(look, slot, stage);
                break;
        case STAGE_WAIT:
                check_wait(look, slot, stage);
                break;
        default:
                call_pod(look, slot, stage->kind == STAGE_DELETE);
        }
}

/* Time is up for the stage, or for all of them; true when something was decided. */
static bool judge_time(struct eviction_look *look, struct eviction_slot *slot,
                       const struct eviction_policy *policy) {
        struct stages_turn *turn = &slot->stages;
        const struct eviction_stage *stage = &policy->stages[turn->state.index];
        int64_t stage_end = turn->stage_started.ns + stage->timeout_ns;
        int64_t turn_end = policy->deadline_ns ? turn->started.ns + policy->deadline_ns : INT64_MAX;
        int64_t end = stage_end < turn_end ? stage_end : turn_end;

        if (look->now.mono.ns < end) {
                eviction_target_wake(look->target, (struct mono_time){ end });
                return false;
        }
        if (turn->is_calling) { /* its answer comes first */
                eviction_stages_stop_call(look, slot);
                return true;
        }
        snprintf(turn->text, sizeof(turn->text), "%s",
                 turn_end <= look->now.mono.ns ? "the deadline of the policy passed"
                                               : "the time of the stage passed");
        fail_stage(look, slot,
                   turn_end <= look->now.mono.ns ? STAGE_FAILS_TO_ROLLBACK : stage->on_failure);
        eviction_target_wake(look->target, look->now.mono);
        return true;
}

/* The turn is over without success: when nobody else wants the eviction it is withdrawn, else the
 * next responder follows. */
static void decline(struct eviction_look *look, struct eviction_slot *slot) {
        eviction_stages_audit(look, slot, "decline", "");
        if (!eviction_is_ours_alone(look->target)) {
                eviction_stages_store(look, slot, true);
                return;
        }
        for (size_t i = 0; i < look->target->request_count; i++) {
                const struct eviction_request *request = look->target->requests[i];

                if (request->intent == EVICTION_INTENT_EVICT && !request->object.is_deleting)
                        eviction_withdraw(look, request, "declined");
        }
}

static bool is_stored(const struct eviction_slot *slot, struct slice message) {
        struct stages_state stored;

        return stages_state_parse(message, &stored) &&
               stages_state_eq(&stored, &slot->stages.state);
}

static void lead(struct eviction_look *look, struct eviction_slot *slot,
                 const struct eviction_policy *policy, const struct eviction_responder *own) {
        struct stages_turn *turn = &slot->stages;

        if ((turn->state.mode == STAGES_UNDO || turn->state.mode == STAGES_SKIP) &&
            !eviction_stages_undo(look, slot, policy))
                return;
        if (turn->state.mode == STAGES_UNDO)
                turn->state.mode = STAGES_DECLINED;
        if (turn->state.mode == STAGES_SKIP) {
                turn->state.mode = STAGES_RUN;
                if (policy->stages[turn->state.index].on_failure == STAGE_FAILS_TO_DECLINE)
                        turn->state.mode = STAGES_DECLINED;
                else
                        go_on(look, turn, policy);
        }
        if (turn->state.mode == STAGES_DECLINED) {
                decline(look, slot);
                return;
        }
        if (turn->state.mode == STAGES_OVER || !is_stored(slot, own->message)) {
                eviction_stages_store(look, slot, turn->state.mode == STAGES_OVER);
                return;
        }
        if (judge_time(look, slot, policy))
                return;
        if (!turn->is_calling && turn->next_call.ns <= look->now.mono.ns)
                perform(look, slot, &policy->stages[turn->state.index]);
        if (!turn->is_calling && turn->next_call.ns > look->now.mono.ns)
                eviction_target_wake(look->target, turn->next_call);
        beat(look, slot);
}

/* ---- beginning, going on, leaving ---- */

static struct mono_time mono_of(const struct eviction_look *look, struct wall_time when) {
        int64_t age_ns = wall_time_is_set(when) ? look->now.wall.ns - when.ns : 0;

        return (struct mono_time){ look->now.mono.ns - (age_ns > 0 ? age_ns : 0) };
}

/* Where an earlier process left it, or at the first stage. */
static void resume(struct eviction_look *look, struct eviction_slot *slot,
                   const struct eviction_responder *own) {
        struct stages_turn *turn = &slot->stages;
        const struct eviction_policy *policy;

        turn->is_known = true;
        turn->expected = WALL_TIME_UNSET;
        turn->started = mono_of(look, own->start);
        turn->last_beat = look->now.mono;
        if (stages_state_parse(own->message, &turn->state)) {
                turn->has_sent = true;
                turn->stage_started = mono_of(look, turn->state.since);
                turn->next_call = look->now.mono;
                return;
        }
        turn->state = (struct stages_state){ .mode = STAGES_DECLINED,
                                             .attempt = 1,
                                             .since = eviction_stamp(look->now.wall) };
        policy = look->is_alive ? eviction_policy_for(look->reconciler, look->pod) : NULL;
        if (!policy)
                return;
        turn->state.mode = STAGES_RUN;
        snprintf(turn->state.policy, sizeof(turn->state.policy), SLICE_FMT,
                 SLICE_ARG(policy->name));
        set_stage(look, turn, policy, 0);
}

/* The pod is gone: whatever a hook is doing still is cancelled after the end. */
static void leave(struct eviction_look *look, struct eviction_slot *slot, const char *why) {
        struct stages_turn *turn = &slot->stages;

        snprintf(turn->text, sizeof(turn->text), "%s", why);
        eviction_stages_store(look, slot, true);
}

static bool is_our_turn(const struct eviction_look *look, const struct eviction *eviction,
                        const struct eviction_responder *own) {
        bool is_safe = !look->reconciler->config.is_controller ||
                       eviction_has_finalizer(eviction, STAGES_FINALIZER);

        return own->state == RESPONDER_ACTIVE && eviction->status.observed_generation != 0 &&
               !wall_time_is_set(own->completion) && is_safe &&
               (look->is_gone || look->is_finished || look->is_alive);
}

static void take_turn(struct eviction_look *look, struct eviction_slot *slot,
                      const struct eviction_responder *own) {
        struct stages_turn *turn = &slot->stages;
        const struct eviction_policy *policy;

        if (!turn->is_known)
                resume(look, slot, own);
        policy = eviction_policy_named(look, turn->state.policy);
        if (look->is_gone || look->is_finished) {
                leave(look, slot, "the pod is gone or finished");
        } else if (!policy || turn->state.index >= policy->stage_count) {
                turn->state.mode = STAGES_DECLINED;
                leave(look, slot, "there is no policy for it any more");
        } else {
                if (turn->has_answer && turn->state.mode == STAGES_RUN)
                        take_answer(look, slot, policy);
                lead(look, slot, policy, own);
        }
}

void eviction_stages_act(struct eviction_look *look, struct eviction_slot *slot) {
        const struct eviction *eviction = slot->eviction;
        const struct eviction_status *status = &eviction->status;
        int index = eviction_find_responder(status, SLICE_LITERAL(EVICTION_STAGER));

        if (index < 0 || look->target->writes)
                return;
        if (eviction_outcome_is_final(status->conditions.outcome) || eviction->object.is_deleting)
                eviction_stages_end(look, slot);
        else if (is_our_turn(look, eviction, &status->responders[index]))
                take_turn(look, slot, &status->responders[index]);
}
