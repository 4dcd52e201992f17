/* What can be allocated: slices in the order in which upstream tries them, what is allocated of
 * their devices, and compiled selectors. Made from decoded objects, which have to outlive it, also
 * those that were replaced; one inventory serves the search for many pods and nodes, and follows
 * its slices one pool at a time. */
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
 * the device is the same. */
struct device_selector {
        struct cel_program *program;
        const char *problem;
        uint8_t *known; /* by serial of the device: 0 not known, 1 no, 2 yes, 3 an error */
        size_t known_count;
};
/* Who sees a device: nobody, several nodes perhaps, or one node, whose place in the list of homes
 * the number is. */
enum device_home { DEVICE_HOME_NONE, DEVICE_HOME_ANY, DEVICE_HOME_FIRST };
#define DEVICE_CHANGES_MAX 1024            /* remembered; a power of two */
#define DEVICE_CHANGE_OF_SLICES (1U << 31) /* beside the home */
struct device_use {                        /* of one device by allocated claims */
        uint32_t allocated, shared;        /* by so many of their results */
        struct device_amount *consumed;    /* of shares, summed */
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
        uint32_t serial; /* of what expressions see of it: generations of a pool may differ */
};
struct inventory_slice {
        const struct resource_slice *slice;
        struct inventory_device *devices;
        uint32_t pool;
};
/* Slices of one driver and one name, whatever their generation; it keeps its place in the
 * inventory when they change, also when none is left. */
struct inventory_pool {
        struct slice driver, name;
        struct inventory_slice *slices; /* by name; one piece of memory with what follows */
        uint32_t *numbers;              /* of the devices, each once, by name */
        uint32_t slice_count, number_count;
        uint32_t newest_count;
        uint32_t next;    /* whose driver and name have the same hash, plus one; 0 = none */
        uint32_t edit;    /* while slices are changed */
        uint32_t wide_at; /* in the list of wide ones, plus one */
        bool is_wide;     /* a slice does not name its node */
        bool has_counters;
        /* Its devices consume counters that it has, in this generation: found out at the first
         * search. */
        bool is_sound;
        int64_t sound_generation;
        int64_t newest;            /* generation; so many slices are of it */
        uint64_t version;          /* counts changes of it and of what is taken of its devices */
        struct device_pool *views; /* that nodes have of a wide one */
};
struct slice_ref { /* slices[slice] of pools[pool] */
        uint32_t pool, slice;
};
struct slice_list { /* slices that name one node, by driver, pool and name */
        uint32_t home;
        struct slice_ref *items;
        size_t count, cap;
};
struct offered_device {
        const struct resource_slice *slice;
        const struct inventory_device *device;
};
#define DEVICE_HOLDING_SIZES 16
struct device_inventory {
        struct arena arena;
        struct device_gates gates;
        struct inventory_pool *pools;
        uint32_t pool_count, pool_cap;
        uint32_t live_count;            /* pools that have slices */
        struct map_u64 *pools_by_key;   /* hash of driver and name to the first one, plus one */
        struct map_u64 *pools_by_slice; /* hash of a slice's name to its pool, plus one */
        uint32_t *wide;                 /* pools that are */
        uint32_t wide_count, wide_cap;
        uint32_t device_count;       /* of all slices */
        uint32_t serial_count;       /* of devices, those included that are gone */
        struct device_use *uses;     /* by the number of a device */
        const struct device **names; /* likewise: one that has this name */
        size_t use_count, use_cap;
        struct map_u64 *strangers; /* hash of others, which claims name, to their number plus one */
        struct arena selector_arena;
        struct map *selectors, *classes;
        size_t known_bytes;       /* of all selectors */
        struct map_u64 *holdings; /* hash of "namespace/name" of a claim to what it takes */
        struct device_holding *free_holdings[DEVICE_HOLDING_SIZES]; /* by size */
        struct map *nodes;                                          /* name to a list of slices */
        struct slice *homes; /* names of nodes; DEVICE_HOME_FIRST is the first one */
        uint32_t home_count, home_cap;
        size_t view_count; /* of pools */
        struct device_reaches
                *reaches; /* what nodes see (device_reach.h); NULL: not asked for yet */
        uint64_t shape;   /* counts changes that several nodes may see */
        /* What is taken of devices, or their slices, changed so often: of one node, of several. */
        uint64_t change_count, shared_change_count;
        uint32_t changes[DEVICE_CHANGES_MAX];        /* the homes of the last ones, in a ring */
        uint32_t shared_changes[DEVICE_CHANGES_MAX]; /* the pools of the last ones */
};

struct device_inventory *device_inventory_new(const struct device_gates *gates); /* empty */
void device_inventory_free(struct device_inventory *inventory);                  /* accepts NULL */
void device_inventory_add_class(struct device_inventory *inventory,
                                const struct device_class *class);
void device_inventory_forget_classes(struct device_inventory *inventory);
const struct device_class *device_inventory_class(const struct device_inventory *inventory,
                                                  struct slice name); /* or NULL */
/* What the claim of that key takes from now on: what its allocation says; nothing when it has none,
 * or is NULL. Administrative access takes nothing. */
void device_inventory_take(struct device_inventory *inventory, struct slice key,
                           const struct resource_claim *claim);
/* Slices that came, changed (a row of the same name) or went (NULL); each name once. What is known
 * of other pools stays: nodes whose own devices changed are among the changes; `shape` changes with
 * anything that other nodes may see.  False: it cannot follow, and has to be made anew. */
struct slice_change {
        struct slice name;
        const struct resource_slice *slice;
};
bool device_inventory_update(struct device_inventory *inventory, const struct slice_change *changes,
                             size_t count);
/* The node whose devices changed at that change; only the last DEVICE_CHANGES_MAX are known. */
struct device_change {
        struct slice node;
        bool is_of_slices; /* not only of what claims take */
};
struct device_change device_inventory_change(const struct device_inventory *inventory, uint64_t at);
/* Compiled at the first call for an expression. */
struct device_selector *device_inventory_selector(struct device_inventory *inventory,
                                                  struct slice expression);
/* Whether the expression selects the device: CEL_TRUE, CEL_FALSE, or what cel_device_matches says
 * of an error, with *ret_why; CEL_FAILED too for devices of which no expression can say anything.
 * ret_why NULL: any error is CEL_FAILED, and found out once. */
int device_selector_matches(struct device_inventory *inventory, struct device_selector *selector,
                            const struct offered_device *offered, struct arena *arena,
                            const char **ret_why);
/* Forgets expressions when they are many; not within a search. */
void device_inventory_trim(struct device_inventory *inventory);
/* Slices that may offer devices to a node of that name, in no order; in the arena. */
size_t device_inventory_reach(const struct device_inventory *inventory, struct slice node,
                              struct arena *arena, const struct inventory_slice ***ret_slices);
/* NULL: no slice names the node. */
const struct slice_list *device_inventory_own(const struct device_inventory *inventory,
                                              struct slice node);
void device_inventory_forget_selectors(struct device_inventory *inventory);
void device_inventory_drop_holdings(struct device_inventory *inventory); /* at its end */
