/* What the extension points of the scheduler are called. */
#include "plugin/sched_profile_priv.h"

struct point_info {
        const char *name, *interface; /* interface: upstream's Go type, named in its errors */
};
static const struct point_info point_infos[POINT_COUNT] = {
        [POINT_PRE_ENQUEUE] = { "preEnqueue", "PreEnqueuePlugin" },
        [POINT_QUEUE_SORT] = { "queueSort", "QueueSortPlugin" },
        [POINT_PRE_FILTER] = { "preFilter", "PreFilterPlugin" },
        [POINT_FILTER] = { "filter", "FilterPlugin" },
        [POINT_POST_FILTER] = { "postFilter", "PostFilterPlugin" },
        [POINT_PRE_SCORE] = { "preScore", "PreScorePlugin" },
        [POINT_SCORE] = { "score", "ScorePlugin" },
        [POINT_RESERVE] = { "reserve", "ReservePlugin" },
        [POINT_PERMIT] = { "permit", "PermitPlugin" },
        [POINT_PRE_BIND] = { "preBind", "PreBindPlugin" },
        [POINT_BIND] = { "bind", "BindPlugin" },
        [POINT_POST_BIND] = { "postBind", "PostBindPlugin" },
        [POINT_PLACEMENT_GENERATE] = { "placementGenerate", "PlacementGeneratePlugin" },
        [POINT_PLACEMENT_SCORE] = { "placementScore", "PlacementScorePlugin" },
};

const char *sched_point_name(enum sched_point point) {
        return point == POINT_MULTI ? "multiPoint" : point_infos[point].name;
}

const char *sched_point_interface(enum sched_point point) {
        return point_infos[point].interface;
}
