/* Incremental decisions: pods of one class share a cache.
 *
 * Per node it holds whether the pods fit and what the node is worth, updated from the cluster's
 * change log.  After one placement one node changed, so the next pod of the class costs O(changed
 * nodes + log n) instead of a scan.  Plugins that count pods store their numbers in the engine's
 * count caches and say which domains changed; only nodes of these are looked at again. Normalised
 * scores stay exact: the few distinct raw values are counted, and when their set changes all totals
 * are recomputed.  What does not meet the conditions is left to the full scan, which is also what
 * tests compare this one with. */
#pragma once

#include "base/rng.h"
#include "plugin/sched_attempt.h"

struct class_engine;

/* max_bytes of caches, and as much again for counts; 0 = 128 classes' worth, but at least 1 MiB
 * and at most 256 MiB. */
struct class_engine *class_engine_new(size_t max_bytes);
void class_engine_free(struct class_engine *engine); /* accepts NULL */
/* Between decisions: caches beyond 1 MiB go, to be built again when they are needed. */
void class_engine_rest(struct class_engine *engine);
/* For the attempts the engine is asked about. */
struct count_cache *class_engine_counts(struct class_engine *engine);

struct engine_choice {
        struct node_id node;
        size_t feasible_count, best_count;
        int64_t total; /* 0 when only one node fits, as then nothing is scored */
        /* The cache's own, until the next decision: nodes that fit, totals by node. */
        const struct bitset *feasible;
        const int32_t *totals;
};
enum engine_answer {
        ENGINE_DECLINES, /* left to the full scan */
        ENGINE_CHOSE,
        ENGINE_FOUND_NONE, /* no node fits */
};
/* After a PreFilter that passed. */
enum engine_answer class_engine_choose(struct class_engine *engine, struct sched_attempt *attempt,
                                       struct rng *rng, struct engine_choice *ret_choice);

struct class_engine_stats {
        uint64_t hits, builds, refusals; /* refusals: left to the full scan */
        size_t caches, bytes, count_bytes;
};
void class_engine_stats(const struct class_engine *engine, struct class_engine_stats *ret_stats);
