/* All reasons why a pod does not fit a node, not only the first that a filter names, and for each
 * the change of the node, or of the pod, that would remove it. */
#pragma once

#include "base/arena.h"
#include "plugin/sched_attempt.h"

struct obstacle_change {
        struct slice on_node; /* "+2 cpu", "remove taint a=b:NoSchedule"; "" = nothing would help */
        struct slice on_pod;  /* "request 500m cpu instead of 2"; "" = no simple way */
        int64_t cost;         /* the lower, the smaller the change */
};
struct obstacle {
        const struct plugin *plugin; /* NULL: left out before filtering */
        enum verdict_code code;
        size_t reason_count, change_count;
        const struct slice *reasons;
        const struct obstacle_change *changes;
};
struct obstacle_list {
        size_t count;
        const struct obstacle *items;
        int64_t cost; /* of all changes */
};

/* The attempt has passed PreFilter.  Everything lives in its scratch arena. */
void obstacles_find(struct sched_attempt *attempt, struct node_id node,
                    struct obstacle_list *ret_list);
/* An amount for people: 500m, 2, 1536Mi. */
struct slice resource_text(struct arena *arena, struct resource_id resource, int64_t amount);
