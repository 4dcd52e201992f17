/* Takes back what stages did: the one under way is cancelled, finished ones are rolled back in
 * reverse order. */
#include "evict/eviction_stages.h"

#include "base/util.h"
#include <stdio.h>
#include <string.h>

static bool is_ended(const struct eviction_entry *entry) {
        return eviction_outcome_is_final(entry->eviction->status.conditions.outcome) ||
               entry->eviction->object.is_deleting;
}

/* Goes down to the next stage that has something to undo, and says how; NULL when there is none. */
static const char *next_op(struct stages_state *state, const struct eviction_policy *policy) {
        for (;;) {
                const struct eviction_stage *stage = &policy->stages[state->index];

                if (state->is_open && stage_is_hook(stage))
                        return "cancel";
                if (state->mode == STAGES_SKIP)
                        return NULL; /* what was finished stays */
                if ((state->done & 1U << state->index) && stage->has_rollback)
                        return "rollback";
                state->done &= ~(1U << state->index);
                state->is_open = false;
                state->attempt = 1;
                if (state->index == 0)
                        return NULL;
                state->index--;
        }
}

/* This one is undone, or given up. */
static void eviction_stages_undo_settle(struct eviction_sync *sync, struct eviction_entry *entry,
                                        bool is_done) {
        struct stages_run *run = &entry->stages;

        eviction_stages_audit(sync, entry, "rollback", is_done ? "Done" : "Failed");
        run->next_call = sync->now.mono;
        run->state.attempt = 1;
        if (run->state.is_open)
                run->state.is_open = false;
        else
                run->state.done &= ~(1U << run->state.index);
}

static void take_answer(struct eviction_sync *sync, struct eviction_entry *entry) {
        struct stages_run *run = &entry->stages;

        run->has_answer = false;
        if (run->verdict == HOOK_DONE || run->verdict == HOOK_UNKNOWN) {
                eviction_stages_undo_settle(sync, entry, true);
        } else if (run->verdict == HOOK_IN_PROGRESS) {
                run->next_call.ns = sync->now.mono.ns + STAGES_POLL_NS;
        } else if (run->state.attempt >= STAGES_UNDO_ATTEMPTS) {
                eviction_stages_undo_settle(sync, entry, false);
        } else {
                run->next_call.ns = sync->now.mono.ns + (NS_PER_S << run->state.attempt);
                run->state.attempt++;
        }
}

/* ---- the note of an Eviction that is over ---- */

static void patch_note(struct eviction_sync *sync, struct eviction_entry *entry, bool is_finished) {
        const struct eviction *eviction = entry->eviction;
        const struct stages_state *state = &entry->stages.state;
        struct buf body = { 0 }, text = { 0 };

        stages_state_write(state, eviction_policy_named(sync, state->policy), "", &text);
        buf_text(&body, "{\"metadata\":{\"uid\":");
        buf_json_string(&body, eviction->object.uid);
        buf_text(&body, ",\"resourceVersion\":");
        buf_json_string(&body, eviction->object.version);
        buf_text(&body, ",\"annotations\":{\"" STAGES_NOTE_KEY "\":");
        buf_json_string(&body, buf_view(&text));
        buf_text(&body, "}");
        if (is_finished)
                eviction_finalizers_without(eviction, STAGES_FINALIZER, &body);
        buf_text(&body, "}}");
        eviction_effect_add(sync, EVICTION_PATCH_META, &eviction->object,
                            eviction_text_keep(sync->out, &body));
        buf_release(&text);
}

static bool is_stored(const struct eviction_entry *entry) {
        const struct eviction *eviction = entry->eviction;
        int index = eviction_find_responder(&eviction->status, SLICE_LITERAL(EVICTION_STAGER));
        struct slice text =
                is_ended(entry) ? eviction->stages : eviction->status.responders[index].message;
        struct stages_state stored;

        return stages_state_parse(text, &stored) && stages_state_eq(&stored, &entry->stages.state);
}

/* ---- one thing at a time ---- */

bool eviction_stages_undo(struct eviction_sync *sync, struct eviction_entry *entry,
                          const struct eviction_policy *policy) {
        struct stages_run *run = &entry->stages;
        struct hook_order order = { .state = &run->state, .deadline = WALL_TIME_UNSET };

        if (run->has_answer)
                take_answer(sync, entry);
        order.op = next_op(&run->state, policy);
        if (!order.op)
                return true;
        if (!is_stored(entry)) {
                if (is_ended(entry))
                        patch_note(sync, entry, false);
                else
                        eviction_stages_store(sync, entry, false);
        } else if (!run->is_calling && run->next_call.ns <= sync->now.mono.ns) {
                order.stage = &policy->stages[run->state.index];
                order.hook = run->state.is_open ? &order.stage->hook : &order.stage->rollback;
                eviction_stages_audit(sync, entry, "rollback", order.op);
                eviction_stages_call(sync, entry, &order);
        } else if (!run->is_calling) {
                eviction_target_wake(sync->target, run->next_call);
        }
        return false;
}

/* ---- after the end ---- */

/* What is left to undo follows from how it ended and from where the stages stood. */
static void stages_begin_undo(struct eviction_sync *sync, struct eviction_entry *entry) {
        const struct eviction_status *status = &entry->eviction->status;
        struct stages_run *run = &entry->stages;
        struct stages_state *state = &run->state;
        int index = eviction_find_responder(status, SLICE_LITERAL(EVICTION_STAGER));
        const struct eviction_responder *own = &status->responders[index];
        enum eviction_outcome outcome = status->conditions.outcome;
        bool is_canceled = outcome == EVICTION_CANCELED || entry->eviction->object.is_deleting;

        run->is_ended = true;
        run->next_call = sync->now.mono;
        if (stages_state_parse(entry->eviction->stages, state))
                return;
        if (own->state == RESPONDER_INTERRUPTED ||
            (!run->is_known && !stages_state_parse(own->message, state)) ||
            (!is_canceled && !eviction_outcome_is_evicted(outcome)))
                state->done = state->is_open = 0;
        /* With the pod gone, or being deleted, there is nothing to go back to, also when the
         * Eviction went before it could say so. */
        if (eviction_outcome_is_evicted(outcome) || sync->is_gone || sync->is_finished ||
            (sync->is_alive && sync->pod->is_terminating))
                state->done = 0;
        state->mode = STAGES_UNDO;
        state->attempt = 1;
        state->since = eviction_stamp(sync->now.wall);
}

/* A run that was answered after the end: what it finished is rolled back, not cancelled. */
static void take_last_answer(struct stages_run *run) {
        run->has_answer = false;
        if (run->called != STAGES_CALLED_HOOK || run->state.mode != STAGES_RUN)
                return;
        if (run->verdict == HOOK_DONE)
                run->state.done |= 1U << run->state.index;
        if (run->verdict == HOOK_DONE || run->verdict == HOOK_DECLINES ||
            run->verdict == HOOK_FAILED)
                run->state.is_open = false;
}

void eviction_stages_end(struct eviction_sync *sync, struct eviction_entry *entry) {
        struct stages_run *run = &entry->stages;
        const struct eviction_policy *policy;

        if (!eviction_has_finalizer(entry->eviction, STAGES_FINALIZER))
                return;
        if (run->is_calling && !run->is_ended) {
                eviction_stages_stop_call(sync, entry);
                return;
        }
        if (!run->is_ended) {
                if (run->has_answer)
                        take_last_answer(run);
                stages_begin_undo(sync, entry);
        }
        policy = eviction_policy_named(sync, run->state.policy);
        if (policy && policy->is_unreadable && (run->state.done || run->state.is_open))
                return; /* how to undo it is in there: the finalizer holds the Eviction until then
                         */
        if (!policy || run->state.index >= policy->stage_count ||
            eviction_stages_undo(sync, entry, policy))
                patch_note(sync, entry, true);
}
