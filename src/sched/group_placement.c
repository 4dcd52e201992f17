/* Where a group goes as a whole: every placement is tried, and the best of those that do is taken
 * (upstream: TopologyAwareWorkloadScheduling). */
#include "base/util.h"
#include "sched/scheduler_group.h"

struct candidates {
        size_t count;
        struct group_trial *trials;
        struct rng *before; /* the stream of chance as each trial found it */
        struct group_domain_use *uses;
        int64_t *totals;
};

/* False: trial says why there is nothing to try. */
static bool group_placement_generate(const struct group_cycle *cycle,
                                     const struct trial_request *request,
                                     struct group_domain_list *ret_list,
                                     struct group_trial *trial) {
        const struct profile_point *point = &cycle->profile->points[POINT_PLACEMENT_GENERATE];
        struct verdict verdict = { .code = VERDICT_OK };
        struct group_domain *all = ARENA_NEW(request->arena, struct group_domain);
        const struct cluster *cluster = cycle->view.cluster;
        *all = (struct group_domain){ .count = cluster_node_count(cluster),
                                      .nodes = cluster_node_order(cluster) };
        *ret_list = (struct group_domain_list){ 1, all };
        if (point->count == 0)
                return true;
        const struct profile_plugin *plugin = &cycle->profile->plugins[point->plugins[0]];
        enum verdict_code code = plugin->plugin->sched->groups->generate_placements(
                &cycle->view, plugin->state, ret_list, &verdict);
        if (code == VERDICT_OK && ret_list->count > 0)
                return true;
        *trial = (struct group_trial){
                .outcome = code == VERDICT_OK ? GROUP_REFUSED : GROUP_FAILED,
                .message = code == VERDICT_OK ? SLICE_LITERAL("no feasible placements found")
                                              : verdict.reasons[0],
        };
        return false;
}

static void use_of(const struct group_cycle *cycle, const struct group_domain *placement,
                   const struct group_trial *trial, struct arena *arena,
                   struct group_domain_use *ret_use) {
        struct pod_id *pods = ARENA_ARRAY(arena, struct pod_id, trial->found_count);
        *ret_use = (struct group_domain_use){ .placement = placement, .pods = pods };
        for (size_t i = 0; i < cycle->count; i++)
                if (!node_id_is_none(trial->places[i].node))
                        pods[ret_use->pod_count++] = trial->places[i].entry->pod;
}

static void add_scores(const struct group_cycle *cycle, const struct profile_plugin *plugin,
                       const struct candidates *candidates, int64_t *scores) {
        const struct group_points *points = plugin->plugin->sched->groups;
        for (size_t i = 0; i < candidates->count; i++)
                scores[i] =
                        points->score_placement(&cycle->view, plugin->state, &candidates->uses[i]);
        if (points->normalize_placements)
                points->normalize_placements(scores, candidates->count);
        for (size_t i = 0; i < candidates->count; i++)
                candidates->totals[i] += scores[i] * plugin->placement_weight;
}

/* Of equals one is drawn. */
static size_t best_of(const struct candidates *candidates, struct rng *rng) {
        size_t best = 0, ties = 1;
        for (size_t i = 1; i < candidates->count; i++) {
                if (candidates->totals[i] > candidates->totals[best]) {
                        best = i;
                        ties = 1;
                } else if (candidates->totals[i] == candidates->totals[best] && rng &&
                           rng_below(rng, ++ties) == 0) {
                        best = i;
                }
        }
        return best;
}

static size_t group_placement_choose(const struct group_cycle *cycle,
                                     const struct trial_request *request,
                                     const struct candidates *candidates) {
        const struct profile_point *point = &cycle->profile->points[POINT_PLACEMENT_SCORE];
        int64_t *scores = ARENA_ARRAY(request->arena, int64_t, candidates->count);
        if (candidates->count == 1)
                return 0;
        for (size_t i = 0; i < point->count; i++)
                add_scores(cycle, &cycle->profile->plugins[point->plugins[i]], candidates, scores);
        return best_of(candidates, request->rng);
}

/* Only the placement that was chosen is to be seen among the decisions: it is tried once more, with
 * the same chances. */
static void group_placement_record(const struct group_cycle *cycle,
                                   const struct trial_request *request,
                                   const struct group_domain *placement, struct rng before,
                                   struct group_trial *ret_trial) {
        struct trial_request again = *request;
        again.among = placement;
        again.rng = request->rng ? &before : NULL;
        group_try(cycle, &again, ret_trial);
}

/* None does: the first one's reason is reported for all. */
static void group_placement_refuse(const struct trial_request *request, size_t placement_count,
                                   struct group_trial *trial) {
        trial->message = slice_of(
                arena_printf(request->arena,
                             "0/%zu placements are available, first placement status: " SLICE_FMT,
                             placement_count, SLICE_ARG(trial->message)));
}

static void add_candidate(const struct group_cycle *cycle, const struct trial_request *request,
                          const struct group_trial *trial, struct candidates *good) {
        size_t at = good->count++;
        good->trials[at] = *trial;
        good->totals[at] = 0;
        use_of(cycle, request->among, trial, request->arena, &good->uses[at]);
}

/* False: an error, which is in ret_trial.  Otherwise it is how the first placement did. */
static bool try_all(const struct group_cycle *cycle, const struct trial_request *request,
                    const struct group_domain_list *list, struct candidates *good,
                    struct group_trial *ret_trial) {
        struct trial_request one = *request;
        struct group_trial trial;
        one.is_recorded = request->is_recorded && list->count == 1;
        for (size_t i = 0; i < list->count; i++) {
                if (request->rng)
                        good->before[good->count] = *request->rng;
                one.among = &list->items[i];
                group_try(cycle, &one, &trial);
                if (i == 0 || trial.outcome == GROUP_FAILED)
                        *ret_trial = trial;
                if (trial.outcome == GROUP_FAILED)
                        return false;
                if (trial.outcome != GROUP_REFUSED)
                        add_candidate(cycle, &one, &trial, good);
        }
        return true;
}

void group_try_anywhere(const struct group_cycle *cycle, const struct trial_request *request,
                        struct group_trial *ret_trial) {
        struct group_domain_list list;
        if (!cycle->step->scheduler->config.has_placements) {
                group_try(cycle, request, ret_trial);
                return;
        }
        if (!group_placement_generate(cycle, request, &list, ret_trial))
                return;
        struct candidates good = {
                .trials = ARENA_ARRAY(request->arena, struct group_trial, list.count),
                .before = ARENA_ARRAY(request->arena, struct rng, list.count),
                .uses = ARENA_ARRAY(request->arena, struct group_domain_use, list.count),
                .totals = ARENA_ARRAY(request->arena, int64_t, list.count),
        };
        struct rng first = request->rng ? *request->rng : (struct rng){ 0 };
        if (!try_all(cycle, request, &list, &good, ret_trial))
                return;
        size_t best = good.count > 0 ? group_placement_choose(cycle, request, &good) : 0;
        if (good.count > 0)
                *ret_trial = good.trials[best];
        if (request->is_recorded && list.count > 1)
                group_placement_record(cycle, request,
                                       good.count > 0 ? good.uses[best].placement : &list.items[0],
                                       good.count > 0 ? good.before[best] : first, ret_trial);
        if (good.count == 0)
                group_placement_refuse(request, list.count, ret_trial);
}
