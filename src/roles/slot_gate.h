/* A transport at which slow evictions wait for their slots, whichever role of the process makes
 * them: those that an eviction call only starts, and those of virtual machines.  Everything else
 * passes through, and costs no further call.
 *
 * Evictions of this process share one ledger; those of others are seen on the cluster and count.
 * Turns go by who asks (annotation requested-by of the call), then by age.  A call that waits for
 * longer than the patience is answered 429, with what it waits for; it keeps its place for whoever
 * asks again soon.
 *
 * EvictionRequests pass, as their controller grants slots; where that is somebody else's, those for
 * slow pods wait here (without an answer until it is their turn). */
#pragma once

#include "evict/eviction_slots.h"
#include "model/cluster.h"
#include "port/loop.h"
#include "port/transport.h"

#define SLOT_PATIENCE_NS (30 * NS_PER_S)
#define SLOT_LOOK_NS (5 * NS_PER_S)  /* whether an evicted pod is gone */
#define SLOT_TURN_NS (2 * NS_PER_S)  /* looks while somebody waits */
#define SLOT_REST_NS (60 * NS_PER_S) /* idle for so long: others are not followed any more */

struct slot_gate;
struct slot_ledger_stats;

struct slot_gate_config {
        struct transport *inner; /* borrowed, like loop */
        struct loop *loop;
        struct eviction_slot_limits limits;
        bool for_all;        /* plain evictions take slots, too */
        int64_t patience_ns; /* 0 = SLOT_PATIENCE_NS */
};
struct slot_gate *slot_gate_new(const struct slot_gate_config *config);
void slot_gate_free(struct slot_gate *gate); /* accepts NULL */
struct transport slot_gate_transport(struct slot_gate *gate);
/* The model of this process, from which pods are known; without one they are known from what roles
 * read through this transport.  NULL = none any more. */
void slot_gate_know(struct slot_gate *gate, const struct cluster *cluster);
void slot_gate_stats(const struct slot_gate *gate, struct slot_ledger_stats *ret_stats);
