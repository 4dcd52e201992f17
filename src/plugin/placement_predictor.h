/* Where a pod would be placed if it were evicted now, after all earlier moves of the pass.  The
 * descheduler does not include the scheduler; the roles pass the one to the other as this table. */
#pragma once

#include "model/cluster.h"
#include <stdbool.h>
#include <stdint.h>

struct placement {
        bool is_placed;      /* some node takes it */
        struct node_id node; /* that node, when is_placed */
        bool has_gain;       /* its present node would take it as well */
        int64_t gain;        /* score there above the score here */
};

struct placement_predictor {
        void *context;
        /* A pass starts: earlier moves are forgotten. */
        void (*begin)(void *context, struct wall_time now);
        /* False when no profile here schedules such pods. */
        bool (*place)(void *context, struct pod_id pod, struct placement *ret_placement);
        /* The pod goes to that node. */
        void (*move)(void *context, struct pod_id pod, struct node_id node);
};
