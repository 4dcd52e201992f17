/* A listener that answers every GET of /metrics and /healthz, and nothing else: enough for
 * Prometheus and probes where a whole HTTP server would weigh more than the agent. */
#pragma once

#include "base/buf.h"
#include "port/loop.h"
#include <stdint.h>

#define METRICS_CONNECTIONS_MAX 16 /* at once; more are refused */
#define METRICS_REQUEST_MAX 8192   /* bytes of a request's head */
#define METRICS_TIMEOUT_NS (10 * NS_PER_S)

struct metrics_listener;

struct metrics_address {
        const char *host; /* "" = every address */
        uint16_t port;    /* 0 = any */
};
/* write appends the exposition text. */
int metrics_listener_new(struct loop *loop, const struct metrics_address *address,
                         void (*write)(void *context, struct buf *out), void *context,
                         struct metrics_listener **ret_listener, struct err *err);
void metrics_listener_free(struct metrics_listener *listener); /* accepts NULL */
uint16_t metrics_listener_port(const struct metrics_listener *listener);
