/* Calls the hooks of eviction stages: over HTTP, or as programs of one directory. */
#pragma once

#include "evict/eviction_reconciler.h"
#include "port/loop.h"
#include "port/transport.h"

#define HOOK_BODY_MAX ((size_t)64 << 10) /* of an answer */

struct hook_caller;

struct hook_caller_config {
        struct loop *loop;
        struct transport *transport; /* to the cluster, for tokens in Secrets */
        const char *directory;       /* of exec hooks; NULL = none is run */
        /* Runs from the loop, once per call; result and what it points to live that long. */
        void (*answered)(void *context, const struct eviction_effect_result *result);
        void *context;
};

struct hook_caller *hook_caller_new(const struct hook_caller_config *config);
void hook_caller_free(struct hook_caller *caller); /* accepts NULL; calls under way are cut */
/* An EVICTION_HOOK, copied. */
void hook_caller_start(struct hook_caller *caller, const struct eviction_effect *effect);
/* The call of that id, if it is still under way, is to end soon. */
void hook_caller_stop(struct hook_caller *caller, uint64_t id);
