/* Numbers added up per domain of a topology label, from parts that each node contributes.  One
 * node's part can be taken back and made anew, so the sums can outlive a decision. */
#pragma once

#include "base/arena.h"
#include "model/cluster.h"

#define DOMAIN_NONE UINT32_MAX

struct domain_sums {
        struct str_id key;
        size_t node_count, cap;
        uint32_t *domain;   /* per node row: id of its label's value, or DOMAIN_NONE */
        int64_t *parts;     /* per node row */
        uint32_t *hits;     /* per node row: how often something was added */
        int64_t *sums;      /* by domain */
        uint64_t hit_count; /* of all nodes */
};
/* Reads the labels of all live nodes; arrays live in the arena. */
void domain_sums_init(struct domain_sums *sums, const struct cluster *cluster, struct str_id key,
                      struct arena *arena);
/* For a key that no node carries. */
void domain_sums_init_empty(struct domain_sums *sums, const struct cluster *cluster,
                            struct arena *arena);
static inline bool domain_sums_has(const struct domain_sums *sums, struct node_id node) {
        return sums->domain[node.index] != DOMAIN_NONE;
}
/* The sum of the node's domain; 0 for a node without one. */
static inline int64_t domain_sums_at(const struct domain_sums *sums, struct node_id node) {
        uint32_t domain = sums->domain[node.index];
        return domain == DOMAIN_NONE ? 0 : sums->sums[domain];
}
/* A node without a domain takes no part. */
void domain_sums_add(struct domain_sums *sums, struct node_id node, int64_t amount);
void domain_sums_take_back(struct domain_sums *sums, struct node_id node);
