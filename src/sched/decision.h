/* One pod against the cluster: which nodes it fits, what they are worth, which is taken, and when
 * none is, why.  The same call serves the daemon's step, replay, explanations and what-if. */
#pragma once

#include "base/rng.h"
#include "model/cluster.h"
#include "plugin/pod_group.h"
#include "plugin/sched_attempt.h"
#include "sched/class_engine.h"
#include <stdbool.h>
#include <stdint.h>

enum decision_outcome {
        DECISION_PLACED,        /* node is set */
        DECISION_UNSCHEDULABLE, /* message says why */
        DECISION_ERROR,         /* the cycle could not go on; message is the error's text */
        DECISION_GATED,         /* a PreEnqueue plugin holds it back; gate is set */
};
const char *decision_outcome_name(enum decision_outcome outcome); /* "scheduled" ... */

enum decision_wants {
        DECIDE_GATES = 1,      /* ask the PreEnqueue plugins first */
        DECIDE_VERDICTS = 2,   /* refused nodes with plugin and reasons even when some node fits */
        DECIDE_SCORES = 4,     /* keep raw and weighted scores per plugin */
        DECIDE_POST_FILTER = 8 /* search pods whose eviction would help (changes nothing) */
};

/* What extenders said about the nodes they were asked about; no other node is taken. */
struct extended_node {
        struct node_id node;
        int64_t bonus;
        bool is_refused, is_unresolvable;
        struct slice reason;
};
struct decision_extension {
        size_t count;
        const struct extended_node *nodes;
};

/* Receives how long each extension point took, as a whole, and more where it asks for it. */
struct decision_watch {
        int64_t (*now_ns)(void); /* only differences count */
        void (*ran)(void *context, const struct sched_profile *profile, enum sched_point point,
                    enum verdict_code code, int64_t elapsed_ns);
        /* The observer of the plugins of the decision that begins; NULL = none. */
        const struct plugin_watch *(*begins)(void *context, const struct sched_profile *profile);
        /* Whether the next hint is timed, and how it went: a plugin that refused a pod was asked
         * whether a change (CLUSTER_* bits) matters to it. */
        bool (*times_hint)(void *context);
        void (*hinted)(void *context, const struct plugin *plugin, uint32_t change, bool is_woken,
                       int64_t elapsed_ns);
        void *context;
};

struct decision_request {
        struct pod_id pod;      /* its row; pending */
        struct slice node_name; /* spec.nodeName where an assigned pod is judged; else empty */
        uint32_t wants;         /* enum decision_wants */
        bool is_parity;
        int32_t percentage_of_nodes; /* parity: share to filter; 0 = upstream's formula */
        struct wall_time now;        /* start of pods that have not started, in preemption */
        struct rng *rng;             /* breaks ties; NULL = first by node order */
        /* Caches to use where nothing but a choice is wanted, inside of what-ifs too; NULL = always
         * scan.  Not in parity. */
        struct class_engine *engine;
        const struct node_id *beside; /* a node whose score is returned as well; NULL = none */
        const size_t *next_node;      /* parity: where the sampled scan starts; NULL = 0 */
        bool offers_all; /* extenders are to be asked: the nominated node is one of many */
        const struct decision_extension *extension; /* what they answered; NULL = not asked */
        const struct decision_watch *watch;         /* NULL = not counted */
        const struct preemption_limit *limit;       /* whom they let go; NULL = not asked */
        const struct group_domain *among;           /* the only nodes there are; NULL = all */
        struct slice no_preemption; /* why it has no victims; "" = it may have some */
        bool is_of_idle_group;      /* of a group of which no pod has a node */
        /* What evictions are expected to take, the last criterion of preemption; NULL = not looked
         * at.  Not in parity. */
        const struct expected_times *expected_times;
};

/* Everything lives in the arena handed to scheduler_decide. */
struct decision {
        enum decision_outcome outcome;
        struct node_id node;       /* DECISION_PLACED */
        struct phase_verdict gate; /* DECISION_GATED */
        size_t pre_filter_count;
        const struct phase_verdict *pre_filters; /* in order, skipping ones included */
        size_t feasible_count, node_count;       /* node_count: all nodes of the cluster */
        const struct node_id *feasible;          /* in node order; NULL when the engine chose */
        const int64_t *totals;                   /* NULL when nothing was scored */
        int64_t best_total;                      /* 0 when nothing was scored */
        size_t best_count;
        const struct node_id *best; /* feasible nodes of the highest total */
        bool beside_fits;           /* the pod fits the request's other node ... */
        int64_t beside_total;       /* ... and this is what it is worth; 0 when nothing scored */
        size_t next_node;           /* parity: where the next sampled scan starts */
        bool took_nominated;        /* the nominated node still fits; no other was looked at */
        bool has_no_nodes;          /* DECISION_ERROR because the cluster is empty */
        bool is_first_fit;          /* the profile scores nothing: any feasible node is right */
        size_t column_count;
        const struct score_column *columns;
        size_t refusal_count;
        const struct node_refusal *refusals; /* in node order; always set when no node fits */
        struct slice message;                /* full text for condition and event */
        uint64_t rejectors; /* bits over the profile's plugins: who refused some node */
        uint64_t pendings;  /* those of them that wait for something outside */
        bool was_refused_by_extender;
        bool sets_nomination; /* nomination below replaces the pod's ("" clears) */
        struct slice nomination;
        const struct preemption *preemption; /* NULL: not tried */
        struct freed_claim freed;
};

/* cluster changes only inside what-ifs that are rolled back before the call returns. */
void scheduler_decide(struct cluster *cluster, const struct sched_profile *profile,
                      const struct decision_request *request, struct arena *arena,
                      struct decision *ret_decision);
/* The pod goes to node: plugins note in the object cache what it takes there. */
struct reserve_request {
        struct cluster *cluster;
        const struct sched_profile *profile;
        struct pod_id pod;
        struct node_id node;
        struct wall_time now;
        struct reservation reservation;
        struct arena *arena;
};
void scheduler_reserve(const struct reserve_request *request);
