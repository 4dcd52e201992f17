/* A pod's nodeSelector and node affinity against nodes, one by one or as sets.
 *
 * Requirements of a term are ANDed, terms ORed; an empty or unparsable term matches nothing, an
 * empty list of terms neither.  NotIn and DoesNotExist hold for absent labels; Gt and Lt compare
 * integers and fail on labels that are none.  Of fields only metadata.name exists, with In or NotIn
 * and exactly one value. */
#pragma once

#include "api/object.h"
#include "model/cluster.h"

/* Every pair of the selector is a label of the node. */
bool node_has_labels(const struct cluster *cluster, struct node_id node,
                     struct label_list selector);
bool node_term_matches(const struct cluster *cluster, const struct node_term *term,
                       struct node_id node);
bool node_terms_match(const struct cluster *cluster, const struct node_term *terms, size_t count,
                      struct node_id node);
/* nodeSelector and required node affinity. */
bool node_affinity_admits(const struct cluster *cluster, const struct pod_spec *spec,
                          struct node_id node);
/* Sum of the weights of the matching preferred terms. */
int64_t node_affinity_preference(const struct cluster *cluster, const struct affinity *affinity,
                                 struct node_id node);
/* An expression that cannot be parsed: scoring such preferred terms is an error upstream. */
bool node_term_is_invalid(const struct node_term *term);
bool node_term_is_empty(const struct node_term *term);

/* The same over sets: drop from nodes what does not match.  scratch holds temporary sets. */
void node_labels_narrow(const struct cluster *cluster, struct label_list selector,
                        struct bitset *nodes);
void node_term_narrow(const struct cluster *cluster, const struct node_term *term,
                      struct arena *scratch, struct bitset *nodes);
void node_terms_narrow(const struct cluster *cluster, const struct node_term *terms, size_t count,
                       struct arena *scratch, struct bitset *nodes);
void node_affinity_narrow(const struct cluster *cluster, const struct pod_spec *spec,
                          struct arena *scratch, struct bitset *nodes);
