/* Which nodes the pods of a class fit, and the raw scores of plugins that count pods, updated from
 * the changes that the count caches of these plugins report.
 *
 * A counting plugin's answer for a node follows from the numbers of the node's domains and from a
 * fingerprint that is the same for all nodes (plugin/cache_hints.h).  So with the same epoch and
 * fingerprint only nodes of domains named in the news can have another answer.  Each filter and
 * score keeps a mark of the epoch, fingerprint and version its answers are from. */
#include "sched/class_cache_priv.h"

/* ---- plugins that count pods ---- */

/* Whether the memory's news say all that happened since the cache was up to date. */
static bool has_all_news(const struct follow_mark *mark, const struct count_entry *entry) {
        return mark->version == entry->news.version ||
               (mark->version >= entry->news.since && !entry->news.is_incomplete);
}

/* Nodes of the domains that changed, of all topologies but one (NULL = none).  News are listed
 * oldest first, so going backwards ends at the first that is known. */
static void add_news(const struct follow_mark *mark, const struct count_entry *entry,
                     const struct topology *but, struct bitset *nodes) {
        for (size_t i = entry->news.count; i-- > 0;) {
                const struct domain_change *change = &entry->news.items[i];
                const struct topology *topology = change->topology;
                if (change->version <= mark->version)
                        break;
                if (!topology) {
                        bitset_add(nodes, change->domain);
                        continue;
                }
                if (topology == but)
                        continue;
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

static uint64_t fingerprint_of(const struct count_hints *follow, void *state,
                               const uint32_t *feasible) {
        return !follow->fingerprint ? 0 : follow->fingerprint(state, feasible);
}

/* Asks about one node of each domain, and takes its word for the others. */
static void follow_domains(const struct cache_call *call, struct counted_filter *filter) {
        const struct topology *topology = filter->uniform;
        for (uint32_t domain = 0; domain < topology->domain_count; domain++) {
                const struct node_id *nodes = &topology->members[topology->first[domain]];
                uint32_t count = topology->first[domain + 1] - topology->first[domain];
                if (count == 0)
                        continue;
                bool admits = cache_plugin_admits(call, filter->plugin, nodes[0]);
                if (admits == bitset_has(&filter->admits, nodes[0].index))
                        continue;
                for (uint32_t i = 0; i < count; i++)
                        put_bit(&filter->admits, nodes[i].index, admits);
        }
}

/* Asks a filter about the nodes its word may have changed on. */
void cache_follow_filter(const struct cache_call *call, struct counted_filter *filter) {
        const struct profile_plugin *plugin = plugin_at(call, filter->plugin);
        const struct count_hints *follow = plugin->plugin->sched->hints->filter_counts;
        void *state = filter_state(call, filter->plugin);
        const struct count_entry *entry = follow->entry(state);
        struct arena *scratch = call->attempt->cycle.scratch;
        struct follow_mark now = { entry->epoch, fingerprint_of(follow, state, NULL),
                                   entry->news.version };
        const struct topology *uniform = !follow->uniform ? NULL : follow->uniform(state);
        bool is_same = filter->mark.epoch == now.epoch && filter->uniform == uniform;
        filter->uniform = uniform;
        if (uniform && is_same) {
                filter->mark = now;
                follow_domains(call, filter);
                return;
        }
        struct bitset asked = bitset_in_arena(scratch, call->cache->node_count);
        if (filter->mark.epoch != now.epoch || filter->mark.fingerprint != now.fingerprint ||
            !has_all_news(&filter->mark, entry))
                bitset_or(&asked, &cluster_nodes(call->cluster)->live);
        else
                add_news(&filter->mark, entry, NULL, &asked);
        filter->mark = now;
        if (bitset_is_empty(&asked))
                return;
        bitset_and_not(&filter->admits, &asked);
        sched_attempt_filter_by(call->attempt, filter->plugin, &asked);
        bitset_or(&filter->admits, &asked);
}

/* ---- who fits ---- */

static void refit_node(struct update *update, size_t node, bool fits) {
        const struct cache_call *call = update->call;
        struct class_cache *cache = update->cache;
        cache_mark(update, node);
        put_bit(&cache->fits, node, fits);
        cache->fitting_count += fits ? 1 : (size_t)-1;
        for (size_t i = 0; i < cache->score_count; i++) {
                const struct normalized_score *score = &cache->scores[i];
                if (score->feasible)
                        score->follow->feasible_changed(score_state(call, score->plugin),
                                                        (struct node_id){ (uint32_t)node }, fits,
                                                        score->feasible);
        }
}

/* 64 nodes at a time, whatever is refused to the pod alone. */
static uint64_t class_fits_of_word(const struct class_cache *cache, size_t word) {
        uint64_t fits = cache->own_fits.words[word];
        for (size_t i = 0; i < cache->filter_count; i++)
                fits &= cache->filters[i].admits.words[word];
        return fits;
}

static uint64_t fits_of_word(const struct class_cache *cache, size_t word) {
        return class_fits_of_word(cache, word) & ~cache->refused.words[word];
}

static size_t count_refits(const struct class_cache *cache, size_t words) {
        size_t count = 0;
        for (size_t i = 0; i < words; i++)
                count +=
                        (size_t)__builtin_popcountll(fits_of_word(cache, i) ^ cache->fits.words[i]);
        return count;
}

/* Whether a node fits is compared with what it was, word by word, and only differences are acted
 * on. With many differences nodes are not marked: all totals are recomputed then. */
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

/* Of the nodes that fit all pods of the class, those that volumes and claims of this one rule out.
 */
static const struct bitset *refused_by_volumes(const struct cache_call *call) {
        struct class_cache *cache = call->cache;
        struct arena *scratch = call->attempt->cycle.scratch;
        struct bitset *refused = ARENA_NEW(scratch, struct bitset);
        struct bitset left = bitset_in_arena(scratch, cache->node_count);
        for (size_t word = 0; word < (cache->node_count + 63) / 64; word++)
                left.words[word] = class_fits_of_word(cache, word);
        *refused = bitset_in_arena(scratch, cache->node_count);
        bitset_or(refused, &left);
        sched_attempt_narrow(call->attempt, call->volume_filters, &left);
        bitset_and_not(refused, &left);
        return refused;
}

/* True when some nodes were refused to the last pod, or are to this one. */
static bool take_refused(const struct cache_call *call) {
        struct class_cache *cache = call->cache;
        const struct bitset *refused = call->refused;
        if (!refused && call->volume_filters != 0)
                refused = refused_by_volumes(call);
        bool has_any = refused || cache->has_refused;
        if (cache->has_refused)
                bitset_clear(&cache->refused);
        if (refused)
                bitset_or(&cache->refused, refused);
        cache->has_refused = refused && !bitset_is_empty(refused);
        return has_any;
}

/* Without filters that count pods or refuse this pod alone, only marked nodes can have changed. */
void cache_refit(struct update *update) {
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

static bool class_cache_follow_rescore(const struct cache_call *call,
                                       struct normalized_score *score, const struct bitset *nodes) {
        const struct profile_plugin *plugin = plugin_at(call, score->plugin);
        struct arena *scratch = call->attempt->cycle.scratch;
        void *state = score_state(call, score->plugin);
        struct node_id *batch;
        size_t count = list_nodes(nodes, scratch, &batch);
        int64_t *raws = ARENA_ARRAY(scratch, int64_t, count);
        int64_t since_ns = plugin_run_begin(call->attempt);
        plugin->plugin->sched->score(&call->attempt->cycle, plugin->state, state,
                                     (struct node_batch){ batch, count }, raws);
        plugin_run_end(call->attempt, score->plugin, POINT_SCORE, VERDICT_OK, since_ns);
        for (size_t i = 0; i < count; i++) {
                bool is_left_out =
                        score->follow->leaves_out && score->follow->leaves_out(state, batch[i]);
                if (!distinct_scores_set(&score->distinct, batch[i], raws[i], is_left_out))
                        return false;
        }
        return true;
}

static bool find_kinds(const struct cache_call *call, struct normalized_score *score,
                       const struct bitset *nodes) {
        const struct count_hints *follow = score->follow;
        const void *state = score_state(call, score->plugin);
        for (size_t word = 0; word < (nodes->bits + 63) / 64; word++)
                for (uint64_t left = nodes->words[word]; left != 0; left &= left - 1) {
                        struct node_id node = { (uint32_t)(word * 64 +
                                                           (size_t)__builtin_ctzll(left)) };
                        bool is_left_out = follow->leaves_out && follow->leaves_out(state, node);
                        if (!distinct_scores_set_kind(&score->distinct, node,
                                                      follow->kind(state, node), is_left_out))
                                return false;
                }
        return true;
}

/* What the kinds are worth now. */
static void class_cache_follow_revalue(struct update *update, struct normalized_score *score) {
        struct distinct_scores *distinct = &score->distinct;
        const void *state = score_state(update->call, score->plugin);
        for (size_t i = 0; i < distinct->count; i++) {
                int64_t raw = score->follow->score_of_kind(state, distinct->values[i].kind);
                if (raw != distinct->values[i].raw)
                        update->has_new_values = true;
                distinct->values[i].raw = raw;
        }
}

bool cache_follow_score(struct update *update, struct normalized_score *score) {
        const struct cache_call *call = update->call;
        struct class_cache *cache = update->cache;
        void *state = score_state(call, score->plugin);
        const struct count_entry *entry = score->follow->entry(state);
        struct follow_mark now = { entry->epoch,
                                   fingerprint_of(score->follow, state, score->feasible),
                                   entry->news.version };
        const struct topology *coarse =
                !score->follow->coarse ? NULL : score->follow->coarse(state);
        struct bitset nodes = bitset_in_arena(call->attempt->cycle.scratch, cache->node_count);
        /* With kinds another fingerprint is no reason to ask nodes: it changes what kinds are
         * worth, and all kinds are valued again below. */
        if (score->mark.epoch != now.epoch || score->coarse != coarse ||
            (!coarse && score->mark.fingerprint != now.fingerprint) ||
            !has_all_news(&score->mark, entry)) {
                update->is_bulk = true;
                distinct_scores_clear(&score->distinct);
                bitset_or(&nodes, &cache->fits);
        } else {
                /* Nodes that began to fit are marked and have no value yet; the coarse topology's
                 * domains change kinds' worth only. */
                add_news(&score->mark, entry, coarse, &nodes);
                bitset_or(&nodes, update->is_bulk ? &cache->fits : &call->marks->set);
                bitset_and(&nodes, &cache->fits);
                if (bitset_count(&nodes) > cache->node_count / BULK_SHARE)
                        update->is_bulk = true;
        }
        score->mark = now;
        score->coarse = coarse;
        for (size_t i = bitset_next(&nodes, 0); !update->is_bulk && i != SIZE_MAX;
             i = bitset_next(&nodes, i + 1))
                cache_mark(update, i);
        if (!coarse)
                return class_cache_follow_rescore(call, score, &nodes);
        if (!find_kinds(call, score, &nodes))
                return false;
        class_cache_follow_revalue(update, score);
        return true;
}
