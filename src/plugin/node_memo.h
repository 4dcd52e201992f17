/* What is known of each node for pods of one kind that found no room: why it refuses them, and what
 * preemption would do there.  It holds until the node, or who is nominated to it, changes; so a
 * series of such pods looks at the nodes that changed in between.
 *
 * Kept is what plugins settle that look at one node.  Where volumes take part, which are the pod's
 * own, it counts on nodes that they admit as they are, or before they are asked; where pods are
 * counted, only before. */
#pragma once

#include "plugin/sched_attempt.h"

/* Begins to use what earlier attempts found out; after PreFilter, outside of the attempt's own
 * what-ifs.  Without, or where nothing may be kept, nothing is known; a second call does nothing.
 */
void node_memo_open(struct sched_attempt *attempt);

/* The verdict on the node; *ret_refusal is set when the code is not OK. */
bool node_memo_judged(struct sched_attempt *attempt, struct node_id node,
                      struct node_refusal *ret_refusal);
/* refusal NULL: the pod fits. */
void node_memo_keep_judged(struct sched_attempt *attempt, struct node_id node,
                           const struct node_refusal *refusal);

/* What preemption found on the node: why nobody's going helps, or with code OK the candidate, whose
 * victims stay put until the next attempt. */
bool node_memo_tried(struct sched_attempt *attempt, struct node_id node,
                     struct node_refusal *ret_refusal, struct preemption_candidate *ret_candidate);
void node_memo_keep_rejected(struct sched_attempt *attempt, struct node_id node,
                             const struct node_refusal *refusal);
void node_memo_keep_candidate(struct sched_attempt *attempt,
                              const struct preemption_candidate *candidate);
