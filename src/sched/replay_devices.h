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

/* ---- several pods, one after the other ---- */
/* The same for a step of a sequence, after which what was done stays done: the pod is on the chosen
 * node (of the best, the first by name) and its claims are as PreBind wrote them or, while that is
 * pending, as Reserve assumed them.  False: the pod was not placed. */
bool replay_devices_step(const struct replay_devices *answer, const struct decision *decision,
                         struct node_id chosen, bool is_pending);
/* A pod goes: its claims with it, and its reservations.  What changed about claims; NULL: there is
 * no such pod. */
struct json_node *replay_devices_delete(const struct replay_devices *answer, struct slice ns,
                                        struct slice name);
