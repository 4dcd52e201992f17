/* The figures that stand above every view: how full the cluster is, and what waits. */
#pragma once

#include "base/buf.h"
#include "model/cluster.h"

/* What a pod is doing, in one word. */
enum pod_activity {
        POD_STATE_GATED,    /* has scheduling gates */
        POD_STATE_WAITING,  /* for a node */
        POD_STATE_BINDING,  /* placed by this process, not confirmed yet */
        POD_STATE_STARTING, /* on a node, not running yet */
        POD_STATE_RUNNING,
        POD_STATE_LEAVING, /* its deletion was asked for */
        POD_STATE_SUCCEEDED,
        POD_STATE_FAILED,
        POD_STATE_UNKNOWN,
        POD_STATE_COUNT
};
enum pod_activity pod_state_of(const struct cluster *cluster, const struct pod_row *row);
const char *pod_state_name(enum pod_activity state);

struct headline {
        size_t nodes, not_ready, cordoned;
        size_t pods, states[POD_STATE_COUNT];
        size_t placed;        /* on a node and not finished */
        size_t unplaceable;   /* of those that wait: a scheduler has refused them */
        size_t overcommitted; /* nodes with more requested than allocatable */
        size_t guarded;       /* placed pods that a disruption budget lets nobody evict now */
        /* Free cpu of nodes that take pods, in millicores, and the part of it on nodes where the
         * average pod finds no place. */
        int64_t free_cpu, stranded_cpu;
        struct resource_total {
                int64_t allocatable, requested;
        } * resources; /* by column; in the arena */
        size_t resource_count;
};
void headline_count(const struct cluster *cluster, struct arena *arena,
                    struct headline *ret_headline);
/* One JSON object. */
void headline_write(const struct headline *headline, struct buf *out);
/* [{"name":"cpu","unit":"millicores"},...], in the order of all lists by resource. */
void resources_write(const struct cluster *cluster, struct buf *out);
