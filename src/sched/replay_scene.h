/* The cluster and the profiles of a recorded case. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/err.h"
#include "model/cluster.h"
#include "model/object_cache.h"
#include "plugin/sched_profile_list.h"

struct replay_scene {
        struct arena arena;
        struct cluster *cluster;
        struct object_cache *object_cache;
        struct scheduler_configuration *configuration;
        struct sched_profile_list profiles;
};

int replay_scene_init(struct replay_scene *scene, const struct plugin *const *registry,
                      const struct json *test_case, struct err *err);
void replay_scene_release(struct replay_scene *scene);
/* Adds a pending pod; ret_node_name is the spec.nodeName it came with. */
int replay_scene_put_pod(struct replay_scene *scene, const struct json *object,
                         struct pod_id *ret_pod, struct slice *ret_node_name, struct err *err);
/* The profile the pod asks for; NULL when there is none. */
const struct sched_profile *replay_scene_profile(const struct replay_scene *scene,
                                                 struct pod_id pod);
