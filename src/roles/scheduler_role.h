/* The scheduler as a role of a process. */
#pragma once

#include "loop/runtime.h"

struct metrics;
struct reservation_controller;
struct scheduler;
struct sched_profile;
struct scheduler_configuration;

struct scheduler_role_config {
        size_t profile_count;
        struct sched_profile *const *profiles; /* must outlive the role */
        uint64_t seed;
        int64_t backoff_initial_ns, backoff_max_ns; /* 0 = default */
        int64_t unschedulable_timeout_ns;           /* 0 = default */
        bool is_parity;
        uint32_t gates;          /* enum feature_gate: those about groups of pods */
        struct metrics *metrics; /* NULL = not counted */
        /* Makes reservations for the replacements of pods that are evicted slowly;
         * *ret_reservations is their controller, which lives as long as the role. */
        bool reserves;
        const struct reservation_controller **ret_reservations; /* NULL = not wanted */
        bool weighs_cost; /* what evictions are expected to take; see eviction_forecast.h */
        /* Where extenders stand; must outlive the role.  NULL = there are none. */
        const struct scheduler_configuration *configuration;
};

/* Adds the role to the runtime, which owns it.  The scheduler is for statistics and explanations.
 * NULL, with err set, when extenders cannot be reached in principle: bad certificates, addresses.
 */
struct scheduler *scheduler_role_add(struct runtime *runtime,
                                     const struct scheduler_role_config *config, struct err *err);
