/* Consumable capacity: what a share of a device takes, and whether there is room for it. */
#pragma once

#include "devices/device_inventory.h"

/* What a request consumes of one capacity, rounded as the device's policy says: the default (or all
 * of it) when nothing is asked for. In the arena or borrowed. is_standard: the policy's default. */
struct slice device_capacity_consumed(const struct device_capacity *capacity,
                                      const struct device_amounts *asked, struct arena *arena,
                                      bool *ret_is_standard);
/* Whether the policy allows such a share. */
bool device_capacity_allows(const struct device_capacity *capacity, struct slice amount,
                            bool is_standard);
/* Shares of a device that are given away already. */
struct device_shares {
        const struct device_amounts *items;
        size_t count;
};
/* Whether all capacities of the device have room for the request beside these. False too when it
 * asks for a capacity that the device does not have. */
bool device_capacity_fits(const struct device *device, const struct device_amounts *asked,
                          const struct device_shares *taken, struct arena *arena);
/* What the request consumes of each capacity. */
struct device_amounts device_capacity_share(const struct device *device,
                                            const struct device_amounts *asked,
                                            struct arena *arena);
