/* Numbers of devices: one for each driver, pool and name, however many slices have it. */
#pragma once

#include "devices/device_inventory.h"

uint64_t device_pool_hash(struct slice driver, struct slice pool);
/* NULL: no slice was ever of it. */
struct inventory_pool *device_pool_find(const struct device_inventory *inventory,
                                        struct slice driver, struct slice pool);
/* Room for the numbers of so many devices. */
void device_numbers_reserve(struct device_inventory *inventory, size_t count);
/* Numbers the devices of the pool; names that it had before keep their number, and those that it
 * does not have any more become strangers.  A device of which expressions see the same as before
 * keeps its serial. */
void device_numbers_renew(struct device_inventory *inventory, struct inventory_pool *pool,
                          const struct inventory_pool *before);
/* The number of a device of that name, known or new. */
uint32_t device_number_of(struct device_inventory *inventory, struct slice driver,
                          struct slice pool, struct slice device);
