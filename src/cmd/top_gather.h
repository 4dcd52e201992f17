/* From the model of a cluster to what a terminal shows of it. */
#pragma once

#include "base/arena.h"
#include "model/cluster.h"
#include "show/top_data.h"
#include "show/top_keys.h"

struct event_ring;
struct map;

#define TOP_WAITS_MAX 500   /* pods that wait, the oldest first */
#define TOP_EVENTS_MAX 2000 /* that are looked at for reasons and shown */

struct top_sources {
        const struct cluster *cluster;
        const struct event_ring *events; /* NULL = none */
        struct slice resources; /* names, comma-separated; empty = cpu, memory, pods and the others
                                 * that nodes have */
        struct wall_time now;
        /* Why a pod waits where no Event says it; may be NULL. */
        struct slice (*reason)(void *context, struct pod_id pod);
        void *context;
};

/* Everything lives in the arena; what a reason gives is stored as it is. */
void top_gather(const struct top_sources *sources, const struct top_state *state,
                struct arena *arena, struct top_data *ret_data);
