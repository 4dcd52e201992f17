/* Filter: the plugins say which nodes remain, or why a node is refused; inside of what-ifs with
 * pods counted again. */
#include "plugin/sched_attempt_priv.h"

static bool takes_part(const struct sched_attempt *attempt, size_t index) {
        return !attempt->plugins[index].filter_skips;
}

/* The plugins' word on one node, as the cluster is now. */
bool sched_attempt_explain(struct sched_attempt *attempt, struct node_id node,
                           struct node_refusal *ret_refusal) {
        const struct profile_point *point = &attempt->profile->points[POINT_FILTER];
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                const struct profile_plugin *plugin = &attempt->profile->plugins[index];
                struct verdict verdict; /* its reasons are not worth clearing */
                if (!takes_part(attempt, index) || (attempt->agreed >> index & 1) != 0)
                        continue;
                verdict.code = VERDICT_OK;
                verdict.reason_count = 0;
                int64_t since_ns = plugin_run_begin(attempt);
                plugin->plugin->sched->explain(&attempt->cycle, plugin->state,
                                               attempt->plugins[index].filter_state, node,
                                               &verdict);
                plugin_run_end(attempt, index, POINT_FILTER, verdict.code, since_ns);
                if (verdict.code == VERDICT_OK)
                        continue;
                *ret_refusal = (struct node_refusal){
                        .node = node,
                        .plugin = plugin->plugin,
                        .code = verdict.code,
                        .reason_count = verdict.reason_count,
                        .reasons = copy_reasons(attempt->cycle.scratch, &verdict),
                };
                return false;
        }
        return true;
}

/* Runs PreFilter again for plugins that count pods, into copies of their states. */
static void sched_attempt_recount(struct sched_attempt *attempt) {
        const struct profile_point *point = &attempt->profile->points[POINT_PRE_FILTER];
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                const struct profile_plugin *plugin = &attempt->profile->plugins[index];
                struct attempt_plugin *own = &attempt->plugins[index];
                if (!cache_scope_counts_pods(plugin->filter_scope) || own->filter_skips ||
                    !own->was_asked)
                        continue;
                struct verdict verdict = { .code = VERDICT_OK };
                const struct bitset *only = NULL;
                own->filter_skips = plugin->plugin->sched->pre_filter(
                                            &attempt->cycle, plugin->state, &own->filter_state,
                                            &only, &verdict) == VERDICT_SKIP;
        }
}

/* Copies a refusal out of the arena of what-ifs. */
static void keep_refusal(struct arena *arena, struct node_refusal *refusal) {
        struct slice *reasons = ARENA_ARRAY(arena, struct slice, refusal->reason_count);
        for (uint32_t i = 0; i < refusal->reason_count; i++)
                reasons[i] = arena_slice(arena, refusal->reasons[i]);
        refusal->reasons = reasons;
}

/* The states of the attempt while copies stand in for them. */
struct sched_attempt_trial {
        struct attempt_plugin copies[PROFILE_PLUGINS_MAX];
        struct attempt_plugin *saved;
        struct arena *scratch;
};

/* Counts again into copies of the states; cached ones are changed in place. */
static void trial_begin(struct sched_attempt_trial *trial, struct sched_attempt *attempt) {
        trial->saved = attempt->plugins;
        trial->scratch = attempt->cycle.scratch;
        memcpy(trial->copies, trial->saved,
               attempt->profile->plugin_count * sizeof(*trial->copies));
        attempt->plugins = trial->copies;
        attempt->cycle.scratch = &attempt->trial;
        sched_attempt_recount(attempt);
}

static void trial_end(struct sched_attempt_trial *trial, struct sched_attempt *attempt) {
        attempt->plugins = trial->saved;
        attempt->cycle.scratch = trial->scratch;
        arena_clear(&attempt->trial);
}

/* The plugins' answers with pods counted again; what they compute is dropped. */
bool sched_attempt_explain_changed(struct sched_attempt *attempt, struct node_id node,
                                   struct node_refusal *ret_refusal) {
        struct sched_attempt_trial trial;
        trial_begin(&trial, attempt);
        bool fits = sched_attempt_explain(attempt, node, ret_refusal);
        if (!fits)
                keep_refusal(trial.scratch, ret_refusal);
        trial_end(&trial, attempt);
        attempt->is_unsettled = attempt->cycle.counts;
        return fits;
}

void sched_attempt_settle(struct sched_attempt *attempt) {
        struct sched_attempt_trial trial;
        if (!attempt->is_unsettled)
                return;
        attempt->is_unsettled = false;
        trial_begin(&trial, attempt);
        trial_end(&trial, attempt);
}

/* Plugins without a filter of their own are asked node by node. */
static void filter_each(struct sched_attempt *attempt, size_t index, struct bitset *nodes) {
        const struct profile_plugin *plugin = &attempt->profile->plugins[index];
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1)) {
                struct verdict verdict = { .code = VERDICT_OK };
                plugin->plugin->sched->explain(&attempt->cycle, plugin->state,
                                               attempt->plugins[index].filter_state,
                                               (struct node_id){ (uint32_t)i }, &verdict);
                if (verdict.code != VERDICT_OK)
                        bitset_remove(nodes, i);
        }
}

void sched_attempt_filter_by(struct sched_attempt *attempt, size_t index, struct bitset *nodes) {
        const struct profile_plugin *plugin = &attempt->profile->plugins[index];
        int64_t since_ns = plugin_run_begin(attempt);
        if (plugin->plugin->sched->filter)
                plugin->plugin->sched->filter(&attempt->cycle, plugin->state,
                                              attempt->plugins[index].filter_state, nodes);
        else
                filter_each(attempt, index, nodes);
        plugin_run_end(attempt, index, POINT_FILTER, VERDICT_OK, since_ns);
}

void sched_attempt_narrow(struct sched_attempt *attempt, uint64_t plugins, struct bitset *nodes) {
        const struct profile_point *point = &attempt->profile->points[POINT_FILTER];
        sched_attempt_settle(attempt);
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                if ((plugins >> index & 1) != 0 && takes_part(attempt, index))
                        sched_attempt_filter_by(attempt, index, nodes);
        }
}
