/* Why a node has no devices for claims, for people: for each request how many devices are refused
 * by what, each of them looked at by itself. */
#pragma once

#include "devices/device_search.h"

enum device_refusal {
        DEVICE_NOT_SELECTED, /* by the class or the request */
        DEVICE_NOT_TOLERATED,
        DEVICE_IN_USE,
        DEVICE_WITHOUT_COUNTERS,
        DEVICE_WITHOUT_CAPACITY,
        DEVICE_REFUSAL_COUNT
};
struct device_request_report {
        const struct resource_claim *claim;
        const struct device_request *request; /* or a choice */
        const struct device_request *parent;  /* of a choice; else NULL */
        bool takes_all;
        size_t wanted, offered;
        size_t refused[DEVICE_REFUSAL_COUNT];
        size_t usable;            /* by themselves */
        const char *taint;        /* the first that is not tolerated; NULL = none */
        const char *pool_problem; /* of a pool of the node; NULL = none */
};
/* In the search's arena; none when a search fails altogether. */
size_t device_reasons_find(const struct device_search *search, const struct device_node *node,
                           struct device_request_report **ret_reports);
