/* What an answer, or the lack of one, means for the stage: on to the next, again, or given up. */
#include "base/util.h"
#include "evict/eviction_stages.h"

void eviction_stages_enter(struct eviction_sync *sync, struct stages_run *run,
                           const struct eviction_policy *policy, size_t index) {
        run->state.index = index;
        run->state.attempt = 1;
        run->state.since = eviction_stamp(sync->now.wall);
        run->state.is_open = run->state.mode == STAGES_RUN && stage_is_hook(&policy->stages[index]);
        run->has_sent = false;
        run->stage_started = run->next_call = sync->now.mono;
        run->bad_in_row = 0;
        eviction_stages_expect(sync, run, policy);
}

void eviction_stages_go_on(struct eviction_sync *sync, struct stages_run *run,
                           const struct eviction_policy *policy) {
        if (run->state.index + 1 < policy->stage_count) {
                eviction_stages_enter(sync, run, policy, run->state.index + 1);
                return;
        }
        run->state.mode = STAGES_OVER;
        run->state.is_open = false;
}

void eviction_stages_fail(struct eviction_sync *sync, struct eviction_entry *entry,
                          enum stage_failure how) {
        struct stages_run *run = &entry->stages;

        eviction_stages_audit(sync, entry, "stage-end", "Failed");
        if (how == STAGE_FAILS_TO_HOLD)
                run->state.holder = (uint32_t)run->state.index + 1;
        if (how == STAGE_FAILS_TO_ROLLBACK || how == STAGE_FAILS_TO_HOLD)
                run->state.mode = STAGES_UNDO;
        else
                run->state.mode = STAGES_SKIP;
        run->state.attempt = 1;
        run->state.since = eviction_stamp(sync->now.wall);
        run->stage_started = run->next_call = sync->now.mono;
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
        struct stages_run *run = &entry->stages;
        const struct eviction_stage *stage = &policy->stages[run->state.index];
        int64_t delay_ns = pause_after(run->state.attempt);

        run->bad_in_row++;
        if (run->state.attempt > stage->retries) {
                if (run->verdict == HOOK_FAILED)
                        run->state.is_open = false; /* it said so itself: nothing to cancel */
                eviction_stages_fail(sync, entry, stage->on_failure);
                return;
        }
        run->state.attempt++;
        if (run->retry_after_s * NS_PER_S > delay_ns)
                delay_ns = run->retry_after_s * NS_PER_S;
        run->next_call.ns = sync->now.mono.ns + delay_ns;
        if (run->verdict == HOOK_FAILED)
                run->has_sent = false;
        else if (run->verdict == HOOK_SILENT)
                run->has_sent = true;
}

static void take_progress(struct eviction_sync *sync, struct eviction_entry *entry,
                          const struct eviction_policy *policy) {
        struct stages_run *run = &entry->stages;
        int64_t delay_ns = run->retry_after_s > 0 ? run->retry_after_s * NS_PER_S : STAGES_POLL_NS;

        run->has_sent = true;
        run->has_news = true;
        run->bad_in_row = 0;
        run->next_call.ns = sync->now.mono.ns + delay_ns;
        if (run->eta_s > 0)
                run->expected.ns = sync->now.wall.ns + run->eta_s * NS_PER_S;
        else
                eviction_stages_expect(sync, run, policy);
}

/* Of an evict, delete or wait stage: what is not so yet is asked again later. */
static void ask_later(struct eviction_sync *sync, struct stages_run *run) {
        int64_t delay_ns = EVICTION_TRY_FIRST_NS;

        for (uint32_t i = 0; i < run->bad_in_row && delay_ns < 60 * NS_PER_S; i++)
                delay_ns *= 2;
        run->bad_in_row++;
        run->has_news = true;
        run->next_call.ns = sync->now.mono.ns + delay_ns;
}

void eviction_stages_take_answer(struct eviction_sync *sync, struct eviction_entry *entry,
                                 const struct eviction_policy *policy) {
        struct stages_run *run = &entry->stages;
        const struct eviction_stage *stage = &policy->stages[run->state.index];

        run->has_answer = false;
        if (run->verdict == HOOK_DONE) {
                run->state.is_open = false;
                run->state.done |= 1U << run->state.index;
                eviction_stages_learn(sync, run, policy);
                eviction_stages_audit(sync, entry, "stage-end", "Done");
                eviction_stages_go_on(sync, run, policy);
        } else if (!stage_is_hook(stage)) {
                ask_later(sync, run);
        } else if (run->verdict == HOOK_IN_PROGRESS) {
                take_progress(sync, entry, policy);
        } else if (run->verdict == HOOK_UNKNOWN) {
                run->has_sent = false;
        } else if (run->verdict == HOOK_DECLINES) {
                eviction_stages_audit(sync, entry, "stage-end", "Declined");
                run->state.mode = STAGES_DECLINED;
                run->state.is_open = false;
        } else {
                try_again(sync, entry, policy);
        }
}
