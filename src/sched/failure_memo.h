/* Refusals of alike pods while nothing changes.  One event lets many pods of one kind try again;
 * what the first of them is told holds for the others, as a refusal changes nothing itself. */
#pragma once

#include "sched/decision.h"

struct failure_memo;

struct failure_memo *failure_memo_new(void);
void failure_memo_free(struct failure_memo *memo); /* accepts NULL */
/* The refusal of an alike pod by the cluster as it is, without reasons of single nodes; NULL when
 * none is known.  It stays until the next call that keeps one. */
const struct decision *failure_memo_find(const struct failure_memo *memo,
                                         const struct cluster *cluster,
                                         const struct sched_profile *profile, struct pod_id pod);
/* Keeps a decision when it is a refusal that holds for alike pods. */
void failure_memo_keep(struct failure_memo *memo, const struct cluster *cluster,
                       const struct sched_profile *profile, struct pod_id pod,
                       const struct decision *decision);
