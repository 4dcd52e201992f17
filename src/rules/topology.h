/* The domains a label key makes of the nodes, numbered without gaps, and the nodes of each. */
#pragma once

#include "base/arena.h"
#include "model/cluster.h"

#define DOMAIN_NONE UINT32_MAX

struct topology {
        struct str_id key;
        bool has_key;      /* false: a key that no node carries */
        size_t node_count; /* node rows it was made for */
        uint32_t *domain;  /* per node row: number of its label's value, or DOMAIN_NONE */
        uint32_t domain_count;
        uint32_t unnamed;        /* the domain of an empty value; DOMAIN_NONE without one */
        uint32_t *first;         /* per domain and one more: where its nodes begin in members */
        struct node_id *members; /* domain by domain, ascending within each */
};
static inline bool topology_has(const struct topology *topology, struct node_id node) {
        return topology->domain[node.index] != DOMAIN_NONE;
}

/* Topologies made on demand, in an arena; they hold until a node comes, goes, or changes its
 * labels. */
struct topologies {
        struct arena *arena, *scratch; /* scratch: until the call that makes one returns */
        size_t count, cap;
        struct topology **items;
};
/* Reads the labels of all live nodes the first time a key is asked for. */
const struct topology *topologies_get(struct topologies *topologies, const struct cluster *cluster,
                                      struct str_id key, bool has_key);
