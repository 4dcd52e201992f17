/* Which node the replacement of an evicted pod would take, so that the last free capacity is not
 * counted twice in a pass. */
#pragma once

#include "plugin/desched_points.h"

/* A node of the set, not its own, fits the pod with what pods evicted earlier in this pass will
 * take; that capacity is taken when the pod is evicted next. */
bool node_capacity_find(struct desched_run *run, struct pod_id pod, const struct bitset *nodes);
