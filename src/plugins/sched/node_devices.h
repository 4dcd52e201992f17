/* Devices that stand for resources of their node (DRANodeAllocatableResources): what a pod's
 * allocations take of cpu, memory and the like, and whether the node has that. */
#pragma once

#include "plugins/sched/device_claims.h"
#include "plugins/sched/pod_device_claims.h"

struct node_devices_claim { /* NodeAllocatableResourceClaimStatus */
        struct slice name;
        struct slice *containers;
        size_t container_count;
        struct resource_amount *milli; /* of each resource, in thousandths */
        size_t resource_count, resource_cap;
};
struct node_devices {                      /* of one pod on one node */
        struct node_devices_claim *claims; /* by name */
        size_t count;
};
/* What the allocations for the claims `wanted` take, in the order of the search.  OK, or a verdict
 * with reasons. */
enum verdict_code node_devices_of(const struct sched_cycle *cycle,
                                  const struct pod_device_claims *claims,
                                  const struct device_claims *devices,
                                  const struct device_allocation *allocations,
                                  struct node_devices *ret_devices, struct verdict *verdict);
/* Whether the pod fits the node with them. */
enum verdict_code node_devices_fit(const struct sched_cycle *cycle,
                                   const struct node_devices *devices, struct node_id node,
                                   struct verdict *verdict);
/* Why an allocated claim cannot be shared with pods of the node; NULL: it can. */
const char *node_devices_sharing(const struct sched_cycle *cycle,
                                 const struct resource_claim *claim, struct node_id node);
/* The patch of the pod's status; NULL: nothing to be said. */
struct json_node *node_devices_status(const struct sched_cycle *cycle, struct json_tree *tree,
                                      const struct node_devices *devices);
