/* Clusters out of a seed, with a little of everything that rules of the descheduler look at. */
#pragma once

#include "base/rng.h"
#include "model/cluster.h"

struct cluster *random_cluster(struct rng *rng);
