/* Answers the descheduler's question where a pod would go (plugin/placement_predictor.h) by the
 * scheduler's decision on the shared cluster, inside a checkpoint that is rolled back. */
#pragma once

#include "plugin/placement_predictor.h"

struct sched_profile_list;
struct placement_simulator;
/* Both must outlive the simulator. */
struct placement_simulator *placement_simulator_new(struct cluster *cluster,
                                                    const struct sched_profile_list *profiles);
void placement_simulator_free(struct placement_simulator *simulator); /* accepts NULL */
/* Valid as long as the simulator, which is its context. */
struct placement_predictor placement_simulator_oracle(struct placement_simulator *simulator);
