/* How long stages took before, by policy, owner of the pod and stage: what is expected of the next
 * one.  Stored as one JSON object, so that it outlives the process. */
#pragma once

#include "api/json.h"
#include "base/time.h"
#include <stdint.h>

#define HISTORY_SAMPLES 64   /* stored of each; the oldest is dropped */
#define HISTORY_ENOUGH 5     /* fewer say nothing */
#define HISTORY_KEYS_MAX 400 /* of different stages and owners; more are not stored */
#define HISTORY_AGE_NS (30LL * 24 * 3600 * NS_PER_S)

struct eviction_history;

struct history_key {
        struct slice policy, owner, stage; /* policy: namespace/name; owner: Kind/name or empty */
};
struct history_estimate { /* nearest rank */
        int64_t p50_ns, p95_ns;
        size_t count; /* samples behind it; 0 = the fallback */
};

struct eviction_history *eviction_history_new(void);
void eviction_history_free(struct eviction_history *history); /* accepts NULL */
/* One that succeeded. */
void eviction_history_add(struct eviction_history *history, const struct history_key *key,
                          int64_t duration_ns, struct wall_time now);
/* From this owner's samples, else from those of the policy, else the fallback for both. */
struct history_estimate eviction_history_estimate(const struct eviction_history *history,
                                                  const struct history_key *key,
                                                  int64_t fallback_ns, struct wall_time now);
/* Grows with every sample: whether something is to be stored. */
uint64_t eviction_history_version(const struct eviction_history *history);
void eviction_history_write(const struct eviction_history *history, struct buf *out);
/* Adds what was written; what cannot be read is left out. */
void eviction_history_read(struct eviction_history *history, const struct json *object);
