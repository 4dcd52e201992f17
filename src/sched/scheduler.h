/* The scheduler as a step machine: catches up with the cluster's change log, takes pods off its
 * queue, decides, assumes them on the shared cluster and says what to write.  It never reads a
 * clock and never waits; outcomes of its actions come back through scheduler_result.
 *
 * Only the failure handler writes a pod that could not be placed: condition and nomination in one
 * ACTION_POD_STATUS, nothing when the same failure was written before (reference scheduler.md 3.6,
 * section 6). */
#pragma once

#include "base/time.h"
#include "model/action.h"
#include "model/cluster.h"
#include "plugin/sched_profile.h"
#include "sched/decision.h"
#include "sched/extender.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scheduler;

struct scheduler_config {
        struct cluster *cluster; /* shared; assumed and forgotten on */
        /* Shared: what pods take of it is noted there until the API says so; NULL = none. */
        struct object_cache *object_cache;
        size_t profile_count;
        struct sched_profile *const *profiles; /* built; owned by the caller, outlive it */
        size_t extender_count;
        const struct extender *extenders; /* owned by the caller, outlive it */
        uint64_t seed;                    /* ties */
        bool is_parity;
        /* Upstream's gates: pods of a PodGroup are decided together; those of one with a gang
         * policy are placed together or not at all; groups are placed where their constraints say.
         */
        bool has_groups, has_gangs, has_placements;
        bool has_group_preemption;        /* victims are sought for a group as a whole */
        int32_t percentage_of_nodes;      /* parity sampling; 0 = upstream's formula */
        int64_t backoff_initial_ns;       /* 0 = 1 s */
        int64_t backoff_max_ns;           /* 0 = 10 s */
        int64_t unschedulable_timeout_ns; /* 0 = 5 min */
        size_t cache_bytes;               /* class_engine_new's max_bytes */
        /* So many binds may wait for their answers before the next pod is decided; then half of
         * them have to be answered first.  0 = no limit. */
        size_t max_binds;
        const struct expected_times
                *expected_times;            /* decision_request's; must outlive it; NULL = none */
        const struct decision_watch *watch; /* receives timings and outcomes; NULL = none */
        /* A pod was bound, so long after its first attempt; with the watch's context. */
        void (*bound)(void *context, uint32_t attempts, int64_t since_first_ns, bool was_flushed);
        size_t trace_capacity; /* decisions remembered for explanations; 0 = 256 */
};

struct scheduler *scheduler_new(const struct scheduler_config *config);
void scheduler_free(struct scheduler *scheduler); /* accepts NULL */

struct scheduler_progress {
        size_t decisions; /* made by this step */
        bool has_more;    /* pods are ready now: step again */
};
/* Catches up, fires due timers and decides at most max_decisions pods; appends actions to out. */
struct scheduler_progress scheduler_step(struct scheduler *scheduler, struct mono_time mono,
                                         struct wall_time wall, size_t max_decisions,
                                         struct action_list *out);
/* As has_more of the last step, with what came since: pods are ready and may be decided. */
bool scheduler_has_more(const struct scheduler *scheduler);
/* Outcome of an action this scheduler emitted (others are ignored). */
void scheduler_result(struct scheduler *scheduler, const struct action_result *result,
                      struct mono_time mono, struct wall_time wall, struct action_list *out);
/* Something the model does not log changed, such as volumes in the object cache: pods refused by
 * plugins that listen to these CLUSTER_* changes try again. */
void scheduler_notice(struct scheduler *scheduler, uint32_t mask, struct mono_time mono);
/* When step should be called although nothing changed; false: no timer is running. */
bool scheduler_next_due(const struct scheduler *scheduler, struct mono_time *ret_due);

struct scheduler_stats {
        uint64_t decisions, scheduled, unschedulable, errors; /* errors: cycles and binds */
        uint64_t preemptions, victims;
        size_t active, backoff, unschedulable_pods, gated; /* queue parts */
        size_t binding;                                    /* binds whose outcome is open */
        size_t nominated;
};
void scheduler_stats(const struct scheduler *scheduler, struct scheduler_stats *ret_stats);
/* NULL beyond the last. */
const struct sched_profile *scheduler_profile(const struct scheduler *scheduler, size_t index);
/* How many pods each plugin of a profile keeps from a node; counts as long as its plugins. */
void scheduler_refusals(const struct scheduler *scheduler, size_t profile, uint32_t *ret_counts);

/* One remembered decision, newest last. */
#define TRACE_PLUGINS_MAX 24
#define TRACE_MESSAGE_MAX 1023 /* of longer ones the beginning */
struct decision_trace {
        uint64_t number; /* counts from 1 */
        struct wall_time at;
        const char *pod; /* namespace/name */
        const char *uid, *message;
        const char *node; /* "" unless placed */
        char *text;       /* all of these, malloc'ed and used again */
        size_t text_size;
        enum decision_outcome outcome;
        uint32_t node_count, feasible_count, best_count, attempts;
        int64_t best_total;
        uint32_t plugin_count;
        struct trace_plugin { /* nodes it refused; "" = a PreFilter restriction */
                const char *name;
                uint32_t refused;
        } plugins[TRACE_PLUGINS_MAX];
};
size_t scheduler_trace_count(const struct scheduler *scheduler);
const struct decision_trace *scheduler_trace(const struct scheduler *scheduler, size_t index);

/* Where a pod is in the queue, for explanations. */
enum queue_part {
        QUEUE_NONE,
        QUEUE_ACTIVE,
        QUEUE_BACKOFF,
        QUEUE_UNSCHEDULABLE,
        QUEUE_BINDING,
        QUEUE_PART_COUNT
};
const char *queue_part_name(enum queue_part part);
/* What brings pods into a part of the queue, by upstream's names. */
enum queue_event {
        QUEUE_EVENT_POD_ADDED,
        QUEUE_EVENT_FAILURE,
        QUEUE_EVENT_BACKOFF_OVER,
        QUEUE_EVENT_POPPED, /* out of back-off, since no other pod was ready */
        QUEUE_EVENT_TIMEOUT,
        QUEUE_EVENT_POD_UPDATED,
        QUEUE_EVENT_ASSIGNED_ADDED,
        QUEUE_EVENT_ASSIGNED_UPDATED,
        QUEUE_EVENT_ASSIGNED_REMOVED,
        QUEUE_EVENT_NODE_ADDED,
        QUEUE_EVENT_NODE_REMOVED,
        QUEUE_EVENT_NODE_ALLOCATABLE,
        QUEUE_EVENT_NODE_LABELS,
        QUEUE_EVENT_NODE_TAINTS,
        QUEUE_EVENT_NODE_CONDITION,
        QUEUE_EVENT_NODE_FEATURES,
        QUEUE_EVENT_VOLUME,
        QUEUE_EVENT_RESOURCE_CLAIM,
        QUEUE_EVENT_DEVICES,
        QUEUE_EVENT_OTHER,
        QUEUE_EVENT_COUNT
};
const char *queue_event_name(enum queue_event event);
/* The name that upstream has for a change (CLUSTER_* bits); of several the first. */
enum queue_event queue_event_of(uint32_t change);
/* How many entered a part so far because of an event. */
uint64_t scheduler_incoming(const struct scheduler *scheduler, enum queue_part part,
                            enum queue_event event);
struct queue_place {
        enum queue_part part;
        bool is_gated;
        uint32_t attempts;
        struct mono_time backoff_ends; /* while backing off */
};
bool scheduler_find(const struct scheduler *scheduler, struct pod_id pod,
                    struct queue_place *ret_place);
