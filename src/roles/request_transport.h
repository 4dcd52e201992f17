/* A transport whose evictions are carried out by EvictionRequests where the cluster has them and
 * somebody answers them; everything else passes through.  Only
 * what has finished goes by itself, as a request for it would be over at once and the object stay:
 * deleted, or evicted in the common way, and answered 429 as long as a request of anybody for it is
 * open.  So every
 * role that evicts, evicts gracefully without knowing how.
 *
 * Such a call is answered when the eviction is over: 201 the pod is gone, 404 it was gone before,
 * 429 it was withdrawn (declined by a stage, or past its deadline).  A call that is cancelled takes
 * its request back.  Calls without a uid as precondition, and dry runs, pass through. */
#pragma once

#include "port/loop.h"
#include "port/transport.h"

#define REQUEST_UNANSWERED_NS                                                                      \
        (30 * NS_PER_S)                       /* then nobody reconciles: the subresource is asked  \
                                               */
#define REQUEST_RETRY_NS (600 * NS_PER_S)     /* before the kinds are looked for again */
#define REQUEST_DEADLINE_NS (1800 * NS_PER_S) /* of a request, should its requester be gone */

struct request_transport;

/* inner is borrowed; requester such as "descheduler.berth.dev/evict", a text that stays. */
struct request_transport *request_transport_new(struct transport *inner, struct loop *loop,
                                                const char *requester);
void request_transport_free(struct request_transport *requests); /* accepts NULL */
struct transport request_transport(struct request_transport *requests);
/* Evictions carried out by request so far. */
uint64_t request_transport_count(const struct request_transport *requests);
