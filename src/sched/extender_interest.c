/* Which extenders a pod concerns: those that manage a resource it asks for, or all pods. */
#include "base/util.h"
#include "sched/extension.h"

static bool asks_for(const struct container *container, struct slice resource) {
        const struct resource_list *lists[] = { &container->requests, &container->limits };
        for (size_t l = 0; l < ARRAY_LEN(lists); l++)
                for (size_t i = 0; i < lists[l]->count; i++)
                        if (slice_eq(lists[l]->items[i].name, resource))
                                return true;
        return false;
}

bool extender_is_interested(const struct scheduler *scheduler, const struct extender *extender,
                            const struct queued_pod *entry) {
        const struct cluster *cluster = scheduler->config.cluster;
        const struct pod_spec *spec =
                &cluster_class(cluster, cluster_pod(cluster, entry->pod)->class)->spec;
        for (size_t r = 0; r < extender->resource_count; r++) {
                for (size_t i = 0; i < spec->container_count; i++)
                        if (asks_for(&spec->containers[i], extender->resources[r]))
                                return true;
                for (size_t i = 0; i < spec->init_count; i++)
                        if (asks_for(&spec->init[i], extender->resources[r]))
                                return true;
        }
        return extender->resource_count == 0;
}

bool scheduler_asks_extenders(const struct scheduler *scheduler, const struct queued_pod *entry) {
        for (size_t i = 0; i < scheduler->config.extender_count; i++) {
                const struct extender *extender = &scheduler->config.extenders[i];
                if ((extender->filters || extender->prioritizes) &&
                    extender_is_interested(scheduler, extender, entry))
                        return true;
        }
        return false;
}

size_t scheduler_binder_of(const struct scheduler *scheduler, const struct queued_pod *entry) {
        for (size_t i = 0; i < scheduler->config.extender_count; i++)
                if (scheduler->config.extenders[i].binds &&
                    extender_is_interested(scheduler, &scheduler->config.extenders[i], entry))
                        return i;
        return SIZE_MAX;
}
