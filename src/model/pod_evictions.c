/* What EvictionRequests need of a pod: whether it is ready, who evicts it, who responds. */
#include "model/cluster_priv.h"

#include <stdlib.h>
#include <string.h>

/* The spec wins over the annotation. */
static struct slice responders_of(const struct pod *pod) {
        if (pod->spec.eviction_responders.len > 0)
                return pod->spec.eviction_responders;
        for (size_t i = 0; i < pod->meta.annotations.count; i++)
                if (slice_is(pod->meta.annotations.items[i].key, POD_RESPONDERS_KEY))
                        return pod->meta.annotations.items[i].value;
        return SLICE_EMPTY;
}

static const struct condition *true_condition(const struct pod *pod, const char *type) {
        const struct condition *condition =
                condition_find(pod->status.conditions, pod->status.condition_count, type);
        return condition && condition->status == CONDITION_TRUE ? condition : NULL;
}

uint16_t pod_eviction_flags(const struct cluster *cluster, const struct pod *pod) {
        if (!cluster->config.keeps_evictions)
                return 0;
        uint16_t flags = 0;
        const struct condition *disrupted = true_condition(pod, "DisruptionTarget");
        if (true_condition(pod, "Ready"))
                flags |= POD_READY;
        if (wall_time_is_set(pod->meta.deleted) && disrupted &&
            slice_is(disrupted->reason, "EvictionByEvictionAPI"))
                flags |= POD_API_EVICTED;
        if (responders_of(pod).len > 0)
                flags |= POD_HAS_RESPONDERS;
        return flags;
}

bool pod_responders_set(struct cluster *cluster, struct pod_id id, const struct pod *pod) {
        const struct pod_row *row = pod_row_at(&cluster->pods, id);
        if (!(row->flags & POD_HAS_RESPONDERS)) {
                pod_responders_drop(cluster, id);
                return false; /* the flag says so */
        }
        struct slice text = responders_of(pod);
        if (slice_eq(cluster_pod_responders(cluster, id), text))
                return false;
        if (!cluster->pods.responders)
                cluster->pods.responders = map_u64_new();
        free(map_u64_put(cluster->pods.responders, id.index, slice_dup(text)));
        return true;
}

void pod_responders_drop(struct cluster *cluster, struct pod_id id) {
        if (cluster->pods.responders)
                free(map_u64_remove(cluster->pods.responders, id.index));
}

void pod_responders_release(struct cluster *cluster) {
        uint64_t id;
        void *text;
        size_t at = 0;
        if (!cluster->pods.responders)
                return;
        while (map_u64_next(cluster->pods.responders, &at, &id, &text))
                free(text);
        map_u64_free(cluster->pods.responders);
}

struct slice cluster_pod_responders(const struct cluster *cluster, struct pod_id pod) {
        const char *text =
                cluster->pods.responders ? map_u64_get(cluster->pods.responders, pod.index) : NULL;
        return slice_of(text);
}
