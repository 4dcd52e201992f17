/* The expected times of evictions. Code that weighs them does not include their source; the roles
 * pass it in as this table. */
#pragma once

#include "base/time.h"
#include "model/pod_table.h"

struct expected_times {
        void *context;
        /* Nanoseconds; 0 = negligible or unknown. */
        int64_t (*expected_ns)(void *context, struct pod_id pod, struct wall_time now);
};
