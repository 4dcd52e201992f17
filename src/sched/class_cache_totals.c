/* From raw values to normalised scores, totals and the tree of the best.
 *
 * normalize sees each different value in use once instead of every node: it maps equal values to
 * equal scores, and how often one occurs plays no part (plugin/cache_hints.h).  When the set of
 * values in use stayed the same, so did what each is worth, and only marked nodes get new totals.
 */
#include "sched/class_cache_priv.h"

/* ---- totals ---- */

/* Normalises the values in use; true when one of them changed.  sample is some node that had the
 * value: plugins may look at the node to leave it aside, never to score it. */
static bool class_cache_totals_renormalize(const struct cache_call *call,
                                           struct normalized_score *score) {
        const struct profile_plugin *plugin = plugin_at(call, score->plugin);
        struct distinct_scores *distinct = &score->distinct;
        struct node_id nodes[DISTINCT_MAX];
        int64_t scores[DISTINCT_MAX];
        size_t count = 0, taken = 0;
        bool has_changed = false;
        for (size_t i = 0; i < distinct->count; i++) {
                if (distinct->values[i].users == 0)
                        continue;
                nodes[count] = distinct->values[i].sample;
                scores[count++] = distinct->values[i].raw;
        }
        plugin->plugin->sched->normalize(&call->attempt->cycle, plugin->state,
                                         score_state(call, score->plugin),
                                         (struct node_batch){ nodes, count }, scores);
        for (size_t i = 0; i < distinct->count; i++) {
                if (distinct->values[i].users == 0)
                        continue;
                int32_t weighted = (int32_t)(scores[taken++] * plugin->weight);
                has_changed = has_changed || distinct->weighted[i] != weighted;
                distinct->weighted[i] = weighted;
        }
        return has_changed;
}

static bool renormalize_all(const struct cache_call *call) {
        bool has_changed = false;
        for (size_t i = 0; i < call->cache->score_count; i++)
                has_changed |= class_cache_totals_renormalize(call, &call->cache->scores[i]);
        return has_changed;
}

static void count_word(struct distinct_scores *distinct, size_t first, uint64_t nodes) {
        if (nodes == UINT64_MAX) {
                for (size_t i = 0; i < 64; i++)
                        distinct->values[distinct->which[first + i]].users++;
                return;
        }
        for (; nodes != 0; nodes &= nodes - 1)
                distinct->values[distinct->which[first + (size_t)__builtin_ctzll(nodes)]].users++;
}

static void count_users(struct class_cache *cache, struct distinct_scores *distinct) {
        for (size_t i = 0; i < distinct->count; i++)
                distinct->values[i].users = 0;
        for (size_t word = 0; word < (cache->node_count + 63) / 64; word++)
                count_word(distinct, word * 64, cache->fits.words[word]);
}

/* A node that does not fit may have a number of values that are gone; what it reads is not used,
 * but has to be there. */
static void add_weighted(const struct distinct_scores *distinct, int32_t *totals, size_t count) {
        int32_t weighted[UINT8_MAX + 1] = { 0 };
        for (size_t i = 0; i < distinct->count; i++)
                weighted[i] = distinct->weighted[i];
        for (size_t i = 0; i < count; i++)
                totals[i] += weighted[distinct->which[i]];
}

/* Column by column, then the tree in one pass: for many nodes cheaper than one update each. */
static void total_all(struct class_cache *cache) {
        int32_t *totals = top_tree_leaves(&cache->tree);
        memcpy(totals, cache->own_scores, cache->node_count * sizeof(*totals));
        for (size_t i = 0; i < cache->score_count; i++)
                add_weighted(&cache->scores[i].distinct, totals, cache->node_count);
        for (size_t word = 0; word < (cache->node_count + 63) / 64; word++)
                for (uint64_t left = ~cache->fits.words[word]; left != 0; left &= left - 1) {
                        size_t node = word * 64 + (size_t)__builtin_ctzll(left);
                        if (node < cache->node_count)
                                totals[node] = TOP_TREE_NONE;
                }
        top_tree_build(&cache->tree);
}

static int32_t total_of(const struct class_cache *cache, size_t node) {
        int32_t total = cache->own_scores[node];
        for (size_t i = 0; i < cache->score_count; i++) {
                const struct distinct_scores *distinct = &cache->scores[i].distinct;
                total += distinct->weighted[distinct->which[node]];
        }
        return total;
}

static void settle_marked(struct update *update) {
        struct class_cache *cache = update->cache;
        const struct node_marks *marks = update->call->marks;
        for (size_t i = 0; i < marks->count; i++)
                for (size_t j = 0; j < cache->score_count; j++)
                        if (bitset_has(&cache->fits, marks->items[i]))
                                update->has_new_values |= distinct_scores_join(
                                        &cache->scores[j].distinct, marks->items[i]);
        if (update->has_new_values && renormalize_all(update->call)) {
                total_all(cache);
                return;
        }
        for (size_t i = 0; i < marks->count; i++) {
                size_t node = marks->items[i];
                top_tree_update(&cache->tree, node,
                                bitset_has(&cache->fits, node) ? total_of(cache, node)
                                                               : TOP_TREE_NONE);
        }
}

void cache_settle(struct update *update) {
        struct class_cache *cache = update->cache;
        if (!update->is_bulk && update->call->marks->count <= cache->node_count / BULK_SHARE + 16) {
                settle_marked(update);
                return;
        }
        for (size_t i = 0; i < cache->score_count; i++)
                count_users(cache, &cache->scores[i].distinct);
        renormalize_all(update->call);
        total_all(cache);
}
