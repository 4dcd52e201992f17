/* An allocation that the search found, as the claim's status has it (AllocationResult of
 * resource.k8s.io/v1). */
#pragma once

#include "base/rng.h"
#include "devices/device_search.h"

struct device_result_request {
        const struct device_inventory *inventory;
        const struct resource_claim *claim;
        const struct device_allocation *allocation;
        struct slice node;
        struct rng *rng; /* for the IDs of shares */
};
/* Without a timestamp. NULL, with err set, when a slice has a node selector that the API server
 * does not accept. */
struct json_node *device_result_node(struct json_tree *tree,
                                     const struct device_result_request *request, struct err *err);
