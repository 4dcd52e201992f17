/* What can be allocated: slices in the order in which upstream tries them, what is allocated of
 * their devices, and compiled selectors. Made from decoded objects, which have to outlive it; one
 * inventory serves the search for many pods and nodes. */
#pragma once

#include "api/device.h"
#include "cel/cel_device.h"

/* Feature gates of upstream; device_gates_standard() has their defaults in 1.36. */
struct device_gates {
        bool has_admin_access;       /* DRAAdminAccess */
        bool has_choices;            /* DRAPrioritizedList */
        bool has_counters;           /* DRAPartitionableDevices */
        bool has_taints;             /* DRADeviceTaints */
        bool has_binding_conditions; /* DRADeviceBindingConditions, DRAResourceClaimDeviceStatus */
        bool has_shares;             /* DRAConsumableCapacity */
        bool has_lists;              /* DRAListTypeAttributes: in selectors only */
        bool has_taint_rules;        /* DRADeviceTaintRules */
        bool is_parity;              /* counters leak within a search, as upstream's do */
};
struct device_gates device_gates_standard(void);

/* An expression; problem is NULL when it compiled.  What it says of a device stays true as long as
 * the inventory lives. */
struct device_selector {
        struct cel_program *program;
        const char *problem;
        uint8_t *known; /* by serial of the device: 0 not known, 1 no, 2 yes */
        size_t known_count;
};
/* Who sees a device: nobody, several nodes perhaps, or one node, whose place in the list of homes
 * the number is. */
enum device_home { DEVICE_HOME_NONE, DEVICE_HOME_ANY, DEVICE_HOME_FIRST };
#define DEVICE_CHANGES_MAX 1024         /* remembered; a power of two */
struct device_use {                     /* of one device by allocated claims */
        uint32_t allocated, shared;     /* by so many of their results */
        struct device_amount *consumed; /* of shares, summed */
        uint32_t consumed_count, consumed_cap;
        uint32_t home; /* enum device_home, or more */
        uint32_t pool; /* unless nobody sees it */
};
static inline bool device_use_is_none(const struct device_use *use) {
        return use->allocated == 0 && use->shared == 0;
}
struct inventory_device {
        const struct device *device;
        uint32_t number; /* the same for devices of the same driver, pool and name */
        uint32_t serial; /* of this one alone: generations of a pool may differ */
};
struct inventory_slice {
        const struct resource_slice *slice;
        struct inventory_device *devices;
        uint32_t pool;
};
struct inventory_pool {      /* slices of one driver and one name, whatever their generation */
        uint32_t first, end; /* of the slices */
        uint32_t newest_count;
        uint32_t number, device_count; /* the first one of its devices, by name; so many */
        int64_t newest;                /* generation; so many slices are of it */
        bool is_wide;                  /* a slice does not name its node */
        bool has_counters;
        /* Its devices consume counters that it has, in this generation: found out at the first
         * search. */
        bool is_sound;
        int64_t sound_generation;
        uint64_t version;          /* counts changes of what is taken of its devices */
        struct device_pool *views; /* that nodes have of a wide one */
};
struct pool_key {
        uint64_t hash; /* of driver and name */
        uint32_t pool;
};
struct offered_device {
        const struct resource_slice *slice;
        const struct inventory_device *device;
};
#define DEVICE_HOLDING_SIZES 16
struct device_inventory {
        struct arena arena;
        struct device_gates gates;
        struct inventory_slice *slices; /* by driver, pool and name */
        size_t slice_count;
        uint32_t device_count;
        struct device_use *uses; /* by the number of a device */
        size_t use_count, use_cap;
        const struct device **names; /* by the number of a device that slices have */
        struct map_u64 *strangers; /* hash of others, which claims name, to their number plus one */
        struct map *selectors, *classes;
        struct map_u64 *holdings; /* hash of "namespace/name" of a claim to what it takes */
        struct device_holding *free_holdings[DEVICE_HOLDING_SIZES]; /* by size */
        size_t *shared; /* slices that do not name a node; ascending */
        size_t shared_count;
        struct map *nodes; /* name to a list of slices that name it, ascending */
        struct inventory_pool *pools;
        struct pool_key *pool_keys; /* by hash */
        uint32_t pool_count;
        size_t view_count; /* of pools */
        struct device_reaches
                *reaches; /* what nodes see (device_reach.h); NULL: not asked for yet */
        struct slice *homes;
        uint32_t home_count;
        /* What is taken of devices changed so often: of one node, of several. */
        uint64_t change_count, shared_change_count;
        uint32_t changes[DEVICE_CHANGES_MAX];        /* the homes of the last ones, in a ring */
        uint32_t shared_changes[DEVICE_CHANGES_MAX]; /* the pools of the last ones */
};

struct device_inventory *device_inventory_new(const struct device_gates *gates,
                                              const struct resource_slice *const *slices,
                                              size_t count);
void device_inventory_free(struct device_inventory *inventory); /* accepts NULL */
void device_inventory_add_class(struct device_inventory *inventory,
                                const struct device_class *class);
const struct device_class *device_inventory_class(const struct device_inventory *inventory,
                                                  struct slice name); /* or NULL */
/* What the claim of that key takes from now on: what its allocation says; nothing when it has none,
 * or is NULL. Administrative access takes nothing. */
void device_inventory_take(struct device_inventory *inventory, struct slice key,
                           const struct resource_claim *claim);
/* The node whose devices changed at that change; only the last DEVICE_CHANGES_MAX are known. */
struct slice device_inventory_changed_node(const struct device_inventory *inventory, uint64_t at);
/* Compiled at the first call for an expression. */
struct device_selector *device_inventory_selector(struct device_inventory *inventory,
                                                  struct slice expression);
/* Whether the expression selects the device: CEL_TRUE, CEL_FALSE, or what cel_device_matches says
 * of an error, with *ret_why; CEL_FAILED too for devices of which no expression can say anything.
 */
int device_selector_matches(const struct device_inventory *inventory,
                            struct device_selector *selector, const struct offered_device *offered,
                            struct arena *arena, const char **ret_why);
/* Slices that may offer devices to a node of that name, ascending; in the arena. */
size_t device_inventory_reach(const struct device_inventory *inventory, struct slice node,
                              struct arena *arena, size_t **ret_slices);
struct slice_list {
        size_t *items;
        size_t count, cap;
};
/* Slices that name the node, ascending; NULL: none. */
const struct slice_list *device_inventory_own(const struct device_inventory *inventory,
                                              struct slice node);
void device_inventory_drop_holdings(struct device_inventory *inventory); /* at its end */
