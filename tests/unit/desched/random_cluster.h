/* Clusters out of a seed, and a policy for them, with a little of everything that rules of the
 * descheduler look at. */
#pragma once

#include "base/buf.h"
#include "base/rng.h"
#include "model/cluster.h"

void random_cluster_fill(struct cluster *cluster, struct rng *rng);
/* A policy of every strategy but HighNodeUtilization; head: lines at the top, evictor: arguments of
 * DefaultEvictor. */
void random_policy(struct buf *text, const char *head, const char *evictor);
