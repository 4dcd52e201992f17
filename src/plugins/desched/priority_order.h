/* The order in which strategies that move pods pick them: lowest priority first. */
#pragma once

#include "plugin/desched_points.h"

/* No priority first, then ascending; BestEffort, Burstable, Guaranteed; pods that prefer to stay
 * last; oldest first among equals (upstream: SortPodsBasedOnPriorityLowToHigh). */
int pod_priority_order(const struct cluster *cluster, struct pod_id a, struct pod_id b);
/* Besides, before age: those whose eviction is expected to take less. */
void sort_by_priority(struct desched_run *run, struct pod_id *pods, size_t count);
