/* Inside of the search: what its files share. */
#pragma once

#include "devices/device_search.h"

/* A device under consideration. */
struct search_device {
        struct device_pool *pool;
        const struct inventory_slice *slice;
        const struct inventory_device *device;
};
/* A request that can be allocated: one of a claim, or one choice of it. */
struct search_request {
        const struct device_request *request, *parent;
        const struct device_class *class;
        size_t index;        /* of the request in the claim */
        size_t place;        /* among the requests and choices of all claims */
        size_t device_count; /* that it takes */
        bool takes_all;
        struct device_selector **selectors; /* of the class, then of the request */
        struct search_device *all;          /* the devices, when it takes all */
};
/* Values that devices must not share, as upstream remembers them: the last one of each request. */
struct search_distinct {
        const struct device_attribute **values; /* by request; NULL: none */
        size_t count;
};
struct search_claim {
        const struct resource_claim *claim;
        struct search_request **requests; /* for each request: its choices, or itself */
        size_t *choice_counts;
        struct search_distinct *distinct; /* for each constraint; used in parity */
};
struct search_state {
        const struct device_search *search;
        const struct device_node *node;
        struct device_pool **pools;
        size_t pool_count;
        size_t place_count; /* of requests and choices */
        struct search_claim *claims;
        struct device_allocation *allocations;
        struct search_leak *leaks; /* counters that parity does not give back */
        size_t steps;
        bool is_glance;          /* it ends after few steps, without an error */
        bool is_passing;         /* the device was refused for what else this search has picked */
        struct device_sum *rest; /* of counters, for one device */
        size_t rest_count;
        struct err *err; /* NULL: nobody reads of errors of expressions */
};
struct search_leak {
        struct search_leak *next;
        const struct device_pool *pool;
        const struct device *device;
};

/* False: the free devices are too few for what the claims take together.  Says so only where no
 * expression fails. */
bool search_has_devices(struct search_state *state);
/* 1 when the class and the request select the device for the node, 0 when not, -1 for an error. */
int search_selects(struct search_state *state, const struct search_claim *claim,
                   struct search_request *request, const struct search_device *device);
/* The same without words of an error, for those who do not tell it. */
int search_selects_quietly(struct search_state *state, const struct search_claim *claim,
                           struct search_request *request, const struct search_device *device);
/* False when class and request surely do not select the device, for whatever node. */
bool search_selects_anywhere(struct search_state *state, const struct search_claim *claim,
                             struct search_request *request, const struct search_device *device);
/* The attribute by its full name, or without the domain when that is the driver; or NULL. */
const struct device_attribute *search_attribute(const struct device *device, struct slice driver,
                                                struct slice name);
/* Whether the constraints of the claim hold with one more device, beside those picked. If so they
 * remember it until it is removed. */
bool search_constraints_add(struct search_state *state, size_t claim,
                            const struct search_request *request,
                            const struct search_device *device);
/* Whether no device of the pool can match what has been picked: one that the request selects. */
bool search_constraints_exclude(struct search_state *state, size_t claim,
                                struct search_request *request, struct device_pool *pool);
void search_constraints_remove(struct search_state *state, size_t claim,
                               const struct search_request *request);
bool search_is_tolerated(const struct device *device, const struct device_request *request);
/* Whether the counters of the pool suffice for one more device. */
bool search_counters_suffice(struct search_state *state, const struct search_device *device);
/* Shares that allocated claims have of the device took its counters. */
bool search_is_shared_before(const struct search_state *state, size_t number);
bool search_has_room(const struct search_state *state, const struct search_device *device,
                     const struct device_request *request);
/* Some claim of this search has picked it; or this claim has. Shares do not count. */
bool search_is_picked(const struct search_state *state, size_t number);
bool search_is_picked_by(const struct search_state *state, size_t claim, size_t number);
/* Resolves the requests of a claim: classes, counts, all devices. Negative for errors. */
int search_prepare_claim(struct search_state *state, size_t index);
