/* The admission webhook on pods/eviction: makes other clients of the subresource wait until the
 * stages of a pod's EvictionPolicy are over.  On evictionrequests it keeps who wrote a request, and
 * refuses a requester's name that is another user's. It answers from what the role of evictions
 * knows, whether that one leads or not. */
#pragma once

#include "base/err.h"
#include "evict/eviction_claim.h"
#include "loop/runtime.h"
#include "roles/evictions_role.h"
#include <stdint.h>

#define EVICTION_WEBHOOK_PATH "/pods-eviction"

struct eviction_webhook_config {
        const char *address; /* "0.0.0.0:9443" */
        const char *certificate_path, *key_path;
        const struct eviction_requester_user *requesters; /* borrowed: names that are somebody's */
        size_t requester_count;
};

struct eviction_webhook;
/* The role must outlive it. */
int eviction_webhook_new(const struct eviction_webhook_config *config, struct runtime *runtime,
                         struct evictions_role *role, struct eviction_webhook **ret_webhook,
                         struct err *err);
void eviction_webhook_free(struct eviction_webhook *webhook); /* accepts NULL */
/* Appends the answer to an AdmissionReview: what the listener does with a body. */
int eviction_webhook_review(struct eviction_webhook *webhook, struct slice body, struct buf *out,
                            struct err *err);
