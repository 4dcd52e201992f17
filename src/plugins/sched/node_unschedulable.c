/* NodeUnschedulable: cordoned nodes take only pods that tolerate their taint. */
#include "base/util.h"
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
#include "rules/taints.h"
#include <stdlib.h>

static bool allows_order(const void *state) {
        return *(const bool *)state;
}

static int node_unschedulable_init(const struct plugin_env *env, const void *args, void **ret_state,
                                   struct err *err) {
        bool *allows = xcalloc(1, sizeof(*allows));
        (void)args;
        (void)err;
        *allows = (env->gates & FEATURE_TAINT_ORDER) != 0;
        *ret_state = allows;
        return 0;
}

static void node_unschedulable_filter(const struct sched_cycle *cycle, const void *state,
                                      const void *pod_state, struct bitset *nodes) {
        (void)pod_state;
        const struct node_table *table = cluster_nodes(cycle->cluster);
        if (!tolerates_unschedulable(&cycle->class->spec, allows_order(state)))
                bitset_and_not(nodes, &table->unschedulable);
}

static void node_unschedulable_explain(const struct sched_cycle *cycle, const void *state,
                                       const void *pod_state, struct node_id node,
                                       struct verdict *verdict) {
        (void)pod_state;
        const struct node_table *table = cluster_nodes(cycle->cluster);
        if (bitset_has(&table->unschedulable, node.index) &&
            !tolerates_unschedulable(&cycle->class->spec, allows_order(state)))
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("node(s) were unschedulable"));
}

static bool node_unschedulable_wakes(const struct sched_cycle *cycle, const void *state,
                                     const struct cluster_change *change) {
        if (node_id_is_none(change->node))
                return change->pod.index == cycle->pod.index;
        return !bitset_has(&cluster_nodes(cycle->cluster)->unschedulable, change->node.index) ||
               tolerates_unschedulable(&cycle->class->spec, allows_order(state));
}

const struct plugin plugin_node_unschedulable = {
        .name = "NodeUnschedulable",
        .init = node_unschedulable_init,
        .fini = free,
        .sched =
                &(const struct sched_points){
                        .filter = node_unschedulable_filter,
                        .explain = node_unschedulable_explain,
                        .wakes = node_unschedulable_wakes,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_NODE } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_TAINTS | CLUSTER_POD_TOLERATIONS,
};
