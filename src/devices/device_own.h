/* Which slices name which node. */
#pragma once

#include "devices/device_inventory.h"

/* Takes the slices of a pool out of the lists of the nodes that they name. */
void device_own_remove(struct device_inventory *inventory, const struct inventory_pool *pool,
                       uint32_t at);
void device_own_add(struct device_inventory *inventory, const struct inventory_pool *pool,
                    uint32_t at);
/* The home of what the pool has: counters tie all devices of a pool together, so that its nodes
 * are those of all its slices.  DEVICE_HOME_NONE when it has no slices. */
uint32_t device_own_home(const struct device_inventory *inventory,
                         const struct inventory_pool *pool);
