/* Requests that wait: for webhooks, for a revision, for their next try. */
#pragma once

#include "server/api_context.h"

/* A copy of a request that may have to wait. */
struct api_pending *pending_new(struct api_server *server, const struct api_server_request *request,
                                void (*ready)(void *context), void *context);
const struct api_server_request *pending_request(const struct api_pending *pending);
struct api_server *pending_server(const struct api_pending *pending);
/* What every run of the request draws its random numbers from. */
struct rng pending_rng(const struct api_pending *pending);
/* A long request is run from the loop: false from run when it waits again. */
void pending_add_long(struct api_pending *pending,
                      bool (*run)(struct api_pending *pending, struct http_response *ret_response));
bool pending_take_answer(struct api_pending *pending, struct http_response *ret_response);
/* Another one is under way: ready runs when that is done. */
void pending_hold(struct api_pending *pending);
/* It waits for something: otherwise it may run. */
bool pending_is_waiting(const struct api_pending *pending);
/* Whether to give the request up until the store has this revision, or time is over; false when it
 * has waited already. */
bool pending_await(struct api_pending *pending, uint64_t revision);
/* Whether to give the request up and run it again after a pause: false when it was run so many
 * times already, and for a caller that cannot wait (NULL). */
bool pending_retry(struct api_pending *pending, unsigned tries_max, int64_t pause_ns);

/* One answer of a webhook to the request under way. */
struct webhook_answer {
        struct webhook_answer *next;
        struct api_pending *pending;
        char *key;
        struct webhook_request *call; /* NULL once it is answered */
        int status;                   /* 0 = none came: error says why */
        const char *error;
        struct slice body;
};
struct webhook_answer *pending_find(struct api_pending *pending, const char *key);
void pending_ask(struct api_pending *pending, const char *key, const struct webhook_call *call);
/* Identifies the request to webhooks. */
const char *pending_uid(const struct api_pending *pending);
