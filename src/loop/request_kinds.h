/* Which form of EvictionRequests a cluster serves: the native group (KEP-4563) or berth's own,
 * asked of its discovery.  Only what the server says for sure counts: a list without them, 404, or
 * 403; any other failure is asked again. */
#pragma once

#include "base/err.h"
#include "evict/evict_service.h"
#include "port/loop.h"
#include "port/transport.h"

struct request_kinds;

struct request_kinds_config { /* all borrowed */
        struct transport *transport;
        struct loop *loop;
        int64_t patience_ns;  /* with failures that may pass */
        bool ends_unanswered; /* a server that does not answer at all is not asked again */
        /* UNKNOWN: it is not found out, and failure says why; else failure is NULL. */
        void (*found)(void *context, enum evict_kinds kinds, const struct err *failure);
        void *context;
};
struct request_kinds *request_kinds_new(const struct request_kinds_config *config);
void request_kinds_free(struct request_kinds *kinds); /* accepts NULL */
/* Looks, unless it does already. */
void request_kinds_look(struct request_kinds *kinds);
