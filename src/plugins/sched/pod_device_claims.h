/* The claims of devices that a pod has: by name, made for it from a template, or the one that
 * stands for its extended resources. */
#pragma once

#include "api/device.h"
#include "plugin/sched_points.h"

#define CLAIM_CONSUMERS_MAX 256 /* upstream's ResourceClaimReservedForMaxSize */
#define CLAIM_FINALIZER_NAME "resource.kubernetes.io/delete-protection"

struct pod_device_claim {
        struct slice name;         /* in the pod's spec */
        const struct json *object; /* as the object cache has it; NULL: not written yet */
        const struct resource_claim *claim;
        bool is_pending;          /* allocated, and the API does not say so yet */
        bool is_special;          /* stands for extended resources */
        const struct json *group; /* the PodGroup that reserves it; NULL: the pod does */
};
struct pod_device_claims {
        struct pod_device_claim *items;
        size_t count;
};
/* Finds and decodes the claims of the pod's spec, in the scratch arena.  NULL, or why the pod
 * cannot be placed. has_groups: a claim may be its PodGroup's. */
const char *pod_device_claims_find(const struct sched_cycle *cycle, bool has_groups,
                                   struct pod_device_claims *ret_claims);
/* One more; NULL: none. */
void pod_device_claims_add(const struct sched_cycle *cycle, struct pod_device_claims *claims,
                           const struct json *object);
/* What the pod's status says was made for an entry of its spec; false: nothing yet. */
bool pod_device_claims_made(const struct sched_cycle *cycle, struct slice entry,
                            struct slice *ret_name);
/* Of the pod of the cycle; empty for a hypothetical one. */
struct slice pod_uid_of(const struct sched_cycle *cycle);
bool claim_is_reserved(const struct sched_cycle *cycle, bool has_groups,
                       const struct resource_claim *claim);

/* ---- binding conditions of allocated devices ---- */
bool claim_has_conditions(const struct resource_claim *claim);
/* True when all of them hold; *ret_failure: one of the conditions that must not hold does. */
bool claim_is_ready(const struct resource_claim *claim,
                    const struct device_condition **ret_failure);
/* They have been waited for longer than that. */
bool claim_is_late(const struct resource_claim *claim, struct wall_time now, int64_t timeout_ns);
