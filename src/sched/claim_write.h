/* How a changed ResourceClaim is written: the finalizer through the object, the allocation and who
 * reserved it through its status, each as a patch that only adds, so that what others write
 * meanwhile is no conflict.  The API server refuses to change an allocation that is there.  An
 * allocation that nobody else writes holds for one version of the claim: repeated later, when the
 * claim was used and given back meanwhile, it would take the devices once more. */
#pragma once

#include "api/json.h"
#include "model/action.h"

#define CLAIM_WRITES_MAX 3

struct claim_write {
        enum patch_verb verb;
        char *body;       /* owned */
        const char *what; /* it does, in upstream's words; NULL: it is no claim's */
        /* The claim has the finalizer afterwards: it had it, or gets its allocation by this write.
         */
        bool protects;
        /* It allocates, and holds for the claim as the write before it leaves it. */
        bool wants_version;
};
struct claim_states {
        const struct json *seen;   /* what the API has; NULL: the claim is new */
        const struct json *before; /* what it will have by writes that are on their way */
};
/* What has to be written, in this order, to make `after` of `before`; returns how many.  Finalizer
 * and allocation are written again as long as the API has not said them, reservations are not. */
size_t claim_write_make(const struct claim_states *states, const struct json *after,
                        struct claim_write *ret_writes);
/* The patch for the claim as an answer has it. */
char *claim_write_at_version(const char *body, struct slice version);
/* Puts the finalizer back that somebody took off while the allocation was written; NULL: it is
 * there, or nothing is allocated.  claim: as the API server has it now. */
char *claim_write_protect(const struct json *claim);
/* Gives the allocation up, if the claim still is as it was. */
char *claim_write_deallocate(const struct json *claim);
/* Takes the reservation of a consumer back. */
char *claim_write_unreserve(struct slice claim_uid, struct slice consumer_uid);
/* Takes the finalizer of the scheduler off, so that the claim can be deleted. */
char *claim_write_release(struct slice claim_uid);

#define CLAIM_WRITE_PROTECTS "add finalizer to claim"
#define CLAIM_FINALIZER "resource.kubernetes.io/delete-protection"
