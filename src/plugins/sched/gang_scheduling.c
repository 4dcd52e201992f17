/* GangScheduling: a name for profiles.  The scheduler itself holds the members of a gang back and
 * decides them together. */
#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"

const struct plugin plugin_gang_scheduling = {
        .name = "GangScheduling",
        .sched = &(const struct sched_points){ .declared_points = 1u << POINT_PRE_ENQUEUE |
                                                                  1u << POINT_PERMIT },
};
