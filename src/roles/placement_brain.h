/* Answers the descheduler's question where a pod would go (plugin/placement_oracle.h) by the
 * scheduler's decision on the shared cluster, inside a checkpoint that is rolled back. */
#pragma once

#include "plugin/placement_oracle.h"

struct sched_profile_list;
struct placement_brain;
/* Both must outlive the brain. */
struct placement_brain *placement_brain_new(struct cluster *cluster,
                                            const struct sched_profile_list *profiles);
void placement_brain_free(struct placement_brain *brain); /* accepts NULL */
/* Valid as long as the brain; its context is the brain. */
struct placement_oracle placement_brain_oracle(struct placement_brain *brain);
