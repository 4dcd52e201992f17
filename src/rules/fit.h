/* Whether a pod's requests fit what is left of a node.  Requests are those of its class (only
 * amounts above zero); a resource the node does not report counts as 0. */
#pragma once

#include "model/cluster.h"

/* The requests to look at; usually all of a class.  devices: those of the first 64, as bits, that
 * devices may stand for: they count only where the node offers the resource itself. */
struct fit_requests {
        const struct resource_request *items;
        size_t count;
        uint64_t devices;
};
static inline struct fit_requests fit_requests_of(const struct pod_class *class) {
        return (struct fit_requests){ class->requests, class->request_count, 0 };
}

/* What one more pod would leave; negative when it does not fit. */
int64_t node_free(const struct cluster *cluster, struct node_id node, struct resource_id resource);
/* One more pod fits under the node's limit of pods. */
bool node_has_pod_slot(const struct cluster *cluster, struct node_id node);
bool fit_node(const struct cluster *cluster, struct fit_requests requests, struct node_id node);
/* Would it fit if nothing ran there (pod slot included)? */
bool fit_empty_node(const struct cluster *cluster, struct fit_requests requests,
                    struct node_id node);
/* Drops the nodes where it does not fit: column scans. */
void fit_narrow(const struct cluster *cluster, struct fit_requests requests, struct bitset *nodes);

/* What is short on a node, pods first, then in the order cpu, memory, ephemeral-storage, others by
 * name; "pods" is RESOURCE_PODS. */
struct fit_shortage {
        struct resource_id resource;
        int64_t requested, free;
        bool exceeds_allocatable; /* no eviction can help */
};
#define FIT_SHORTAGES_MAX 16
size_t fit_shortages(const struct cluster *cluster, struct fit_requests requests,
                     struct node_id node, struct fit_shortage *ret_shortages);
