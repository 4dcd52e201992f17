/* The slots of one process: evictions through the subresource that wait for one or are under way,
 * whichever role asked, and what is seen of others' on the cluster.  EvictionRequests have their
 * slots granted by the controller (eviction_admission.c); counting and order are the same. */
#pragma once

#include "base/time.h"
#include "evict/eviction_slots.h"

/* An asker that was refused keeps its position in the queue, or its slot, for so long. */
#define SLOT_LEDGER_GRACE_NS (15 * NS_PER_S)
/* An asker that returned its slot is as old as before when it asks again within this time. */
#define SLOT_LEDGER_MEMORY_NS (900 * NS_PER_S)

struct slot_ledger;
struct slot_ledger *slot_ledger_new(const struct eviction_slot_limits *limits);
void slot_ledger_free(struct slot_ledger *ledger); /* accepts NULL */

/* Who asks: a pod's eviction.  Texts are copied. */
struct slot_asker {
        struct slice uid;
        struct eviction_slot_holder holder;
        enum eviction_rank rank;
};
/* Enters the line, or renews the place in it; see slot_ledger_let_in. */
void slot_ledger_ask(struct slot_ledger *ledger, const struct slot_asker *asker,
                     struct mono_time now);
/* The asker left and will ask again soon; it gets no slot meanwhile. */
void slot_ledger_leave(struct slot_ledger *ledger, struct slice uid, struct mono_time now);
/* Refused, and not under way: the slot is free, the age stays. */
void slot_ledger_give_back(struct slot_ledger *ledger, struct slice uid, struct mono_time now);
/* Over. */
void slot_ledger_end(struct slot_ledger *ledger, struct slice uid);

/* Evictions of others, as a source sees them; key names it within the source.  Seen by several, or
 * seen and held by us, it counts once: by the uid, and for VMs by the owner.  A uid or parts of the
 * holder that are not known are empty. */
enum slot_source { SLOT_SOURCE_PODS, SLOT_SOURCE_EVICTIONS, SLOT_SOURCE_MIGRATIONS };
void slot_ledger_see(struct slot_ledger *ledger, enum slot_source source, struct slice key,
                     struct slice uid, const struct eviction_slot_holder *holder);
void slot_ledger_unsee(struct slot_ledger *ledger, enum slot_source source, struct slice key);
void slot_ledger_unsee_all(struct slot_ledger *ledger, enum slot_source source);

/* Gives slots to the askers that may begin, by rank and age. */
void slot_ledger_let_in(struct slot_ledger *ledger, struct mono_time now);
bool slot_ledger_holds(const struct slot_ledger *ledger, struct slice uid);
/* What this one waits for; FREE when it holds a slot or is not known. */
enum eviction_slot_refusal slot_ledger_refusal(const struct slot_ledger *ledger, struct slice uid);
bool slot_ledger_is_waiting(const struct slot_ledger *ledger); /* any asker */
struct slot_ledger_stats {
        size_t waiting, held, seen; /* seen: what is not also held */
};
void slot_ledger_stats(const struct slot_ledger *ledger, struct slot_ledger_stats *ret_stats);
