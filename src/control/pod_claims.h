/* Devices of a pod: which ResourceClaims stand behind the entries of spec.resourceClaims, and whom
 * a claim is made and reserved for. */
#pragma once

#include "api/json.h"
#include "base/slice.h"
#include <stdbool.h>

#define CLAIM_PROTECTION "resource.kubernetes.io/delete-protection"
#define POD_CLAIM_ANNOTATION "resource.kubernetes.io/pod-claim-name"

enum pod_claim_state {
        POD_CLAIM_UNSUPPORTED, /* it names neither a claim nor a template */
        POD_CLAIM_ABSENT,      /* to be made from a template, and not made yet */
        POD_CLAIM_UNNEEDED,    /* its maker found that the pod needs none */
        POD_CLAIM_NAMED
};
struct pod_claim_entry {
        enum pod_claim_state state;
        struct slice entry;    /* its name in the pod */
        struct slice name;     /* of the ResourceClaim; POD_CLAIM_NAMED */
        struct slice template; /* empty: the claim is the user's own */
};

/* entry: an element of the pod's spec.resourceClaims. */
struct pod_claim_entry pod_claim_read(const struct json *pod, const struct json *entry);
/* Calls visit for each ResourceClaim that the pod has by name, the one for its extended resources
 * included, until it returns false. */
bool pod_claims_each(const struct json *pod,
                     bool (*visit)(void *context, const struct pod_claim_entry *claim),
                     void *context);

/* The name and uid of the pod that controls the claim; empty when none does. */
struct slice resource_claim_owner(const struct json *claim, struct slice *ret_uid);
/* The PodGroup that the pod says it belongs to; empty = none. */
struct slice pod_group_name(const struct json *pod);
/* Whether the group names the same claim as that entry of the pod: then it is the group's. */
bool pod_claim_is_of_group(const struct json *pod, struct slice entry, const struct json *group);
/* The name of the PodGroup that controls the claim; empty when none does. */
struct slice resource_claim_group(const struct json *claim);
bool resource_claim_is_for(const struct json *claim, const struct json *pod);
bool resource_claim_is_allocated(const struct json *claim);
/* For the pod itself, or for the group that it belongs to. */
bool resource_claim_is_reserved(const struct json *claim, const struct json *pod);
