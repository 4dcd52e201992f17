/* How full a placement would be. */
#pragma once

#include "plugin/pod_group.h"
#include "plugins/sched/resource_args.h"

/* 0 to 100: the share of the placement's resources that its pods and the group's would take, the
 * more the better, so that large free domains stay free for larger groups. */
int64_t placement_fit_score(const struct group_view *group, const struct group_domain_use *use,
                            const struct resource_weights *resources);
