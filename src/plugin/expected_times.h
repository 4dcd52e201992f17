/* What evicting a pod is expected to take.  Who weighs it must not know how it is known; who runs
 * both hands it over as this table. */
#pragma once

#include "base/time.h"
#include "model/pod_table.h"

struct expected_times {
        void *context;
        /* Nanoseconds; 0 = nothing worth a thought, or nothing known. */
        int64_t (*expected_ns)(void *context, struct pod_id pod, struct wall_time now);
};
