/* On which nodes a pod's devices could be had.  The descheduler does not include the scheduler,
 * which knows; the roles pass it the answer as this table. */
#pragma once

#include "base/bitset.h"
#include "model/cluster.h"

struct device_judge {
        void *context;
        /* Drops the nodes on which the claims of the pod could not be met if it were evicted. */
        void (*narrow)(void *context, struct pod_id pod, struct bitset *nodes);
};
