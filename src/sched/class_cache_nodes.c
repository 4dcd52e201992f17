/* One node for the cache of a class: the answers of plugins that look at one node only.
 *
 * A change of the pods on a node, by far the most frequent one, leaves the node's own row as it
 * was. So answers are stored in two layers: the static one, of plugins that do not look at the
 * node's pods, and on top of it the node's own, of all local plugins.  A pod that comes or goes
 * costs the calls of the second layer only. */
#include "sched/class_cache_priv.h"

/* A node is about to change.  While it fits it uses one value of each normalising plugin; it gives
 * these up here, before it may get others, and takes values again in cache_settle.  Values that
 * come into use or go out of it are all that normalised scores depend on.  In bulk, users are
 * counted again at the end instead. */
void cache_mark(struct update *update, size_t node) {
        struct node_marks *marks = update->call->marks;
        if (update->is_bulk || bitset_has(&marks->set, node))
                return;
        bitset_add(&marks->set, node);
        marks->items[marks->count++] = (uint32_t)node;
        if (!bitset_has(&update->cache->fits, node))
                return;
        for (size_t i = 0; i < update->cache->score_count; i++)
                update->has_new_values |=
                        distinct_scores_leave(&update->cache->scores[i].distinct, node);
}

bool cache_plugin_admits(const struct cache_call *call, size_t index, struct node_id node) {
        const struct profile_plugin *plugin = plugin_at(call, index);
        struct verdict verdict;
        verdict.code = VERDICT_OK;
        verdict.reason_count = 0;
        int64_t since_ns = plugin_run_begin(call->attempt);
        plugin->plugin->sched->explain(&call->attempt->cycle, plugin->state,
                                       filter_state(call, index), node, &verdict);
        plugin_run_end(call->attempt, index, POINT_FILTER, verdict.code, since_ns);
        return verdict.code == VERDICT_OK;
}

/* wants_pods: the plugins that look at the node's pods, or the others. */
static bool node_fits(const struct cache_call *call, struct node_id node, bool wants_pods) {
        const struct cache_plugins *plugins = &call->cache->plugins;
        for (uint64_t left = plugins->filters & ~plugins->counted_filters; left != 0;
             left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                if (filter_reads_pods(call, index) == wants_pods &&
                    !cache_plugin_admits(call, index, node))
                        return false;
        }
        return true;
}

static int64_t plugin_score(const struct cache_call *call, size_t index, struct node_id node) {
        const struct profile_plugin *plugin = plugin_at(call, index);
        int64_t score, since_ns = plugin_run_begin(call->attempt);
        plugin->plugin->sched->score(&call->attempt->cycle, plugin->state, score_state(call, index),
                                     (struct node_batch){ &node, 1 }, &score);
        plugin_run_end(call->attempt, index, POINT_SCORE, VERDICT_OK, since_ns);
        return score;
}

static int32_t node_score(const struct cache_call *call, struct node_id node, bool wants_pods) {
        int64_t sum = 0;
        for (uint64_t left = call->cache->plugins.scores; left != 0; left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                const struct profile_plugin *plugin = plugin_at(call, index);
                if (!plugin->plugin->sched->normalize &&
                    score_reads_pods(call, index) == wants_pods)
                        sum += plugin_score(call, index, node) * plugin->weight;
        }
        return (int32_t)sum;
}

/* The static layer; false when there are too many raw values.  Raw scores of local plugins with a
 * normalize are part of it: no such plugin looks at a node's pods (class_engine, add_score). */
static bool refresh_static(const struct cache_call *call, struct node_id node) {
        struct class_cache *cache = call->cache;
        put_bit(&cache->static_fits, node.index, node_fits(call, node, false));
        cache->static_scores[node.index] = node_score(call, node, false);
        for (size_t i = 0; i < cache->score_count; i++) {
                struct normalized_score *score = &cache->scores[i];
                if (!score->follow &&
                    !distinct_scores_set(&score->distinct, node,
                                         plugin_score(call, score->plugin, node), false))
                        return false;
        }
        return true;
}

bool cache_refresh_node(struct update *update, struct node_id node, uint32_t mask) {
        const struct cache_call *call = update->call;
        struct class_cache *cache = update->cache;
        cache_mark(update, node.index);
        if ((mask & ~(uint32_t)POD_CHANGES) != 0 && !refresh_static(call, node))
                return false;
        cache->own_scores[node.index] =
                cache->static_scores[node.index] + node_score(call, node, true);
        put_bit(&cache->own_fits, node.index,
                bitset_has(&cache->static_fits, node.index) && node_fits(call, node, true));
        return true;
}
