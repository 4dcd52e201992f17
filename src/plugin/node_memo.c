/* Verdicts and victims by node, kept from one attempt to the next. */
#include "plugin/node_memo.h"
#include "base/util.h"

#define NODES_MAX 20000 /* of larger clusters it is not worth the room */
#define REASONS_MAX 64  /* different lists of reasons */
#define VICTIM_BYTES 64 /* of victims per node, all in all; then it is made anew */
#define BREAKING (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_BUDGET)

struct node_result {
        uint64_t nominees; /* fingerprint of those that count there */
        bool is_judged, is_tried;
        struct node_refusal judged, tried; /* code OK: none */
        struct preemption_candidate candidate;
};
struct kept_reasons {
        uint32_t count;
        const struct slice *items;
};
struct node_memo {
        struct node_result *results; /* by node row; NULL until a second pod needs them */
        struct arena *arena;
        size_t victim_bytes, victim_bytes_max;
        size_t reason_count;
        struct kept_reasons reasons[REASONS_MAX];
};

/* ---- opening ---- */

/* The plugins that are asked, in order: those that look at one node settle a refusal, unless others
 * are asked before them.  Returns all. */
static uint64_t take_plugins(struct sched_attempt *attempt) {
        const struct profile_point *point = &attempt->profile->points[POINT_FILTER];
        uint64_t all = 0;
        bool is_first = true;
        attempt->memo_plugins = attempt->memo_volume_filters = 0;
        attempt->memo_is_partial = false;
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                enum cache_scope scope = attempt->profile->plugins[index].filter_scope;
                uint64_t bit = (uint64_t)1 << index;
                if (attempt->plugins[index].filter_skips)
                        continue;
                all |= bit;
                is_first = is_first && cache_scope_is_of_node(scope);
                if (is_first)
                        attempt->memo_plugins |= bit;
                else if (scope == CACHE_SCOPE_VOLUMES)
                        attempt->memo_volume_filters |= bit;
                else if (!cache_scope_is_of_node(scope))
                        attempt->memo_is_partial = true;
        }
        return all;
}

static bool may_keep(const struct sched_attempt *attempt) {
        return attempt->cycle.memory && !attempt->cycle.is_parity &&
               cluster_nodes(attempt->cluster)->count <= NODES_MAX &&
               slice_is_empty(attempt->cycle.node_name);
}

static void forget_node(void *context, struct node_id node) {
        struct node_result *result = &((struct node_memo *)context)->results[node.index];
        result->is_judged = result->is_tried = false;
}

static struct node_memo *memo_new(struct memory_entry *entry) {
        struct node_memo *memo = ARENA_NEW(&entry->arena, struct node_memo);
        *memo = (struct node_memo){ .arena = &entry->arena,
                                    .victim_bytes_max = (entry->node_count + 1) * VICTIM_BYTES };
        entry->value = memo;
        return memo;
}

void node_memo_open(struct sched_attempt *attempt) {
        struct memory_news news;
        if (attempt->memo_was_opened || !may_keep(attempt))
                return;
        attempt->memo_was_opened = true;
        uint64_t parts[] = { (uint64_t)(uintptr_t)attempt->profile,
                             attempt->cycle.class->shape_hash,
                             (uint64_t)(int64_t)attempt->cycle.priority, take_plugins(attempt) };
        uint64_t key = hash_bytes(parts, sizeof(parts), slice_hash(SLICE_LITERAL("node memo")));
        if (!cycle_memory_recall(attempt->cycle.memory, attempt->cluster, key, BREAKING, &news))
                return;
        struct node_memo *memo = news.entry->value;
        if (!memo) {
                memo_new(news.entry);
                return;
        }
        if (memo->victim_bytes > memo->victim_bytes_max) {
                arena_clear(&news.entry->arena);
                memo = memo_new(news.entry);
        }
        if (!memo->results)
                memo->results = ARENA_ARRAY(memo->arena, struct node_result,
                                            cluster_nodes(attempt->cluster)->count + 1);
        else
                memory_news_each(&news, attempt->cluster, forget_node, memo);
        attempt->memo = memo;
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
        if (!attempt->memo)
                return NULL;
        struct node_result *result = &attempt->memo->results[node.index];
        uint64_t nominees = nominees_of(attempt, node);
        if (result->nominees != nominees) {
                result->nominees = nominees;
                result->is_judged = result->is_tried = false;
        }
        return result;
}

/* No plugin that looks beyond the node makes a difference there, whoever goes: the pod's volumes
 * are admitted, and no pods are counted. */
static bool is_on_its_own(struct sched_attempt *attempt, struct node_id node) {
        if (attempt->memo_is_partial)
                return false;
        if (attempt->memo_volume_filters == 0)
                return true;
        if (first_nominee(attempt, node) > 0)
                return false;
        if (!attempt->memo_admitted) {
                struct bitset *admitted = ARENA_NEW(attempt->cycle.scratch, struct bitset);
                *admitted = cluster_live_nodes(attempt->cluster, attempt->cycle.scratch);
                sched_attempt_narrow(attempt, attempt->memo_volume_filters, admitted);
                attempt->memo_admitted = admitted;
        }
        return bitset_has(attempt->memo_admitted, node.index);
}

/* A refusal before anybody was asked who looks beyond the node.  Preemption's own words name no
 * plugin. */
static bool is_early(const struct sched_attempt *attempt, const struct node_refusal *refusal) {
        const struct sched_profile *profile = attempt->profile;
        if (refusal->code == VERDICT_OK)
                return false;
        if (!refusal->plugin)
                return true;
        for (uint64_t left = attempt->memo_plugins; left != 0; left &= left - 1)
                if (profile->plugins[__builtin_ctzll(left)].plugin == refusal->plugin)
                        return true;
        return false;
}

/* ---- reasons ---- */

static bool are_reasons_eq(const struct kept_reasons *kept, const struct node_refusal *refusal) {
        if (kept->count != refusal->reason_count)
                return false;
        for (uint32_t i = 0; i < kept->count; i++)
                if (!slice_eq(kept->items[i], refusal->reasons[i]))
                        return false;
        return true;
}

/* Makes the refusal point to texts that stay; false: there are too many. */
static bool keep_reasons(struct node_memo *memo, struct node_refusal *refusal) {
        size_t at = 0;
        while (at < memo->reason_count && !are_reasons_eq(&memo->reasons[at], refusal))
                at++;
        if (at == REASONS_MAX)
                return false;
        if (at == memo->reason_count) {
                struct slice *items = ARENA_ARRAY(memo->arena, struct slice, refusal->reason_count);
                for (uint32_t i = 0; i < refusal->reason_count; i++)
                        items[i] = arena_slice(memo->arena, refusal->reasons[i]);
                memo->reasons[memo->reason_count++] =
                        (struct kept_reasons){ refusal->reason_count, items };
        }
        refusal->reasons = memo->reasons[at].items;
        return true;
}

/* ---- verdicts ---- */

bool node_memo_judged(struct sched_attempt *attempt, struct node_id node,
                      struct node_refusal *ret_refusal) {
        const struct node_result *result = result_of(attempt, node);
        if (!result || !result->is_judged)
                return false;
        if (!is_early(attempt, &result->judged) && !is_on_its_own(attempt, node))
                return false;
        *ret_refusal = result->judged;
        return true;
}

void node_memo_keep_judged(struct sched_attempt *attempt, struct node_id node,
                           const struct node_refusal *refusal) {
        const struct node_refusal fits = { .node = node, .code = VERDICT_OK };
        struct node_result *result = result_of(attempt, node);
        if (!refusal)
                refusal = &fits;
        if (!result || (!is_early(attempt, refusal) && !is_on_its_own(attempt, node)))
                return;
        result->judged = *refusal;
        result->is_judged = keep_reasons(attempt->memo, &result->judged);
}

/* ---- preemption ---- */

bool node_memo_tried(struct sched_attempt *attempt, struct node_id node,
                     struct node_refusal *ret_refusal, struct preemption_candidate *ret_candidate) {
        const struct node_result *result = result_of(attempt, node);
        if (!result || !result->is_tried ||
            (!is_early(attempt, &result->tried) && !is_on_its_own(attempt, node)))
                return false;
        *ret_refusal = result->tried;
        *ret_candidate = result->candidate;
        return true;
}

void node_memo_keep_rejected(struct sched_attempt *attempt, struct node_id node,
                             const struct node_refusal *refusal) {
        struct node_result *result = result_of(attempt, node);
        if (!result || (!is_early(attempt, refusal) && !is_on_its_own(attempt, node)))
                return;
        result->tried = *refusal;
        result->is_tried = keep_reasons(attempt->memo, &result->tried);
}

void node_memo_keep_candidate(struct sched_attempt *attempt,
                              const struct preemption_candidate *candidate) {
        struct node_result *result = result_of(attempt, candidate->node);
        struct node_memo *memo = attempt->memo;
        size_t bytes = candidate->victim_count * sizeof(*candidate->victims);
        if (!result || !is_on_its_own(attempt, candidate->node))
                return;
        result->candidate = *candidate;
        result->candidate.victims = arena_copy(memo->arena, candidate->victims, bytes);
        result->tried = (struct node_refusal){ .node = candidate->node, .code = VERDICT_OK };
        result->is_tried = true;
        memo->victim_bytes += bytes;
}
