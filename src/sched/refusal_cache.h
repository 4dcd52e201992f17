/* Refusals of alike pods while nothing changes.  One event lets many pods of one kind try again;
 * the refusal of the first of them holds for the others, as a refusal changes nothing itself. */
#pragma once

#include "sched/decision.h"

struct refusal_cache;

struct refusal_cache *refusal_cache_new(void);
void refusal_cache_free(struct refusal_cache *cache); /* accepts NULL */
/* The refusal of an alike pod by the cluster as it is, without reasons of single nodes; NULL when
 * none is known.  It stays until the next call that keeps one. */
const struct decision *refusal_cache_find(const struct refusal_cache *cache,
                                          const struct cluster *cluster,
                                          const struct sched_profile *profile, struct pod_id pod);
/* Keeps a decision when it is a refusal that holds for alike pods. */
void refusal_cache_put(struct refusal_cache *cache, const struct cluster *cluster,
                       const struct sched_profile *profile, struct pod_id pod,
                       const struct decision *decision);
