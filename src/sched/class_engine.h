/* Incremental decisions for pods whose plugins look at each node by itself.
 *
 * Pods of one class get one cache: per node whether it fits and what it is worth, kept up to date
 * from the cluster's change log.  After one placement one node changed, so the next pod of the
 * class costs O(changed nodes + log n) instead of a scan.  Normalised scores stay exact: the few
 * distinct raw values are counted, and when their set changes all totals are made anew.  What does
 * not meet the conditions is left to the full scan, which is also the oracle of this one. */
#pragma once

#include "base/rng.h"
#include "plugin/sched_attempt.h"

struct class_engine;

/* max_bytes of caches; 0 = 64 classes' worth, but at least 32 MiB and at most 256 MiB. */
struct class_engine *class_engine_new(size_t max_bytes);
void class_engine_free(struct class_engine *engine); /* accepts NULL */

struct engine_choice {
        struct node_id node;
        size_t feasible_count, best_count;
        int64_t total; /* 0 when only one node fits, as then nothing is scored */
};
/* After a PreFilter that passed.  False: not for this pod, or no node fits. */
bool class_engine_choose(struct class_engine *engine, struct sched_attempt *attempt,
                         struct rng *rng, struct engine_choice *ret_choice);

struct class_engine_stats {
        uint64_t hits, builds, refusals; /* refusals: left to the full scan */
        size_t caches, bytes;
};
void class_engine_stats(const struct class_engine *engine, struct class_engine_stats *ret_stats);
