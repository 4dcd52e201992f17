/* PrioritySort: higher priority first, then who has waited longer. */
#include "plugin/sched_points.h"

static bool is_before(int32_t a_priority, int64_t a_queued_ns, int32_t b_priority,
                      int64_t b_queued_ns) {
        return a_priority != b_priority ? a_priority > b_priority : a_queued_ns < b_queued_ns;
}

const struct plugin plugin_priority_sort = {
        .name = "PrioritySort",
        .sched = &(const struct sched_points){ .is_before = is_before },
};
