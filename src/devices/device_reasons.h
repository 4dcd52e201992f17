/* Why a node has no devices for claims, for people: for each request how many devices are refused
 * by what, each of them looked at by itself. */
#pragma once

#include "devices/device_search.h"

enum device_refusal {
        DEVICE_NOT_SELECTED, /* by the class or the request */
        DEVICE_NOT_TOLERATED,
        DEVICE_IN_USE,
        DEVICE_WITHOUT_COUNTERS,
        DEVICE_TOO_SMALL,        /* has not so much of a capacity, or has no such one */
        DEVICE_WITHOUT_CAPACITY, /* others have too much of it */
        DEVICE_REFUSAL_COUNT
};
/* One thing that refuses devices, by name: an expression, a taint, a counter, a capacity. */
struct device_obstacle {
        enum device_refusal kind;
        const char *name;
        size_t first, alone; /* devices that it refuses first; and that nothing else refuses */
};
struct device_request_report {
        const struct resource_claim *claim;
        const struct device_request *request; /* or a choice */
        const struct device_request *parent;  /* of a choice; else NULL */
        bool takes_all;
        size_t wanted, offered;
        size_t refused[DEVICE_REFUSAL_COUNT];
        size_t usable;         /* by themselves */
        const char *bad_pools; /* of the node, whose devices do not count, and why; NULL = none */
        struct device_obstacle *obstacles;
        size_t obstacle_count, obstacle_cap;
};
/* In the search's arena; none when a search fails altogether. */
size_t device_reasons_find(const struct device_search *search, const struct device_node *node,
                           struct device_request_report **ret_reports);
/* Where each request has devices enough by itself: the only constraint without which all claims
 * could be allocated, and its claim; NULL: there is no such one. */
const struct device_constraint *device_reasons_constraint(const struct device_search *search,
                                                          const struct device_node *node,
                                                          const struct resource_claim **ret_claim);
/* Whether the counters that devices share are what keeps them apart: without any all claims could
 * be allocated. */
bool device_reasons_counters(const struct device_search *search, const struct device_node *node);
