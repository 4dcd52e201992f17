/* What is about to be deleted by others: by PodGC and with Jobs.
 *
 * PodGC: above a threshold of finished pods kube-controller-manager deletes
 * the excess, every 20 seconds. */
#pragma once

#include "base/bitset.h"
#include "plugin/desched_points.h"

#define POD_GC_THRESHOLD_DEFAULT "12500" /* kube-controller-manager's */

struct owner_row;

/* An owner is a Job with ttlSecondsAfterFinished, which takes its pods along. */
bool pod_goes_with_job(const struct desched_run *run, const struct owner_row *owners, size_t count);
/* Pods by index; memory lives as long as the rule runs.  threshold 0: PodGC leaves them. */
struct bitset pod_gc_takes(struct desched_run *run, int64_t threshold);
