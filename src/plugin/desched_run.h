/* One pass of the descheduler as its runner sees it: what plugins reach through
 * plugin/desched_points.h.  Made by the desched room, one per pass; profile and rule change as the
 * pass goes on. */
#pragma once

#include "plugin/desched_points.h"
#include "plugin/device_judge.h"
#include "plugin/expected_times.h"
#include "plugin/move_budget.h"
#include "plugin/placement_predictor.h"
#include "plugin/return_memory.h"

struct map;

struct desched_instance { /* a plugin of a profile with its state */
        const struct plugin *plugin;
        const void *state;
};
/* What is known of Jobs, which the model does not hold. */
struct desched_jobs {
        void *context;
        bool (*has_ttl)(void *context, struct slice uid);
};
struct desched_filters {
        size_t count;
        const struct desched_instance *items;
        uint8_t *by_kind; /* enum kind_verdict of each kind; NULL: they look at more than it */
        uint8_t *causes;  /* beside by_kind: why the filters keep the kind */
};

/* Why pods that a rule selects stay, counted by rule. */
#define DESCHED_CAUSES_MAX 64
struct desched_cause {
        const char *key;   /* format or text of the reason; static */
        struct slice text; /* of the first pod */
        uint32_t count;    /* in the rule at work */
};

/* Called with what happens to pods; each may be NULL. */
struct desched_run_listener {
        void *context;
        void (*spared)(void *context, struct pod_id pod, struct slice reasons);
        void (*asked)(void *context, struct pod_id pod, enum evict_outcome outcome);
        void (*young)(void *context, struct pod_id pod, struct wall_time due);
        /* Before it is spared: the scheduler was asked, and would not place the pod better. */
        void (*not_better)(void *context, struct pod_id pod);
};

/* Whether moving a pod is worth it. Without a predictor this is not asked. */
struct desched_moves {
        const struct placement_predictor *predictor; /* NULL = not asked */
        struct return_memory *returns;               /* of earlier passes; NULL = none */
        struct move_budget *move_budget;             /* which pods are asked about; NULL = all */
        int64_t min_gain;
};

/* An eviction that is expected to take long has to gain more: a point of score for each full
 * minute, up to so many. */
#define DESCHED_COST_UNIT_NS (60 * NS_PER_S)
#define DESCHED_COST_MAX 20

struct desched_run {
        const struct cluster *cluster;
        struct wall_time now;
        struct arena *pass;    /* lives as long as the pass */
        struct arena *scratch; /* cleared before each rule */
        bool is_parity, is_dry_run, hides_budgets;
        struct node_batch_list nodes;
        /* Pods of every node row in a fixed order: those of node n are pods[first[2n]] up to
         * pods[first[2n + 1]]. */
        uint32_t *first;
        size_t pod_count;
        struct pod_id *pods;
        size_t elsewhere_count;
        struct pod_id *elsewhere; /* finished or lost, not on these nodes; in order */
        struct bitset selected;   /* nodes the policy selects, ready or not */
        struct bitset listed;     /* nodes of the pass, by index */
        struct bitset shown;      /* pods of these nodes, and those elsewhere */
        struct bitset finished;
        struct pod_kinds kinds;
        struct map *cached; /* (owner, key) -> value in the pass arena */
        struct bitset gone; /* asked to go in this pass, no longer shown */
        /* The profile and rule at work. */
        struct desched_filters filters, pre_filters;
        struct slice profile, plugin;
        struct evict_sink sink;
        const struct desched_usage *usage;
        const struct device_judge *device_judge; /* NULL = devices are not looked at */
        const struct desched_jobs *jobs;         /* NULL = nothing is known of Jobs */
        bool has_grace;
        int64_t grace_s;
        struct desched_run_listener listener;
        bool wants_reasons;
        bool is_cleanup; /* the filters at work are asked about a finished pod to delete */
        bool has_due;
        struct wall_time due; /* see desched_run_note_due */
        size_t due_count;
        struct wall_time last_due;
        uint32_t young_count;
        struct slice idle; /* see desched_run_note_idle */
        size_t cause_count;
        struct desched_cause causes[DESCHED_CAUSES_MAX]; /* the first: filters that name none */
        struct desched_moves moves;
        bool is_mover; /* the rule at work moves pods */
        const struct expected_times
                *expected_times; /* NULL = what evictions take does not matter */
};

/* A rule begins: nothing is noted yet. */
void desched_run_begin_rule(struct desched_run *run, const struct plugin *plugin);
/* Orders nodes and pods; nodes are the ready ones among selected.  Memory comes from run->pass. */
void desched_run_prepare(struct desched_run *run, const struct bitset *selected);
/* From now on these filters are at work. */
void desched_run_use_filters(struct desched_run *run, struct desched_filters filters,
                             struct desched_filters pre_filters);
void desched_run_finish(struct desched_run *run);
/* All reasons why filters (or the filters before eviction) keep the pod, joined. */
bool desched_run_explain(struct desched_run *run, struct pod_id pod, struct buf *reasons);
