/* Watch rows for the eviction service, open while it needs them: whether the cluster serves
 * EvictionRequests, those of this process, those of all requesters, and what of others takes
 * slots. */
#pragma once

#include "evict/evict_service.h"
#include "port/loop.h"
#include "port/transport.h"

struct evict_rows;
struct watch_set;

struct evict_rows_config { /* all borrowed */
        struct evict_service *service;
        struct transport *transport;
        struct loop *loop;
        struct watch_set *watches;
        void (*changed)(void *context); /* the service was shown something: step it soon */
        void *context;
};
struct evict_rows *evict_rows_new(const struct evict_rows_config *config);
/* Before the set of watches; accepts NULL. */
void evict_rows_free(struct evict_rows *rows);
/* Begins and ends following as the service wants now. */
void evict_rows_update(struct evict_rows *rows);
