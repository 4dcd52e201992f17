/* Claims of devices of pods that are thought to move.  A claim that was made for a pod from a
 * template ends with it, and its successor gets one anew; a claim that the pod names stays as it is
 * allocated.  What is thought stands as assumptions in the object cache until moved_claims_leave.
 * A claim that somebody else has assumed is left alone. */
#pragma once

#include "model/object_cache.h"
#include "sched/decision.h"

struct moved_claims;
/* Without an object cache (NULL) nothing is ever assumed. */
struct moved_claims *moved_claims_new(struct object_cache *object_cache);
void moved_claims_free(struct moved_claims *claims); /* accepts NULL; leaves */

bool pod_has_claims(const struct cluster *cluster, struct pod_id pod);
/* What the pods that have moved so far take is assumed again. */
void moved_claims_enter(struct moved_claims *claims);
/* The pod gives back what its own claims have. */
void moved_claims_give_back(struct moved_claims *claims, const struct cluster *cluster,
                            struct pod_id pod);
/* It takes what it needs on the node of the request, whose reservation is ignored. */
void moved_claims_take(struct moved_claims *claims, const struct reserve_request *request);
void moved_claims_leave(struct moved_claims *claims);
/* No pod has moved. */
void moved_claims_forget(struct moved_claims *claims);
