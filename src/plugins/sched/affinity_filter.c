/* The strict half of InterPodAffinity: pods that have to be near others, or away from them, and
 * pods that keep the newcomer away. */
#include "base/util.h"
#include "plugins/sched/affinity_priv.h"

/* Counts over the pods of the cluster; may outlive the decision. */
struct affinity_counts {
        struct pair_numbers near, away, existing;
};
struct affinity_state {
        const struct sched_cycle *cycle;
        struct own_terms near, away;
        struct affinity_counts *counts;
        struct count_entry *entry; /* of the counts; NULL = of this decision only */
        struct domain_news *news;  /* NULL while everything is counted */
        const struct domain_sums **near_sums, **away_sums; /* by term; NULL: no node has the key */
        struct hit_table *hits;
        bool may_be_first; /* no pod matches yet, and the pod matches its own terms */
        bool has_own, has_existing;
        struct pod_visit existing, own;
};

static const struct class_hits *hits_of_existing(struct affinity_state *state,
                                                 const struct pod_row *row) {
        const struct pod_class *class = cluster_class(state->cycle->cluster, row->class);
        const struct pod_affinity_terms *away = &class->spec.affinity.pod_anti;
        struct class_hits *hits;
        if (affinity_start_hits(state->cycle, state->hits, class, row->ns, &hits))
                affinity_add_hits(
                        state->cycle,
                        (struct their_terms){ away->required, away->required_count, 1, 1 }, hits);
        return hits;
}

static bool existing_matters(void *context, const struct pod_row *row) {
        return hits_of_existing(context, row)->count > 0;
}

static void count_existing(void *context, const struct pod_row *row, struct node_id node) {
        struct affinity_state *state = context;
        affinity_apply_hits(state->cycle, hits_of_existing(state, row), node,
                            &state->counts->existing);
}

static bool own_matters(void *context, const struct pod_row *row) {
        struct affinity_state *state = context;
        return terms_match_all(state->near.matches, state->near.count, row->ns, row->labels) ||
               own_terms_match_any(&state->away, row);
}

static void count_own(void *context, const struct pod_row *row, struct node_id node) {
        struct affinity_state *state = context;
        const struct cluster *cluster = state->cycle->cluster;
        if (terms_match_all(state->near.matches, state->near.count, row->ns, row->labels))
                for (size_t i = 0; i < state->near.count; i++)
                        affinity_count_term(&state->counts->near, cluster, node,
                                            &state->near.matches[i], 1);
        for (size_t i = 0; i < state->away.count; i++)
                if (term_match_has(&state->away.matches[i], row->ns, row->labels))
                        affinity_count_term(&state->counts->away, cluster, node,
                                            &state->away.matches[i], 1);
}

static void settle_filter(void *context, struct node_id node) {
        struct affinity_state *state = context;
        pair_numbers_settle(&state->counts->near, node, true, state->news);
        pair_numbers_settle(&state->counts->away, node, true, state->news);
        pair_numbers_settle(&state->counts->existing, node, true, state->news);
}

static void recount_filter(void *context, struct node_id node) {
        struct affinity_state *state = context;
        struct affinity_counts *counts = state->counts;
        pair_numbers_take_back(&counts->near, node);
        pair_numbers_take_back(&counts->away, node);
        pair_numbers_take_back(&counts->existing, node);
        if (state->has_existing)
                affinity_visit_node(&state->existing, node);
        if (state->has_own)
                affinity_visit_node(&state->own, node);
        settle_filter(state, node);
}

static void count_all(struct affinity_state *state, struct arena *arena) {
        struct topologies *topologies = state->cycle->topologies;
        state->counts = ARENA_NEW(arena, struct affinity_counts);
        pair_numbers_init(&state->counts->near, topologies, arena);
        pair_numbers_init(&state->counts->away, topologies, arena);
        pair_numbers_init(&state->counts->existing, topologies, arena);
        if (state->has_existing)
                affinity_visit_all(&state->existing);
        if (state->has_own)
                affinity_visit_all(&state->own);
        affinity_each_node(state->cycle, settle_filter, state);
}

static void count_pods(struct affinity_state *state, const void *plugin) {
        const struct sched_cycle *cycle = state->cycle;
        struct count_updates news;
        if (!count_cache_recall(
                    cycle->counts, cycle->cluster,
                    affinity_memory_key(cycle, plugin, SLICE_LITERAL("affinity filter")),
                    AFFINITY_BREAKING, &news)) {
                count_all(state, cycle->scratch);
                return;
        }
        state->entry = news.entry;
        if (!news.entry->value) {
                count_all(state, &news.entry->arena);
                news.entry->value = state->counts;
                return;
        }
        state->counts = news.entry->value;
        state->news = &news.entry->news;
        count_updates_each(&news, cycle->cluster, recount_filter, state);
}

/* The columns of terms, once all of them exist. */
static const struct domain_sums **sums_of_terms(const struct sched_cycle *cycle,
                                                const struct own_terms *terms,
                                                struct pair_numbers *numbers) {
        const struct domain_sums **sums =
                ARENA_ARRAY(cycle->scratch, const struct domain_sums *, terms->count);
        for (size_t i = 0; i < terms->count; i++)
                if (terms->matches[i].has_key)
                        pair_numbers_column(numbers, cycle->cluster, terms->matches[i].key);
        for (size_t i = 0; i < terms->count; i++)
                if (terms->matches[i].has_key)
                        sums[i] =
                                pair_numbers_column(numbers, cycle->cluster, terms->matches[i].key);
        return sums;
}

enum verdict_code affinity_pre_filter(const struct sched_cycle *cycle, const void *plugin,
                                      void **ret_pod_state, const struct bitset **ret_only,
                                      struct verdict *verdict) {
        (void)ret_only;
        (void)verdict;
        const struct affinity *affinity = &cycle->class->spec.affinity;
        bool has_own = affinity->pod.required_count + affinity->pod_anti.required_count > 0;
        bool has_existing = cluster_class_terms(cycle->cluster).required_anti > 0;
        if (!has_own && !has_existing)
                return VERDICT_SKIP;
        struct affinity_state *state = ARENA_NEW(cycle->scratch, struct affinity_state);
        state->cycle = cycle;
        state->has_own = has_own;
        state->has_existing = has_existing;
        state->near = own_terms_new(cycle, affinity->pod.required, affinity->pod.required_count);
        state->away = own_terms_new(cycle, affinity->pod_anti.required,
                                    affinity->pod_anti.required_count);
        state->hits = ARENA_NEW(cycle->scratch, struct hit_table);
        state->existing = (struct pod_visit){ cycle, PODS_WITH_REQUIRED_ANTI, existing_matters,
                                              count_existing, state };
        state->own = (struct pod_visit){ cycle, PODS_ALL, own_matters, count_own, state };
        count_pods(state, plugin);
        if (!has_own && pair_numbers_is_empty(&state->counts->existing))
                return VERDICT_SKIP;
        state->may_be_first =
                pair_numbers_is_empty(&state->counts->near) &&
                terms_match_all(state->near.matches, state->near.count, cycle->ns, cycle->labels);
        state->near_sums = sums_of_terms(cycle, &state->near, &state->counts->near);
        state->away_sums = sums_of_terms(cycle, &state->away, &state->counts->away);
        *ret_pod_state = state;
        return VERDICT_OK;
}

static bool is_near(const struct affinity_state *state, struct node_id node) {
        bool has_company = true;
        for (size_t i = 0; i < state->near.count; i++) {
                const struct domain_sums *sums = state->near_sums[i];
                if (!sums || !domain_sums_has(sums, node))
                        return false;
                if (domain_sums_at(sums, node) <= 0)
                        has_company = false;
        }
        return has_company || state->may_be_first;
}

static bool is_away(const struct affinity_state *state, struct node_id node) {
        for (size_t i = 0; i < state->away.count; i++)
                if (state->away_sums[i] && domain_sums_at(state->away_sums[i], node) > 0)
                        return false;
        return true;
}

/* Counts are never negative, so the sum over keys says whether any is above zero. */
static bool is_welcome(const struct affinity_state *state, struct node_id node) {
        return pair_numbers_of_node(&state->counts->existing, node) == 0;
}

void affinity_filter(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                     struct bitset *nodes) {
        (void)cycle;
        (void)plugin;
        const struct affinity_state *state = pod_state;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1)) {
                struct node_id node = { (uint32_t)i };
                if (!is_near(state, node) || !is_away(state, node) || !is_welcome(state, node))
                        bitset_remove(nodes, i);
        }
}

void affinity_explain(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                      struct node_id node, struct verdict *verdict) {
        (void)cycle;
        (void)plugin;
        if (!is_near(pod_state, node))
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("node(s) didn't match pod affinity rules"));
        else if (!is_away(pod_state, node))
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           SLICE_LITERAL("node(s) didn't match pod anti-affinity rules"));
        else if (!is_welcome(pod_state, node))
                verdict_no(
                        verdict, VERDICT_UNSCHEDULABLE,
                        SLICE_LITERAL("node(s) didn't satisfy existing pods anti-affinity rules"));
}

static const struct count_entry *filter_entry(const void *pod_state) {
        return ((const struct affinity_state *)pod_state)->entry;
}

static uint64_t filter_fingerprint(void *pod_state, const uint32_t *feasible) {
        (void)feasible;
        return ((const struct affinity_state *)pod_state)->may_be_first;
}

const struct count_hints affinity_filter_counts = { .entry = filter_entry,
                                                    .fingerprint = filter_fingerprint };
