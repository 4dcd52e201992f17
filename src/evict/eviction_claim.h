/* Who stands behind an EvictionRequest: at admission the API server knows the user, and a request
 * keeps it.  Some names of requesters are not for everybody. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

#define EVICTION_USER_KEY "lifecycle.berth.dev/user" /* annotation, set by admission alone */
#define EVICTION_USER_PATCH_PATH "/metadata/annotations/lifecycle.berth.dev~1user"

/* A request that is created, or of which more than the status is written. */
struct eviction_claim {
        struct slice user;      /* as the API server knows it */
        bool is_privileged;     /* of system:masters, or the controller itself */
        bool is_new;            /* created; else changed from the two below */
        struct slice requester; /* the name it uses */
        struct slice intent, old_intent;
        struct slice old_user; /* annotation of the stored one; empty = none */
};

/* A name that only these users may use; several rows may have the same name. */
struct eviction_requester_user {
        struct slice requester, user;
};
/* "NAME=USER" */
bool eviction_requester_user_parse(struct slice text, struct eviction_requester_user *ret_row);

/* FORBIDDEN when the name is another user's. */
int eviction_claim_check(const struct eviction_claim *claim,
                         const struct eviction_requester_user *rows, size_t count, struct err *err);
/* What the annotation has to be: who wrote the present intent; empty = it has to be absent. */
struct slice eviction_claim_user(const struct eviction_claim *claim);
