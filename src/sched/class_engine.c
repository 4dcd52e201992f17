/* Incremental decisions per pod class. */
#include "sched/class_engine.h"
#include "base/map.h"
#include "base/util.h"
#include "sched/top_tree.h"
#include <assert.h>
#include <stdlib.h>

#define ENGINE_BYTES_MIN ((size_t)32 << 20)
#define ENGINE_BYTES_MAX ((size_t)256 << 20)
#define CLASSES_WANTED 64
#define NORMALIZED_MAX 4 /* plugins with normalised scores in one profile */
#define DISTINCT_MAX 64  /* raw values of one of them */
#define CLASSES_MAX 1024 /* classes remembered, most of them seen once */

/* The distinct raw scores of one normalising plugin among the nodes that fit. */
struct distinct_scores {
        size_t plugin; /* in the profile */
        size_t count;
        int64_t raw[DISTINCT_MAX], normal[DISTINCT_MAX];
        uint32_t users[DISTINCT_MAX];
        uint8_t *which; /* per node: index of its raw value */
};

struct class_cache {
        uint64_t class_hash, generation, last_used;
        bool was_seen; /* a class that comes but once is not worth a cache */
        const struct sched_profile *profile;
        uint64_t filter_plugins, score_plugins; /* that took part when it was built */
        size_t node_count, fitting_count, bytes;
        struct bitset static_fits, fits;
        int32_t *static_scores, *dynamic_scores; /* weighted, of plugins that need no normalising */
        size_t distinct_count;
        struct distinct_scores distinct[NORMALIZED_MAX];
        struct top_tree tree;
};

struct class_engine {
        struct map_u64 *caches; /* by class hash */
        size_t max_bytes;       /* 0 = by the size of the cluster */
        uint64_t clock;
        struct class_engine_stats stats;
};

/* One call's surroundings. */
struct engine_call {
        struct class_engine *engine;
        struct sched_attempt *attempt;
        struct class_cache *cache;
        const struct cluster *cluster;
};

/* ---- life ---- */

struct class_engine *class_engine_new(size_t max_bytes) {
        struct class_engine *engine = xcalloc(1, sizeof(*engine));
        engine->caches = map_u64_new();
        engine->max_bytes = max_bytes;
        return engine;
}

static void cache_clear(struct class_cache *cache) {
        bitset_release(&cache->static_fits);
        bitset_release(&cache->fits);
        free(cache->static_scores);
        free(cache->dynamic_scores);
        for (size_t i = 0; i < cache->distinct_count; i++)
                free(cache->distinct[i].which);
        top_tree_release(&cache->tree);
        *cache = (struct class_cache){ .class_hash = cache->class_hash,
                                       .last_used = cache->last_used,
                                       .was_seen = true };
}

static void cache_free(struct class_cache *cache) {
        cache_clear(cache);
        free(cache);
}

void class_engine_free(struct class_engine *engine) {
        size_t at = 0;
        void *cache;
        if (engine == NULL)
                return;
        while (map_u64_next(engine->caches, &at, NULL, &cache))
                cache_free(cache);
        map_u64_free(engine->caches);
        free(engine);
}

void class_engine_stats(const struct class_engine *engine, struct class_engine_stats *ret_stats) {
        *ret_stats = engine->stats;
        ret_stats->caches = map_u64_count(engine->caches);
}

/* ---- who takes part ---- */

static const struct profile_plugin *plugin_at(const struct engine_call *call, size_t index) {
        return &call->attempt->profile->plugins[index];
}

/* The plugins of a point that take part, as bits; false when one of them looks beyond the node. */
static bool local_plugins(const struct sched_attempt *attempt, enum sched_point point,
                          uint64_t *ret_plugins) {
        const struct profile_point *list = &attempt->profile->points[point];
        *ret_plugins = 0;
        for (size_t i = 0; i < list->count; i++) {
                size_t index = list->plugins[i];
                const struct attempt_plugin *own = &attempt->plugins[index];
                if (point == POINT_FILTER ? own->filter_skips : own->score_skips)
                        continue;
                if (!attempt->profile->plugins[index].plugin->sched->is_local)
                        return false;
                *ret_plugins |= (uint64_t)1 << index;
        }
        return true;
}

/* Totals are kept in 32 bits. */
static bool are_totals_small(const struct sched_profile *profile) {
        const struct profile_point *score = &profile->points[POINT_SCORE];
        int64_t sum = 0;
        for (size_t i = 0; i < score->count; i++)
                sum += profile->plugins[score->plugins[i]].weight;
        return sum <= INT32_MAX / NODE_SCORE_MAX;
}

static bool is_for_engine(const struct engine_call *call, uint64_t *ret_filters,
                          uint64_t *ret_scores) {
        struct sched_attempt *attempt = call->attempt;
        struct verdict verdict = { .code = VERDICT_OK };
        return attempt->only == NULL && attempt->nominee_count == 0 &&
               slice_is_empty(attempt->cycle.node_name) &&
               attempt->profile->points[POINT_SCORE].count > 0 &&
               are_totals_small(attempt->profile) &&
               local_plugins(attempt, POINT_FILTER, ret_filters) &&
               sched_attempt_pre_score(attempt, (struct node_batch){ 0 }, &verdict) == VERDICT_OK &&
               local_plugins(attempt, POINT_SCORE, ret_scores);
}

/* ---- one node ---- */

static bool plugin_admits(const struct engine_call *call, size_t index, struct node_id node) {
        const struct profile_plugin *plugin = plugin_at(call, index);
        struct verdict verdict;
        verdict.code = VERDICT_OK;
        verdict.reason_count = 0;
        plugin->plugin->sched->explain(&call->attempt->cycle, plugin->state,
                                       call->attempt->plugins[index].filter_state, node, &verdict);
        return verdict.code == VERDICT_OK;
}

/* wants_pods: the plugins that look at the node's pods, or the others. */
static bool node_fits(const struct engine_call *call, struct node_id node, bool wants_pods) {
        for (uint64_t left = call->cache->filter_plugins; left != 0; left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                if (plugin_at(call, index)->plugin->sched->reads_node_pods == wants_pods &&
                    !plugin_admits(call, index, node))
                        return false;
        }
        return true;
}

static int64_t plugin_score(const struct engine_call *call, size_t index, struct node_id node) {
        const struct profile_plugin *plugin = plugin_at(call, index);
        int64_t score;
        plugin->plugin->sched->score(&call->attempt->cycle, plugin->state,
                                     call->attempt->plugins[index].score_state,
                                     (struct node_batch){ &node, 1 }, &score);
        return score;
}

static int32_t node_score(const struct engine_call *call, struct node_id node, bool wants_pods) {
        int64_t sum = 0;
        for (uint64_t left = call->cache->score_plugins; left != 0; left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                const struct profile_plugin *plugin = plugin_at(call, index);
                if (plugin->plugin->sched->normalize == NULL &&
                    plugin->plugin->sched->reads_node_pods == wants_pods)
                        sum += plugin_score(call, index, node) * plugin->weight;
        }
        return (int32_t)sum;
}

static int32_t total_of(const struct class_cache *cache, size_t node,
                        const struct sched_profile *profile) {
        int64_t total = (int64_t)cache->static_scores[node] + cache->dynamic_scores[node];
        for (size_t i = 0; i < cache->distinct_count; i++) {
                const struct distinct_scores *distinct = &cache->distinct[i];
                total += distinct->normal[distinct->which[node]] *
                         profile->plugins[distinct->plugin].weight;
        }
        return (int32_t)total;
}

/* ---- distinct raw scores ---- */

/* Index of a raw value, in a free or new place when it is not known; DISTINCT_MAX when full. */
static size_t find_raw(struct distinct_scores *distinct, int64_t raw) {
        size_t spare = DISTINCT_MAX;
        for (size_t i = 0; i < distinct->count; i++) {
                if (distinct->raw[i] == raw)
                        return i;
                if (distinct->users[i] == 0)
                        spare = i;
        }
        if (spare == DISTINCT_MAX && distinct->count < DISTINCT_MAX)
                spare = distinct->count++;
        if (spare < DISTINCT_MAX) {
                distinct->raw[spare] = raw;
                distinct->users[spare] = 0;
        }
        return spare;
}

/* Normalises the values in use; true when one of them changed. */
static bool renormalize(const struct engine_call *call, struct distinct_scores *distinct) {
        const struct profile_plugin *plugin = plugin_at(call, distinct->plugin);
        struct node_id nodes[DISTINCT_MAX] = { { 0 } };
        int64_t scores[DISTINCT_MAX];
        size_t count = 0, taken = 0;
        bool has_changed = false;
        for (size_t i = 0; i < distinct->count; i++)
                if (distinct->users[i] > 0)
                        scores[count++] = distinct->raw[i];
        plugin->plugin->sched->normalize(&call->attempt->cycle, plugin->state,
                                         call->attempt->plugins[distinct->plugin].score_state,
                                         (struct node_batch){ nodes, count }, scores);
        for (size_t i = 0; i < distinct->count; i++) {
                if (distinct->users[i] == 0)
                        continue;
                has_changed = has_changed || distinct->normal[i] != scores[taken];
                distinct->normal[i] = scores[taken++];
        }
        return has_changed;
}

/* A node that fits joins (or leaves) its values; true when the set of values changed. */
static bool count_node(struct class_cache *cache, size_t node, bool joins) {
        bool has_changed = false;
        for (size_t i = 0; i < cache->distinct_count; i++) {
                struct distinct_scores *distinct = &cache->distinct[i];
                uint32_t *users = &distinct->users[distinct->which[node]];
                has_changed = has_changed || *users == (joins ? 0 : 1);
                *users = joins ? *users + 1 : *users - 1;
        }
        return has_changed;
}

static void total_all(const struct engine_call *call) {
        struct class_cache *cache = call->cache;
        for (size_t i = 0; i < cache->node_count; i++)
                top_tree_set_leaf(&cache->tree, i,
                                  bitset_has(&cache->fits, i)
                                          ? total_of(cache, i, call->attempt->profile)
                                          : TOP_TREE_NONE);
        top_tree_build(&cache->tree);
}

/* After the set of raw values changed. */
static bool renormalize_all(const struct engine_call *call) {
        bool has_changed = false;
        for (size_t i = 0; i < call->cache->distinct_count; i++)
                has_changed |= renormalize(call, &call->cache->distinct[i]);
        return has_changed;
}

/* ---- building ---- */

static void filter_batch(const struct engine_call *call, bool wants_pods, struct bitset *nodes) {
        for (uint64_t left = call->cache->filter_plugins; left != 0; left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                const struct profile_plugin *plugin = plugin_at(call, index);
                if (plugin->plugin->sched->reads_node_pods == wants_pods)
                        plugin->plugin->sched->filter(&call->attempt->cycle, plugin->state,
                                                      call->attempt->plugins[index].filter_state,
                                                      nodes);
        }
}

static bool take_raws(const struct engine_call *call, size_t index, struct node_batch live,
                      const int64_t *scores) {
        struct class_cache *cache = call->cache;
        if (cache->distinct_count == NORMALIZED_MAX)
                return false;
        struct distinct_scores *distinct = &cache->distinct[cache->distinct_count++];
        distinct->plugin = index;
        distinct->which = xcalloc(cache->node_count + 1, 1);
        for (size_t i = 0; i < live.count; i++) {
                size_t at = 0;
                while (at < distinct->count && distinct->raw[at] != scores[i])
                        at++;
                if (at == DISTINCT_MAX)
                        return false;
                if (at == distinct->count)
                        distinct->raw[distinct->count++] = scores[i];
                distinct->which[live.nodes[i].index] = (uint8_t)at;
        }
        return true;
}

static bool score_batch(const struct engine_call *call, struct node_batch live) {
        struct class_cache *cache = call->cache;
        int64_t *scores = ARENA_ARRAY(call->attempt->cycle.scratch, int64_t, live.count);
        for (uint64_t left = cache->score_plugins; left != 0; left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                const struct profile_plugin *plugin = plugin_at(call, index);
                const struct sched_points *sched = plugin->plugin->sched;
                sched->score(&call->attempt->cycle, plugin->state,
                             call->attempt->plugins[index].score_state, live, scores);
                if (sched->normalize != NULL) {
                        assert(!sched->reads_node_pods);
                        if (!take_raws(call, index, live, scores))
                                return false;
                        continue;
                }
                int32_t *sums =
                        sched->reads_node_pods ? cache->dynamic_scores : cache->static_scores;
                for (size_t i = 0; i < live.count; i++)
                        sums[live.nodes[i].index] += (int32_t)(scores[i] * plugin->weight);
        }
        return true;
}

static size_t cache_bytes(const struct class_cache *cache) {
        return sizeof(*cache) + cache->node_count * (2 * sizeof(int32_t) + cache->distinct_count) +
               2 * cache->tree.leaves * (sizeof(int32_t) + sizeof(uint32_t));
}

static bool build(const struct engine_call *call, uint64_t filters, uint64_t scores) {
        struct class_cache *cache = call->cache;
        struct arena *scratch = call->attempt->cycle.scratch;
        call->engine->stats.bytes -= cache->bytes;
        cache_clear(cache);
        cache->profile = call->attempt->profile;
        cache->filter_plugins = filters;
        cache->score_plugins = scores;
        cache->node_count = cluster_nodes(call->cluster)->count;
        struct bitset nodes = cluster_live_nodes(call->cluster, scratch);
        bitset_init(&cache->static_fits);
        bitset_init(&cache->fits);
        bitset_resize(&cache->static_fits, cache->node_count);
        bitset_resize(&cache->fits, cache->node_count);
        filter_batch(call, false, &nodes);
        bitset_or(&cache->static_fits, &nodes);
        filter_batch(call, true, &nodes);
        bitset_or(&cache->fits, &nodes);
        cache->static_scores = xcalloc(cache->node_count + 1, sizeof(int32_t));
        cache->dynamic_scores = xcalloc(cache->node_count + 1, sizeof(int32_t));
        top_tree_init(&cache->tree, cache->node_count);
        struct node_batch live = { cluster_node_order(call->cluster),
                                   cluster_node_count(call->cluster) };
        cache->bytes = cache_bytes(cache);
        call->engine->stats.bytes += cache->bytes;
        call->engine->stats.builds++;
        if (!score_batch(call, live))
                return false;
        for (size_t i = bitset_next(&cache->fits, 0); i != SIZE_MAX;
             i = bitset_next(&cache->fits, i + 1))
                count_node(cache, i, true);
        cache->fitting_count = bitset_count(&cache->fits);
        renormalize_all(call);
        total_all(call);
        cache->generation = cluster_generation(call->cluster);
        return true;
}

/* ---- keeping up ---- */

#define REBUILD_CHANGES (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_IMAGES)
/* Those that leave the node itself as it was. */
#define POD_CHANGES (CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED)

/* A node's own part; false when a raw value finds no place. */
static bool refresh_static(const struct engine_call *call, struct node_id node) {
        struct class_cache *cache = call->cache;
        if (node_fits(call, node, false))
                bitset_add(&cache->static_fits, node.index);
        else
                bitset_remove(&cache->static_fits, node.index);
        cache->static_scores[node.index] = node_score(call, node, false);
        for (size_t i = 0; i < cache->distinct_count; i++) {
                struct distinct_scores *distinct = &cache->distinct[i];
                size_t at = find_raw(distinct, plugin_score(call, distinct->plugin, node));
                if (at == DISTINCT_MAX)
                        return false;
                distinct->which[node.index] = (uint8_t)at;
        }
        return true;
}

static bool refresh(const struct engine_call *call, struct node_id node, uint32_t mask,
                    bool *has_new_values) {
        struct class_cache *cache = call->cache;
        bool did_fit = bitset_has(&cache->fits, node.index);
        if (did_fit) {
                *has_new_values |= count_node(cache, node.index, false);
                bitset_remove(&cache->fits, node.index);
                cache->fitting_count--;
        }
        if ((mask & ~(uint32_t)POD_CHANGES) != 0 && !refresh_static(call, node))
                return false;
        cache->dynamic_scores[node.index] = node_score(call, node, true);
        if (!bitset_has(&cache->static_fits, node.index) || !node_fits(call, node, true)) {
                if (did_fit)
                        top_tree_update(&cache->tree, node.index, TOP_TREE_NONE);
                return true;
        }
        bitset_add(&cache->fits, node.index);
        cache->fitting_count++;
        *has_new_values |= count_node(cache, node.index, true);
        top_tree_update(&cache->tree, node.index,
                        total_of(cache, node.index, call->attempt->profile));
        return true;
}

static bool refresh_run(const struct engine_call *call, const struct cluster_change *changes,
                        size_t count, bool *has_new_values) {
        const struct bitset *live = &cluster_nodes(call->cluster)->live;
        for (size_t i = 0; i < count; i++) {
                if ((changes[i].mask & REBUILD_CHANGES) != 0)
                        return false;
                if (!node_id_is_none(changes[i].node) && bitset_has(live, changes[i].node.index) &&
                    !refresh(call, changes[i].node, changes[i].mask, has_new_values))
                        return false;
        }
        return true;
}

/* False: the cache has to be built anew. */
static bool catch_up(const struct engine_call *call) {
        struct class_cache *cache = call->cache;
        struct change_range range;
        bool has_new_values = false;
        if (cache->generation == cluster_generation(call->cluster))
                return true;
        if (!cluster_changes_since(call->cluster, cache->generation, &range) ||
            range.first_count + range.second_count > cache->node_count / 4 + 16)
                return false;
        if (!refresh_run(call, range.first, range.first_count, &has_new_values) ||
            !refresh_run(call, range.second, range.second_count, &has_new_values))
                return false;
        if (has_new_values && renormalize_all(call))
                total_all(call);
        cache->generation = cluster_generation(call->cluster);
        return true;
}

/* ---- caches ---- */

static void forget_class(struct class_engine *engine, struct class_cache *cache) {
        engine->stats.bytes -= cache->bytes;
        map_u64_remove(engine->caches, cache->class_hash);
        cache_free(cache);
}

static void drop_oldest(struct class_engine *engine) {
        struct class_cache *oldest = NULL;
        size_t at = 0;
        void *item;
        while (map_u64_next(engine->caches, &at, NULL, &item)) {
                struct class_cache *cache = item;
                if (oldest == NULL || cache->last_used < oldest->last_used)
                        oldest = cache;
        }
        if (oldest != NULL)
                forget_class(engine, oldest);
}

/* Frees some cache but the kept one.  Any of them, by a fixed scramble of the clock: classes that
 * take turns would make the oldest exactly the one that is needed next. */
static bool drop_some(struct class_engine *engine, const struct class_cache *kept) {
        uint64_t pick = hash_bytes(&engine->clock, sizeof(engine->clock), 0);
        size_t count = 0, at = 0;
        void *item;
        while (map_u64_next(engine->caches, &at, NULL, &item))
                count += item != kept && ((struct class_cache *)item)->bytes > 0;
        if (count == 0)
                return false;
        pick %= count;
        for (at = 0; map_u64_next(engine->caches, &at, NULL, &item);) {
                struct class_cache *cache = item;
                if (cache == kept || cache->bytes == 0 || pick-- > 0)
                        continue;
                engine->stats.bytes -= cache->bytes;
                cache_clear(cache);
                return true;
        }
        return false;
}

/* Room for many classes of a large cluster, within bounds. */
static size_t byte_limit(const struct class_engine *engine, const struct class_cache *cache) {
        size_t wanted = cache->bytes * CLASSES_WANTED;
        if (engine->max_bytes > 0)
                return engine->max_bytes;
        if (wanted < ENGINE_BYTES_MIN)
                return ENGINE_BYTES_MIN;
        return wanted < ENGINE_BYTES_MAX ? wanted : ENGINE_BYTES_MAX;
}

static struct class_cache *cache_for(struct class_engine *engine, uint64_t class_hash) {
        struct class_cache *cache = map_u64_get(engine->caches, class_hash);
        if (cache == NULL) {
                if (map_u64_count(engine->caches) == CLASSES_MAX)
                        drop_oldest(engine);
                cache = xcalloc(1, sizeof(*cache));
                cache->class_hash = class_hash;
                cache->last_used = ++engine->clock;
                map_u64_put(engine->caches, class_hash, cache);
        }
        return cache;
}

static bool is_current(const struct engine_call *call, uint64_t filters, uint64_t scores) {
        const struct class_cache *cache = call->cache;
        return cache->generation != 0 && cache->profile == call->attempt->profile &&
               cache->filter_plugins == filters && cache->score_plugins == scores &&
               cache->node_count == cluster_nodes(call->cluster)->count;
}

static bool bring_up_to_date(const struct engine_call *call, uint64_t filters, uint64_t scores) {
        struct class_engine *engine = call->engine;
        if (is_current(call, filters, scores) && catch_up(call)) {
                engine->stats.hits++;
        } else if (!build(call, filters, scores)) {
                call->cache->generation = 0;
                return false;
        }
        call->cache->last_used = ++engine->clock;
        while (engine->stats.bytes > byte_limit(engine, call->cache) &&
               drop_some(engine, call->cache))
                continue;
        return true;
}

bool class_engine_choose(struct class_engine *engine, struct sched_attempt *attempt,
                         struct rng *rng, struct engine_choice *ret_choice) {
        struct engine_call call = { .engine = engine,
                                    .attempt = attempt,
                                    .cluster = attempt->cluster };
        uint64_t filters, scores;
        uint32_t best_count;
        int32_t total;
        call.cache = cache_for(engine, attempt->cycle.class->hash);
        if (!call.cache->was_seen || !is_for_engine(&call, &filters, &scores)) {
                call.cache->was_seen = true;
                engine->stats.refusals++;
                return false;
        }
        if (!bring_up_to_date(&call, filters, scores) ||
            !top_tree_best(&call.cache->tree, &total, &best_count))
                return false;
        uint32_t pick = rng != NULL && best_count > 1 ? (uint32_t)rng_below(rng, best_count) : 0;
        size_t node = top_tree_pick(&call.cache->tree, pick);
        *ret_choice = (struct engine_choice){ .node = { (uint32_t)node },
                                              .feasible_count = call.cache->fitting_count,
                                              .best_count = best_count,
                                              .total = call.cache->fitting_count > 1 ? total : 0 };
        return true;
}
