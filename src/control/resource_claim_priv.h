/* What the files of the controller of resource claims share. */
#pragma once

#include "control/pod_claims.h"
#include "control/pod_owner.h"

/* Keys of pods start with it; those of claims are their names. */
#define POD_KEY_PREFIX "pod:"

/* Lets go of consumers that will not run, and of devices that nobody uses any more. */
int resource_claim_release(struct controller_run *run, struct slice ns, struct slice name,
                           struct err *err);
/* Makes the claims that the pod wants from templates and has not, and says so in its status. */
int resource_claims_make(struct controller_run *run, const struct json *pod, struct err *err);
