/* Pods that the constraints of one pod count, by node and by domain; cached from one decision to
 * the next where there is a count cache. */
#pragma once

#include "plugin/count_cache.h"
#include "plugin/sched_points.h"
#include "plugins/sched/spread_args.h"
#include "rules/spread.h"
#include "rules/topology.h"

/* The pods a rule counts; may outlive the decision. */
struct spread_counts {
        const struct topology *topology;
        uint32_t unnamed; /* domain of nodes without the label, where they count; or DOMAIN_NONE */
        struct bitset partakes; /* nodes whose pods are in the sums */
        uint32_t *pods;         /* per node, whether it takes part or not */
        int64_t *sums;          /* by domain */
        size_t domain_count;    /* with a node that takes part */
        uint32_t *domains;
};
struct spread_numbers {
        struct spread_counts *rules;
        struct bitset lacking; /* nodes that lack a key, when all are needed */
};
struct spread_state {
        const struct sched_cycle *cycle;
        const struct spread_plugin *own;
        size_t count;
        struct spread_rule *rules;
        struct spread_numbers *numbers;
        const struct count_entry *entry; /* of the numbers; NULL = of this decision only */
        int64_t *minima;                 /* filter */
        double *weights;                 /* score */
        bool is_hard;
        bool needs_all_keys;
};

/* The rules of a pod, hard or soft ones, with nothing counted yet. */
struct spread_state *spread_state_new(const struct sched_cycle *cycle,
                                      const struct spread_plugin *own, bool is_hard);
void spread_count(struct spread_state *state);
/* DOMAIN_NONE for a node whose pods are in no sum. */
static inline uint32_t spread_domain_of(const struct spread_counts *counts, struct node_id node) {
        uint32_t domain = counts->topology->domain[node.index];
        return domain == DOMAIN_NONE ? counts->unnamed : domain;
}
