/* Retention: of the pods a rule matched, which ones may go now. */
#pragma once

#include "plugins/desched/lifecycle_rule.h"

/* Leaves in pods those past their time and not among the newest of their group, oldest first;
 * returns how many.  Notes when the next one's time is up. */
size_t retention_apply(struct desched_run *run, const struct retention_arg *retention,
                       struct pod_id *pods, size_t count);
