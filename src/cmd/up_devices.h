/* Devices of nodes for the report of berth up. */
#pragma once

#include "base/arena.h"
#include "base/slice.h"

struct cluster;
struct object_cache;

struct up_devices { /* of one node alone; those that many nodes reach are left out */
        struct slice node;
        size_t all, used;
        size_t shared;     /* of the used: by shares of their capacity */
        size_t fragmented; /* not used, but others took so much of their counters that they cannot
                              be */
};
/* Nodes that have devices, in the model's order; in the arena. */
size_t up_devices_gather(const struct cluster *cluster, const struct object_cache *object_cache,
                         struct arena *arena, struct up_devices **ret_devices);
