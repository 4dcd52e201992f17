/* Pools of devices as one node sees them: the newest generation that reaches it, complete and valid
 * or marked. */
#pragma once

#include "devices/device_inventory.h"
#include "devices/device_sum.h"

struct device_reach;
/* A node, and how node selectors match it. */
struct device_node {
        struct slice name;
        bool (*matches)(const void *context, const struct affinity *terms);
        const void *context;
        const struct device_reach *reach; /* of it (device_reach.h); NULL: to be found out */
};
struct pool_counter { /* of a set that devices share */
        struct slice set, name;
        struct device_sum all;
        struct device_sum left; /* by allocated claims; may be negative.  device_pool_settle() */
};
struct device_pool {
        struct slice driver, name;
        bool is_incomplete, is_late;           /* late: devices have binding conditions */
        bool is_whole;                         /* all slices that it should have reach the node */
        const char *problem;                   /* of an invalid pool; NULL of a valid one */
        const struct inventory_slice **slices; /* with devices, for the node; by name */
        size_t slice_count;
        struct pool_counter *counters;
        size_t counter_count;
        uint32_t at; /* in the inventory */
        int64_t generation;
        bool is_settled;
        uint64_t version;    /* of what is taken, as settled */
        struct arena *arena; /* of what is left of the counters, among others */
        /* Of one that the inventory keeps for the nodes that see the same of it. */
        size_t serial; /* from 1 on; 0: it is own for one search only */
        bool has_places;
        const struct inventory_slice **reached;
        size_t reached_count;
        struct arena *memory; /* all of it */
        struct device_pool *next;
};
/* Pools whose slices name the node; there is room for as many as device_inventory_own()
 * counts. */
size_t device_pools_gather_own(struct device_inventory *inventory, const struct device_node *node,
                               struct arena *arena, struct device_pool **pools);
/* Brings what is left of the counters up to date. */
void device_pool_settle(const struct device_inventory *inventory, struct device_pool *pool);
/* What the node sees of the pool, own in the inventory; NULL: nothing. */
struct device_pool *device_pool_view(struct device_inventory *inventory,
                                     const struct device_node *node, uint32_t at);
/* By driver and name, those with binding conditions last. */
int device_pools_compare(const void *a, const void *b); /* of pointers to them */
void device_pools_sort(struct device_pool **pools, size_t count);
void device_pool_free_views(struct inventory_pool *pool);
bool device_place_matches(const struct device_node *node, const struct device_place *place);
