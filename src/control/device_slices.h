/* ResourceSlices of a simulated node, from the description of its devices. */
#pragma once

#include "api/json.h"
#include "control/device_layout.h"

struct device_slices_request {
        const struct device_kind *kind;
        const struct device_taint_list *taints;
        struct slice node;
        int64_t generation; /* of the pool */
        /* When a taint was set, as the slices before had it; empty: now, which is the other text.
         */
        struct slice (*time_added)(const void *context, struct slice device,
                                   const struct device_taint_fact *taint);
        const void *context;
        struct slice now;
};
/* The spec of each slice, an array: first those with counters, then those with devices. */
struct json_node *device_slices_make(const struct device_slices_request *request,
                                     struct json_tree *tree, struct arena *arena);
