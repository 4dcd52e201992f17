/* What a descheduling policy would do to a cluster: one pass of the descheduler, with the eviction
 * service behind it, whose outcome is written down instead of sent. */
#pragma once

#include "ask/plan_balance.h"
#include "base/arena.h"
#include "base/bitset.h"
#include "base/err.h"
#include "desched/descheduler.h"
#include "evict/eviction_history.h"
#include "model/cluster.h"
#include "model/evict_intent.h"
#include "plugin/desched_run.h"
#include "plugin/device_judge.h"
#include <stdbool.h>

struct evict_service;
struct eviction_costs;
struct placement_simulator;
struct json_doc;
struct moved_claims;
struct role_config;
struct recorded_usage;
struct sched_profile_list;
struct snapshot;
struct usage_live;

struct planned_eviction {
        struct pod_id pod;
        struct slice ns, name, node, plugin, profile, reason;
        struct slice held;          /* with EVICT_HELD: why */
        struct slice budget;        /* with EVICT_BUDGET: the names of those that cover the pod */
        enum evict_outcome outcome; /* EVICT_DONE, or which limit keeps the pod */
        bool has_landing;           /* asked where its like would go */
        struct node_id landing;     /* NODE_NONE: it would be pending */
        int64_t gain;               /* total score there above the one of its present node */
        bool has_gain;
        bool has_cost; /* a policy leads it out */
        struct history_estimate cost;
};
struct spared_pod {
        struct pod_id pod;
        struct slice ns, name, plugin, profile, reasons;
};

/* The cluster at one moment: how full it is, and what every rule would still want of it, whatever
 * limits, budgets and filters say. */
struct plan_state {
        struct cluster_balance balance;
        size_t pending, wanted_sum;
        const uint32_t *wanted; /* per rule of the report */
};

/* A node that is not as it was, by number. */
struct changed_load {
        struct node_id node;
        const int64_t *requested; /* afterwards, by column of the model */
};

struct eviction_plan {
        struct arena arena;
        struct evict_service *service;
        struct evict_requester *requester;
        struct eviction_costs *costs; /* of EvictionPolicies, and whom they hold */
        struct recorded_usage *usage;
        struct json_doc *usage_doc;
        struct usage_live *live;               /* NULL = the objects are the measured usage */
        struct placement_simulator *simulator; /* NULL = not asked where pods would go */
        struct moved_claims *claims;           /* of pods that are placed elsewhere */
        struct device_judge judge;
        struct object_cache *object_cache; /* of the snapshot */
        struct descheduler *descheduler;
        const struct cluster *cluster;
        const struct desched_report *report; /* per rule */
        struct wall_time now;
        bool has_costs; /* of some eviction */
        size_t eviction_count, eviction_cap, done_count;
        struct planned_eviction
                *evictions; /* in the order they were asked for; outcome says which were refused */
        size_t spared_count, spared_cap;
        struct spared_pod *spared;
        const struct role_config *config;
        struct desched_jobs jobs;
        struct bitset gone;              /* pods that leave for good */
        struct plan_state before, after; /* after eviction_plan_place */
        /* Called as evicted pods are placed; may be NULL. */
        void (*progress)(void *context, size_t done, size_t total);
        void *progress_context;
        /* After it, too: nodes whose pods are others, and how many resources there were. */
        size_t load_count, resource_count;
        struct changed_load *loads;
        bool is_placed;
        struct cluster *opened;            /* a what-if is open on it; NULL = none */
        const struct slice *drained_nodes; /* of the request */
        size_t drained_count;
        struct bitset drained; /* pods that left with their nodes */
        size_t drain_count;    /* of the evictions: those that take nodes away, the first ones */
        struct desched_report no_policy; /* what a pass without one says */
};

/* Rule that stands for a node that was taken away. */
#define PLAN_DRAIN "drain"

struct plan_request {
        const struct role_config *config; /* must outlive the plan; its policy may be NULL */
        /* Nodes that are taken away first: cordoned, and drained as far as budgets let it. Names
         * that no node has are an error. */
        const struct slice *drained;
        size_t drained_count;
        struct wall_time now;
};

const char *evict_outcome_text(enum evict_outcome outcome);
/* "disruption budget", "held: EvictionPolicy ..." */
struct slice planned_eviction_outcome_text(const struct planned_eviction *eviction);
/* Zero the plan before and release it after, whatever came of it.  The cluster is as before once
 * eviction_plan_place or eviction_plan_release ran. */
int eviction_plan_make(struct eviction_plan *plan, struct snapshot *snapshot,
                       const struct plan_request *request, struct err *err);
/* Where each evicted pod's like would go: one after the other, each on the state that the earlier
 * moves leave.  Pods without an owner, and finished ones, do not come back.  Also measures the
 * cluster before and after. */
void eviction_plan_place(struct eviction_plan *plan, struct snapshot *snapshot);
void eviction_plan_release(struct eviction_plan *plan);
