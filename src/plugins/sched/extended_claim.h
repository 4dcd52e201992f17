/* Extended resources that devices stand for: a DeviceClass names one (`extendedResourceName`), and
 * each class has one by its own name. What a node does not offer itself is asked for in a special
 * claim, which differs from node to node. */
#pragma once

#include "api/device.h"
#include "plugin/sched_points.h"

/* The class that stands for a resource, by its name; empty: none does. */
struct slice device_class_of_resource(const struct object_cache *object_cache,
                                      struct slice resource);
/* A resource that a class may stand for. */
bool may_be_devices(struct slice resource);

struct extended_mapping { /* containerExtendedResourceRequest */
        struct slice container, resource, request;
};
struct extended_claim { /* for nodes that lack the same resources */
        struct extended_claim *next;
        uint64_t lacks; /* of extended_resources.items, as bits */
        struct resource_claim claim;
        struct extended_mapping *mappings;
        size_t mapping_count;
};
struct extended_resource {
        struct resource_id id;
        struct slice name, class_name;
        int64_t amount;
};
struct extended_resources { /* of one pod, in the scratch arena */
        struct extended_resource *items;
        size_t count;
        const struct json *leftover; /* the special claim of an earlier attempt; NULL = none */
        struct extended_claim *claims;
};
#define EXTENDED_RESOURCES_MAX 64

/* Those of the pod that classes stand for. */
void extended_resources_find(const struct sched_cycle *cycle,
                             struct extended_resources *ret_resources);
/* The pod's special claim, as the API has it or as it is assumed; NULL: none. */
const struct json *extended_claim_object(const struct sched_cycle *cycle);
/* The claim for a node; NULL: the node offers everything itself. */
struct extended_claim *extended_claim_on(const struct sched_cycle *cycle,
                                         struct extended_resources *resources, struct node_id node);
/* Appends a text that is the same for pods whose special claims ask for the same on each node. */
void extended_resources_key(const struct sched_cycle *cycle,
                            const struct extended_resources *resources, struct buf *key);
/* The object without a status, under a name of its own; and the pod's status that names it. */
struct json_node *extended_claim_node(const struct sched_cycle *cycle, struct json_tree *tree,
                                      const struct extended_claim *claim);
struct json_node *extended_status_node(const struct sched_cycle *cycle, struct json_tree *tree,
                                       const struct extended_claim *claim, struct slice name);
