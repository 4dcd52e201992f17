/* What pods were before the last changes that took them away or made others of them.  Readers of
 * the change log find only rows as they are now. */
#include "model/cluster_priv.h"

#include <stdlib.h>

/* A reader that is further behind has to expect the worst of a change. */
#define PASTS_MAX 512u
#define PASTS_FIRST 16u
#define PAST_CHANGES (CLUSTER_POD_REMOVED | CLUSTER_POD_LABELS | CLUSTER_NOMINATION)

void pod_past_ref(struct cluster *cluster, const struct pod_past *past) {
        interner_ref(cluster->strings, past->ns);
        label_set_ref(cluster, past->labels);
        class_ref(cluster, past->class);
}

void pod_past_drop(struct cluster *cluster, const struct pod_past *past) {
        str_drop(cluster, past->ns);
        label_set_drop(cluster, past->labels);
        class_drop(cluster, past->class);
}

struct pod_past pod_past_of(const struct pod_row *row) {
        return (struct pod_past){ .ns = row->ns, .labels = row->labels, .class = row->class };
}

static struct pod_past *next_place(struct cluster *cluster) {
        struct pod_pasts *pasts = &cluster->pasts;
        if (pasts->count == pasts->cap && pasts->cap < PASTS_MAX) {
                pasts->cap = pasts->cap == 0 ? PASTS_FIRST : 2 * pasts->cap;
                pasts->items = xreallocarray(pasts->items, pasts->cap, sizeof(*pasts->items));
        }
        if (pasts->count < pasts->cap)
                return &pasts->items[pasts->count++];
        struct pod_past *oldest = &pasts->items[pasts->first];
        pasts->first = (pasts->first + 1) % pasts->cap;
        pod_past_drop(cluster, oldest);
        return oldest;
}

void cluster_log_pod(struct cluster *cluster, uint32_t mask, struct node_id node, struct pod_id pod,
                     const struct pod_past *before) {
        cluster_log_change(cluster, mask, node, pod);
        if ((mask & PAST_CHANGES) == 0)
                return;
        pod_past_ref(cluster, before);
        struct pod_past *past = next_place(cluster);
        *past = *before;
        past->generation = cluster->log.generation;
}

/* Generations rise from the oldest on. */
const struct pod_past *cluster_pod_past(const struct cluster *cluster, uint64_t generation) {
        const struct pod_pasts *pasts = &cluster->pasts;
        uint32_t low = 0, high = pasts->count;
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                const struct pod_past *past = &pasts->items[(pasts->first + middle) % pasts->count];
                if (past->generation == generation)
                        return past;
                if (past->generation < generation)
                        low = middle + 1;
                else
                        high = middle;
        }
        return NULL;
}

void cluster_drop_pasts(struct cluster *cluster) {
        struct pod_pasts *pasts = &cluster->pasts;
        for (uint32_t i = 0; i < pasts->count; i++)
                pod_past_drop(cluster, &pasts->items[i]);
        pasts->count = pasts->first = 0;
}

void pod_pasts_release(struct cluster *cluster) {
        free(cluster->pasts.items);
        cluster->pasts = (struct pod_pasts){ 0 };
}
