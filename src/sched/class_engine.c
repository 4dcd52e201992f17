/* The caches of all classes. */
#include "sched/class_engine.h"
#include "base/map.h"
#include "base/util.h"
#include "sched/class_cache.h"
#include <assert.h>
#include <stdlib.h>

#define ENGINE_BYTES_MIN ((size_t)1 << 20)
#define ENGINE_BYTES_MAX ((size_t)256 << 20)
#define CLASSES_WANTED 128
#define CLASSES_MAX 1024 /* classes remembered, most of them seen once */
#define COUNT_BYTES 32   /* of counts per class and node, about */
#define PAUSE 100        /* decisions without a cache after one could not be built */

struct class_engine {
        struct map_u64 *caches;
        struct count_cache *counts;
        struct node_marks marks;
        size_t max_bytes; /* 0 = by the size of the cluster */
        uint64_t clock;
        struct class_engine_stats stats;
};

/* ---- life ---- */

struct class_engine *class_engine_new(size_t max_bytes) {
        struct class_engine *engine = xcalloc(1, sizeof(*engine));
        engine->caches = map_u64_new();
        engine->counts = count_cache_new(max_bytes > 0 ? max_bytes : ENGINE_BYTES_MIN);
        bitset_init(&engine->marks.set);
        engine->max_bytes = max_bytes;
        return engine;
}

static void cache_free(struct class_cache *cache) {
        class_cache_clear(cache);
        free(cache);
}

void class_engine_free(struct class_engine *engine) {
        size_t at = 0;
        void *cache;
        if (!engine)
                return;
        while (map_u64_next(engine->caches, &at, NULL, &cache))
                cache_free(cache);
        map_u64_free(engine->caches);
        count_cache_free(engine->counts);
        bitset_release(&engine->marks.set);
        free(engine->marks.items);
        free(engine);
}

void class_engine_rest(struct class_engine *engine) {
        size_t at = 0;
        void *cache;
        if (engine->stats.bytes + count_cache_bytes(engine->counts) <= ENGINE_BYTES_MIN)
                return;
        while (map_u64_next(engine->caches, &at, NULL, &cache))
                class_cache_clear(cache);
        engine->stats.bytes = 0;
        count_cache_clear(engine->counts);
}

struct count_cache *class_engine_counts(struct class_engine *engine) {
        return engine->counts;
}

void class_engine_stats(const struct class_engine *engine, struct class_engine_stats *ret_stats) {
        *ret_stats = engine->stats;
        ret_stats->caches = map_u64_count(engine->caches);
        ret_stats->count_bytes = count_cache_bytes(engine->counts);
}

/* ---- who takes part ---- */

/* Counts of this decision only cannot be followed. */
static bool has_counts(const struct count_hints *follow, const void *pod_state) {
        return follow && follow->entry(pod_state);
}

static bool add_filter(const struct sched_attempt *attempt, size_t index,
                       struct cache_plugins *plugins) {
        const struct profile_plugin *plugin = &attempt->profile->plugins[index];
        const struct cache_hints *hints = plugin->plugin->sched->hints;
        const struct attempt_plugin *own = &attempt->plugins[index];
        uint64_t bit = (uint64_t)1 << index;
        if (own->filter_skips)
                return true;
        if (hints && hints->is_alone && hints->is_alone(own->filter_state))
                return false;
        if (hints && hints->variant)
                plugins->variant = 31 * plugins->variant + hints->variant(own->filter_state);
        if (cache_scope_is_of_volumes(plugin->filter_scope)) {
                plugins->volume_filters |= bit;
                return true;
        }
        plugins->filters |= bit;
        if (plugin->filter_scope != CACHE_SCOPE_COUNTS)
                return cache_scope_is_of_node(plugin->filter_scope);
        plugins->counted_filters |= bit;
        return has_counts(plugin->plugin->sched->hints->filter_counts, own->filter_state);
}

/* Raw scores that are normalised are stored in the static layer (class_cache_nodes.c), so they may
 * not follow from the pods of the node. */
static bool add_score(const struct sched_attempt *attempt, size_t index,
                      struct cache_plugins *plugins) {
        const struct profile_plugin *plugin = &attempt->profile->plugins[index];
        const struct sched_points *sched = plugin->plugin->sched;
        const struct attempt_plugin *own = &attempt->plugins[index];
        uint64_t bit = (uint64_t)1 << index;
        if (own->score_skips)
                return true;
        if (sched->hints && sched->hints->scores_alone &&
            sched->hints->scores_alone(own->score_state))
                return false;
        plugins->scores |= bit;
        if (plugin->score_scope == CACHE_SCOPE_VOLUMES) {
                bool is_followed =
                        has_counts(sched->hints->score_counts, attempt_score_state(attempt, index));
                plugins->counted_scores |= is_followed ? bit : 0;
                return !is_followed || sched->normalize;
        }
        if (plugin->score_scope != CACHE_SCOPE_COUNTS)
                return plugin->score_scope == CACHE_SCOPE_NODE ||
                       (plugin->score_scope == CACHE_SCOPE_NODE_PODS && !sched->normalize);
        plugins->counted_scores |= bit;
        return sched->normalize && has_counts(sched->hints->score_counts, own->score_state);
}

/* The plugins of a point that take part; false when one of them cannot be followed. */
static bool take_plugins(const struct sched_attempt *attempt, enum sched_point point,
                         struct cache_plugins *plugins) {
        const struct profile_point *list = &attempt->profile->points[point];
        for (size_t i = 0; i < list->count; i++)
                if (point == POINT_FILTER ? !add_filter(attempt, list->plugins[i], plugins)
                                          : !add_score(attempt, list->plugins[i], plugins))
                        return false;
        return true;
}

/* Totals have 32 bits: half the memory of a pass over all of them. */
static bool are_totals_small(const struct sched_profile *profile) {
        const struct profile_point *score = &profile->points[POINT_SCORE];
        int64_t sum = 0;
        for (size_t i = 0; i < score->count; i++)
                sum += profile->plugins[score->plugins[i]].weight;
        return sum <= INT32_MAX / NODE_SCORE_MAX;
}

static bool is_for_engine(struct sched_attempt *attempt, struct cache_plugins *ret_plugins) {
        struct verdict verdict = { .code = VERDICT_OK };
        *ret_plugins = (struct cache_plugins){ 0 };
        return !attempt->only && slice_is_empty(attempt->cycle.node_name) &&
               attempt->profile->points[POINT_SCORE].count > 0 &&
               are_totals_small(attempt->profile) &&
               take_plugins(attempt, POINT_FILTER, ret_plugins) &&
               sched_attempt_pre_score(attempt, (struct node_batch){ 0 }, &verdict) == VERDICT_OK &&
               take_plugins(attempt, POINT_SCORE, ret_plugins);
}

/* ---- caches ---- */

static void forget_class(struct class_engine *engine, struct class_cache *cache) {
        engine->stats.bytes -= cache->bytes;
        map_u64_remove(engine->caches, cache->key);
        cache_free(cache);
}

static void drop_oldest(struct class_engine *engine) {
        struct class_cache *oldest = NULL;
        size_t at = 0;
        void *item;
        while (map_u64_next(engine->caches, &at, NULL, &item)) {
                struct class_cache *cache = item;
                if (!oldest || cache->last_used < oldest->last_used)
                        oldest = cache;
        }
        if (oldest)
                forget_class(engine, oldest);
}

/* Frees one cache other than `retained`. Any of them, by a fixed scramble of the clock: when
 * classes come one after the other, the oldest is the one that is needed next. */
static bool drop_some(struct class_engine *engine, const struct class_cache *retained) {
        uint64_t pick = hash_bytes(&engine->clock, sizeof(engine->clock), 0);
        size_t count = 0, at = 0;
        void *item;
        while (map_u64_next(engine->caches, &at, NULL, &item))
                count += item != retained && ((struct class_cache *)item)->bytes > 0;
        if (count == 0)
                return false;
        pick %= count;
        for (at = 0; map_u64_next(engine->caches, &at, NULL, &item);) {
                struct class_cache *cache = item;
                if (cache == retained || cache->bytes == 0 || pick-- > 0)
                        continue;
                engine->stats.bytes -= cache->bytes;
                class_cache_clear(cache);
                return true;
        }
        return false;
}

/* Room for many classes of a large cluster, within bounds. */
static size_t byte_limit(const struct class_engine *engine, size_t bytes_of_class) {
        size_t wanted = bytes_of_class * CLASSES_WANTED;
        if (engine->max_bytes > 0)
                return engine->max_bytes;
        if (wanted < ENGINE_BYTES_MIN)
                return ENGINE_BYTES_MIN;
        return wanted < ENGINE_BYTES_MAX ? wanted : ENGINE_BYTES_MAX;
}

static struct class_cache *cache_for(struct class_engine *engine, uint64_t key) {
        struct class_cache *cache = map_u64_get(engine->caches, key);
        if (!cache) {
                if (map_u64_count(engine->caches) == CLASSES_MAX)
                        drop_oldest(engine);
                cache = xcalloc(1, sizeof(*cache));
                cache->key = key;
                cache->last_used = ++engine->clock;
                map_u64_put(engine->caches, key, cache);
        }
        return cache;
}

static void reserve_marks(struct class_engine *engine, size_t node_count) {
        if (engine->marks.set.bits == node_count)
                return;
        bitset_resize(&engine->marks.set, node_count);
        engine->marks.items =
                xreallocarray(engine->marks.items, node_count + 1, sizeof(*engine->marks.items));
        count_cache_limit(engine->counts, byte_limit(engine, node_count * COUNT_BYTES));
}

static bool bring_up_to_date(struct class_engine *engine, const struct cache_call *call,
                             const struct cache_plugins *plugins) {
        struct class_cache *cache = call->cache;
        if (class_cache_suits(call, plugins) && class_cache_catch_up(call)) {
                engine->stats.hits++;
        } else {
                engine->stats.bytes -= cache->bytes;
                engine->stats.builds++;
                bool is_built = class_cache_build(call, plugins);
                engine->stats.bytes += cache->bytes;
                cache->pause = is_built ? 0 : PAUSE;
                if (!is_built)
                        return false;
        }
        cache->last_used = ++engine->clock;
        while (engine->stats.bytes > byte_limit(engine, cache->bytes) && drop_some(engine, cache))
                continue;
        return true;
}

/* ---- choosing ---- */

/* Where no pods are counted all pods of a class are alike, else those with the same labels in one
 * namespace.  Keys are hashes of 64 bits; that two classes share one is not provided for. */
static uint64_t key_of(const struct sched_attempt *attempt, const struct cache_plugins *plugins) {
        uint64_t parts[] = { attempt->cycle.identity, (uint64_t)(uintptr_t)attempt->profile,
                             plugins->variant };
        if ((plugins->counted_filters | plugins->counted_scores | plugins->variant) == 0)
                return attempt->cycle.class->shape_hash;
        return hash_bytes(parts, sizeof(parts), 0);
}

/* Whether the pod comes for the first time, or no cache could be built lately. */
static bool has_to_wait(struct class_cache *cache) {
        if (!cache->was_seen) {
                cache->was_seen = true;
                return true;
        }
        if (cache->pause == 0)
                return false;
        cache->pause--;
        return true;
}

/* The pod's own refusals: of nodes that fit all pods of its shape, those that are left. */
static void refuse_others(struct cache_call *call, const struct bitset *left) {
        struct arena *scratch = call->attempt->cycle.scratch;
        struct bitset *refused = ARENA_NEW(scratch, struct bitset);
        *refused = cluster_live_nodes(call->cluster, scratch);
        bitset_and_not(refused, left);
        call->refused = refused;
}

/* True when pods nominated to a node that fits take it from the pod. */
static bool refuse_by_nominees(struct cache_call *call) {
        struct arena *scratch = call->attempt->cycle.scratch;
        const struct bitset *fits = &call->cache->fits;
        if (call->attempt->nominee_count == 0)
                return false;
        struct bitset left = bitset_in_arena(scratch, fits->bits);
        bitset_or(&left, fits);
        sched_attempt_drop_nominated(call->attempt, &left);
        sched_attempt_settle(call->attempt);
        if (bitset_count(&left) == call->cache->fitting_count)
                return false;
        refuse_others(call, &left);
        return true;
}

static bool find_fitting(struct class_engine *engine, struct cache_call *call,
                         const struct cache_plugins *plugins) {
        return bring_up_to_date(engine, call, plugins) &&
               (!refuse_by_nominees(call) || bring_up_to_date(engine, call, plugins));
}

enum engine_answer class_engine_choose(struct class_engine *engine, struct sched_attempt *attempt,
                                       struct rng *rng, struct engine_choice *ret_choice) {
        struct cache_call call = { .attempt = attempt,
                                   .cluster = attempt->cluster,
                                   .marks = &engine->marks };
        struct cache_plugins plugins;
        uint32_t best_count;
        int32_t total;
        assert(attempt->pre_filter.code == VERDICT_OK && !attempt->cycle.is_parity);
        sched_attempt_settle(attempt);
        reserve_marks(engine, cluster_nodes(call.cluster)->count);
        if (is_for_engine(attempt, &plugins))
                call.cache = cache_for(engine, key_of(attempt, &plugins));
        if (!call.cache || has_to_wait(call.cache)) {
                engine->stats.refusals++;
                return ENGINE_DECLINES;
        }
        call.volume_filters = plugins.volume_filters;
        if (!find_fitting(engine, &call, &plugins))
                return ENGINE_DECLINES;
        if (!top_tree_best(&call.cache->tree, &total, &best_count))
                return ENGINE_FOUND_NONE;
        uint32_t pick = rng && best_count > 1 ? (uint32_t)rng_below(rng, best_count) : 0;
        size_t node = top_tree_pick(&call.cache->tree, pick);
        *ret_choice = (struct engine_choice){ .node = { (uint32_t)node },
                                              .feasible_count = call.cache->fitting_count,
                                              .best_count = best_count,
                                              .total = call.cache->fitting_count > 1 ? total : 0,
                                              .feasible = &call.cache->fits,
                                              .totals = top_tree_leaves(&call.cache->tree) };
        return ENGINE_CHOSE;
}
