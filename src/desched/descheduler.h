/* The descheduler's decision: one pass over the cluster, profile by profile, plugin by plugin, that
 * hands evictions to a sink (the eviction service, or a recorder in plans and replays).
 *
 * The cluster must keep finished pods and container detail (cluster_config) and must not change
 * during a pass. */
#pragma once

#include "model/cluster.h"
#include "model/evict_intent.h"
#include "plugin/plugin.h"
#include <stdbool.h>
#include <stdint.h>

struct descheduler;
struct desched_usage;       /* plugin/desched_points.h */
struct desched_jobs;        /* plugin/desched_run.h */
struct expected_times;      /* plugin/expected_times.h */
struct placement_predictor; /* plugin/placement_predictor.h */
struct device_judge;        /* plugin/device_judge.h */
struct descheduler_policy;  /* config/descheduler_policy.h */
struct config_problems;

struct descheduler_config {
        const struct cluster *cluster;
        const struct descheduler_policy *policy; /* must outlive the descheduler */
        const struct document *document;         /* for positions; NULL = the policy's own */
        const struct plugin *const *registry;    /* NULL-ended */
        struct evict_sink sink;
        const struct desched_usage *usage; /* measured usage; may be NULL */
        const struct desched_jobs *jobs;   /* which Jobs clean up by themselves; may be NULL */
        /* Copied; NULL = pods are moved without asking where they would go.  Not used in parity,
         * nor when the policy says moveOnlyIfBetter: false. */
        const struct placement_predictor *predictor;
        /* Copied; NULL = whether nodes have devices for a pod is not asked; nor is it in parity. */
        const struct device_judge *device_judge;
        /* What evictions are expected to take; must outlive the descheduler.  NULL = not looked at;
         * nor is it in parity. */
        const struct expected_times *expected_times;
        bool is_parity, is_dry_run;
        bool hides_budgets; /* PodsWithoutPDB finds none: upstream outside of dry run */
};

/* Builds every profile.  Without a cluster (to check a policy) names of its objects are not looked
 * up.  What is wrong with the policy is added to problems, all of it, with
 * positions; then err holds the summary. */
int descheduler_new(const struct descheduler_config *config, struct config_problems *problems,
                    struct descheduler **ret_descheduler, struct err *err);
void descheduler_free(struct descheduler *descheduler); /* accepts NULL */

struct desched_spared_count {
        struct slice text; /* the reason, in the words for the first pod */
        uint32_t count;
};
struct desched_rule_report { /* one enabled plugin of one profile */
        struct slice profile, plugin;
        bool is_balance;
        uint32_t evicted, limited, refused, spared;
        uint32_t young_count; /* pods that it will want once they are older */
        size_t cause_count;   /* why pods are spared, the most frequent first */
        const struct desched_spared_count *causes;
        struct slice idle; /* why it looked at no pod; "" = it did, or nobody says */
        /* Of the spared: pods the scheduler would not place better; one of them. */
        uint32_t not_better;
        struct pod_id not_better_pod;
        bool was_passed_over; /* in a pass that was not about it */
        bool has_due;         /* time alone makes it want something at `due` */
        struct wall_time due;
        int code; /* BERTH_OK, or the plugin failed with text */
        char text[ERR_TEXT_MAX];
};
struct desched_report {  /* valid until the next pass */
        bool is_skipped; /* fewer than two usable nodes (parity) or none */
        size_t node_count;
        uint32_t evicted;
        size_t rule_count;
        const struct desched_rule_report *rules;
};
/* One pass at `now`; asks the sink, and calls its begin_pass first. */
const struct desched_report *descheduler_pass(struct descheduler *descheduler,
                                              struct wall_time now);

/* A pass between regular ones: only rules that changes of these kinds (CLUSTER_*), or the time, may
 * have made true.  It goes on with the limits of the regular pass before, and leaves alone what
 * waits for another try. */
const struct desched_report *descheduler_react(struct descheduler *descheduler,
                                               struct wall_time now, uint32_t changes);
/* Why a rule did not evict: "12 too young, the first is due in 59m; 3: pod has local storage";
 * nothing when it did. */
void desched_rule_explain(const struct desched_rule_report *rule, struct wall_time now,
                          struct buf *out);
/* When a rule falls due by time alone, as of the last passes; false: none that is known of. */
bool descheduler_next_due(const struct descheduler *descheduler, struct wall_time *ret_due);
/* Changes that some rule reacts to. */
uint32_t descheduler_wakes_on(const struct descheduler *descheduler);

/* Called for every pod that a rule chose and a filter refused, for pods that are too young for a
 * rule, and for every rule that runs; members may be NULL. */
struct desched_observer {
        void *context;
        void (*spared)(void *context, const struct desched_rule_report *rule, struct pod_id pod,
                       struct slice reasons);
        void (*young)(void *context, const struct desched_rule_report *rule, struct pod_id pod,
                      struct wall_time due);
        void (*began)(void *context, const struct desched_rule_report *rule);
        void (*ended)(void *context, const struct desched_rule_report *rule);
};
void descheduler_observe(struct descheduler *descheduler, const struct desched_observer *observer);
/* Why the filters of each profile keep the pod at `now`: one line "profile: reasons" per profile
 * that does; nothing when all let it go. */
void descheduler_explain(struct descheduler *descheduler, struct wall_time now, struct pod_id pod,
                         struct buf *out);
