/* How long stages took before, and what is expected of this one. */
#include "base/util.h"
#include "evict/eviction_history.h"
#include "evict/eviction_stages.h"
#include <stdio.h>

struct history_estimate eviction_stages_estimate(const struct eviction_look *look,
                                                 const struct eviction_policy *policy,
                                                 size_t index) {
        char name[600];
        struct history_key key = { .owner = look->pod ? look->pod->owner : SLICE_EMPTY,
                                   .stage = policy->stages[index].name };

        if (!look->reconciler->config.history)
                return (struct history_estimate){ .p50_ns = policy->stages[index].timeout_ns,
                                                  .p95_ns = policy->stages[index].timeout_ns };
        snprintf(name, sizeof(name), SLICE_FMT "/" SLICE_FMT, SLICE_ARG(policy->ns),
                 SLICE_ARG(policy->name));
        key.policy = slice_of(name);
        return eviction_history_estimate(look->reconciler->config.history, &key,
                                         policy->stages[index].timeout_ns, look->now.wall);
}

void eviction_stages_expect(const struct eviction_look *look, struct stages_turn *turn,
                            const struct eviction_policy *policy) {
        int64_t spent_ns = look->now.mono.ns - turn->stage_started.ns, left_ns;

        turn->expected = WALL_TIME_UNSET;
        if (!look->reconciler->config.history || turn->state.mode != STAGES_RUN)
                return;
        struct history_estimate now = eviction_stages_estimate(look, policy, turn->state.index);
        left_ns = (spent_ns < now.p50_ns ? now.p50_ns : now.p95_ns) - spent_ns;
        if (now.count == 0 || left_ns <= 0)
                return;
        for (size_t i = turn->state.index + 1; i < policy->stage_count; i++)
                left_ns += eviction_stages_estimate(look, policy, i).p50_ns;
        turn->expected.ns = look->now.wall.ns + left_ns;
}

void eviction_stages_learn(const struct eviction_look *look, const struct stages_turn *turn,
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
