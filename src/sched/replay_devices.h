/* What the answer to a recorded case about devices has beyond one about scheduling: what Reserve
 * and PreBind would write for each feasible node. */
#pragma once

#include "sched/decision.h"
#include "sched/replay_scene.h"

struct replay_devices {
        struct json_tree *tree;
        struct json_node *expect; /* the answer, in the form of `berth replay scheduler` */
        const struct replay_scene *scene;
        struct arena *arena;
        struct pod_id pod;
        struct wall_time now;
};
void replay_devices_finish(const struct replay_devices *answer, const struct decision *decision);
