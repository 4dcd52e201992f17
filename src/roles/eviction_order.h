/* What `berth evict` does: writes EvictionRequests for pods and follows them to their end, or asks
 * for the eviction itself where the kinds are not served. */
#pragma once

#include "base/err.h"
#include "base/time.h"
#include "evict/evict_service.h"
#include "loop/runtime.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVICTION_ORDER_REQUESTER "evict.berth.dev/cli"
#define EVICTION_ORDER_OPEN_DEFAULT 50 /* asked for at the same time */

struct eviction_order_config {
        struct runtime *runtime;     /* pods are asked for through its eviction service */
        const char *ns;              /* of named pods and of the selector; "" = all namespaces */
        const char *node, *selector; /* NULL = not by these */
        const char *const *pods;     /* names, or NAMESPACE/NAME */
        size_t pod_count;
        enum evict_request_mode requests;
        bool cordons;        /* the node, first */
        bool cancels;        /* withdraws instead */
        bool waits;          /* until every pod is gone, or its request is over */
        uint32_t max_open;   /* 0 = EVICTION_ORDER_OPEN_DEFAULT */
        int64_t deadline_ns; /* 0 = none; then what is open is withdrawn, and the order ends */
        void (*changed)(void *context);
        /* err NULL = done; once, from the loop. */
        void (*finished)(void *context, const struct err *err);
        void *context;
};

enum order_state {
        ORDER_QUEUED, /* not asked for yet */
        ORDER_ASKING, /* the call is under way */
        ORDER_OPEN,   /* asked for; see responder and message */
        ORDER_EVICTED,
        ORDER_WITHDRAWN,
        ORDER_FAILED,
        ORDER_STATE_COUNT
};
const char *order_state_name(enum order_state state); /* "queued" */
static inline bool order_state_is_over(enum order_state state) {
        return state >= ORDER_EVICTED;
}

struct order_line { /* texts belong to the order, until its next change */
        const char *ns, *name, *responder, *message; /* "" = none */
        struct slice budget; /* the one that can never let the pod go, NAMESPACE/NAME; "" = none */
        enum order_state state;
        struct wall_time expected; /* unset = not known */
};

struct eviction_order;
struct eviction_order *eviction_order_new(const struct eviction_order_config *config);
void eviction_order_free(struct eviction_order *order); /* accepts NULL; not from a callback */
/* The runtime's service was served: some of the order's evictions may have ended. */
void eviction_order_served(struct eviction_order *order);
size_t eviction_order_count(const struct eviction_order *order);
struct order_line eviction_order_line(const struct eviction_order *order, size_t index);
/* Whether EvictionRequests are used; known once there are lines. */
bool eviction_order_uses_requests(const struct eviction_order *order);
uint64_t eviction_order_calls(const struct eviction_order *order);
