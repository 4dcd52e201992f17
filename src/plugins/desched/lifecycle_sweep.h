/* Upstream's strategies about the life of pods, each one rule of PodLifecycle (lifecycle_rule.h):
 * who goes first, when filters are asked, and what limits end is theirs; what is wanted is the
 * rule's. */
#pragma once

#include "plugins/desched/lifecycle_rule.h"

enum lifecycle_order {
        ORDER_OLDEST,        /* of all nodes; filters are asked while looking */
        ORDER_BY_NODE,       /* oldest of each node; filters right before evicting */
        ORDER_MOST_RESTARTS, /* of each node; filters while looking at the node */
};
struct lifecycle_sweep {
        const struct lifecycle_rule *rule;
        enum lifecycle_order order;
        /* Why the pod goes; lives as long as the rule runs. */
        struct slice (*describe)(struct desched_run *run, const struct rule_plan *plan,
                                 const struct pod_row *pod);
};
void lifecycle_sweep_run(struct desched_run *run, const struct lifecycle_sweep *sweep);
