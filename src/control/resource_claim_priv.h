/* What the files of the controller of resource claims share. */
#pragma once

#include "control/pod_claims.h"
#include "control/pod_owner.h"

/* Keys of pods and PodGroups start so; those of claims are their names. */
#define POD_KEY_PREFIX "pod:"
#define GROUP_KEY_PREFIX "podgroup:"

/* Lets go of consumers that will not run, and of devices that nobody uses any more. */
int resource_claim_release(struct controller_run *run, struct slice ns, struct slice name,
                           struct err *err);
/* Make the claims that are wanted from templates and are not there, and say so in the status.
 * group: of the pod, NULL = none. */
int resource_claims_make_for_pod(struct controller_run *run, const struct json *pod,
                                 const struct json *group, struct err *err);
int resource_claims_make_for_group(struct controller_run *run, const struct json *group,
                                   struct err *err);
