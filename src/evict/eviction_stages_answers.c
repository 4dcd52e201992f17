/* What an answer, or the lack of one, means for the stage: on to the next, again, or given up. */
#include "base/util.h"
#include "evict/eviction_stages.h"

void eviction_stages_enter(struct eviction_sync *sync, struct stages_turn *turn,
                           const struct eviction_policy *policy, size_t index) {
        turn->state.index = index;
        turn->state.attempt = 1;
        turn->state.since = eviction_stamp(sync->now.wall);
        turn->state.is_open =
                turn->state.mode == STAGES_RUN && stage_is_hook(&policy->stages[index]);
        turn->has_sent = false;
        turn->stage_started = turn->next_call = sync->now.mono;
        turn->bad_in_row = 0;
        eviction_stages_expect(sync, turn, policy);
}

void eviction_stages_go_on(struct eviction_sync *sync, struct stages_turn *turn,
                           const struct eviction_policy *policy) {
        if (turn->state.index + 1 < policy->stage_count) {
                eviction_stages_enter(sync, turn, policy, turn->state.index + 1);
                return;
        }
        turn->state.mode = STAGES_OVER;
        turn->state.is_open = false;
}

void eviction_stages_fail(struct eviction_sync *sync, struct eviction_entry *entry,
                          enum stage_failure how) {
        struct stages_turn *turn = &entry->stages;

        eviction_stages_audit(sync, entry, "stage-end", "Failed");
        if (how == STAGE_FAILS_TO_ROLLBACK)
                turn->state.mode = STAGES_UNDO;
        else
                turn->state.mode = STAGES_SKIP;
        turn->state.attempt = 1;
        turn->state.since = eviction_stamp(sync->now.wall);
        turn->stage_started = turn->next_call = sync->now.mono;
}

static int64_t pause_after(uint32_t attempts) {
        int64_t delay_ns = NS_PER_S;

        for (uint32_t i = 1; i < attempts && delay_ns < 60 * NS_PER_S; i++)
                delay_ns *= 2;
        return delay_ns;
}

/* A try went wrong: another one, or the stage failed. */
static void try_again(struct eviction_sync *sync, struct eviction_entry *entry,
                      const struct eviction_policy *policy) {
        struct stages_turn *turn = &entry->stages;
        const struct eviction_stage *stage = &policy->stages[turn->state.index];
        int64_t delay_ns = pause_after(turn->state.attempt);

        turn->bad_in_row++;
        if (turn->state.attempt > stage->retries) {
                if (turn->verdict == HOOK_FAILED)
                        turn->state.is_open = false; /* it said so itself: nothing to cancel */
                eviction_stages_fail(sync, entry, stage->on_failure);
                return;
        }
        turn->state.attempt++;
        if (turn->retry_after_s * NS_PER_S > delay_ns)
                delay_ns = turn->retry_after_s * NS_PER_S;
        turn->next_call.ns = sync->now.mono.ns + delay_ns;
        if (turn->verdict == HOOK_FAILED)
                turn->has_sent = false;
        else if (turn->verdict == HOOK_SILENT)
                turn->has_sent = true;
}

static void take_progress(struct eviction_sync *sync, struct eviction_entry *entry,
                          const struct eviction_policy *policy) {
        struct stages_turn *turn = &entry->stages;
        int64_t delay_ns =
                turn->retry_after_s > 0 ? turn->retry_after_s * NS_PER_S : STAGES_POLL_NS;

        turn->has_sent = true;
        turn->has_news = true;
        turn->bad_in_row = 0;
        turn->next_call.ns = sync->now.mono.ns + delay_ns;
        if (turn->eta_s > 0)
                turn->expected.ns = sync->now.wall.ns + turn->eta_s * NS_PER_S;
        else
                eviction_stages_expect(sync, turn, policy);
}

/* Of an evict, delete or wait stage: what is not so yet is asked again later. */
static void ask_later(struct eviction_sync *sync, struct stages_turn *turn) {
        int64_t delay_ns = EVICTION_TRY_FIRST_NS;

        for (uint32_t i = 0; i < turn->bad_in_row && delay_ns < 60 * NS_PER_S; i++)
                delay_ns *= 2;
        turn->bad_in_row++;
        turn->has_news = true;
        turn->next_call.ns = sync->now.mono.ns + delay_ns;
}

void eviction_stages_take_answer(struct eviction_sync *sync, struct eviction_entry *entry,
                                 const struct eviction_policy *policy) {
        struct stages_turn *turn = &entry->stages;
        const struct eviction_stage *stage = &policy->stages[turn->state.index];

        turn->has_answer = false;
        if (turn->verdict == HOOK_DONE) {
                turn->state.is_open = false;
                turn->state.done |= 1U << turn->state.index;
                eviction_stages_learn(sync, turn, policy);
                eviction_stages_audit(sync, entry, "stage-end", "Done");
                eviction_stages_go_on(sync, turn, policy);
        } else if (!stage_is_hook(stage)) {
                ask_later(sync, turn);
        } else if (turn->verdict == HOOK_IN_PROGRESS) {
                take_progress(sync, entry, policy);
        } else if (turn->verdict == HOOK_UNKNOWN) {
                turn->has_sent = false;
        } else if (turn->verdict == HOOK_DECLINES) {
                eviction_stages_audit(sync, entry, "stage-end", "Declined");
                turn->state.mode = STAGES_DECLINED;
                turn->state.is_open = false;
        } else {
                try_again(sync, entry, policy);
        }
}
