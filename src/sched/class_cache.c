/* Building and following the cache of a class. */
#include "sched/class_cache.h"
#include "base/util.h"
#include <stdlib.h>

/* More nodes than this share of all are cheaper taken in one pass. */
#define BULK_SHARE 16

static const struct profile_plugin *plugin_at(const struct cache_call *call, size_t index) {
        return &call->attempt->profile->plugins[index];
}

static void *filter_state(const struct cache_call *call, size_t index) {
        return call->attempt->plugins[index].filter_state;
}

static void *score_state(const struct cache_call *call, size_t index) {
        return call->attempt->plugins[index].score_state;
}

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
                free(cache->scores[i].offers);
        }
        top_tree_release(&cache->tree);
        node_list_release(&cache->as_if);
        *cache = (struct class_cache){ .key = cache->key,
                                       .last_used = cache->last_used,
                                       .was_seen = true,
                                       .pause = cache->pause };
}

bool class_cache_suits(const struct cache_call *call, const struct cache_plugins *plugins) {
        const struct class_cache *cache = call->cache;
        return cache->generation != 0 && cache->profile == call->attempt->profile &&
               cache->plugins.filters == plugins->filters &&
               cache->plugins.scores == plugins->scores &&
               cache->node_count == cluster_nodes(call->cluster)->count;
}

/* ---- one update ---- */

struct update {
        const struct cache_call *call;
        struct class_cache *cache;
        bool is_bulk;        /* users and totals are made anew, nodes need not be marked */
        bool has_new_values; /* raw values came into use or went out of it */
};

/* A node is about to change: it gives its raw values back. */
static void mark(struct update *update, size_t node) {
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

static void clear_marks(struct node_marks *marks) {
        for (size_t i = 0; i < marks->count; i++)
                bitset_remove(&marks->set, marks->items[i]);
        marks->count = 0;
}

/* ---- local plugins, one node ---- */

static bool plugin_admits(const struct cache_call *call, size_t index, struct node_id node) {
        const struct profile_plugin *plugin = plugin_at(call, index);
        struct verdict verdict;
        verdict.code = VERDICT_OK;
        verdict.reason_count = 0;
        plugin->plugin->sched->explain(&call->attempt->cycle, plugin->state,
                                       filter_state(call, index), node, &verdict);
        return verdict.code == VERDICT_OK;
}

/* wants_pods: the plugins that look at the node's pods, or the others. */
static bool node_fits(const struct cache_call *call, struct node_id node, bool wants_pods) {
        const struct cache_plugins *plugins = &call->cache->plugins;
        for (uint64_t left = plugins->filters & ~plugins->counted_filters; left != 0;
             left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                if (plugin_at(call, index)->plugin->sched->reads_node_pods == wants_pods &&
                    !plugin_admits(call, index, node))
                        return false;
        }
        return true;
}

static int64_t plugin_score(const struct cache_call *call, size_t index, struct node_id node) {
        const struct profile_plugin *plugin = plugin_at(call, index);
        int64_t score;
        plugin->plugin->sched->score(&call->attempt->cycle, plugin->state, score_state(call, index),
                                     (struct node_batch){ &node, 1 }, &score);
        return score;
}

static int32_t node_score(const struct cache_call *call, struct node_id node, bool wants_pods) {
        int64_t sum = 0;
        for (uint64_t left = call->cache->plugins.scores; left != 0; left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                const struct profile_plugin *plugin = plugin_at(call, index);
                if (plugin->plugin->sched->normalize == NULL &&
                    plugin->plugin->sched->reads_node_pods == wants_pods)
                        sum += plugin_score(call, index, node) * plugin->weight;
        }
        return (int32_t)sum;
}

static void put_bit(struct bitset *set, size_t at, bool value) {
        if (value)
                bitset_add(set, at);
        else
                bitset_remove(set, at);
}

/* A node's own part; false when there are too many raw values. */
static bool refresh_static(const struct cache_call *call, struct node_id node) {
        struct class_cache *cache = call->cache;
        put_bit(&cache->static_fits, node.index, node_fits(call, node, false));
        cache->static_scores[node.index] = node_score(call, node, false);
        for (size_t i = 0; i < cache->score_count; i++) {
                struct normalized_score *score = &cache->scores[i];
                if (score->follow == NULL &&
                    !distinct_scores_set(&score->distinct, node,
                                         plugin_score(call, score->plugin, node), false))
                        return false;
        }
        return true;
}

/* Changes that leave the node itself as it was. */
#define POD_CHANGES (CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED)
#define REBUILD_CHANGES (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_IMAGES)

static bool refresh(struct update *update, struct node_id node, uint32_t mask) {
        const struct cache_call *call = update->call;
        struct class_cache *cache = update->cache;
        mark(update, node.index);
        if ((mask & ~(uint32_t)POD_CHANGES) != 0 && !refresh_static(call, node))
                return false;
        cache->own_scores[node.index] =
                cache->static_scores[node.index] + node_score(call, node, true);
        put_bit(&cache->own_fits, node.index,
                bitset_has(&cache->static_fits, node.index) && node_fits(call, node, true));
        return true;
}

static bool refresh_run(struct update *update, const struct cluster_change *changes, size_t count) {
        const struct bitset *live = &cluster_nodes(update->call->cluster)->live;
        for (size_t i = 0; i < count; i++) {
                if ((changes[i].mask & REBUILD_CHANGES) != 0)
                        return false;
                if (!node_id_is_none(changes[i].node) && bitset_has(live, changes[i].node.index) &&
                    !refresh(update, changes[i].node, changes[i].mask))
                        return false;
        }
        return true;
}

/* ---- plugins that count pods ---- */

/* Whether the memory's news say all that happened since the cache was up to date. */
static bool has_all_news(const struct follow_mark *mark, const struct memory_entry *entry) {
        return mark->version == entry->news.version ||
               (mark->version >= entry->news.since && !entry->news.is_incomplete);
}

/* Nodes of the domains that changed. */
static void add_news(const struct follow_mark *mark, const struct memory_entry *entry,
                     struct bitset *nodes) {
        for (size_t i = entry->news.count; i-- > 0;) {
                const struct domain_change *change = &entry->news.items[i];
                const struct topology *topology = change->topology;
                if (change->version <= mark->version)
                        break;
                if (change->domain == topology->domain_count) { /* the nodes without the label */
                        for (size_t n = 0; n < topology->node_count; n++)
                                if (topology->domain[n] == DOMAIN_NONE)
                                        bitset_add(nodes, n);
                        continue;
                }
                for (uint32_t n = topology->first[change->domain];
                     n < topology->first[change->domain + 1]; n++)
                        bitset_add(nodes, topology->members[n].index);
        }
}

static uint64_t frame_of(const struct sched_follow *follow, void *state, const uint32_t *offers) {
        return follow->frame == NULL ? 0 : follow->frame(state, offers);
}

/* Asks a filter about the nodes its word may have changed on. */
static void follow_filter(const struct cache_call *call, struct counted_filter *filter) {
        const struct profile_plugin *plugin = plugin_at(call, filter->plugin);
        const struct sched_points *sched = plugin->plugin->sched;
        void *state = filter_state(call, filter->plugin);
        const struct memory_entry *entry = sched->filter_follow->entry(state);
        struct arena *scratch = call->attempt->cycle.scratch;
        struct follow_mark now = { entry->epoch, frame_of(sched->filter_follow, state, NULL),
                                   entry->news.version };
        struct bitset asked = bitset_in_arena(scratch, call->cache->node_count);
        if (filter->mark.epoch != now.epoch || filter->mark.frame != now.frame ||
            !has_all_news(&filter->mark, entry))
                bitset_or(&asked, &cluster_nodes(call->cluster)->live);
        else
                add_news(&filter->mark, entry, &asked);
        filter->mark = now;
        if (bitset_is_empty(&asked))
                return;
        bitset_and_not(&filter->admits, &asked);
        sched->filter(&call->attempt->cycle, plugin->state, state, &asked);
        bitset_or(&filter->admits, &asked);
}

/* ---- who fits ---- */

static void refit_node(struct update *update, size_t node, bool fits) {
        const struct cache_call *call = update->call;
        struct class_cache *cache = update->cache;
        mark(update, node);
        put_bit(&cache->fits, node, fits);
        cache->fitting_count += fits ? 1 : (size_t)-1;
        for (size_t i = 0; i < cache->score_count; i++) {
                const struct normalized_score *score = &cache->scores[i];
                if (score->offers != NULL)
                        score->follow->offer(score_state(call, score->plugin),
                                             (struct node_id){ (uint32_t)node }, fits,
                                             score->offers);
        }
}

static uint64_t fits_of_word(const struct class_cache *cache, size_t word) {
        uint64_t fits = cache->own_fits.words[word] & ~cache->refused.words[word];
        for (size_t i = 0; i < cache->filter_count; i++)
                fits &= cache->filters[i].admits.words[word];
        return fits;
}

static size_t count_refits(const struct class_cache *cache, size_t words) {
        size_t count = 0;
        for (size_t i = 0; i < words; i++)
                count +=
                        (size_t)__builtin_popcountll(fits_of_word(cache, i) ^ cache->fits.words[i]);
        return count;
}

static void refit_all(struct update *update) {
        struct class_cache *cache = update->cache;
        size_t words = (cache->node_count + 63) / 64;
        if (count_refits(cache, words) > cache->node_count / BULK_SHARE)
                update->is_bulk = true;
        for (size_t word = 0; word < words; word++) {
                uint64_t fits = fits_of_word(cache, word);
                for (uint64_t left = fits ^ cache->fits.words[word]; left != 0; left &= left - 1) {
                        size_t bit = (size_t)__builtin_ctzll(left);
                        refit_node(update, word * 64 + bit, (fits >> bit & 1) != 0);
                }
        }
}

/* True when some nodes were refused to the last pod, or are to this one. */
static bool take_refused(const struct cache_call *call) {
        struct class_cache *cache = call->cache;
        bool has_any = call->refused != NULL || !bitset_is_empty(&cache->refused);
        bitset_clear(&cache->refused);
        if (call->refused != NULL)
                bitset_or(&cache->refused, call->refused);
        return has_any;
}

/* Without filters that count pods or refuse this pod alone, only marked nodes can have changed. */
static void refit(struct update *update) {
        struct class_cache *cache = update->cache;
        const struct node_marks *marks = update->call->marks;
        bool has_refusals = take_refused(update->call);
        if (update->is_bulk || cache->filter_count > 0 || has_refusals) {
                refit_all(update);
                return;
        }
        for (size_t i = 0; i < marks->count; i++) {
                bool fits = bitset_has(&cache->own_fits, marks->items[i]);
                if (fits != bitset_has(&cache->fits, marks->items[i]))
                        refit_node(update, marks->items[i], fits);
        }
}

/* ---- scores of plugins that count pods ---- */

static size_t list_nodes(const struct bitset *nodes, struct arena *arena,
                         struct node_id **ret_list) {
        struct node_id *list = ARENA_ARRAY(arena, struct node_id, bitset_count(nodes));
        size_t count = 0;
        for (size_t word = 0; word < (nodes->bits + 63) / 64; word++)
                for (uint64_t left = nodes->words[word]; left != 0; left &= left - 1)
                        list[count++].index = (uint32_t)(word * 64 + (size_t)__builtin_ctzll(left));
        *ret_list = list;
        return count;
}

static bool rescore(const struct cache_call *call, struct normalized_score *score,
                    const struct bitset *nodes) {
        const struct profile_plugin *plugin = plugin_at(call, score->plugin);
        struct arena *scratch = call->attempt->cycle.scratch;
        void *state = score_state(call, score->plugin);
        struct node_id *batch;
        size_t count = list_nodes(nodes, scratch, &batch);
        int64_t *raws = ARENA_ARRAY(scratch, int64_t, count);
        plugin->plugin->sched->score(&call->attempt->cycle, plugin->state, state,
                                     (struct node_batch){ batch, count }, raws);
        for (size_t i = 0; i < count; i++) {
                bool is_left_out = score->follow->leaves_out != NULL &&
                                   score->follow->leaves_out(state, batch[i]);
                if (!distinct_scores_set(&score->distinct, batch[i], raws[i], is_left_out))
                        return false;
        }
        return true;
}

static bool follow_score(struct update *update, struct normalized_score *score) {
        const struct cache_call *call = update->call;
        struct class_cache *cache = update->cache;
        void *state = score_state(call, score->plugin);
        const struct memory_entry *entry = score->follow->entry(state);
        struct follow_mark now = { entry->epoch, frame_of(score->follow, state, score->offers),
                                   entry->news.version };
        struct bitset nodes = bitset_in_arena(call->attempt->cycle.scratch, cache->node_count);
        if (score->mark.epoch != now.epoch || score->mark.frame != now.frame ||
            !has_all_news(&score->mark, entry)) {
                update->is_bulk = true;
                distinct_scores_clear(&score->distinct);
                bitset_or(&nodes, &cache->fits);
        } else {
                add_news(&score->mark, entry, &nodes);
                bitset_or(&nodes, update->is_bulk ? &cache->fits : &call->marks->set);
                bitset_and(&nodes, &cache->fits);
                if (bitset_count(&nodes) > cache->node_count / BULK_SHARE)
                        update->is_bulk = true;
        }
        score->mark = now;
        for (size_t i = bitset_next(&nodes, 0); !update->is_bulk && i != SIZE_MAX;
             i = bitset_next(&nodes, i + 1))
                mark(update, i);
        return rescore(call, score, &nodes);
}

/* ---- totals ---- */

/* Normalises the values in use; true when one of them changed. */
static bool renormalize(const struct cache_call *call, struct normalized_score *score) {
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
                has_changed |= renormalize(call, &call->cache->scores[i]);
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

static void settle(struct update *update) {
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

/* Everything after the local plugins' part. */
static bool follow(struct update *update) {
        struct class_cache *cache = update->cache;
        for (size_t i = 0; i < cache->filter_count; i++)
                follow_filter(update->call, &cache->filters[i]);
        refit(update);
        for (size_t i = 0; i < cache->score_count; i++)
                if (cache->scores[i].follow != NULL && !follow_score(update, &cache->scores[i]))
                        return false;
        settle(update);
        cache->generation = cluster_generation(update->call->cluster);
        node_list_set_touched(&cache->as_if, update->call->cluster);
        return true;
}

/* ---- building ---- */

static void filter_batch(const struct cache_call *call, bool wants_pods, struct bitset *nodes) {
        const struct cache_plugins *plugins = &call->cache->plugins;
        for (uint64_t left = plugins->filters & ~plugins->counted_filters; left != 0;
             left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                const struct profile_plugin *plugin = plugin_at(call, index);
                if (plugin->plugin->sched->reads_node_pods == wants_pods)
                        plugin->plugin->sched->filter(&call->attempt->cycle, plugin->state,
                                                      filter_state(call, index), nodes);
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
        score->follow = plugin_at(call, index)->plugin->sched->score_follow;
        if (score->follow->offer_count != NULL) {
                score->offer_count = score->follow->offer_count(score_state(call, index));
                score->offers = xcalloc(score->offer_count, sizeof(uint32_t));
        }
        return score;
}

static bool take_raws(const struct cache_call *call, size_t index, struct node_batch live,
                      const int64_t *raws) {
        struct normalized_score *score = add_normalized(call, index);
        if (score == NULL)
                return false;
        for (size_t i = 0; i < live.count; i++)
                if (!distinct_scores_set(&score->distinct, live.nodes[i], raws[i], false))
                        return false;
        return true;
}

static bool score_batch(const struct cache_call *call, struct node_batch live) {
        struct class_cache *cache = call->cache;
        int64_t *scores = ARENA_ARRAY(call->attempt->cycle.scratch, int64_t, live.count);
        for (uint64_t left = cache->plugins.scores; left != 0; left &= left - 1) {
                size_t index = (size_t)__builtin_ctzll(left);
                const struct profile_plugin *plugin = plugin_at(call, index);
                const struct sched_points *sched = plugin->plugin->sched;
                if ((cache->plugins.counted_scores >> index & 1) != 0) {
                        if (add_normalized(call, index) == NULL)
                                return false;
                        continue;
                }
                sched->score(&call->attempt->cycle, plugin->state, score_state(call, index), live,
                             scores);
                if (sched->normalize != NULL) {
                        if (!take_raws(call, index, live, scores))
                                return false;
                        continue;
                }
                for (size_t i = 0; i < live.count; i++) {
                        int32_t weighted = (int32_t)(scores[i] * plugin->weight);
                        cache->own_scores[live.nodes[i].index] += weighted;
                        if (!sched->reads_node_pods)
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

static void measure(struct class_cache *cache) {
        cache->bytes = sizeof(*cache) + top_tree_bytes(&cache->tree) +
                       cache->node_count * (2 * sizeof(int32_t) + cache->score_count) +
                       (4 + cache->filter_count) * (cache->node_count / 8);
        for (size_t i = 0; i < cache->score_count; i++)
                cache->bytes += cache->scores[i].offer_count * sizeof(uint32_t) +
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
        bool is_built = add_filters(call) && score_batch(call, live) && follow(&update);
        measure(cache);
        if (!is_built)
                cache->generation = 0;
        return is_built;
}

/* ---- catching up ---- */

static bool are_epochs_current(const struct cache_call *call) {
        struct class_cache *cache = call->cache;
        for (size_t i = 0; i < cache->filter_count; i++) {
                size_t plugin = cache->filters[i].plugin;
                const struct sched_follow *own =
                        plugin_at(call, plugin)->plugin->sched->filter_follow;
                if (own->entry(filter_state(call, plugin))->epoch != cache->filters[i].mark.epoch)
                        return false;
        }
        for (size_t i = 0; i < cache->score_count; i++) {
                const struct normalized_score *score = &cache->scores[i];
                if (score->follow != NULL &&
                    score->follow->entry(score_state(call, score->plugin))->epoch !=
                            score->mark.epoch)
                        return false;
        }
        return true;
}

/* Nodes of what-ifs; without: those left out (NULL = none). */
static bool refresh_list(struct update *update, const struct node_id *nodes, size_t count,
                         const struct bitset *without) {
        const struct bitset *live = &cluster_nodes(update->call->cluster)->live;
        for (size_t i = 0; i < count; i++)
                if (bitset_has(live, nodes[i].index) &&
                    (without == NULL || !bitset_has(without, nodes[i].index)) &&
                    !refresh(update, nodes[i], CLUSTER_POD_REMOVED))
                        return false;
        return true;
}

static bool are_refusals_current(const struct cache_call *call) {
        if (call->refused == NULL)
                return bitset_is_empty(&call->cache->refused);
        return memcmp(call->refused->words, call->cache->refused.words,
                      (call->cache->node_count + 63) / 64 * sizeof(uint64_t)) == 0;
}

bool class_cache_catch_up(const struct cache_call *call) {
        struct class_cache *cache = call->cache;
        struct update update = { .call = call, .cache = cache };
        struct change_range range;
        const struct node_id *touched;
        size_t touched_count = cluster_touched_list(call->cluster, &touched);
        if (!are_epochs_current(call))
                return false;
        if (cache->generation == cluster_generation(call->cluster) && touched_count == 0 &&
            cache->as_if.count == 0 && are_refusals_current(call))
                return true;
        if (!cluster_changes_since(call->cluster, cache->generation, &range) ||
            range.first_count + range.second_count > cache->node_count / 4 + 16)
                return false;
        clear_marks(call->marks);
        bool is_current = refresh_run(&update, range.first, range.first_count) &&
                          refresh_run(&update, range.second, range.second_count) &&
                          refresh_list(&update, cache->as_if.items, cache->as_if.count,
                                       cluster_touched_nodes(call->cluster)) &&
                          refresh_list(&update, touched, touched_count, NULL) && follow(&update);
        clear_marks(call->marks);
        return is_current;
}
