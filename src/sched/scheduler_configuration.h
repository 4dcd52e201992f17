/* Profiles from a KubeSchedulerConfiguration. */
#pragma once

#include "api/json.h"
#include "plugin/sched_profile.h"

/* Builds every profile of the document, or the default one when it lists none.  The array lives in
 * the arena; the profiles are the caller's to free, and keep pointers into config. */
int sched_profiles_from_json(const struct json *config, const struct profile_env *env,
                             struct arena *arena, struct sched_profile ***ret_profiles,
                             size_t *ret_count, struct err *err);
