/* Answers the descheduler's question where a pod would go (plugin/placement_predictor.h) by the
 * scheduler's decision on the shared cluster, inside a checkpoint that is rolled back. */
#pragma once

#include "plugin/device_judge.h"
#include "plugin/placement_predictor.h"

struct object_cache;
struct sched_profile_list;
struct placement_simulator;
/* All must outlive the simulator; object_cache: the one of the profiles, NULL = devices of a pod
 * stay where they are. */
struct placement_simulator *placement_simulator_new(struct cluster *cluster,
                                                    const struct sched_profile_list *profiles,
                                                    struct object_cache *object_cache);
void placement_simulator_free(struct placement_simulator *simulator); /* accepts NULL */
/* Valid as long as the simulator, which is its context. */
struct placement_predictor placement_simulator_oracle(struct placement_simulator *simulator);
/* Whether a pod's devices could be had elsewhere, by the scheduler's plugin DynamicResources; says
 * nothing without the object cache. */
struct device_judge placement_simulator_judge(struct placement_simulator *simulator);
