/* How many evictions may be under way at once, in all, and per node, namespace and owner of pods.
 * Pure counts: who holds a slot and who comes next is the caller's to know. */
#pragma once

#include "base/slice.h"
#include <stdint.h>

#define EVICTION_SLOTS_TOTAL 50
#define EVICTION_SLOTS_NODE 5
#define EVICTION_SLOTS_NAMESPACE 10
#define EVICTION_SLOTS_OWNER 1

struct eviction_slot_limits { /* 0 = unlimited */
        uint32_t total, node, ns, owner;
};

struct eviction_slot_holder {         /* of a pod */
        struct slice ns, node, owner; /* owner: Kind/name in ns; empty ones count in total only */
};

enum eviction_slot_refusal {
        EVICTION_SLOT_FREE,
        EVICTION_SLOT_NO_TOTAL, /* in the order they are looked at */
        EVICTION_SLOT_NO_NODE,
        EVICTION_SLOT_NO_NAMESPACE,
        EVICTION_SLOT_NO_OWNER,
        EVICTION_SLOT_REFUSAL_COUNT
};
/* "of the cluster", "of its node", ... */
const char *eviction_slot_refusal_text(enum eviction_slot_refusal refusal);

struct eviction_slots;
struct eviction_slots *eviction_slots_new(const struct eviction_slot_limits *limits);
void eviction_slots_free(struct eviction_slots *slots); /* accepts NULL */
/* Counts one that holds a slot, whatever the limits say. */
void eviction_slots_hold(struct eviction_slots *slots, const struct eviction_slot_holder *holder);
/* Counts one more when every limit has room for it. */
enum eviction_slot_refusal eviction_slots_take(struct eviction_slots *slots,
                                               const struct eviction_slot_holder *holder);
