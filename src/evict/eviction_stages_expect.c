/* How long stages took before, and what is expected of this one. */
#include "base/util.h"
#include "evict/eviction_history.h"
#include "evict/eviction_stages.h"
#include <stdio.h>

struct history_estimate eviction_stages_estimate(const struct eviction_sync *sync,
                                                 const struct eviction_policy *policy,
                                                 size_t index) {
        char name[600];
        struct history_key key = { .owner = sync->pod ? sync->pod->owner : SLICE_EMPTY,
                                   .stage = policy->stages[index].name };

        if (!sync->reconciler->config.history)
                return (struct history_estimate){ .p50_ns = policy->stages[index].timeout_ns,
                                                  .p95_ns = policy->stages[index].timeout_ns };
        snprintf(name, sizeof(name), SLICE_FMT "/" SLICE_FMT, SLICE_ARG(policy->ns),
                 SLICE_ARG(policy->name));
        key.policy = slice_of(name);
        return eviction_history_estimate(sync->reconciler->config.history, &key,
                                         policy->stages[index].timeout_ns, sync->now.wall);
}

void eviction_stages_expect(const struct eviction_sync *sync, struct stages_run *run,
                            const struct eviction_policy *policy) {
        int64_t spent_ns = sync->now.mono.ns - run->stage_started.ns, left_ns;

        run->expected = WALL_TIME_UNSET;
        if (!sync->reconciler->config.history || run->state.mode != STAGES_RUN)
                return;
        struct history_estimate now = eviction_stages_estimate(sync, policy, run->state.index);
        left_ns = (spent_ns < now.p50_ns ? now.p50_ns : now.p95_ns) - spent_ns;
        if (now.count == 0 || left_ns <= 0)
                return;
        for (size_t i = run->state.index + 1; i < policy->stage_count; i++)
                left_ns += eviction_stages_estimate(sync, policy, i).p50_ns;
        run->expected.ns = sync->now.wall.ns + left_ns;
}

void eviction_stages_learn(const struct eviction_sync *sync, const struct stages_run *run,
                           const struct eviction_policy *policy) {
        char name[600];
        struct history_key key = { .owner = slice_of(run->owner),
                                   .stage = policy->stages[run->state.index].name };

        if (!sync->reconciler->config.history)
                return;
        snprintf(name, sizeof(name), SLICE_FMT "/" SLICE_FMT, SLICE_ARG(policy->ns),
                 SLICE_ARG(policy->name));
        key.policy = slice_of(name);
        eviction_history_add(sync->reconciler->config.history, &key,
                             sync->now.mono.ns - run->stage_started.ns, sync->now.wall);
}
