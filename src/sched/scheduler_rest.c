/* Gives back, some time after the last decision, what only decisions need: caches by class and the
 * room of the queue.  A burst of pods leaves tens of MiB of it behind on a large cluster; building
 * a cache again takes about as long as one full scan. */
#include "base/util.h"
#include "sched/scheduler_priv.h"

#define REST_NS (30 * NS_PER_S)

bool scheduler_rest_due(const struct scheduler *scheduler, int64_t *ret_due_ns) {
        *ret_due_ns = scheduler->decided_ns + REST_NS;
        return scheduler->has_decided;
}

void scheduler_rest(struct step *step) {
        struct scheduler *scheduler = step->scheduler;
        int64_t due_ns;
        if (!scheduler_rest_due(scheduler, &due_ns) || step->mono.ns < due_ns)
                return;
        class_engine_rest(scheduler->engine);
        scheduling_queue_rest(&scheduler->queue);
        scheduler->has_decided = false;
}
