/* The descheduler as a role of a process: passes at an interval, evictions through the service. */
#pragma once

#include "loop/runtime.h"

struct descheduler;
struct descheduler_policy;
struct document;
struct evict_requester;
struct metrics;
struct plugin;
struct sched_profile_list;
struct tracer_config;

struct descheduler_role_config {
        const struct descheduler_policy *policy; /* must outlive the role, like document */
        const struct document *document;
        const struct plugin *const *registry;
        int64_t interval_ns; /* 0: one pass, then finished */
        /* Of a single pass and of what it asked for: the rest is withdrawn; 0 = none. */
        int64_t deadline_ns;
        int64_t first_delay_ns;
        bool is_dry_run, is_parity;
        /* Under parity, of a process that was elected: a start that fails is only logged; the
         * process keeps the Lease and does nothing. */
        bool is_elected;
        bool follows_background; /* evictions that other programs finish; see evict_service.h */
        bool weighs_cost;        /* what evictions are expected to take; see eviction_forecast.h */
        bool watches; /* also acts between passes: on changes, and when a rule falls due */
        /* How pods are scheduled here, for moving only what lands better; NULL = not asked. */
        const struct sched_profile_list *profiles;
        /* Where the profiles come from, for the log; "" or NULL = upstream's defaults. */
        const char *scheduler_source;
        /* Looks in the cluster for the configuration of its schedulers before the first pass, and
         * hands each over; a code below 0 refuses it.  NULL = nobody looks. */
        bool finds_scheduler;
        int (*found_scheduler)(void *context, struct slice text, const char *source,
                               struct err *err);
        void *found_context;
        /* Called once: after a single pass whose evictions are all answered (err NULL) or that took
         * too long, when it may not read the cluster, or when the policy names something the
         * cluster does not have.  May be NULL. */
        void (*finished)(void *context, const struct err *err);
        void *context;
        struct metrics *metrics; /* NULL = not counted */
        /* Where traces go (loop and callback are filled in); NULL = no traces.  What is wrong with
         * it is logged and does no other harm. */
        const struct tracer_config *tracing;
};

/* What the role did so far; the requester holds the records. */
struct descheduler_role_stats {
        uint64_t passes;
        uint64_t reactions; /* passes between passes */
        struct evict_requester *requester;
        struct descheduler *descheduler; /* NULL until the first pass is near */
};

struct descheduler_role;
/* Adds the role.  The policy was checked (role_config_load); its profiles are built when the model
 * is complete, as they may name priority classes of the cluster. */
struct descheduler_role *descheduler_role_add(struct runtime *runtime,
                                              const struct descheduler_role_config *config);
void descheduler_role_stats(const struct descheduler_role *role,
                            struct descheduler_role_stats *ret_stats);
