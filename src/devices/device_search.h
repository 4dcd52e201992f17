/* The search for an allocation of claims on one node (upstream: dynamic-resource-allocation/
 * structured): claims, requests and devices in their order, the first fit is taken, and what leads
 * nowhere is taken back. Pure: the inventory is only read, but for its cache of selectors. */
#pragma once

#include "devices/device_memo.h"

#define DEVICE_RESULTS_MAX 32      /* of one claim's allocation */
#define DEVICE_STEPS_MAX 10000000  /* devices that one search looks at, if nothing else is said */
#define DEVICE_STEPS_PER_S 1000000 /* for those who think in time */

struct device_pick { /* one device of an allocation */
        const struct resource_slice *slice;
        const struct inventory_device *device;
        const struct device_request *request; /* or the choice of firstAvailable */
        const struct device_request *parent;  /* of a choice; else NULL */
        uint32_t pool;                        /* of the inventory */
        bool is_share;
        struct device_amounts consumed; /* of a share */
};
struct device_allocation { /* of one claim */
        struct device_pick picks[DEVICE_RESULTS_MAX];
        size_t pick_count;
        size_t *chosen; /* for each request of the claim: index of its choice */
};
enum device_outcome {
        DEVICES_FOUND,
        DEVICES_MISSING, /* the claims cannot be allocated on the node */
        DEVICES_INVALID, /* the same, and pools of the node are invalid */
        DEVICES_FAILED   /* err says why: the search itself failed */
};
struct device_search {
        struct device_inventory *inventory;
        const struct resource_claim *const *claims; /* to be allocated */
        size_t claim_count;
        struct arena *arena;   /* for the results and on the way */
        size_t steps_max;      /* 0 = DEVICE_STEPS_MAX */
        bool ignores_counters; /* as if there were enough of them; without memo */
        bool tries_all;        /* nothing is ruled out beforehand; as with parity */
        /* Devices that it looks at before it asks whether there are enough for all claims; 0 = as
         * usual. */
        size_t glance_max;
        struct device_memo *memo; /* of searches for the same; NULL: none */
};
/* Whether what is taken of the pool may matter: a device in it suits a request, or an expression
 * fails. */
bool device_search_concerns(const struct device_search *search, uint32_t pool);
/* The same for the pools whose slices name the node; pools that do not work matter as well. */
bool device_search_concerns_own(const struct device_search *search, const struct device_node *node);
/* Appends what the search depends on of these pools: nodes of one reach for which it is the same
 * have the same outcome, with the same choices.  False: there is no saying it in a text. */
bool device_search_own_key(const struct device_search *search, const struct device_node *node,
                           struct buf *key);
/* *ret_allocations: one for each claim, in the arena; set when found. */
enum device_outcome device_search_run(const struct device_search *search,
                                      const struct device_node *node,
                                      struct device_allocation **ret_allocations, struct err *err);
