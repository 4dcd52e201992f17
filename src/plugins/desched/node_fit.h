/* Whether a pod could run on a node, as far as the descheduler asks (upstream: NodeFit,
 * pkg/descheduler/node; reference descheduler.md 3.4): cordon, node selector and required affinity,
 * taints, the pod's own required anti-affinity against the pods of that very node, free resources;
 * beyond upstream, free devices for its claims. */
#pragma once

#include "plugin/desched_points.h"

/* On its own node resources are not asked for: it has them. */
bool node_fits(struct desched_run *run, struct pod_id pod, struct node_id node);
/* On any node of the set (a heap or arena bitset over node rows, left alone), its own excepted. */
bool node_fits_any_other(struct desched_run *run, struct pod_id pod, const struct bitset *nodes);
/* The same nodes one after the other. */
struct node_search {
        struct desched_run *run;
        const struct pod_row *pod;
        const struct pod_spec *spec;
        const struct bitset *fitting, *nodes;
        /* What is left out is left out for every pod of the class and namespace, but for a pod's
         * own node. */
        bool is_for_all;
};
struct node_search node_search_make(struct desched_run *run, struct pod_id pod,
                                    const struct bitset *nodes);
/* The next one after *node (NODE_NONE: the first). */
bool node_search_next(const struct node_search *search, struct node_id *node);
/* On any node the pass looks at, its own included. */
bool node_fits_any(struct desched_run *run, struct pod_id pod);
