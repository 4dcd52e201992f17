/* What the files that take a pod through Filter share. */
#pragma once

#include "plugin/sched_attempt.h"

/* The reasons of a verdict, in the arena; what they point to stays where it is. */
static inline const struct slice *copy_reasons(struct arena *arena, const struct verdict *verdict) {
        return arena_copy(arena, verdict->reasons,
                          verdict->reason_count * sizeof(verdict->reasons[0]));
}

/* ---- sched_attempt_judge.c ---- */
/* Lists the pending pods whose nominations count against this pod. */
void sched_attempt_find_nominees(struct sched_attempt *attempt);

/* ---- sched_attempt_filter.c ---- */
/* What the Filter plugins say of one node, nominees left aside: true when the pod fits. */
bool sched_attempt_explain(struct sched_attempt *attempt, struct node_id node,
                           struct node_refusal *ret_refusal);
/* The same inside a what-if, with pods counted again; what plugins compute for it is dropped. */
bool sched_attempt_explain_changed(struct sched_attempt *attempt, struct node_id node,
                                   struct node_refusal *ret_refusal);
