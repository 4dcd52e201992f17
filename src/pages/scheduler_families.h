/* The families of the scheduler's metrics: names, help texts, labels and buckets. */
#pragma once

#include "pages/metrics.h"

#define FAMILY_BUCKETS_MAX 20

enum scheduler_family {
        FAMILY_ATTEMPTS,
        FAMILY_ATTEMPT_TIME,
        FAMILY_ALGORITHM_TIME,
        FAMILY_SLI_TIME,
        FAMILY_TRIES,
        FAMILY_PENDING,
        FAMILY_INCOMING,
        FAMILY_UNSCHEDULABLE,
        FAMILY_AFTER_FLUSH,
        FAMILY_IN_FLIGHT,
        FAMILY_EVENT_TIME,
        FAMILY_HINT_TIME,
        FAMILY_POINT_TIME,
        FAMILY_PLUGIN_TIME,
        FAMILY_PLUGIN_RUNS,
        FAMILY_PERMIT_TIME,
        FAMILY_PREEMPTIONS,
        FAMILY_VICTIMS,
        FAMILY_EVICTION_TIME,
        FAMILY_EVICTIONS,
        FAMILY_CACHE,
        FAMILY_GOROUTINES,
        FAMILY_BATCHES,
        FAMILY_BATCH_FLUSHES,
        FAMILY_CALLS,
        FAMILY_CALL_TIME,
        FAMILY_PENDING_CALLS,
        FAMILY_CLAIMS,
        FAMILY_BINDER_REQUESTS,
        FAMILY_BINDER_ERRORS,
        FAMILY_DECISIONS,
        FAMILY_COUNT
};

struct scheduler_families {
        struct metric *items[FAMILY_COUNT];
        double buckets[FAMILY_COUNT][FAMILY_BUCKETS_MAX];
};
/* Adds them all; without series at first. */
void scheduler_families_add(struct scheduler_families *families, struct metrics *metrics);
