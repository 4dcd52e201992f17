/* DefaultBinder: the pod's binding is asked of the API server; the scheduler emits the action. */
#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"

const struct plugin plugin_default_binder = {
        .name = "DefaultBinder",
        .sched = &(const struct sched_points){ .declared_points = 1u << POINT_BIND },
};
