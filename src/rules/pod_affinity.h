/* Terms of pod affinity and anti-affinity, of a pod about to be placed and of those that run
 * (reference scheduler.md 4.5). */
#pragma once

#include "model/cluster.h"
#include "rules/domain_sums.h"
#include "rules/label_match.h"

/* A term of one pod, ready to be matched against many others. */
struct term_match {
        const struct pod_affinity_term *term;
        struct str_id key; /* topologyKey; has_key false: no node carries it */
        bool has_key;
        bool matches_all_namespaces;
        struct str_id own_ns;
        bool is_own_ns_only;
        struct label_match labels, namespaces;
        const struct cluster *cluster;
};
/* is_parity: a namespaceSelector that an empty set of labels satisfies selects every namespace, as
 * upstream has it for terms of the pod being placed. */
void term_match_init(struct term_match *match, const struct cluster *cluster,
                     const struct pod_affinity_term *term, struct str_id own_ns, bool is_parity,
                     struct arena *arena);
bool term_match_has(struct term_match *match, struct str_id ns, struct label_set_id labels);
/* Every one of the terms matches; false for none. */
bool terms_match_all(struct term_match *matches, size_t count, struct str_id ns,
                     struct label_set_id labels);
/* A term of a running pod against one that is about to be placed; ns is the running pod's. */
bool term_selects(const struct cluster *cluster, const struct pod_affinity_term *term,
                  struct str_id ns, struct str_id target_ns, struct label_set_id target_labels);

/* Numbers per (topology key, value), a node's part of which can be computed again. */
struct pair_numbers {
        struct arena *arena;
        struct topologies *topologies;
        size_t column_count, column_cap;
        struct domain_sums *columns;
};
void pair_numbers_init(struct pair_numbers *numbers, struct topologies *topologies,
                       struct arena *arena);
/* The column of a key, made when it is new; valid until the next one is made. */
struct domain_sums *pair_numbers_column(struct pair_numbers *numbers, const struct cluster *cluster,
                                        struct str_id key);
/* Adds to the node's part of the key; a node without it takes no part.  What was added counts when
 * the node is settled. */
void pair_numbers_add(struct pair_numbers *numbers, const struct cluster *cluster,
                      struct node_id node, struct str_id key, int64_t amount);
void pair_numbers_take_back(struct pair_numbers *numbers, struct node_id node);
void pair_numbers_settle(struct pair_numbers *numbers, struct node_id node, bool signs_only,
                         struct domain_news *news);
/* Nothing was added, not even 0. */
bool pair_numbers_is_empty(const struct pair_numbers *numbers);
/* Sum over all keys for the labels of a node. */
int64_t pair_numbers_of_node(const struct pair_numbers *numbers, struct node_id node);
