/* Building the cache of a class, and bringing it up to date.
 *
 * What is cached, for each node row:
 *   static_fits, static_scores   what plugins say that look at the node's own row alone
 *   own_fits, own_scores         the same with plugins that also look at the pods on the node
 *   filters[].admits             what each filter says that counts pods
 *   refused                      nodes refused to the last pod alone (volumes, nominees)
 *   fits                         all of these together: own_fits, every admits, not refused
 *   scores[].distinct            the raw score of each plugin that normalises, by value
 *   tree                         totals of the nodes that fit, and the best of them
 * Each line follows from those above it, so an update goes from top to bottom.
 *
 * When it is stale: after any change in the cluster's change log since `generation`; for nodes a
 * what-if touches now or touched at the last use (as_if); when a counting plugin's memory names
 * domains that changed, or its fingerprint is another; and when the pod has refusals of its own.
 * class_cache_catch_up looks at exactly these.  Whatever it cannot follow makes it answer false,
 * and the cache is rebuilt; that is always right, as test_engine_oracle shows against a full
 * scan. */
#include "base/util.h"
#include "sched/class_cache_priv.h"
#include <assert.h>
#include <stdlib.h>

/* Keeps what says how the class fared: its key, age, and how long not to try again. */
void class_cache_clear(struct class_cache *cache) {
        bitset_release(&cache->static_fits);
        bitset_release(&cache->own_fits);
        bitset_release(&cache->refused);
        bitset_release(&cache->fits);
        free(cache->static_scores);
        free(cache->own_scores);
        for (size_t i = 0; i < cache->filter_count; i++)
                bitset_release(&cache->filters[i].admits);
        for (size_t i = 0; i < cache->score_count; i++) {
                distinct_scores_release(&cache->scores[i].distinct);
                free(cache->scores[i].feasible);
        }
        top_tree_release(&cache->tree);
        node_list_release(&cache->as_if);
        *cache = (struct class_cache){ .key = cache->key,
                                       .last_used = cache->last_used,
                                       .was_seen = true,
                                       .pause = cache->pause };
}

/* generation 0: it was never built, or could not be.  Which plugins take part may differ from pod
 * to pod of one class (a PreFilter that skips), and then nothing in it is of use. */
bool class_cache_suits(const struct cache_call *call, const struct cache_plugins *plugins) {
        const struct class_cache *cache = call->cache;
        return cache->generation != 0 && cache->profile == call->attempt->profile &&
               cache->plugins.filters == plugins->filters &&
               cache->plugins.scores == plugins->scores &&
               cache->node_count == cluster_nodes(call->cluster)->count;
}

/* ---- changes of nodes ---- */

static void clear_marks(struct node_marks *marks) {
        for (size_t i = 0; i < marks->count; i++)
                bitset_remove(&marks->set, marks->items[i]);
        marks->count = 0;
}

/* Changes that alter which nodes there are, or what is said of all of them: ImageLocality weighs an
 * image by the share of nodes that have it, so images of one node change the scores of others. */
#define REBUILD_CHANGES (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_IMAGES)

/* The log names a node once for each change.  Refreshing it asks about the node as it is now, so
 * one refresh does for all changes: of those that leave the node's own row as it was, all but the
 * last are passed over (generation is the last change's).  Others are not, since the last change's
 * mask would not say that the static part is stale. */
static bool is_due(const struct node_table *nodes, const struct cluster_change *change) {
        return !node_id_is_none(change->node) && bitset_has(&nodes->live, change->node.index) &&
               ((change->mask & ~(uint32_t)POD_CHANGES) != 0 ||
                nodes->generation[change->node.index] == change->generation);
}

static bool refresh_run(struct update *update, const struct cluster_change *changes, size_t count) {
        const struct node_table *nodes = cluster_nodes(update->call->cluster);
        for (size_t i = 0; i < count; i++) {
                if ((changes[i].mask & REBUILD_CHANGES) != 0)
                        return false;
                if (is_due(nodes, &changes[i]) &&
                    !cache_refresh_node(update, changes[i].node, changes[i].mask))
                        return false;
        }
        return true;
}

/* Everything below own_fits and own_scores, in the order in which it follows from one another: what
 * filters that count pods admit, who fits, their raw scores (which may depend on who fits), totals.
 */
static bool class_cache_follow(struct update *update) {
        struct class_cache *cache = update->cache;
        for (size_t i = 0; i < cache->filter_count; i++)
                cache_follow_filter(update->call, &cache->filters[i]);
        cache_refit(update);
        for (size_t i = 0; i < cache->score_count; i++)
                if (cache->scores[i].follow && !cache_follow_score(update, &cache->scores[i]))
                        return false;
        cache_settle(update);
        cache->generation = cluster_generation(update->call->cluster);
        node_list_set_touched(&cache->as_if, update->call->cluster);
        return true;
}

/* ---- building ---- */

/* In one pass over columns, where single nodes are asked later. */
static void filter_batch(const struct cache_call *call, bool wants_pods, struct bitset *nodes) {
        const struct cache_plugins *plugins = &call->cache->plugins;
        for (uint64_t left = plugins->filters & ~plugins->counted_filters; left != 0;
             left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                if (filter_reads_pods(call, index) == wants_pods)
                        sched_attempt_filter_by(call->attempt, index, nodes);
        }
}

static struct normalized_score *add_normalized(const struct cache_call *call, size_t index) {
        struct class_cache *cache = call->cache;
        if (cache->score_count == NORMALIZED_MAX)
                return NULL;
        struct normalized_score *score = &cache->scores[cache->score_count++];
        *score = (struct normalized_score){ .plugin = index };
        distinct_scores_init(&score->distinct, cache->node_count);
        if ((cache->plugins.counted_scores >> index & 1) == 0)
                return score;
        score->follow = plugin_at(call, index)->plugin->sched->hints->score_counts;
        if (score->follow->feasible_size) {
                score->feasible_size = score->follow->feasible_size(score_state(call, index));
                score->feasible = xcalloc(score->feasible_size, sizeof(uint32_t));
        }
        return score;
}

/* Raw values are stored for all live nodes, also for those the pod does not fit: a node that begins
 * to fit is not asked again. */
static bool take_raws(const struct cache_call *call, size_t index, struct node_batch live,
                      const int64_t *raws) {
        struct normalized_score *score = add_normalized(call, index);
        if (!score)
                return false;
        for (size_t i = 0; i < live.count; i++)
                if (!distinct_scores_set(&score->distinct, live.nodes[i], raws[i], false))
                        return false;
        return true;
}

/* Scores without normalize add up to one number per node at once.  Those with one are stored by
 * value; counting plugins are asked later, when it is known which nodes fit. */
static bool score_batch(const struct cache_call *call, struct node_batch live) {
        struct class_cache *cache = call->cache;
        int64_t *scores = ARENA_ARRAY(call->attempt->cycle.scratch, int64_t, live.count);
        for (uint64_t left = cache->plugins.scores; left != 0; left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                const struct profile_plugin *plugin = plugin_at(call, index);
                const struct sched_points *sched = plugin->plugin->sched;
                if ((cache->plugins.counted_scores >> index & 1) != 0) {
                        if (!add_normalized(call, index))
                                return false;
                        continue;
                }
                int64_t since_ns = plugin_run_begin(call->attempt);
                sched->score(&call->attempt->cycle, plugin->state, score_state(call, index), live,
                             scores);
                plugin_run_end(call->attempt, index, POINT_SCORE, VERDICT_OK, since_ns);
                if (sched->normalize) {
                        if (!take_raws(call, index, live, scores))
                                return false;
                        continue;
                }
                for (size_t i = 0; i < live.count; i++) {
                        int32_t weighted = (int32_t)(scores[i] * plugin->weight);
                        cache->own_scores[live.nodes[i].index] += weighted;
                        if (!score_reads_pods(call, index))
                                cache->static_scores[live.nodes[i].index] += weighted;
                }
        }
        return true;
}

static void set_init(struct bitset *set, size_t bits) {
        bitset_init(set);
        bitset_resize(set, bits);
}

static bool add_filters(const struct cache_call *call) {
        struct class_cache *cache = call->cache;
        for (uint64_t left = cache->plugins.counted_filters; left != 0; left &= left - 1) {
                if (cache->filter_count == COUNTED_MAX)
                        return false;
                struct counted_filter *filter = &cache->filters[cache->filter_count++];
                *filter = (struct counted_filter){ .plugin = (size_t)__builtin_ctzll(left) };
                set_init(&filter->admits, cache->node_count);
        }
        return true;
}

static void class_cache_measure(struct class_cache *cache) {
        cache->bytes = sizeof(*cache) + top_tree_bytes(&cache->tree) +
                       cache->node_count * (2 * sizeof(int32_t) + cache->score_count) +
                       (4 + cache->filter_count) * (cache->node_count / 8);
        for (size_t i = 0; i < cache->score_count; i++)
                cache->bytes += cache->scores[i].feasible_size * sizeof(uint32_t) +
                                cache->scores[i].distinct.cap *
                                        (sizeof(struct distinct_value) + sizeof(int32_t));
}

bool class_cache_build(const struct cache_call *call, const struct cache_plugins *plugins) {
        struct class_cache *cache = call->cache;
        struct update update = { .call = call, .cache = cache, .is_bulk = true };
        class_cache_clear(cache);
        cache->profile = call->attempt->profile;
        cache->plugins = *plugins;
        cache->node_count = cluster_nodes(call->cluster)->count;
        struct bitset nodes = cluster_live_nodes(call->cluster, call->attempt->cycle.scratch);
        set_init(&cache->static_fits, cache->node_count);
        set_init(&cache->own_fits, cache->node_count);
        set_init(&cache->refused, cache->node_count);
        cache->has_refused = false;
        set_init(&cache->fits, cache->node_count);
        filter_batch(call, false, &nodes);
        bitset_or(&cache->static_fits, &nodes);
        filter_batch(call, true, &nodes);
        bitset_or(&cache->own_fits, &nodes);
        cache->static_scores = xcalloc(cache->node_count + 1, sizeof(int32_t));
        cache->own_scores = xcalloc(cache->node_count + 1, sizeof(int32_t));
        top_tree_init(&cache->tree, cache->node_count);
        struct node_batch live = { cluster_node_order(call->cluster),
                                   cluster_node_count(call->cluster) };
        bool is_built = add_filters(call) && score_batch(call, live) && class_cache_follow(&update);
        class_cache_measure(cache);
        if (!is_built)
                cache->generation = 0;
        return is_built;
}

/* ---- catching up ---- */

/* An epoch is the identity of a plugin's numbers.  Another one means they were recomputed, and what
 * was derived from the old ones cannot be updated. */
static bool are_epochs_current(const struct cache_call *call) {
        struct class_cache *cache = call->cache;
        for (size_t i = 0; i < cache->filter_count; i++) {
                size_t plugin = cache->filters[i].plugin;
                const struct count_hints *own =
                        plugin_at(call, plugin)->plugin->sched->hints->filter_counts;
                if (own->entry(filter_state(call, plugin))->epoch != cache->filters[i].mark.epoch)
                        return false;
        }
        for (size_t i = 0; i < cache->score_count; i++) {
                const struct normalized_score *score = &cache->scores[i];
                if (score->follow &&
                    score->follow->entry(score_state(call, score->plugin))->epoch !=
                            score->mark.epoch)
                        return false;
        }
        return true;
}

/* What claims are worth on a node changes without a word in the change log. */
static bool are_scores_current(const struct cache_call *call) {
        for (size_t i = 0; i < call->cache->score_count; i++) {
                const struct normalized_score *score = &call->cache->scores[i];
                if (score->follow &&
                    score->follow->entry(score_state(call, score->plugin))->news.version !=
                            score->mark.version)
                        return false;
        }
        return true;
}

/* What-ifs move pods between nodes and leave the change log alone, so the nodes they touch are
 * refreshed apart: those of the what-if the question is asked in, and those that were as an earlier
 * one had them.  CLUSTER_POD_REMOVED stands for any change of a node's pods.  without: those left
 * out (NULL = none). */
static bool refresh_list(struct update *update, const struct node_id *nodes, size_t count,
                         const struct bitset *without) {
        const struct bitset *live = &cluster_nodes(update->call->cluster)->live;
        for (size_t i = 0; i < count; i++)
                if (bitset_has(live, nodes[i].index) &&
                    (!without || !bitset_has(without, nodes[i].index)) &&
                    !cache_refresh_node(update, nodes[i], CLUSTER_POD_REMOVED))
                        return false;
        return true;
}

/* Refusals to one pod alone stay in the cache until the next pod brings its own. */
static bool are_refusals_current(const struct cache_call *call) {
        if (!call->refused)
                return !call->cache->has_refused && call->volume_filters == 0;
        return memcmp(call->refused->words, call->cache->refused.words,
                      (call->cache->node_count + 63) / 64 * sizeof(uint64_t)) == 0;
}

bool class_cache_catch_up(const struct cache_call *call) {
        struct class_cache *cache = call->cache;
        struct update update = { .call = call, .cache = cache };
        struct change_range range;
        const struct node_id *touched;
        assert(cache->generation != 0 && cache->profile == call->attempt->profile);
        assert(cache->generation <= cluster_generation(call->cluster));
        size_t touched_count = cluster_touched_list(call->cluster, &touched);
        if (!are_epochs_current(call))
                return false;
        /* The usual case of many alike pods that fit nowhere: nothing happened at all. */
        if (cache->generation == cluster_generation(call->cluster) && touched_count == 0 &&
            cache->as_if.count == 0 && are_refusals_current(call) && are_scores_current(call))
                return true;
        /* Refreshing a node costs several calls, a pass over columns a fraction of that per node.
         */
        if (!cluster_changes_since(call->cluster, cache->generation, &range) ||
            range.first_count + range.second_count > cache->node_count / 4 + 16)
                return false;
        clear_marks(call->marks);
        /* Nodes touched by both are refreshed once, by the question's own what-if. */
        bool is_current = refresh_run(&update, range.first, range.first_count) &&
                          refresh_run(&update, range.second, range.second_count) &&
                          refresh_list(&update, cache->as_if.items, cache->as_if.count,
                                       cluster_touched_nodes(call->cluster)) &&
                          refresh_list(&update, touched, touched_count, NULL) &&
                          class_cache_follow(&update);
        clear_marks(call->marks);
        return is_current;
}
