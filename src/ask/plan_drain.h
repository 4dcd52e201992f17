/* The pods of a node that is taken away: as berth reboot would drain it. */
#pragma once

#include "base/arena.h"
#include "base/time.h"
#include "model/cluster.h"

struct drained_pod {
        struct pod_id pod;
        struct slice ns, name, uid;
        struct slice stays; /* why it is not asked to go: "DaemonSet agent"; "" = it is */
};
struct drained_list {
        size_t count;
        struct drained_pod *items; /* by namespace and name */
};
/* Memory comes from the arena. */
void plan_drain_list(const struct cluster *cluster, struct node_id node, struct wall_time now,
                     struct arena *arena, struct drained_list *ret_list);
