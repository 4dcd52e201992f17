/* Pools of devices as one node sees them: the newest generation that reaches it, complete and valid
 * or marked. */
#pragma once

#include "devices/device_inventory.h"

/* A node, and how node selectors match it. */
struct device_node {
        struct slice name;
        bool (*matches)(const void *context, const struct affinity *terms);
        const void *context;
};
struct pool_counter { /* of a set that devices share */
        struct slice set, name, available;
};
struct device_pool {
        struct slice driver, name;
        bool is_incomplete;
        const char *problem;                   /* of an invalid pool; NULL of a valid one */
        const struct inventory_slice **slices; /* with devices, for the node; by name */
        size_t slice_count;
        struct pool_counter *counters; /* what allocated claims leave of them; may be negative */
        size_t counter_count;
};
/* Pools in the order in which they are tried; in the arena. */
size_t device_pools_gather(const struct device_inventory *inventory, const struct device_node *node,
                           struct arena *arena, struct device_pool **ret_pools);
bool device_place_matches(const struct device_node *node, const struct device_place *place);
