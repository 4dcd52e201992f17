/* Inside of DynamicResources: what the plugin keeps, what it knows of the claims of one pod, and
 * the extension points that have files of their own. */
#pragma once

#include "plugin/sched_attempt.h"
#include "plugins/sched/device_claims.h"
#include "plugins/sched/extended_claim.h"
#include "plugins/sched/pod_device_claims.h"

#define CLAIM_NOT_AVAILABLE "resourceclaim not available on the node"

struct dynamic_resources {
        const struct plugin *plugin;
        struct device_gates gates;
        bool has_extended;     /* DRAExtendedResource */
        bool has_node_devices; /* DRANodeAllocatableResources */
        bool has_groups;       /* DRAWorkloadResourceClaims */
        int64_t binding_timeout_ns;
        size_t steps_max; /* of the search on one node */
        struct device_view *view;
        struct claim_kinds *kinds;
};

/* ---- the claims of one pod (claim_state.c) ---- */

struct claim_state { /* in the scratch arena */
        struct pod_device_claims claims;
        struct device_claims devices; /* of those that are to be allocated */
        struct extended_resources *extended;
        struct arena *arena; /* where all of it lies, and what is remembered of nodes */
};
/* Most pods ask for nothing that devices could be. */
bool asks_for_devices(const struct sched_cycle *cycle);
/* NULL, or why the pod cannot be placed. */
const char *claim_state_prepare(const struct sched_cycle *cycle,
                                const struct dynamic_resources *resources, struct claim_state *pod);
bool claim_state_is_extended(const struct claim_state *pod);
/* The special claim on the node; NULL: none is needed there. */
struct extended_claim *claim_state_extra(const struct sched_cycle *cycle,
                                         const struct claim_state *pod, struct node_id node);
/* What was found on the node; NULL: nothing is sought. */
const struct device_verdict *claim_state_devices(const struct sched_cycle *cycle,
                                                 const struct claim_state *pod,
                                                 struct node_id node);
/* How the search for devices ends on the node; found where nothing is sought. */
enum device_outcome claim_state_outcome(const struct sched_cycle *cycle,
                                        const struct claim_state *pod, struct node_id node);
/* As long as the kind of the claims lasts: takes nodes away where that does not find any. */
void claim_state_narrow(const struct sched_cycle *cycle, const struct claim_state *pod,
                        struct bitset *nodes);
/* Whether an allocated claim cannot be used on the node; one that is not allocated can. */
bool claim_is_unavailable(const struct sched_cycle *cycle,
                          const struct dynamic_resources *resources,
                          const struct resource_claim *claim, struct node_id node);

/* ---- claims of PodGroups (group_claims.c) ---- */

/* Which claims the group of the pod reserves.  NULL, or why there is no saying. */
const char *group_claims_find(const struct sched_cycle *cycle, struct pod_device_claims *claims);
/* A claim that the group holds while none of it runs, and may give back, in case other devices suit
 * it better; NULL: there is none. */
const struct json *group_claims_idle(const struct sched_cycle *cycle, const char **ret_problem);

/* ---- Filter (claim_filter.c) ---- */

void dynamic_resources_filter(const struct sched_cycle *cycle, const void *state,
                              const void *pod_state, struct bitset *nodes);
void dynamic_resources_explain(const struct sched_cycle *cycle, const void *state,
                               const void *pod_state, struct node_id node, struct verdict *verdict);
void dynamic_resources_describe(const struct sched_cycle *cycle, const void *state,
                                const void *pod_state, struct node_id node,
                                void (*say)(void *context, const struct refusal_detail *detail),
                                void *context);

/* ---- Reserve (claim_reserve.c), PostFilter (claim_deallocation.c), waking (claim_wakes.c) ---- */

void dynamic_resources_reserve(const struct sched_cycle *cycle, const void *state,
                               const void *pod_state, struct node_id node,
                               const struct reservation *reservation);
enum verdict_code dynamic_resources_post_filter(struct sched_attempt *attempt, const void *state,
                                                struct verdict *verdict);
bool dynamic_resources_wakes(const struct sched_cycle *cycle, const void *state,
                             const struct cluster_change *change);
