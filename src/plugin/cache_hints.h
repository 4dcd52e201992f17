/* Hints for the scheduler's caches: promises of a plugin about its own answers, so that answers may
 * be used again for other pods, other nodes and later decisions.
 *
 * The table is optional.  A plugin without one (struct sched_points, hints) is always right: every
 * pod is judged on every node and again in every what-if, and a profile it takes part in is scanned
 * in full for each decision.  That is only slower.  A promise that does not hold makes decisions
 * wrong; tests/unit/sched/test_cache_hints.c compares cached with naive results for each plugin
 * that has a table, and has to find every promise that is broken on purpose.
 *
 * Having a table at all is the first promise: what the plugin answers follows from the cluster,
 * from the object cache, and of the pod itself from its spec (class), labels, namespace, priority
 * and owners.  It does not follow from the pod's name or uid (volumes and claims of its own apart),
 * the time, or earlier calls.  Alike pods then share a refusal (sched/refusal_cache) and are woken
 * together (sched/parked_pods). */
#pragma once

#include "model/ids.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct count_entry; /* plugin/count_cache.h */
struct topology;    /* rules/topology.h */

/* What an answer follows from, beyond the pod's spec: that of filter and explain with the state of
 * pre_filter, and that of score with the state of pre_score.  The promise holds for what the plugin
 * says of one node at a time: it does not depend on which other nodes are asked about. */
enum cache_scope {
        /* No promise: what plugins without a table have. */
        CACHE_SCOPE_NONE,
        /* Anything in the cluster and in the object cache.  No more than having a table. */
        CACHE_SCOPE_CLUSTER,
        /* The node's own row (labels, taints, allocatable, images ...), not the pods on it, and
         * neither labels nor namespace of the pod: pods of one spec are the same to it.  Images
         * apart, which the cache renews by itself, other nodes play no part.
         * Used for: answers are cached by node and asked again when that node's row changes.  Pods
         * nominated to a node, or evicted in a what-if, are not put to it. */
        CACHE_SCOPE_NODE,
        /* The node's own row and the pods that are on it, by their specs.
         * Used for: as CACHE_SCOPE_NODE, and asked again when the pods of the node change. */
        CACHE_SCOPE_NODE_PODS,
        /* Filters: the volumes and claims the pod names or owns, the node, and pods on it;
         * pre_filter's state counts no pods.  A node it admits stays admitted when pods leave it.
         * Used for: it is asked for each pod apart from the cache of the pod's class; what-ifs keep
         * the state of pre_filter.
         * Scores: the claims the pod names or owns, and the node; on every node the same, unless
         * count_hints give an entry, which then says how to follow.  Pods of which the entries
         * differ have different variants.  */
        CACHE_SCOPE_VOLUMES,
        /* The same, but the state of pre_filter counts pods of the cluster: what-ifs make it
         * again. */
        CACHE_SCOPE_VOLUMES_AND_PODS,
        /* Counts of pods by domain, which count_hints say how to follow.  What-ifs make the state
         * of pre_filter again. */
        CACHE_SCOPE_COUNTS,
};

/* What a raw score follows from, where it is little: the node's domain of one coarse topology, and
 * the rest. */
struct score_kind {
        uint32_t domain; /* any number, those of the topology among them */
        int64_t rest;
};

/* CACHE_SCOPE_COUNTS: how to follow counts of pods from one decision to the next.  The answer for a
 * node then depends on that node's domains, on the numbers of these domains, and on a fingerprint
 * that is the same for all nodes. */
struct count_hints {
        /* The entry of the count cache (or one of the plugin's own) that holds the numbers of a pod
         * state; NULL: they are of this decision only, and changes cannot be followed.  Promise:
         * whenever the number of a domain changes, entry->news names the domain. Used for: only
         * nodes of the domains named are asked about again. */
        const struct count_entry *(*entry)(const void *pod_state);
        /* A fingerprint of all that answers depend on beside the numbers of the node's domains (a
         * minimum over all domains, weights); NULL: there is nothing of the kind.  For scores
         * feasible, below, is up to date when it is called.
         * Used for: while it is the same, nodes whose domains did not change are not asked about.
         */
        uint64_t (*fingerprint)(void *pod_state, const uint32_t *feasible);
        /* Scores that depend on which nodes the pod fits: how many numbers to store about
         * these nodes, which the cache keeps, zero while there is no node; and what a node that
         * joins or leaves them does to the numbers.  NULL when scores do not depend on it. */
        size_t (*feasible_size)(const void *pod_state);
        void (*feasible_changed)(const void *pod_state, struct node_id node, bool joins,
                                 uint32_t *feasible);
        /* Scores: whether the node is left aside when raw scores are normalised, whatever its own
         * raw score is; NULL: none is. */
        bool (*leaves_out)(const void *pod_state, struct node_id node);
        /* Filters: a topology each of whose domains has one answer for all its nodes, while nodes
         * without a domain are refused.  NULL, as the function or as its answer: there is none.
         * Used for: one node of each domain is asked about. */
        const struct topology *(*uniform)(const void *pod_state);
        /* Scores: a topology with few domains whose numbers, with the fingerprint, change what a
         * kind of nodes is worth but not which node is of which kind.  NULL, as the function or as
         * its answer: there is none.  kind and score_of_kind are set when this is; score must equal
         * score_of_kind of the node's kind.
         * Used for: kinds are valued again, not nodes. */
        const struct topology *(*coarse)(const void *pod_state);
        struct score_kind (*kind)(const void *pod_state, struct node_id node);
        int64_t (*score_of_kind)(const void *pod_state, struct score_kind kind);
};

/* A plugin with a normalize makes one more promise beyond CACHE_SCOPE_CLUSTER: equal raw scores
 * become equal, and how often a value occurs, and in which order, plays no part. Used for: each
 * different value is normalised once (sched/distinct_scores). */
struct cache_hints {
        enum cache_scope filter, score;
        const struct count_hints *filter_counts, *score_counts; /* with CACHE_SCOPE_COUNTS */
        /* Of the state of pre_filter: the promises do not hold for this pod, which is decided
         * without caches.  NULL: they hold for all. */
        bool (*is_alone)(const void *pod_state);
        /* The same of the state of pre_score, of pods that it does not skip. */
        bool (*scores_alone)(const void *pod_state);
        /* Filters of nodes, and scores by claims, of the state of pre_filter: another number where
         * pods of one spec are judged differently, for a reason that is the same for all nodes; 0
         * mostly.  NULL: none. */
        uint64_t (*variant)(const void *pod_state);
};

/* Whether answers for a node follow from that node alone. */
static inline bool cache_scope_is_of_node(enum cache_scope scope) {
        return scope == CACHE_SCOPE_NODE || scope == CACHE_SCOPE_NODE_PODS;
}
static inline bool cache_scope_is_of_volumes(enum cache_scope scope) {
        return scope == CACHE_SCOPE_VOLUMES || scope == CACHE_SCOPE_VOLUMES_AND_PODS;
}
/* Whether the state of pre_filter may count pods of the cluster, so that what-ifs make it again. */
static inline bool cache_scope_counts_pods(enum cache_scope scope) {
        return !cache_scope_is_of_node(scope) && scope != CACHE_SCOPE_VOLUMES;
}
