/* How many evictions may be under way at once, in all, and per node, namespace and owner of pods,
 * and who of those that wait comes next.  Pure counts: who holds a slot is the caller's to know. */
#pragma once

#include "base/slice.h"
#include "base/time.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVICTION_SLOTS_TOTAL 50
#define EVICTION_SLOTS_NODE 5
#define EVICTION_SLOTS_NAMESPACE 10
#define EVICTION_SLOTS_OWNER 1
/* A demand that waited for so long reserves what is free for it, so that none starves. */
#define EVICTION_SLOT_PATIENCE_NS (600 * NS_PER_S)

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
/* Counts one more when no limit is reached. */
enum eviction_slot_refusal eviction_slots_take(struct eviction_slots *slots,
                                               const struct eviction_slot_holder *holder);

enum eviction_rank { /* of requesters: lower ones go first */
                     EVICTION_RANK_REBOOT,
                     EVICTION_RANK_OTHER,
                     EVICTION_RANK_DESCHEDULE
};
/* Rebooting and draining nodes go first, tidying up last.  Knows requesters of EvictionRequests and
 * the names that evictions through the subresource bear (annotation requested-by). */
enum eviction_rank eviction_rank_of(struct slice requester);

struct eviction_demand { /* to begin an eviction */
        struct eviction_slot_holder holder;
        enum eviction_rank rank;
        int64_t since_ns;                   /* older ones of the same rank go first */
        uint64_t serial;                    /* then those seen first */
        bool is_overdue;                    /* waits for longer than EVICTION_SLOT_PATIENCE_NS */
        enum eviction_slot_refusal refusal; /* the answer; FREE = it took its slot */
        void *self;                         /* the caller's */
};
/* Sorts demands by rank and age and lets each take what is free.  One that finds no slot does not
 * hold up others, except that the first overdue one is counted as if it had a slot. */
void eviction_slots_line_up(struct eviction_slots *slots, struct eviction_demand *demands,
                            size_t count);
