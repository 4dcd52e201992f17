/* Extension points of the scheduler, upstream's names and order (reference scheduler.md 1.3).
 *
 * A plugin fills in what it needs.  The least that is useful is explain (Filter: may the pod run on
 * this node?) or score (how good is this node for it?).  The rest is there for plugins that need
 * it: state worked out once per pod (pre_filter, pre_score), the batch form of explain (filter),
 * and hints that let answers be cached (plugin/cache_hints.h).
 *
 * No call allocates outside the cycle's scratch arena.  Filters say which nodes remain and nothing
 * else; why a node was refused is asked afterwards, node by node, with explain, which must agree
 * with filter (a node is refused by explain exactly when filter drops it).  That keeps the case
 * that matters, a pod that fits somewhere, free of bookkeeping, and gives failures full reasons. */
#pragma once

#include "model/object_cache.h"
#include "plugin/count_cache.h"
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
        struct wall_time now; /* 0 where it plays no part */
        bool is_parity;
        const struct object_cache *object_cache; /* volumes, services ...; NULL = none known */
        struct count_cache *counts;              /* counts of earlier decisions; NULL = none */
        struct topologies *topologies;           /* of the cluster as it is */
        uint64_t identity; /* of class, namespace and labels; 0 without memory */
};

/* Without it volumes are not looked at. */
static inline bool knows_volumes(const struct sched_cycle *cycle) {
        return object_cache_knows(cycle->object_cache, CACHED_VOLUME);
}

struct sched_attempt; /* plugin/sched_attempt.h */
struct group_view;    /* plugin/pod_group.h */
struct group_domain_list;
struct group_domain_use;
struct group_preemption;
struct cache_hints; /* plugin/cache_hints.h */

struct node_batch { /* node indexes, ascending in no particular order */
        const struct node_id *nodes;
        size_t count;
};

/* Where a reservation is noted, and who has to write it. */
struct reservation {
        struct object_cache *object_cache;
        /* An object of the object cache that changes, before it does (NULL: it is new), and what it
         * becomes; NULL = not called. */
        void (*changes)(void *context, enum cached_kind kind, const struct json *before,
                        const struct json *after);
        /* A patch of the pod's status, to be written after the objects; NULL = not called. */
        void (*patches_pod)(void *context, struct slice patch);
        /* The pod cannot have its place after all, which point (of upstream) says so; NULL = not
         * called. */
        void (*fails)(void *context, const struct plugin *plugin, const char *point,
                      struct slice text);
        void *context;
};

/* Assumes a changed copy of an object in the object cache (before NULL: a new one), and says so. */
void reservation_change(const struct reservation *reservation, enum cached_kind kind,
                        const struct json *before, const struct json_node *after);
void reservation_fail(const struct reservation *reservation, const struct plugin *plugin,
                      const char *point, struct slice text);
/* The pod's status is to be patched so. */
void reservation_patch_pod(const struct reservation *reservation, const struct json_node *patch);

#define NODE_SCORE_MAX 100

/* Groups of pods that are placed together (plugin/pod_group.h). */
struct group_points {
        /* PlacementGenerate: the sets of nodes of which a group is to use one; ERROR: verdict says
         * why there is no saying. */
        enum verdict_code (*generate_placements)(const struct group_view *group, const void *state,
                                                 struct group_domain_list *ret_list,
                                                 struct verdict *verdict);
        /* PlacementScore: how good a placement is that would do; and bringing the scores of all of
         * them to 0..NODE_SCORE_MAX in place (NULL: they are). */
        int64_t (*score_placement)(const struct group_view *group, const void *state,
                                   const struct group_domain_use *use);
        void (*normalize_placements)(int64_t *scores, size_t count);
        /* PostFilter of a group that fits nowhere: looks for pods whose removal lets all of it fit,
         * changing nothing.  OK: it found some, or found that none has to go; else verdict says why
         * not. */
        enum verdict_code (*post_filter)(struct group_preemption *search, const void *state,
                                         struct verdict *verdict);
};

/* More about a refusal, for people. */
struct refusal_detail {
        struct slice text;
        struct slice on_node, on_pod; /* the smallest change of either; "" = none is known */
        int64_t size;                 /* of the change: the lower, the smaller; from 1 on */
};

/* state is what init made, or the arguments; pod_state is what pre_filter (or pre_score) made. */
struct sched_points {
        /* PreEnqueue: whether the pod may enter the queue at all (gates). */
        enum verdict_code (*pre_enqueue)(const struct sched_cycle *cycle, const void *state,
                                         struct verdict *verdict);
        /* QueueSort: true when a goes before b. */
        bool (*is_before)(int32_t a_priority, int64_t a_queued_ns, int32_t b_priority,
                          int64_t b_queued_ns);
        /* PreFilter: computes per-pod state in the scratch arena.  SKIP: its filter has nothing to
         * say.  ret_only, when set to an arena bitset, restricts the cycle to those nodes. */
        enum verdict_code (*pre_filter)(const struct sched_cycle *cycle, const void *state,
                                        void **ret_pod_state, const struct bitset **ret_only,
                                        struct verdict *verdict);
        /* Filter of one node: refuses it with code and reasons; verdict is OK on entry. */
        void (*explain)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                        struct node_id node, struct verdict *verdict);
        /* Says more about a node that explain refused; for explanations alone.  NULL: the reasons
         * say it all. */
        void (*describe)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                         struct node_id node,
                         void (*say)(void *context, const struct refusal_detail *detail),
                         void *context);
        /* Filter of many nodes: drops from nodes those the pod cannot run on.  NULL: explain is
         * asked node by node. */
        void (*filter)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                       struct bitset *nodes);
        /* PostFilter, when no node was found: looks for a way to make the pod fit, changing
         * nothing. OK: it found one and the attempt holds it; UNSCHEDULABLE with a text; ERROR with
         * a text ends the phase. */
        enum verdict_code (*post_filter)(struct sched_attempt *attempt, const void *state,
                                         struct verdict *verdict);
        /* PreScore; feasible: the nodes to be scored.  SKIP: no score from this plugin. */
        enum verdict_code (*pre_score)(const struct sched_cycle *cycle, const void *state,
                                       struct node_batch feasible, void **ret_pod_state,
                                       struct verdict *verdict);
        /* Score: the raw score of each node of the batch.  Without a pre_score pod_state is what
         * pre_filter made. */
        void (*score)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                      struct node_batch batch, int64_t *ret_scores);
        /* NormalizeScore: brings raw scores of all feasible nodes to 0..NODE_SCORE_MAX in place;
         * NULL: they are. */
        void (*normalize)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                          struct node_batch feasible, int64_t *scores);
        /* Reserve: the pod goes to node.  Notes in the object cache what it takes there, as long as
         * the API does not say so itself. */
        void (*reserve)(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                        struct node_id node, const struct reservation *reservation);
        /* PreBind: what was reserved on node has been written waited_ns ago (0 = just now).  OK
         * when the pod may be bound, WAIT, or ERROR with a text. */
        enum verdict_code (*pre_bind)(const struct sched_cycle *cycle, const void *state,
                                      struct node_id node, int64_t waited_ns,
                                      struct verdict *verdict);
        /* QueueingHint: whether a change may make a pod schedulable that the plugin refused; NULL:
         * every change in the plugin's wakes_on does (reference scheduler.md 2.4). */
        bool (*wakes)(const struct sched_cycle *cycle, const void *state,
                      const struct cluster_change *change);
        /* Points (1 << enum sched_point) it belongs to although it does nothing there: the runner
         * does the work (Bind), or nothing is to be done here. */
        uint32_t declared_points;
        const struct group_points *groups; /* NULL: nothing to say about groups */
        const struct cache_hints *hints;   /* NULL: always right, only slower */
};
