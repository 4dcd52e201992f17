/* What nodes see of the pools that are not of nodes by name: the same for many nodes, and made once
 * for all of them. */
#pragma once

#include "devices/device_pools.h"

/* Equal for nodes that match the same selectors and names. */
struct device_reach {
        uint32_t number;            /* small */
        struct device_pool **pools; /* that have devices for the nodes, or do not work; in order */
        size_t pool_count;
};
const struct device_reach *device_reach_of(struct device_inventory *inventory,
                                           const struct device_node *node);
/* Pools of other nodes, with counters, that do not work: every node sees those. */
struct device_pool **device_reach_broken(struct device_inventory *inventory, size_t *ret_count);
bool device_reach_is_broken(const struct device_inventory *inventory, uint32_t at);
/* Whether a pool that just changed is one of these. */
bool device_reach_breaks(struct device_inventory *inventory, uint32_t at);
/* Pools in the order in which they are tried; in the arena or the inventory. */
size_t device_pools_gather(struct device_inventory *inventory, const struct device_node *node,
                           struct arena *arena, struct device_pool ***ret_pools);
/* Forgets what nodes see; all views of pools go with it. */
void device_reaches_drop(struct device_inventory *inventory);
