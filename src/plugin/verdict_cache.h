/* What is known of each node for pods of one kind that fit nowhere: why it refuses them, and what
 * preemption would do there.  It holds until the node, or who is nominated to it, changes; so a
 * series of such pods visits only the nodes that changed in between.
 *
 * Cached is what plugins settle whose answer follows from one node.  Where volumes take part, which
 * are the pod's own, it counts on nodes that they admit as they are, or before they are asked;
 * where pods are counted, only before. */
#pragma once

#include "plugin/sched_attempt.h"

/* Begins to use what earlier attempts found out; after PreFilter, outside of the attempt's own
 * what-ifs.  Without, or where nothing may be cached, nothing is known; a second call does nothing.
 */
void verdict_cache_open(struct sched_attempt *attempt);

/* The verdict on the node; *ret_refusal is set when the code is not OK. */
bool verdict_cache_find(struct sched_attempt *attempt, struct node_id node,
                        struct node_refusal *ret_refusal);
/* refusal NULL: the pod fits. */
void verdict_cache_put(struct sched_attempt *attempt, struct node_id node,
                       const struct node_refusal *refusal);

/* What preemption found on the node: why no eviction helps, or with code OK the candidate, whose
 * victims stay put until the next attempt. */
bool verdict_cache_find_preemption(struct sched_attempt *attempt, struct node_id node,
                                   struct node_refusal *ret_refusal,
                                   struct preemption_candidate *ret_candidate);
void verdict_cache_put_rejected(struct sched_attempt *attempt, struct node_id node,
                                const struct node_refusal *refusal);
void verdict_cache_put_candidate(struct sched_attempt *attempt,
                                 const struct preemption_candidate *candidate);
