/* The latest Events of a cluster, each with what it means to people who look on: a pod was placed,
 * ended, refused.  Bounded: the oldest one goes when a new one finds no room. */
#pragma once

#include "api/json.h"
#include <stdint.h>

#define EVENT_RING_SIZE 10000
#define EVENTS_SHOWN 200 /* of a document, unless the query says otherwise */

struct event_ring;

struct event_ring *event_ring_new(void);
void event_ring_free(struct event_ring *ring); /* accepts NULL */
/* Takes an Event of events.k8s.io/v1, also one that is there with a higher count. */
void event_ring_put(struct event_ring *ring, const struct json *event);
/* The first list is in, which comes in no order: sorts it by time.  Until then nothing is shown. */
void event_ring_settle(struct event_ring *ring);
/* Number of the last one; 0 = none yet.  They count up from 1. */
uint64_t event_ring_last(const struct event_ring *ring);

/* {"count":3,"rules":[{"rule":"PodLifeTime","count":2}, ...]}: evictions among the events that are
 * kept, by the rule that the Descheduler names as the reason, else by the reason itself; the most
 * frequent EVICTION_RULES_MAX of them. */
#define EVICTION_RULES_MAX 32
void event_ring_write_evictions(const struct event_ring *ring, struct buf *out);
/* The members "last", "oldest" (0 = none) and "events", the newest first.  Parameters of the query:
 * after, before (a number); kind (placed, waiting, preempted, evicted, reboot, node, warning,
 * other; comma-separated); namespace and name of what it is about; find (part of a text); count. */
void event_ring_write(const struct event_ring *ring, struct slice query, struct buf *out);
