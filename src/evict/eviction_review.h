/* What an API server asks an admission webhook about pods/eviction, and what it is answered:
 * AdmissionReview of admission.k8s.io/v1. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"
#include "evict/client_eviction.h"
#include "evict/eviction_claim.h"

#define EVICTION_REVIEW_UID_MAX 128
#define EVICTION_REVIEW_NAME_MAX 253
#define EVICTION_REVIEW_USER_MAX 1024

struct eviction_review {
        struct json_doc *doc; /* all slices point into it */
        struct slice uid;     /* of the review; repeated in the answer */
        bool is_eviction;     /* else it is about another kind of object */
        struct client_eviction call;
        bool is_request;      /* an EvictionRequest is written */
        bool has_annotations; /* it has some, else they have to be made */
        struct eviction_claim claim;
        bool is_of_masters; /* the user is in system:masters */
};

/* INVALID or BAD_REQUEST with the field's path: such a request has no answer. */
int eviction_review_parse(struct slice body, struct eviction_review *ret_review, struct err *err);
void eviction_review_release(struct eviction_review *review); /* accepts a zeroed struct */
/* Allowed with text NULL, else refused with 429 and this text. */
/* Of a request: allowed with refusal NULL, and who wrote it is kept; else refused with 403. */
void eviction_review_answer_request(const struct eviction_review *review, const struct err *refusal,
                                    struct buf *out);
void eviction_review_answer(const struct eviction_review *review, const char *text,
                            struct buf *out);
