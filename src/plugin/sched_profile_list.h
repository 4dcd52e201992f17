/* The profiles of a KubeSchedulerConfiguration. */
#pragma once

#include "config/scheduler_configuration.h"
#include "plugin/sched_profile.h"

struct sched_profile_list {
        size_t count;
        struct sched_profile **items;
};
/* Builds every profile of the configuration, which has to outlive the list (arguments point into
 * it); env->document is set from it.  What is wrong is added to problems; false then, and nothing
 * is left in the list. */
bool sched_profile_list_build(struct sched_profile_list *list,
                              const struct scheduler_configuration *configuration,
                              const struct profile_env *env, struct config_problems *problems);
/* The same, with all problems folded into err. */
int sched_profile_list_init(struct sched_profile_list *list,
                            const struct scheduler_configuration *configuration,
                            const struct profile_env *env, struct err *err);
void sched_profile_list_release(struct sched_profile_list *list);
/* The profile of a scheduler name; NULL when there is none. */
const struct sched_profile *sched_profile_list_find(const struct sched_profile_list *list,
                                                    struct slice scheduler_name);
