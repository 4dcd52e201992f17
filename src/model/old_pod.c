/* What pods were before the last changes that took them away or made others of them.  Readers of
 * the change log find only rows as they are now. */
#include "model/cluster_priv.h"

#include <stdlib.h>

/* A reader that is further behind has to expect the worst of a change. */
#define PASTS_MAX 512u
#define PASTS_FIRST 16u
#define PAST_CHANGES (CLUSTER_POD_REMOVED | CLUSTER_POD_LABELS | CLUSTER_NOMINATION)

void old_pod_ref(struct cluster *cluster, const struct old_pod *past) {
        interner_ref(cluster->strings, past->ns);
        label_set_ref(cluster, past->labels);
        class_ref(cluster, past->class);
}

void old_pod_drop(struct cluster *cluster, const struct old_pod *past) {
        str_drop(cluster, past->ns);
        label_set_drop(cluster, past->labels);
        class_drop(cluster, past->class);
}

struct old_pod old_pod_of(const struct pod_row *row) {
        return (struct old_pod){ .ns = row->ns, .labels = row->labels, .class = row->class };
}

static struct old_pod *next_place(struct cluster *cluster) {
        struct old_pods *old_pods = &cluster->old_pods;
        if (old_pods->count == old_pods->cap && old_pods->cap < PASTS_MAX) {
                old_pods->cap = old_pods->cap == 0 ? PASTS_FIRST : 2 * old_pods->cap;
                old_pods->items =
                        xreallocarray(old_pods->items, old_pods->cap, sizeof(*old_pods->items));
        }
        if (old_pods->count < old_pods->cap)
                return &old_pods->items[old_pods->count++];
        struct old_pod *oldest = &old_pods->items[old_pods->first];
        old_pods->first = (old_pods->first + 1) % old_pods->cap;
        old_pod_drop(cluster, oldest);
        return oldest;
}

void cluster_log_pod(struct cluster *cluster, uint32_t mask, struct node_id node, struct pod_id pod,
                     const struct old_pod *before) {
        cluster_log_change(cluster, mask, node, pod);
        if ((mask & PAST_CHANGES) == 0)
                return;
        old_pod_ref(cluster, before);
        struct old_pod *past = next_place(cluster);
        *past = *before;
        past->generation = cluster->log.generation;
}

/* Generations rise from the oldest on. */
const struct old_pod *cluster_old_pod(const struct cluster *cluster, uint64_t generation) {
        const struct old_pods *old_pods = &cluster->old_pods;
        uint32_t low = 0, high = old_pods->count;
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                const struct old_pod *past =
                        &old_pods->items[(old_pods->first + middle) % old_pods->count];
                if (past->generation == generation)
                        return past;
                if (past->generation < generation)
                        low = middle + 1;
                else
                        high = middle;
        }
        return NULL;
}

void cluster_drop_old_pods(struct cluster *cluster) {
        struct old_pods *old_pods = &cluster->old_pods;
        for (uint32_t i = 0; i < old_pods->count; i++)
                old_pod_drop(cluster, &old_pods->items[i]);
        old_pods->count = old_pods->first = 0;
}

void old_pods_release(struct cluster *cluster) {
        free(cluster->old_pods.items);
        cluster->old_pods = (struct old_pods){ 0 };
}
