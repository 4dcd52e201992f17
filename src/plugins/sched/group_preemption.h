/* Victims for a whole group of pods. */
#pragma once

#include "plugin/pod_group.h"
#include "plugin/verdict.h"

/* The group_post_filter of DefaultPreemption. */
enum verdict_code group_preemption_run(struct group_preemption *search, const void *state,
                                       struct verdict *verdict);
