/* The preferring half of InterPodAffinity: what the newcomer and the pods that run prefer. */
#include "plugins/sched/affinity_priv.h"

struct preference_state {
        const struct sched_cycle *cycle;
        int64_t hard_weight;
        struct own_terms near, away;
        struct pair_numbers *sums; /* may outlive the decision */
        struct count_entry *entry; /* of the sums; NULL = of this decision only */
        struct domain_news *news;  /* NULL while everything is summed */
        struct hit_table *hits;
        struct pod_visit visit;
};

static void add_own(struct preference_state *state, const struct own_terms *terms, int64_t sign,
                    const struct pod_row *row, struct node_id node) {
        for (size_t i = 0; i < terms->count; i++)
                if (term_match_has(&terms->matches[i], row->ns, row->labels))
                        affinity_count_term(state->sums, state->cycle->cluster, node,
                                            &terms->matches[i],
                                            sign * terms->matches[i].term->weight);
}

static void add_their_preferences(struct preference_state *state, const struct affinity *theirs,
                                  struct class_hits *hits) {
        const struct pod_affinity_terms *near = &theirs->pod, *away = &theirs->pod_anti;
        if (state->hard_weight > 0)
                affinity_add_hits(state->cycle,
                                  (struct their_terms){ near->required, near->required_count,
                                                        state->hard_weight, 1 },
                                  hits);
        affinity_add_hits(state->cycle,
                          (struct their_terms){ near->preferred, near->preferred_count, 0, 1 },
                          hits);
        affinity_add_hits(state->cycle,
                          (struct their_terms){ away->preferred, away->preferred_count, 0, -1 },
                          hits);
}

/* NULL: the pod prefers nothing. */
static const struct class_hits *hits_of_preferring(struct preference_state *state,
                                                   const struct pod_row *row) {
        const struct pod_class *class = cluster_class(state->cycle->cluster, row->class);
        struct class_hits *hits;
        if (!class->has_pod_terms)
                return NULL;
        if (affinity_start_hits(state->cycle, state->hits, class, row->ns, &hits))
                add_their_preferences(state, &class->spec.affinity, hits);
        return hits;
}

static bool preference_matters(void *context, const struct pod_row *row) {
        struct preference_state *state = context;
        const struct class_hits *hits = hits_of_preferring(state, row);
        return (hits && hits->count > 0) || own_terms_match_any(&state->near, row) ||
               own_terms_match_any(&state->away, row);
}

static void sum_pod(void *context, const struct pod_row *row, struct node_id node) {
        struct preference_state *state = context;
        const struct class_hits *hits = hits_of_preferring(state, row);
        add_own(state, &state->near, 1, row, node);
        add_own(state, &state->away, -1, row, node);
        if (hits)
                affinity_apply_hits(state->cycle, hits, node, state->sums);
}

static void recount_score(void *context, struct node_id node) {
        struct preference_state *state = context;
        pair_numbers_take_back(state->sums, node);
        affinity_visit_node(&state->visit, node);
        pair_numbers_settle(state->sums, node, false, state->news);
}

static void settle_score(void *context, struct node_id node) {
        struct preference_state *state = context;
        pair_numbers_settle(state->sums, node, false, state->news);
}

static void sum_all(struct preference_state *state, struct arena *arena) {
        state->sums = ARENA_NEW(arena, struct pair_numbers);
        pair_numbers_init(state->sums, state->cycle->topologies, arena);
        affinity_visit_all(&state->visit);
        affinity_each_node(state->cycle, settle_score, state);
}

static void sum_pods(struct preference_state *state, const void *plugin) {
        const struct sched_cycle *cycle = state->cycle;
        struct count_updates news;
        if (!count_cache_recall(cycle->counts, cycle->cluster,
                                affinity_memory_key(cycle, plugin, SLICE_LITERAL("affinity score")),
                                AFFINITY_BREAKING, &news)) {
                sum_all(state, cycle->scratch);
                return;
        }
        state->entry = news.entry;
        if (!news.entry->value) {
                sum_all(state, &news.entry->arena);
                news.entry->value = state->sums;
                return;
        }
        state->sums = news.entry->value;
        state->news = &news.entry->news;
        count_updates_each(&news, cycle->cluster, recount_score, state);
}

enum verdict_code affinity_pre_score(const struct sched_cycle *cycle, const void *plugin,
                                     struct node_batch feasible, void **ret_pod_state,
                                     struct verdict *verdict) {
        (void)feasible;
        (void)verdict;
        const struct affinity_args *args = plugin;
        const struct affinity *affinity = &cycle->class->spec.affinity;
        bool has_own = affinity->pod.preferred_count + affinity->pod_anti.preferred_count > 0;
        if (!has_own && (args->ignores_existing || cluster_class_terms(cycle->cluster).any == 0))
                return VERDICT_SKIP;
        struct preference_state *state = ARENA_NEW(cycle->scratch, struct preference_state);
        state->cycle = cycle;
        state->hard_weight = args->hard_weight;
        state->near = own_terms_new(cycle, affinity->pod.preferred, affinity->pod.preferred_count);
        state->away = own_terms_new(cycle, affinity->pod_anti.preferred,
                                    affinity->pod_anti.preferred_count);
        state->hits = ARENA_NEW(cycle->scratch, struct hit_table);
        state->visit = (struct pod_visit){ cycle, has_own ? PODS_ALL : PODS_WITH_TERMS,
                                           preference_matters, sum_pod, state };
        sum_pods(state, plugin);
        if (pair_numbers_is_empty(state->sums))
                return VERDICT_SKIP;
        *ret_pod_state = state;
        return VERDICT_OK;
}

void affinity_score(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                    struct node_batch batch, int64_t *ret_scores) {
        (void)cycle;
        (void)plugin;
        const struct preference_state *state = pod_state;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = pair_numbers_of_node(state->sums, batch.nodes[i]);
}

void affinity_normalize(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                        struct node_batch feasible, int64_t *scores) {
        (void)cycle;
        (void)plugin;
        (void)pod_state;
        int64_t min = INT64_MAX, max = INT64_MIN;
        for (size_t i = 0; i < feasible.count; i++) {
                min = scores[i] < min ? scores[i] : min;
                max = scores[i] > max ? scores[i] : max;
        }
        for (size_t i = 0; i < feasible.count; i++)
                scores[i] = max == min
                                    ? 0
                                    : (int64_t)((double)NODE_SCORE_MAX *
                                                ((double)(scores[i] - min) / (double)(max - min)));
}

static const struct count_entry *score_entry(const void *pod_state) {
        return ((const struct preference_state *)pod_state)->entry;
}

/* ---- kinds of nodes ---- */

#define COARSE_MAX 64 /* domains */

/* The topology of the fewest domains. */
static const struct domain_sums *coarse_sums(const struct preference_state *state) {
        const struct domain_sums *coarse = NULL;
        for (size_t i = 0; i < state->sums->column_count; i++) {
                const struct domain_sums *column = &state->sums->columns[i];
                uint32_t domains = column->topology->domain_count;
                if (domains > 0 && domains <= COARSE_MAX &&
                    (!coarse || domains < coarse->topology->domain_count))
                        coarse = column;
        }
        return coarse;
}

static const struct topology *affinity_score_coarse(const void *pod_state) {
        const struct domain_sums *sums = coarse_sums(pod_state);
        return !sums ? NULL : sums->topology;
}

static struct score_kind affinity_score_kind(const void *pod_state, struct node_id node) {
        const struct preference_state *state = pod_state;
        const struct domain_sums *coarse = coarse_sums(state);
        return (struct score_kind){ coarse->topology->domain[node.index],
                                    pair_numbers_of_node(state->sums, node) -
                                            domain_sums_at(coarse, node) };
}

static int64_t score_of_kind(const void *pod_state, struct score_kind kind) {
        const struct domain_sums *coarse = coarse_sums(pod_state);
        return kind.rest + (kind.domain == DOMAIN_NONE ? 0 : coarse->sums[kind.domain]);
}

const struct count_hints affinity_score_counts = { .entry = score_entry,
                                                   .coarse = affinity_score_coarse,
                                                   .kind = affinity_score_kind,
                                                   .score_of_kind = score_of_kind };
