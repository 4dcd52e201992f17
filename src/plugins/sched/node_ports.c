/* NodePorts: host ports the pod wants must be free. */
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
#include "rules/ports.h"

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)state;
        (void)ret_pod_state;
        (void)ret_only;
        (void)verdict;
        return cycle->class->port_count == 0 ? VERDICT_SKIP : VERDICT_OK;
}

static void node_ports_filter(const struct sched_cycle *cycle, const void *state,
                              const void *pod_state, struct bitset *nodes) {
        (void)state;
        (void)pod_state;
        ports_narrow(cycle->cluster, cycle->class, nodes);
}

static void node_ports_explain(const struct sched_cycle *cycle, const void *state,
                               const void *pod_state, struct node_id node,
                               struct verdict *verdict) {
        (void)state;
        (void)pod_state;
        if (ports_taken(cycle->cluster, cycle->class, node))
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           SLICE_LITERAL("node(s) didn't have free ports for the requested pod "
                                         "ports"));
}

static bool node_ports_wakes(const struct sched_cycle *cycle, const void *state,
                             const struct cluster_change *change) {
        (void)state;
        return node_id_is_none(change->node) ||
               !ports_taken(cycle->cluster, cycle->class, change->node);
}

const struct plugin plugin_node_ports = {
        .name = "NodePorts",
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = node_ports_filter,
                        .explain = node_ports_explain,
                        .wakes = node_ports_wakes,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_NODE_PODS } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_POD_REMOVED,
};
