/* Keeps the history of stages in a ConfigMap, where the next process reads it. */
#pragma once

#include "evict/eviction_history.h"
#include "port/loop.h"
#include "port/transport.h"

#define HISTORY_STORE_NAMESPACE "kube-system"
#define HISTORY_STORE_NAME "berth-eviction-history"
#define HISTORY_STORE_KEY "durations.json"
#define HISTORY_STORE_NS (30 * NS_PER_S) /* between looks at whether something is to be written */

struct history_store;

/* Reads at once; nothing is written before that succeeded, or there was nothing.  All borrowed. */
struct history_store *history_store_new(struct transport *transport, struct loop *loop,
                                        struct eviction_history *history);
void history_store_free(struct history_store *store); /* accepts NULL */
