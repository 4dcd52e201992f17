/* The walk most rules share: nodes by name, their pods oldest first, evict what the rule wants and
 * the filters let go, until limits say otherwise. */
#pragma once

#include "plugin/desched_points.h"

struct sweep {
        enum pod_listing listing;
        /* Nodes none of whose pods the rule wants are passed over; NULL = look at all. */
        bool (*looks_at_node)(struct desched_run *run, const void *context, struct node_id node);
        /* Asked once per kind: false when the rule wants no pod of it; NULL = look at all. */
        bool (*looks_at_kind)(struct desched_run *run, const void *context,
                              const struct pod_kind *kind);
        /* Whether the rule wants the pod gone; ret_reason starts empty and may be set to a text
         * that lives as long as the rule runs. */
        bool (*wants)(struct desched_run *run, const void *context, struct pod_id pod,
                      struct slice *ret_reason);
        const void *context;
};
void sweep_nodes(struct desched_run *run, const struct sweep *sweep);
/* Free text about a pod for records and events; empty in parity, where plugins give none. */
struct slice evict_reason(struct desched_run *run, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
