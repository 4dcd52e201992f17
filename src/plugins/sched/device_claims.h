/* Claims of one pod against the devices of the cluster, for the plugin DynamicResources. */
#pragma once

#include "devices/device_count.h"
#include "devices/device_reach.h"
#include "devices/device_result.h"
#include "plugin/sched_points.h"

struct device_gates device_gates_of(const struct plugin_env *env);
/* Devices of a class on a node, and those of them that are allocated; both unchanged when the class
 * cannot be evaluated, or has none there. */
void device_view_count(struct device_inventory *inventory, const struct sched_cycle *cycle,
                       struct slice class_name, struct node_id node, int64_t *ret_count,
                       int64_t *ret_allocated);

/* Slices, classes and claims of the object cache; follows their changes. */
struct device_view;
struct device_view *device_view_new(const struct device_gates *gates);
void device_view_free(struct device_view *view); /* accepts NULL */
struct device_inventory *device_view_refresh(struct device_view *view,
                                             const struct object_cache *object_cache);

/* Another number after changes that other nodes may see than those that the inventory names. */
uint64_t device_view_serial(const struct device_view *view);
/* What the node sees of the pools for several nodes; remembered until the node changes. */
const struct device_reach *device_view_reach(struct device_view *view,
                                             const struct sched_cycle *cycle, struct node_id node);

struct device_verdict { /* of one node */
        enum device_outcome outcome;
        const char *problem; /* of a failed search */
        struct device_allocation *allocations;
};
struct device_verdicts {
        struct device_verdict **items; /* by node; NULL: not known, or none is yet */
};
struct device_claims { /* of one pod, in the scratch arena */
        struct device_view *view;
        struct device_inventory *inventory;
        uint64_t inventory_serial;
        const struct resource_claim **claims; /* in the pod's order */
        size_t count;
        /* Those to be allocated, with room for one more that depends on the node. */
        const struct resource_claim **wanted;
        size_t wanted_count;
        struct extended_resources *extended; /* of the pod: what the one more comes from */
        struct device_verdicts *verdicts;
        size_t steps_max; /* of one search; 0 = as usual */
        /* What is known of the wanted ones (claim_kinds.h), as long as the serial is this one. */
        struct claim_kind *kind;
        uint64_t kind_serial;
        struct device_memo *memo; /* of the kind; its own as long as it has the same owner */
};
#define DEVICE_NODE_CHANGES /* what may change which devices a node sees */                        \
        (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_LABELS | CLUSTER_NODE_ALLOCATABLE)
/* Why the claims cannot be allocated at all; NULL when they may be. */
const char *device_claims_problem(const struct device_claims *claims, struct arena *scratch);
/* Searches once for each node; extra: one more claim to be allocated there, NULL = none. */
const struct device_verdict *device_claims_on(const struct sched_cycle *cycle,
                                              const struct device_claims *claims,
                                              const struct resource_claim *extra,
                                              struct node_id node);
struct device_place_asked {
        const struct resource_claim *extra; /* as for device_claims_on */
        struct node_id node;
};
/* Says of a node without devices what stands in the way. */
void device_claims_describe(const struct sched_cycle *cycle, const struct device_claims *claims,
                            const struct device_place_asked *asked,
                            void (*say)(void *context, const struct refusal_detail *detail),
                            void *context);
/* The same as device_claims_on without remembering anything; what was found is in the arena. */
enum device_outcome device_claims_search(const struct sched_cycle *cycle,
                                         const struct device_claims *claims,
                                         const struct device_place_asked *asked,
                                         struct arena *arena,
                                         struct device_allocation **ret_allocations);
/* As device_search_concerns. */
bool device_claims_concern(const struct device_claims *claims, uint32_t pool, struct arena *arena);
bool device_claims_concern_own(const struct sched_cycle *cycle, const struct device_claims *claims,
                               const struct device_place_asked *asked, struct arena *arena);
/* As device_search_own_key. */
bool device_claims_own_key(const struct sched_cycle *cycle, const struct device_claims *claims,
                           const struct device_place_asked *asked, struct arena *arena,
                           struct buf *key);
/* 8 less the index of each choice: of those made in what was found for the wanted claims, and of
 * those that are allocated already. */
int64_t device_claims_score_found(const struct device_claims *claims,
                                  const struct device_allocation *allocations);
int64_t device_claims_score_allocated(const struct device_claims *claims);
