/* Numbers added up per domain of a topology label, from parts that each node contributes.  One
 * node's part can be computed again, so the sums can outlive a decision, and they list the domains
 * they changed in. */
#pragma once

#include "rules/topology.h"

/* Domains whose numbers changed, oldest first. */
struct domain_change {
        const struct topology *topology; /* NULL: the domain is one node's row */
        uint32_t domain;
        uint64_t version;
};
struct domain_news {
        struct domain_change *items; /* room for cap */
        size_t count, cap;
        uint64_t version;   /* of the numbers, with what is being added */
        uint64_t since;     /* all changes after this version are there ... */
        bool is_incomplete; /* ... unless more than cap changed */
};
void domain_news_add(struct domain_news *news, const struct topology *topology, uint32_t domain);

struct domain_sums {
        const struct topology *topology;
        int64_t *parts;     /* per node row */
        int64_t *settled;   /* per node row: what of its part is in the sums */
        uint32_t *hits;     /* per node row: how often something was added */
        int64_t *sums;      /* by domain */
        uint64_t hit_count; /* of all nodes */
};
void domain_sums_init(struct domain_sums *sums, const struct topology *topology,
                      struct arena *arena);
static inline bool domain_sums_has(const struct domain_sums *sums, struct node_id node) {
        return topology_has(sums->topology, node);
}
/* The sum of the node's domain; 0 for a node without one. */
static inline int64_t domain_sums_at(const struct domain_sums *sums, struct node_id node) {
        uint32_t domain = sums->topology->domain[node.index];
        return domain == DOMAIN_NONE ? 0 : sums->sums[domain];
}
/* Adds to a node's part; a node without a domain takes no part.  The sum follows when the node is
 * settled. */
void domain_sums_add(struct domain_sums *sums, struct node_id node, int64_t amount);
/* A node's part is about to be computed again. */
void domain_sums_take_back(struct domain_sums *sums, struct node_id node);
/* Brings the sum up to date with the node's part.  news (NULL = not wanted) gets the domain when
 * its sum changed, or with signs_only when it became positive or stopped to be. */
void domain_sums_settle(struct domain_sums *sums, struct node_id node, bool signs_only,
                        struct domain_news *news);
