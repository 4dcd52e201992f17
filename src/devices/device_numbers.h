/* Numbers of devices: one for each driver, pool and name, however many slices have it. */
#pragma once

#include "devices/device_inventory.h"

/* Numbers the devices of all slices, in the order of pools and names; at the start. */
void device_numbers_give(struct device_inventory *inventory);
/* The number of a device of that name, known or new. */
uint32_t device_number_of(struct device_inventory *inventory, struct slice driver,
                          struct slice pool, struct slice device);
