/* How many devices of a class a node sees, and how many of them are allocated. Pools and their
 * generations play no part, as in upstream's scores of extended resources. */
#pragma once

#include "devices/device_pools.h"

/* Negative when a selector of the class fails on a device. */
int device_count_class(struct device_inventory *inventory, const struct device_node *node,
                       struct slice class_name, struct arena *arena, size_t *ret_count,
                       size_t *ret_allocated);
