/* Among pods a strategy holds for equal, those that are evicted quickly go first. */
#pragma once

#include "plugin/desched_points.h"

struct cost_order {
        /* Whether the strategy's own order, but for age and name, says nothing of the two. */
        bool (*are_equal)(const struct cluster *cluster, struct pod_id a, struct pod_id b);
        bool is_dear_first; /* of lists that are used up from their end */
};
/* Pods are sorted in the strategy's order, in which equal ones stand together; they stay in that
 * order where evictions are expected to take the same. */
void sort_equals_by_cost(struct desched_run *run, const struct cost_order *order,
                         struct pod_id *pods, size_t count);
