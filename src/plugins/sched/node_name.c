/* NodeName: a pod that names its node runs there or nowhere. */
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"

static void node_name_filter(const struct sched_cycle *cycle, const void *state,
                             const void *pod_state, struct bitset *nodes) {
        (void)state;
        (void)pod_state;
        if (slice_is_empty(cycle->node_name))
                return;
        struct node_id node = cluster_find_node(cycle->cluster, cycle->node_name);
        bool is_in = !node_id_is_none(node) && bitset_has(nodes, node.index);
        bitset_clear(nodes);
        if (is_in)
                bitset_add(nodes, node.index);
}

static void node_name_explain(const struct sched_cycle *cycle, const void *state,
                              const void *pod_state, struct node_id node, struct verdict *verdict) {
        (void)state;
        (void)pod_state;
        if (!slice_is_empty(cycle->node_name) &&
            !slice_eq(cycle->node_name, cluster_node_name(cycle->cluster, node)))
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("node(s) didn't match the requested node name"));
}

const struct plugin plugin_node_name = {
        .name = "NodeName",
        .sched =
                &(const struct sched_points){
                        .filter = node_name_filter,
                        .explain = node_name_explain,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_NODE } },
        .wakes_on = CLUSTER_NODE_ADDED,
};
