/* The selector that stands for a pod's workload: what its Services and its controller select
 * (upstream: helper.DefaultSelector). */
#pragma once

#include "api/selector.h"
#include "model/cluster.h"
#include "model/object_cache.h"

/* NULL when nothing selects the pod.  Lives in the arena and in the object cache's objects. */
const struct selector *workload_selector(const struct cluster *cluster,
                                         const struct object_cache *object_cache, struct pod_id pod,
                                         struct arena *arena);
