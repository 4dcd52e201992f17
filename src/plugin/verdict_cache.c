/* Verdicts and victims by node, cached from one attempt to the next. */
#include "plugin/verdict_cache.h"
#include "base/util.h"

#define NODES_MAX 20000 /* of larger clusters it is not worth the memory */
#define REASONS_MAX 64  /* different lists of reasons */
#define VICTIM_BYTES 64 /* of victims per node, in sum; beyond it the cache is rebuilt */
#define BREAKING (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_BUDGET)

struct node_result {
        uint64_t nominees; /* fingerprint of those that count there */
        bool is_judged, is_tried;
        struct node_refusal judged, tried; /* code OK: none */
        struct preemption_candidate candidate;
};
struct cached_reasons {
        uint32_t count;
        const struct slice *items;
};
struct verdict_cache {
        struct node_result *results; /* by node row; NULL until a second pod needs them */
        struct arena *arena;
        size_t victim_bytes, victim_bytes_max;
        size_t reason_count;
        struct cached_reasons reasons[REASONS_MAX];
};

/* ---- opening ---- */

/* The plugins that are asked, in order: those that look at one node settle a refusal, unless others
 * are asked before them.  Returns all. */
static uint64_t take_plugins(struct sched_attempt *attempt) {
        const struct profile_point *point = &attempt->profile->points[POINT_FILTER];
        uint64_t all = 0;
        bool is_first = true;
        attempt->verdict_plugins = attempt->verdict_volume_filters = 0;
        attempt->verdicts_are_partial = false;
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                enum cache_scope scope = attempt->profile->plugins[index].filter_scope;
                uint64_t bit = (uint64_t)1 << index;
                if (attempt->plugins[index].filter_skips)
                        continue;
                all |= bit;
                is_first = is_first && cache_scope_is_of_node(scope);
                if (is_first)
                        attempt->verdict_plugins |= bit;
                else if (scope == CACHE_SCOPE_VOLUMES)
                        attempt->verdict_volume_filters |= bit;
                else if (!cache_scope_is_of_node(scope))
                        attempt->verdicts_are_partial = true;
        }
        return all;
}

static bool may_keep(const struct sched_attempt *attempt) {
        return attempt->cycle.counts && !attempt->cycle.is_parity &&
               cluster_nodes(attempt->cluster)->count <= NODES_MAX &&
               slice_is_empty(attempt->cycle.node_name);
}

static void forget_node(void *context, struct node_id node) {
        struct node_result *result = &((struct verdict_cache *)context)->results[node.index];
        result->is_judged = result->is_tried = false;
}

static struct verdict_cache *verdict_cache_new(struct count_entry *entry) {
        struct verdict_cache *cache = ARENA_NEW(&entry->arena, struct verdict_cache);
        *cache = (struct verdict_cache){ .arena = &entry->arena,
                                         .victim_bytes_max =
                                                 (entry->node_count + 1) * VICTIM_BYTES };
        entry->value = cache;
        return cache;
}

void verdict_cache_open(struct sched_attempt *attempt) {
        struct count_updates news;
        if (attempt->verdicts_were_opened || !may_keep(attempt))
                return;
        attempt->verdicts_were_opened = true;
        uint64_t parts[] = { (uint64_t)(uintptr_t)attempt->profile,
                             attempt->cycle.class->shape_hash,
                             (uint64_t)(int64_t)attempt->cycle.priority, take_plugins(attempt) };
        uint64_t key =
                hash_bytes(parts, sizeof(parts), slice_hash(SLICE_LITERAL("verdicts by node")));
        if (!count_cache_recall(attempt->cycle.counts, attempt->cluster, key, BREAKING, &news))
                return;
        struct verdict_cache *cache = news.entry->value;
        if (!cache) {
                verdict_cache_new(news.entry);
                return;
        }
        if (cache->victim_bytes > cache->victim_bytes_max) {
                arena_clear(&news.entry->arena);
                cache = verdict_cache_new(news.entry);
        }
        if (!cache->results)
                cache->results = ARENA_ARRAY(cache->arena, struct node_result,
                                             cluster_nodes(attempt->cluster)->count + 1);
        else
                count_updates_each(&news, attempt->cluster, forget_node, cache);
        attempt->verdicts = cache;
}

/* ---- what may be used ---- */

static uint32_t first_nominee(const struct sched_attempt *attempt, struct node_id node) {
        return !attempt->first_nominee ? 0 : attempt->first_nominee[node.index];
}

/* Plugins that look at one node see no more of a nominee than its class. */
static uint64_t nominees_of(const struct sched_attempt *attempt, struct node_id node) {
        uint64_t hash = 0;
        for (uint32_t i = first_nominee(attempt, node); i > 0; i = attempt->nominees[i - 1].next) {
                const struct pod_row *row =
                        cluster_pod(attempt->cluster, attempt->nominees[i - 1].pod);
                uint64_t parts[] = { cluster_class(attempt->cluster, row->class)->hash, hash };
                hash = hash_bytes(parts, sizeof(parts), 1);
        }
        return hash;
}

static struct node_result *result_of(struct sched_attempt *attempt, struct node_id node) {
        if (!attempt->verdicts)
                return NULL;
        struct node_result *result = &attempt->verdicts->results[node.index];
        uint64_t nominees = nominees_of(attempt, node);
        if (result->nominees != nominees) {
                result->nominees = nominees;
                result->is_judged = result->is_tried = false;
        }
        return result;
}

/* No plugin that looks beyond the node makes a difference there, whichever victims go: the pod's
 * volumes are admitted, and no pods are counted. */
static bool is_on_its_own(struct sched_attempt *attempt, struct node_id node) {
        if (attempt->verdicts_are_partial)
                return false;
        if (attempt->verdict_volume_filters == 0)
                return true;
        if (first_nominee(attempt, node) > 0)
                return false;
        if (!attempt->verdict_admitted) {
                struct bitset *admitted = ARENA_NEW(attempt->cycle.scratch, struct bitset);
                *admitted = cluster_live_nodes(attempt->cluster, attempt->cycle.scratch);
                sched_attempt_narrow(attempt, attempt->verdict_volume_filters, admitted);
                attempt->verdict_admitted = admitted;
        }
        return bitset_has(attempt->verdict_admitted, node.index);
}

static bool is_by_one_of(const struct sched_attempt *attempt, uint64_t plugins,
                         const struct node_refusal *refusal) {
        for (uint64_t left = plugins; left != 0; left &= left - 1)
                if (attempt->profile->plugins[__builtin_ctzll(left)].plugin == refusal->plugin)
                        return true;
        return false;
}

/* A refusal before any plugin was asked that looks beyond the node. Preemption's own messages name
 * no plugin. */
static bool is_early(const struct sched_attempt *attempt, const struct node_refusal *refusal) {
        return refusal->code != VERDICT_OK &&
               (!refusal->plugin || is_by_one_of(attempt, attempt->verdict_plugins, refusal));
}

/* Whether it goes for other pods of the class.  What volumes and claims refuse does not, and is
 * not worth asking about them once more. */
static bool is_of_class(struct sched_attempt *attempt, struct node_id node,
                        const struct node_refusal *refusal) {
        return is_early(attempt, refusal) ||
               (!is_by_one_of(attempt, attempt->verdict_volume_filters, refusal) &&
                is_on_its_own(attempt, node));
}

/* ---- reasons ---- */

static bool are_reasons_eq(const struct cached_reasons *stored,
                           const struct node_refusal *refusal) {
        if (stored->count != refusal->reason_count)
                return false;
        for (uint32_t i = 0; i < stored->count; i++)
                if (!slice_eq(stored->items[i], refusal->reasons[i]))
                        return false;
        return true;
}

/* Makes the refusal point to texts that stay; false: there are too many. */
static bool keep_reasons(struct verdict_cache *cache, struct node_refusal *refusal) {
        size_t at = 0;
        while (at < cache->reason_count && !are_reasons_eq(&cache->reasons[at], refusal))
                at++;
        if (at == REASONS_MAX)
                return false;
        if (at == cache->reason_count) {
                struct slice *items =
                        ARENA_ARRAY(cache->arena, struct slice, refusal->reason_count);
                for (uint32_t i = 0; i < refusal->reason_count; i++)
                        items[i] = arena_slice(cache->arena, refusal->reasons[i]);
                cache->reasons[cache->reason_count++] =
                        (struct cached_reasons){ refusal->reason_count, items };
        }
        refusal->reasons = cache->reasons[at].items;
        return true;
}

/* ---- verdicts ---- */

bool verdict_cache_find(struct sched_attempt *attempt, struct node_id node,
                        struct node_refusal *ret_refusal) {
        const struct node_result *result = result_of(attempt, node);
        if (!result || !result->is_judged)
                return false;
        if (!is_of_class(attempt, node, &result->judged))
                return false;
        *ret_refusal = result->judged;
        return true;
}

void verdict_cache_put(struct sched_attempt *attempt, struct node_id node,
                       const struct node_refusal *refusal) {
        const struct node_refusal fits = { .node = node, .code = VERDICT_OK };
        struct node_result *result = result_of(attempt, node);
        if (!refusal)
                refusal = &fits;
        if (!result || !is_of_class(attempt, node, refusal))
                return;
        result->judged = *refusal;
        result->is_judged = keep_reasons(attempt->verdicts, &result->judged);
}

/* ---- preemption ---- */

bool verdict_cache_find_preemption(struct sched_attempt *attempt, struct node_id node,
                                   struct node_refusal *ret_refusal,
                                   struct preemption_candidate *ret_candidate) {
        const struct node_result *result = result_of(attempt, node);
        if (!result || !result->is_tried || !is_of_class(attempt, node, &result->tried))
                return false;
        *ret_refusal = result->tried;
        *ret_candidate = result->candidate;
        return true;
}

void verdict_cache_put_rejected(struct sched_attempt *attempt, struct node_id node,
                                const struct node_refusal *refusal) {
        struct node_result *result = result_of(attempt, node);
        if (!result || !is_of_class(attempt, node, refusal))
                return;
        result->tried = *refusal;
        result->is_tried = keep_reasons(attempt->verdicts, &result->tried);
}

void verdict_cache_put_candidate(struct sched_attempt *attempt,
                                 const struct preemption_candidate *candidate) {
        struct node_result *result = result_of(attempt, candidate->node);
        struct verdict_cache *cache = attempt->verdicts;
        size_t bytes = candidate->victim_count * sizeof(*candidate->victims);
        if (!result || !is_on_its_own(attempt, candidate->node))
                return;
        result->candidate = *candidate;
        result->candidate.victims = arena_copy(cache->arena, candidate->victims, bytes);
        result->tried = (struct node_refusal){ .node = candidate->node, .code = VERDICT_OK };
        result->is_tried = true;
        cache->victim_bytes += bytes;
}
