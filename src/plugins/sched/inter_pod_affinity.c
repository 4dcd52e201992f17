/* InterPodAffinity: pods that want to be near others, or away from them, and pods that want this of
 * the newcomer; reference scheduler.md 4.5. */
#include "base/util.h"
#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"
#include "plugins/sched/registry.h"
#include "rules/pod_affinity.h"
#include <stdlib.h>

struct affinity_args {
        struct args_head head;
        int32_t hard_weight; /* hardPodAffinityWeight */
        bool ignores_existing;
};

/* ---- the pods that run ---- */

/* Which running pods are looked at. */
enum pods_wanted { PODS_ALL, PODS_WITH_TERMS, PODS_WITH_REQUIRED_ANTI };

struct pod_visit {
        const struct sched_cycle *cycle;
        enum pods_wanted wanted;
        /* Whether pods like this one add anything. */
        bool (*matters)(void *context, const struct pod_row *row);
        void (*each)(void *context, const struct pod_row *row, struct node_id node);
        void *context;
};

static bool is_wanted(const struct pod_visit *visit, struct class_id id) {
        if (visit->wanted == PODS_ALL)
                return true;
        const struct pod_class *class = cluster_class(visit->cycle->cluster, id);
        return visit->wanted == PODS_WITH_TERMS ? class->has_pod_terms
                                                : class->spec.affinity.pod_anti.required_count > 0;
}

static void visit_node(const struct pod_visit *visit, struct node_id node) {
        const struct cluster *cluster = visit->cycle->cluster;
        const struct node_table *nodes = cluster_nodes(cluster);
        struct pod_id pod = nodes->first_pod[node.index];
        if (visit->wanted != PODS_ALL && nodes->pods_with_terms[node.index] == 0)
                return;
        while (!pod_id_is_none(pod)) {
                const struct pod_row *row = cluster_pod(cluster, pod);
                if (!pod_row_is_finished(row) && is_wanted(visit, row->class))
                        visit->each(visit->context, row, node);
                pod = row->next_on_node;
        }
}

/* All nodes, asking once about pods that are alike. */
static void visit_all(const struct pod_visit *visit) {
        const struct cluster *cluster = visit->cycle->cluster;
        const struct bitset *live = &cluster_nodes(cluster)->live;
        const struct pod_twins *twins;
        size_t count = cluster_pod_twins(cluster, &twins);
        for (size_t i = 0; i < count; i++) {
                struct pod_id pod = twins[i].first;
                if (twins[i].count == 0 || !is_wanted(visit, twins[i].class) ||
                    !visit->matters(visit->context, cluster_pod(cluster, pod)))
                        continue;
                while (!pod_id_is_none(pod)) {
                        const struct pod_row *row = cluster_pod(cluster, pod);
                        if (!pod_row_is_finished(row) && bitset_has(live, row->node.index))
                                visit->each(visit->context, row, row->node);
                        pod = row->next_twin;
                }
        }
}

static void each_node(const struct sched_cycle *cycle,
                      void (*each)(void *context, struct node_id node), void *context) {
        const struct node_id *order = cluster_node_order(cycle->cluster);
        for (size_t i = 0; i < cluster_node_count(cycle->cluster); i++)
                each(context, order[i]);
}

/* Changes after which everything is counted anew. */
#define BREAKING                                                                                   \
        (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_LABELS | CLUSTER_NAMESPACE)

/* Names counts by all they depend on apart from nodes and running pods. */
static uint64_t memory_key(const struct sched_cycle *cycle, const void *plugin, struct slice what) {
        uint64_t parts[] = { (uint64_t)(uintptr_t)plugin, cycle->identity };
        return hash_bytes(parts, sizeof(parts), slice_hash(what));
}

/* ---- terms of the newcomer ---- */

struct own_terms {
        size_t count;
        struct term_match *matches;
};

static struct own_terms own_terms(const struct sched_cycle *cycle,
                                  const struct pod_affinity_term *terms, size_t count) {
        struct own_terms own = { count, ARENA_ARRAY(cycle->scratch, struct term_match, count) };
        for (size_t i = 0; i < count; i++)
                term_match_init(&own.matches[i], cycle->cluster, &terms[i], cycle->ns,
                                cycle->is_parity, cycle->scratch);
        return own;
}

/* ---- terms of running pods ---- */

/* What one pod of a class adds to the pair of a key on its node. */
struct term_hit {
        struct str_id key;
        int64_t amount;
};
/* For the pods of a class in one namespace, worked out when the first of them is met. */
struct class_hits {
        const struct pod_class *class; /* NULL: the place is free */
        struct str_id ns;
        size_t count, cap;
        struct term_hit *items;
};
/* The last classes met, each in a place given by its number. */
#define HIT_PLACES 64
struct hit_table {
        struct class_hits places[HIT_PLACES];
};
/* Terms to look at and what a match counts; weight 0 = the term's own. */
struct their_terms {
        const struct pod_affinity_term *items;
        size_t count;
        int64_t weight, sign;
};

static void add_hits(const struct sched_cycle *cycle, struct their_terms terms,
                     struct class_hits *hits) {
        for (size_t i = 0; i < terms.count; i++) {
                const struct pod_affinity_term *term = &terms.items[i];
                bool is_known;
                struct str_id key = cluster_str(cycle->cluster, term->topology_key, &is_known);
                if (is_known &&
                    term_selects(cycle->cluster, term, hits->ns, cycle->ns, cycle->labels))
                        hits->items[hits->count++] = (struct term_hit){
                                key, terms.sign * (terms.weight != 0 ? terms.weight : term->weight)
                        };
        }
}

/* The place of a class in a namespace; false when its hits are known already. */
static bool start_hits(const struct sched_cycle *cycle, struct hit_table *table,
                       const struct pod_class *class, struct str_id ns,
                       struct class_hits **ret_hits) {
        const struct affinity *theirs = &class->spec.affinity;
        struct class_hits *hits = &table->places[class->id.index % HIT_PLACES];
        *ret_hits = hits;
        if (hits->class == class && str_id_eq(hits->ns, ns))
                return false;
        size_t most = theirs->pod.required_count + theirs->pod.preferred_count +
                      theirs->pod_anti.required_count + theirs->pod_anti.preferred_count;
        if (hits->cap < most) {
                hits->items = ARENA_ARRAY(cycle->scratch, struct term_hit, most);
                hits->cap = most;
        }
        hits->class = class;
        hits->ns = ns;
        hits->count = 0;
        return true;
}

static void apply_hits(const struct sched_cycle *cycle, const struct class_hits *hits,
                       struct node_id node, struct pair_numbers *numbers) {
        for (size_t i = 0; i < hits->count; i++)
                pair_numbers_add(numbers, cycle->cluster, node, hits->items[i].key,
                                 hits->items[i].amount);
}

/* ---- filter ---- */

/* Counts over the pods of the cluster; may outlive the decision. */
struct affinity_counts {
        struct pair_numbers near, away, existing;
};
struct affinity_state {
        const struct sched_cycle *cycle;
        struct own_terms near, away;
        struct affinity_counts *counts;
        struct memory_entry *entry; /* of the counts; NULL = of this decision only */
        struct domain_news *news;   /* NULL while everything is counted */
        const struct domain_sums **near_sums, **away_sums; /* by term; NULL: no node has the key */
        struct hit_table *hits;
        bool may_be_first; /* nobody matches yet, and the pod matches its own terms */
        bool has_own, has_existing;
        struct pod_visit existing, own;
};

static const struct class_hits *hits_of_existing(struct affinity_state *state,
                                                 const struct pod_row *row) {
        const struct pod_class *class = cluster_class(state->cycle->cluster, row->class);
        const struct pod_affinity_terms *away = &class->spec.affinity.pod_anti;
        struct class_hits *hits;
        if (start_hits(state->cycle, state->hits, class, row->ns, &hits))
                add_hits(state->cycle,
                         (struct their_terms){ away->required, away->required_count, 1, 1 }, hits);
        return hits;
}

static bool existing_matters(void *context, const struct pod_row *row) {
        return hits_of_existing(context, row)->count > 0;
}

static void count_existing(void *context, const struct pod_row *row, struct node_id node) {
        struct affinity_state *state = context;
        apply_hits(state->cycle, hits_of_existing(state, row), node, &state->counts->existing);
}

static void count_term(struct pair_numbers *numbers, const struct cluster *cluster,
                       struct node_id node, const struct term_match *match, int64_t amount) {
        if (match->has_key)
                pair_numbers_add(numbers, cluster, node, match->key, amount);
}

static bool matches_any(const struct own_terms *terms, const struct pod_row *row) {
        for (size_t i = 0; i < terms->count; i++)
                if (term_match_has(&terms->matches[i], row->ns, row->labels))
                        return true;
        return false;
}

static bool own_matters(void *context, const struct pod_row *row) {
        struct affinity_state *state = context;
        return terms_match_all(state->near.matches, state->near.count, row->ns, row->labels) ||
               matches_any(&state->away, row);
}

static void count_own(void *context, const struct pod_row *row, struct node_id node) {
        struct affinity_state *state = context;
        const struct cluster *cluster = state->cycle->cluster;
        if (terms_match_all(state->near.matches, state->near.count, row->ns, row->labels))
                for (size_t i = 0; i < state->near.count; i++)
                        count_term(&state->counts->near, cluster, node, &state->near.matches[i], 1);
        for (size_t i = 0; i < state->away.count; i++)
                if (term_match_has(&state->away.matches[i], row->ns, row->labels))
                        count_term(&state->counts->away, cluster, node, &state->away.matches[i], 1);
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
                visit_node(&state->existing, node);
        if (state->has_own)
                visit_node(&state->own, node);
        settle_filter(state, node);
}

static void count_all(struct affinity_state *state, struct arena *arena) {
        struct topologies *topologies = state->cycle->topologies;
        state->counts = ARENA_NEW(arena, struct affinity_counts);
        pair_numbers_init(&state->counts->near, topologies, arena);
        pair_numbers_init(&state->counts->away, topologies, arena);
        pair_numbers_init(&state->counts->existing, topologies, arena);
        if (state->has_existing)
                visit_all(&state->existing);
        if (state->has_own)
                visit_all(&state->own);
        each_node(state->cycle, settle_filter, state);
}

static void count_pods(struct affinity_state *state, const void *plugin) {
        const struct sched_cycle *cycle = state->cycle;
        struct memory_news news;
        if (!cycle_memory_recall(cycle->memory, cycle->cluster,
                                 memory_key(cycle, plugin, SLICE_LITERAL("affinity filter")),
                                 BREAKING, &news)) {
                count_all(state, cycle->scratch);
                return;
        }
        state->entry = news.entry;
        if (news.entry->value == NULL) {
                count_all(state, &news.entry->arena);
                news.entry->value = state->counts;
                return;
        }
        state->counts = news.entry->value;
        state->news = &news.entry->news;
        memory_news_each(&news, cycle->cluster, recount_filter, state);
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

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *plugin,
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
        state->near = own_terms(cycle, affinity->pod.required, affinity->pod.required_count);
        state->away =
                own_terms(cycle, affinity->pod_anti.required, affinity->pod_anti.required_count);
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
                if (sums == NULL || !domain_sums_has(sums, node))
                        return false;
                if (domain_sums_at(sums, node) <= 0)
                        has_company = false;
        }
        return has_company || state->may_be_first;
}

static bool is_away(const struct affinity_state *state, struct node_id node) {
        for (size_t i = 0; i < state->away.count; i++)
                if (state->away_sums[i] != NULL && domain_sums_at(state->away_sums[i], node) > 0)
                        return false;
        return true;
}

/* Counts are never negative, so the sum over keys says whether any is above zero. */
static bool is_welcome(const struct affinity_state *state, struct node_id node) {
        return pair_numbers_of_node(&state->counts->existing, node) == 0;
}

static void filter(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
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

static void explain(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
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

static const struct memory_entry *filter_entry(const void *pod_state) {
        return ((const struct affinity_state *)pod_state)->entry;
}

static uint64_t filter_frame(void *pod_state, const uint32_t *offers) {
        (void)offers;
        return ((const struct affinity_state *)pod_state)->may_be_first;
}

/* ---- score ---- */

struct preference_state {
        const struct sched_cycle *cycle;
        int64_t hard_weight;
        struct own_terms near, away;
        struct pair_numbers *sums;  /* may outlive the decision */
        struct memory_entry *entry; /* of the sums; NULL = of this decision only */
        struct domain_news *news;   /* NULL while everything is summed */
        struct hit_table *hits;
        struct pod_visit visit;
};

static void add_own(struct preference_state *state, const struct own_terms *terms, int64_t sign,
                    const struct pod_row *row, struct node_id node) {
        for (size_t i = 0; i < terms->count; i++)
                if (term_match_has(&terms->matches[i], row->ns, row->labels))
                        count_term(state->sums, state->cycle->cluster, node, &terms->matches[i],
                                   sign * terms->matches[i].term->weight);
}

static void add_their_preferences(struct preference_state *state, const struct affinity *theirs,
                                  struct class_hits *hits) {
        const struct pod_affinity_terms *near = &theirs->pod, *away = &theirs->pod_anti;
        if (state->hard_weight > 0)
                add_hits(state->cycle,
                         (struct their_terms){ near->required, near->required_count,
                                               state->hard_weight, 1 },
                         hits);
        add_hits(state->cycle, (struct their_terms){ near->preferred, near->preferred_count, 0, 1 },
                 hits);
        add_hits(state->cycle,
                 (struct their_terms){ away->preferred, away->preferred_count, 0, -1 }, hits);
}

/* NULL: the pod prefers nothing. */
static const struct class_hits *hits_of_preferring(struct preference_state *state,
                                                   const struct pod_row *row) {
        const struct pod_class *class = cluster_class(state->cycle->cluster, row->class);
        struct class_hits *hits;
        if (!class->has_pod_terms)
                return NULL;
        if (start_hits(state->cycle, state->hits, class, row->ns, &hits))
                add_their_preferences(state, &class->spec.affinity, hits);
        return hits;
}

static bool preference_matters(void *context, const struct pod_row *row) {
        struct preference_state *state = context;
        const struct class_hits *hits = hits_of_preferring(state, row);
        return (hits != NULL && hits->count > 0) || matches_any(&state->near, row) ||
               matches_any(&state->away, row);
}

static void sum_pod(void *context, const struct pod_row *row, struct node_id node) {
        struct preference_state *state = context;
        const struct class_hits *hits = hits_of_preferring(state, row);
        add_own(state, &state->near, 1, row, node);
        add_own(state, &state->away, -1, row, node);
        if (hits != NULL)
                apply_hits(state->cycle, hits, node, state->sums);
}

static void recount_score(void *context, struct node_id node) {
        struct preference_state *state = context;
        pair_numbers_take_back(state->sums, node);
        visit_node(&state->visit, node);
        pair_numbers_settle(state->sums, node, false, state->news);
}

static void settle_score(void *context, struct node_id node) {
        struct preference_state *state = context;
        pair_numbers_settle(state->sums, node, false, state->news);
}

static void sum_all(struct preference_state *state, struct arena *arena) {
        state->sums = ARENA_NEW(arena, struct pair_numbers);
        pair_numbers_init(state->sums, state->cycle->topologies, arena);
        visit_all(&state->visit);
        each_node(state->cycle, settle_score, state);
}

static void sum_pods(struct preference_state *state, const void *plugin) {
        const struct sched_cycle *cycle = state->cycle;
        struct memory_news news;
        if (!cycle_memory_recall(cycle->memory, cycle->cluster,
                                 memory_key(cycle, plugin, SLICE_LITERAL("affinity score")),
                                 BREAKING, &news)) {
                sum_all(state, cycle->scratch);
                return;
        }
        state->entry = news.entry;
        if (news.entry->value == NULL) {
                sum_all(state, &news.entry->arena);
                news.entry->value = state->sums;
                return;
        }
        state->sums = news.entry->value;
        state->news = &news.entry->news;
        memory_news_each(&news, cycle->cluster, recount_score, state);
}

static enum verdict_code pre_score(const struct sched_cycle *cycle, const void *plugin,
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
        state->near = own_terms(cycle, affinity->pod.preferred, affinity->pod.preferred_count);
        state->away =
                own_terms(cycle, affinity->pod_anti.preferred, affinity->pod_anti.preferred_count);
        state->hits = ARENA_NEW(cycle->scratch, struct hit_table);
        state->visit = (struct pod_visit){ cycle, has_own ? PODS_ALL : PODS_WITH_TERMS,
                                           preference_matters, sum_pod, state };
        sum_pods(state, plugin);
        if (pair_numbers_is_empty(state->sums))
                return VERDICT_SKIP;
        *ret_pod_state = state;
        return VERDICT_OK;
}

static void score(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                  struct node_batch batch, int64_t *ret_scores) {
        (void)cycle;
        (void)plugin;
        const struct preference_state *state = pod_state;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = pair_numbers_of_node(state->sums, batch.nodes[i]);
}

static void normalize(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
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

static const struct memory_entry *score_entry(const void *pod_state) {
        return ((const struct preference_state *)pod_state)->entry;
}

/* ---- waking ---- */

static bool mentions(const struct sched_cycle *cycle, const struct pod_affinity_terms *terms,
                     const struct pod_row *row) {
        for (size_t i = 0; i < terms->required_count; i++)
                if (term_selects(cycle->cluster, &terms->required[i], cycle->ns, row->ns,
                                 row->labels))
                        return true;
        return false;
}

/* A pod that came helps when the newcomer wants to be near it; one that went is gone from the
 * model, so any may have stood in the way. */
static bool wakes(const struct sched_cycle *cycle, const void *plugin,
                  const struct cluster_change *change) {
        (void)plugin;
        const uint32_t always =
                CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_POD_REMOVED | CLUSTER_POD_LABELS;
        if ((change->mask & always) != 0 || pod_id_is_none(change->pod))
                return true;
        const struct pod_row *row = cluster_pod(cycle->cluster, change->pod);
        return row->is_live && mentions(cycle, &cycle->class->spec.affinity.pod, row);
}

static const struct field fields[] = {
        ARGS_HEAD_FIELDS,
        { .name = "hardPodAffinityWeight",
          .type = FIELD_I32,
          .offset = offsetof(struct affinity_args, hard_weight),
          .presence = FIELD_NO_PRESENCE,
          .is_bounded = true,
          .min = 0,
          .max = 100,
          .fallback = "1",
          .help = "What required affinity of running pods adds to a node's score." },
        { .name = "ignorePreferredTermsOfExistingPods",
          .type = FIELD_BOOL,
          .offset = offsetof(struct affinity_args, ignores_existing),
          .presence = FIELD_NO_PRESENCE,
          .help = "Leave out what running pods prefer when the new one prefers nothing." },
        FIELD_END,
};

const struct plugin plugin_inter_pod_affinity = {
        .name = "InterPodAffinity",
        .args = fields,
        .args_size = sizeof(struct affinity_args),
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = filter,
                        .explain = explain,
                        .pre_score = pre_score,
                        .score = score,
                        .normalize = normalize,
                        .wakes = wakes,
                        .counts_pods = true,
                        .filter_follow = &(const struct sched_follow){ .entry = filter_entry,
                                                                       .frame = filter_frame },
                        .score_follow = &(const struct sched_follow){ .entry = score_entry } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_POD_ADDED |
                    CLUSTER_POD_REMOVED | CLUSTER_POD_LABELS,
};
