/* Inside of InterPodAffinity: the pods that are counted, and its two halves, strict terms (filter)
 * and preferences (score). */
#pragma once

#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"
#include "rules/pod_affinity.h"

struct affinity_args {
        struct args_head head;
        int32_t hard_weight; /* hardPodAffinityWeight */
        bool ignores_existing;
};

/* ---- the pods that run (affinity_pods.c) ---- */

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
void affinity_visit_node(const struct pod_visit *visit, struct node_id node);
/* All nodes, asking once about pods that are alike. */
void affinity_visit_all(const struct pod_visit *visit);
void affinity_each_node(const struct sched_cycle *cycle,
                        void (*each)(void *context, struct node_id node), void *context);

/* Changes after which everything is counted again. */
#define AFFINITY_BREAKING                                                                          \
        (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_LABELS | CLUSTER_NAMESPACE)
/* Names counts by all they depend on apart from nodes and running pods. */
uint64_t affinity_memory_key(const struct sched_cycle *cycle, const void *plugin,
                             struct slice what);

/* Terms of the newcomer. */
struct own_terms {
        size_t count;
        struct term_match *matches;
};
struct own_terms own_terms_new(const struct sched_cycle *cycle,
                               const struct pod_affinity_term *terms, size_t count);
bool own_terms_match_any(const struct own_terms *terms, const struct pod_row *row);
/* Adds to the pair of the term's key on node. */
void affinity_count_term(struct pair_numbers *numbers, const struct cluster *cluster,
                         struct node_id node, const struct term_match *match, int64_t amount);

/* Terms of running pods. */

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
/* The place of a class in a namespace; false when its hits are known already. */
bool affinity_start_hits(const struct sched_cycle *cycle, struct hit_table *table,
                         const struct pod_class *class, struct str_id ns,
                         struct class_hits **ret_hits);
void affinity_add_hits(const struct sched_cycle *cycle, struct their_terms terms,
                       struct class_hits *hits);
void affinity_apply_hits(const struct sched_cycle *cycle, const struct class_hits *hits,
                         struct node_id node, struct pair_numbers *numbers);

/* ---- strict terms (affinity_filter.c) ---- */
enum verdict_code affinity_pre_filter(const struct sched_cycle *cycle, const void *plugin,
                                      void **ret_pod_state, const struct bitset **ret_only,
                                      struct verdict *verdict);
void affinity_filter(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                     struct bitset *nodes);
void affinity_explain(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                      struct node_id node, struct verdict *verdict);
extern const struct count_hints affinity_filter_counts;

/* ---- preferences (affinity_score.c) ---- */
enum verdict_code affinity_pre_score(const struct sched_cycle *cycle, const void *plugin,
                                     struct node_batch feasible, void **ret_pod_state,
                                     struct verdict *verdict);
void affinity_score(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                    struct node_batch batch, int64_t *ret_scores);
void affinity_normalize(const struct sched_cycle *cycle, const void *plugin, const void *pod_state,
                        struct node_batch feasible, int64_t *scores);
extern const struct count_hints affinity_score_counts;
