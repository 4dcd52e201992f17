/* Extension points of the scheduler.
 *
 * Batch first: filters narrow a set of nodes, scores fill a column for a list of nodes; no call
 * allocates outside the cycle's scratch arena.  Filters say which nodes remain and nothing else;
 * why a node was refused is asked afterwards, node by node, with explain, which must agree with
 * filter (a node is refused by explain exactly when filter drops it).  That keeps the case that
 * matters, a pod that fits somewhere, free of bookkeeping, and gives failures full reasons. */
#pragma once

#include "model/object_shelf.h"
#include "plugin/cycle_memory.h"
#include "plugin/plugin.h"

/* One pod's attempt.  Plugins read it; only the runner writes. */
struct sched_cycle {
        const struct cluster *cluster;
        struct pod_id pod;             /* POD_NONE for a hypothetical pod */
        const struct pod_class *class; /* the spec */
        struct label_set_id labels;
        struct str_id ns;
        int32_t priority;
        const char *pod_name;
        struct slice node_name; /* spec.nodeName when a cycle runs for an assigned pod */
        struct arena *scratch;
        bool is_parity;
        const struct object_shelf *shelf; /* volumes, services ...; NULL = none known */
        struct cycle_memory *memory;      /* counts of earlier decisions; NULL = none */
        struct topologies *topologies;    /* of the cluster as it is */
        uint64_t identity;                /* of class, namespace and labels; 0 without memory */
};

struct sched_attempt; /* plugin/sched_attempt.h */
struct group_view;    /* plugin/pod_group.h */
struct group_domain_list;
struct group_domain_use;
struct group_preemption;

struct node_batch { /* node indexes, ascending in no particular order */
        const struct node_id *nodes;
        size_t count;
};

/* Where a reservation is noted, and who has to write it. */
struct reservation {
        struct object_shelf *shelf;
        /* An object of the shelf that changes, before it does; NULL = nobody asks. */
        void (*changes)(void *context, enum shelf_kind kind, const struct json *before,
                        struct slice after);
        void *context;
};

/* Puts a changed copy of an object on the shelf, and says so. */
void reservation_change(const struct reservation *reservation, enum shelf_kind kind,
                        const struct json *before, const struct json_node *after);

#define NODE_SCORE_MAX 100

/* What a raw score follows from, where it is little: the node's domain of one coarse topology, and
 * the rest. */
struct score_kind {
        uint32_t domain; /* any number, those of the topology among them */
        int64_t rest;
};

/* How to follow a plugin that counts pods from one decision to the next.  Its word on a node then
 * depends on that node's domains, on numbers of these, and on a frame that is the same for all
 * nodes. */
struct sched_follow {
        /* The memory the numbers of a pod state are kept in; NULL: they are of this decision only,
         * and nothing can be followed. */
        const struct memory_entry *(*entry)(const void *pod_state);
        /* A fingerprint of what is the same for all nodes; NULL: nothing is.  For scores after
         * offers are up to date. */
        uint64_t (*frame)(void *pod_state, const uint32_t *offers);
        /* For scores that depend on which nodes the pod fits: so many numbers, kept by whoever
         * follows and zero while there is no node, and what a node that joins or leaves does to
         * them.  NULL when they do not. */
        size_t (*offer_count)(const void *pod_state);
        void (*offer)(const void *pod_state, struct node_id node, bool joins, uint32_t *offers);
        /* Scores: the node is left out when raw scores are normalised; NULL: none is. */
        bool (*leaves_out)(const void *pod_state, struct node_id node);
        /* Filters: the nodes of each domain of it get the same word, whatever else changes, and
         * nodes without a domain are refused.  NULL, as the function or as its answer: there is no
         * such topology. */
        const struct topology *(*uniform)(const void *pod_state);
        /* Scores: numbers of the coarse topology's domains, and the frame, change what kinds are
         * worth, but not which node is of which kind; so nodes are not asked about.  NULL, as the
         * function or as its answer: nodes are asked.  The others are set when it is. */
        const struct topology *(*coarse)(const void *pod_state);
        struct score_kind (*kind)(const void *pod_state, struct node_id node);
        int64_t (*score_of_kind)(const void *pod_state, struct score_kind kind);
};

struct sched_points {
        /* Whether the pod may enter the queue at all (gates). */
        enum verdict_code (*pre_enqueue)(const struct sched_cycle *cycle, const void *state,
                                         struct verdict *verdict);
        /* Order of the active queue: true when a goes before b. */
        bool (*is_before)(int32_t a_priority, int64_t a_queued_ns, int32_t b_priority,
                          int64_t b_queued_ns);
        /* Computes per-pod state in the scratch arena.  SKIP: its filter has nothing to say.
         * ret_only, when set to an arena bitset, restricts the cycle to those nodes. */
        enum verdict_code (*pre_filter)(const struct sched_cycle *cycle, const void *state,
                                        void **ret_pod_state, const struct bitset **ret_only,
                                        struct verdict *verdict);
        /* Drops from nodes those the pod cannot run on. */
        void (*filter)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                       struct bitset *nodes);
        /* Same decision for one node with code and reasons; verdict is OK on entry. */
        void (*explain)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                        struct node_id node, struct verdict *verdict);
        /* feasible: the nodes to be scored.  SKIP: no score from this plugin. */
        enum verdict_code (*pre_score)(const struct sched_cycle *cycle, const void *state,
                                       struct node_batch feasible, void **ret_pod_state,
                                       struct verdict *verdict);
        /* Raw score of each node of the batch. */
        void (*score)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                      struct node_batch batch, int64_t *ret_scores);
        /* Brings raw scores of all feasible nodes to 0..NODE_SCORE_MAX in place; NULL: they are. */
        void (*normalize)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                          struct node_batch feasible, int64_t *scores);
        /* Whether a change may let a pod it refused in; NULL: every change in wakes_on does
         * (upstream: QueueingHintFn; reference scheduler.md 2.4). */
        bool (*wakes)(const struct sched_cycle *cycle, const void *state,
                      const struct cluster_change *change);
        bool binds; /* DefaultBinder: the runner emits the bind action */
        /* Its word on a node depends on the pod's class and that node's row alone (and, while
         * images or nodes come and go, on nothing that outlives it); its normalize on the values
         * alone. */
        bool is_local;
        /* Local, and depends on the pods of the node. */
        bool reads_node_pods;
        /* Its word depends on volumes and claims: pods of one shape differ in it. */
        bool reads_volumes;
        /* The state of pre_filter counts pods of the cluster: a what-if runs it again. */
        bool counts_pods;
        /* For such plugins: how to follow pre_filter's and pre_score's states; NULL: not at all. */
        const struct sched_follow *filter_follow, *score_follow;
        /* No node was found: looks for a way to make room, changing nothing.  OK: it found one and
         * told the attempt; UNSCHEDULABLE with a text; ERROR with a text ends the phase. */
        enum verdict_code (*post_filter)(struct sched_attempt *attempt, const void *state,
                                         struct verdict *verdict);
        /* Groups of pods (plugin/pod_group.h): the sets of nodes of which a group is to use one;
         * ERROR: verdict says why there is no saying.  How good a placement that would do is; and
         * bringing that of all of them to 0..NODE_SCORE_MAX (NULL: it is). */
        enum verdict_code (*generate_placements)(const struct group_view *group, const void *state,
                                                 struct group_domain_list *ret_list,
                                                 struct verdict *verdict);
        int64_t (*score_placement)(const struct group_view *group, const void *state,
                                   const struct group_domain_use *use);
        void (*normalize_placements)(int64_t *scores, size_t count);
        /* The whole group fits nowhere: looks for pods that could make room by going, changing
         * nothing.  OK: it found some, or found that nobody has to; else verdict says why not. */
        enum verdict_code (*group_post_filter)(struct group_preemption *search, const void *state,
                                               struct verdict *verdict);
        /* The pod goes to node: notes on the shelf what it takes there, as long as the API does not
         * say so itself. */
        void (*reserve)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                        struct node_id node, const struct reservation *reservation);
        /* What was reserved on node has been written waited_ns ago (0 = just now): OK when the pod
         * may be bound, WAIT, or ERROR with a text. */
        enum verdict_code (*pre_bind)(const struct sched_cycle *cycle, const void *state,
                                      struct node_id node, int64_t waited_ns,
                                      struct verdict *verdict);
        /* Points (1 << enum sched_point) it belongs to although it does nothing there here. */
        uint32_t silent_points;
};
