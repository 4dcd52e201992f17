/* What PodGC is about to take: above a threshold of finished pods kube-controller-manager deletes
 * the excess, every 20 seconds. */
#pragma once

#include "base/bitset.h"
#include "plugin/desched_points.h"

#define POD_GC_THRESHOLD_DEFAULT "12500" /* kube-controller-manager's */

/* Pods by index; memory lives as long as the rule runs.  threshold 0: PodGC leaves them. */
struct bitset pod_gc_takes(struct desched_run *run, int64_t threshold);
