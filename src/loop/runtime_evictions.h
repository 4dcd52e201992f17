/* The eviction service of a process at its edge: when it is stepped, how its actions leave and
 * their outcomes come back.  For runtime.c alone; roles use what runtime.h has of it. */
#pragma once

#include "evict/evict_service.h"
#include "port/loop.h"
#include "port/transport.h"

struct runtime_evictions;
struct watch_set;

struct runtime_evictions_config {
        struct loop *loop; /* borrowed, as the next two */
        struct transport *transport;
        struct watch_set *watches;
        struct evict_config service;
        /* Performs actions; outcomes go to runtime_evictions_result. */
        void (*submit)(void *context, const struct action_list *actions);
        /* The outcome of a call: to whom, the id is the caller's. */
        void (*answered)(void *context, void *owner, const struct action_result *result);
        void (*ended)(void *context, const struct evict_note *note);
        void (*served)(void *context); /* something may have ended: see the requesters' records */
        void *context;
};
struct runtime_evictions *runtime_evictions_new(const struct runtime_evictions_config *config);
/* Before the set of watches. */
void runtime_evictions_free(struct runtime_evictions *evictions); /* accepts NULL */
struct evict_service *runtime_evictions_service(struct runtime_evictions *evictions);
/* Does what is due now. */
void runtime_evictions_serve(struct runtime_evictions *evictions);
void runtime_evictions_call(struct runtime_evictions *evictions, struct evict_requester *requester,
                            const struct evict_call *call);
/* The model changed. */
void runtime_evictions_observe(struct runtime_evictions *evictions);
void runtime_evictions_result(struct runtime_evictions *evictions,
                              const struct action_result *result);
