/* The runner: takes one pod through the extension points of its profile.  It owns what plugins
 * compute for the pod and lends it to them; the order of phases is scheduler_decide's. */
#pragma once

#include "plugin/expected_times.h"
#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"

struct phase_verdict { /* what a PreEnqueue or PreFilter plugin said */
        const struct plugin *plugin;
        enum verdict_code code;
        uint32_t reason_count;
        const struct slice *reasons;
        const struct bitset *only; /* nodes it restricts the cycle to; NULL = all */
};

struct node_refusal {
        struct node_id node;
        const struct plugin *plugin; /* NULL: left out by a restriction, or by preemption itself */
        enum verdict_code code;
        uint32_t reason_count;
        const struct slice *reasons;
};

struct score_column {
        const struct plugin *plugin;
        int64_t weight;
        const int64_t *raw, *weighted; /* in the order of the feasible nodes */
};

/* ---- what preemption found ---- */
enum preemption_rule { /* the criterion that settled the choice */
                       PREEMPTION_ONLY_CANDIDATE,
                       PREEMPTION_BUDGETS,
                       PREEMPTION_HIGHEST_PRIORITY,
                       PREEMPTION_SUM_OF_PRIORITIES,
                       PREEMPTION_POD_COUNT,
                       PREEMPTION_START_TIME,
                       PREEMPTION_EVICTION_COST,
                       PREEMPTION_ARBITRARY,
};
const char *preemption_rule_name(enum preemption_rule rule); /* "onlyCandidate" */
struct preemption_candidate {
        struct node_id node;
        size_t victim_count;
        const struct pod_id *victims; /* most important first */
        uint32_t budget_violations;
};
struct preemption {
        enum verdict_code code; /* of the whole PostFilter phase */
        struct slice message;   /* "" on success */
        size_t candidate_count, rejected_count, best_count;
        const struct preemption_candidate *candidates;
        const struct node_refusal *rejected;       /* tried without success */
        const struct preemption_candidate *chosen; /* NULL: none */
        const struct node_id *best;                /* any of them is right; chosen is the first */
        enum preemption_rule decided_by;
};
/* What extenders left of the candidates: no other pod is evicted. */
struct preemption_limit {
        size_t count;
        const struct preemption_candidate *candidates;
        struct slice trouble; /* an extender that could not say; empty = none */
};

/* ---- how plugins work ---- */
/* Runs are counted; those of an attempt that is timed are also reported one by one. */
struct plugin_watch {
        uint64_t *runs;          /* by plugin of the profile, POINT_COUNT each */
        int64_t (*now_ns)(void); /* only differences count; NULL = not timed */
        void (*ran)(void *context, const struct sched_profile *profile, size_t plugin,
                    enum sched_point point, enum verdict_code code, int64_t elapsed_ns);
        void *context;
};

/* ---- one attempt ---- */
struct attempt_plugin {
        void *filter_state, *score_state;
        bool was_asked;    /* its PreFilter ran */
        bool filter_skips; /* nothing to say when filtering */
        bool score_skips;
};

/* What is to be written so that the pod finds a place next time. */
struct freed_claim {
        const struct json *object; /* the ResourceClaim that is given up; NULL = none */
        bool deletes;              /* and deleted */
        struct slice consumer;     /* only this reservation of it; "" = all of it */
};

struct nominee {
        struct pod_id pod;
        struct node_id node;
        uint32_t next; /* of the same node: index plus one; 0 = the last */
};
struct sched_attempt {
        struct sched_cycle cycle;
        struct cluster *cluster; /* changed inside what-ifs only */
        const struct sched_profile *profile;
        struct wall_time now;
        size_t nominee_count; /* pending pods of at least its priority with a nomination */
        const struct nominee *nominees; /* to a node that exists */
        uint32_t *first_nominee;        /* by node row: index plus one; NULL without nominees */
        struct attempt_plugin *plugins; /* as in the profile */
        /* After sched_attempt_pre_filter. */
        size_t pre_filter_count;
        struct phase_verdict *pre_filters;
        struct verdict pre_filter; /* OK, or why no node is looked at */
        const struct plugin *pre_filter_plugin;
        const struct bitset *only;         /* nodes left by restrictions; NULL = all */
        const struct slice *absent_reason; /* for nodes left out by a restriction */
        uint64_t restrictors;              /* plugins that restricted, as bits */
        /* Refused nodes in node order, for PostFilter. */
        size_t refusal_count;
        const struct node_refusal *refusals;
        /* Set by PostFilter plugins. */
        bool sets_nomination;
        struct slice nomination;
        struct preemption preemption;
        struct freed_claim freed;
        const struct preemption_limit *limit; /* NULL = any candidate will do */
        struct slice no_preemption;           /* why there are no victims; "" = there may be */
        bool is_of_idle_group;                /* no pod of its group has a node */
        const struct expected_times
                *expected_times;          /* NULL = what evictions take does not matter */
        const struct plugin_watch *watch; /* NULL = not counted */
        struct arena trial;               /* what-if states; cleared by each */
        uint64_t agreed;   /* plugins, as bits, known to admit the nodes that are judged */
        bool is_unsettled; /* remembered counts are as some what-if had them */
        /* verdict_cache.c: what is known of nodes, NULL = nothing; plugins whose refusal is final,
         * those that judge volumes, and the nodes that these admit (NULL = not asked yet). */
        struct verdict_cache *verdicts;
        uint64_t verdict_plugins, verdict_volume_filters;
        const struct bitset *verdict_admitted;
        bool verdicts_were_opened;
        bool verdicts_are_partial; /* plugins that count pods take part */
};

struct attempt_request {
        struct cluster *cluster;
        const struct sched_profile *profile;
        struct pod_id pod;
        struct slice node_name; /* spec.nodeName of a pod that is judged again */
        struct wall_time now;
        struct arena *arena;
        struct count_cache *counts;                  /* NULL: everything is counted again */
        const struct preemption_limit *limit;        /* NULL = none */
        struct slice no_preemption;                  /* "" = none */
        bool is_of_idle_group;                       /* of a group of which no pod has a node */
        const struct expected_times *expected_times; /* likewise; not in parity */
        const struct plugin_watch *watch;            /* NULL = none */
};
void sched_attempt_init(struct sched_attempt *attempt, const struct attempt_request *request);
void sched_attempt_release(struct sched_attempt *attempt);

/* What a plugin knows of the pod when it scores. */
static inline void *attempt_score_state(const struct sched_attempt *attempt, size_t plugin) {
        const struct attempt_plugin *own = &attempt->plugins[plugin];
        return attempt->profile->plugins[plugin].plugin->sched->pre_score ? own->score_state
                                                                          : own->filter_state;
}

/* Around a call of a plugin. */
static inline int64_t plugin_run_begin(const struct sched_attempt *attempt) {
        const struct plugin_watch *watch = attempt->watch;
        return !watch || !watch->now_ns ? 0 : watch->now_ns();
}
static inline void plugin_run_end(const struct sched_attempt *attempt, size_t plugin,
                                  enum sched_point point, enum verdict_code code,
                                  int64_t since_ns) {
        const struct plugin_watch *watch = attempt->watch;
        if (!watch)
                return;
        watch->runs[plugin * POINT_COUNT + point]++;
        if (watch->now_ns)
                watch->ran(watch->context, attempt->profile, plugin, point, code,
                           watch->now_ns() - since_ns);
}

/* The first plugin that holds the pod back; false: none does. */
bool sched_attempt_gate(struct sched_attempt *attempt, struct phase_verdict *ret_gate);
/* Fills the pre_filter members; VERDICT_OK, a refusal, or ERROR. */
enum verdict_code sched_attempt_pre_filter(struct sched_attempt *attempt);
/* Narrows nodes to those the pod fits; nominated pods of at least its priority count as running. */
void sched_attempt_filter(struct sched_attempt *attempt, struct bitset *nodes);
/* Its two parts: drops the nodes that some of the plugins (bits over the profile) refuse; and of
 * nodes that all plugins admit, those that nominated pods take from the pod. */
void sched_attempt_narrow(struct sched_attempt *attempt, uint64_t plugins, struct bitset *nodes);
void sched_attempt_drop_nominated(struct sched_attempt *attempt, struct bitset *nodes);
/* Drops the nodes that one plugin of the profile refuses; it takes part, and nothing is unsettled.
 */
void sched_attempt_filter_by(struct sched_attempt *attempt, size_t index, struct bitset *nodes);
/* One node on its own, PreFilter restrictions left aside: true when the pod fits, else why not. */
bool sched_attempt_judge(struct sched_attempt *attempt, struct node_id node,
                         struct node_refusal *ret_refusal);
/* The same inside a what-if: plugins that count pods count again. */
bool sched_attempt_judge_changed(struct sched_attempt *attempt, struct node_id node,
                                 struct node_refusal *ret_refusal);
/* After what-ifs were rolled back, and before the plugins' states of PreFilter are used by others:
 * brings remembered counts back to the cluster as it is. */
void sched_attempt_settle(struct sched_attempt *attempt);
/* Asks the PreScore plugins; part of sched_attempt_score. */
enum verdict_code sched_attempt_pre_score(struct sched_attempt *attempt, struct node_batch feasible,
                                          struct verdict *verdict);
/* Totals of the feasible nodes, and a column per plugin that scored.  ERROR: verdict says why. */
struct attempt_scores {
        int64_t *totals;
        size_t column_count;
        struct score_column *columns; /* raw and weighted only when wanted */
};
enum verdict_code sched_attempt_score(struct sched_attempt *attempt, struct node_batch feasible,
                                      bool wants_columns, struct attempt_scores *ret_scores,
                                      struct verdict *verdict);
/* Runs the PostFilter plugins; fills attempt->preemption. */
void sched_attempt_post_filter(struct sched_attempt *attempt);

/* After a PreFilter that passed: lets plugins note what the pod takes on its node. */
void sched_attempt_reserve(struct sched_attempt *attempt, struct node_id node,
                           const struct reservation *reservation);
/* Whether what was reserved is there.  WAIT or ERROR: plugin says who. */
enum verdict_code sched_attempt_pre_bind(const struct sched_attempt *attempt, struct node_id node,
                                         int64_t waited_ns, const struct plugin **ret_plugin,
                                         struct verdict *verdict);

/* "0/N nodes are available: ..." with the reasons of the refusals counted and sorted as text. */
struct slice refusals_message(size_t node_count, const struct node_refusal *refusals, size_t count,
                              struct arena *arena);
