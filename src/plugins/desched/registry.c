/* Every descheduler plugin by the name configuration uses. */
#include "plugins/desched/registry.h"

const struct plugin *const desched_registry[] = {
        &plugin_default_evictor,
        &plugin_high_node_utilization,
        &plugin_low_node_utilization,
        &plugin_inter_pod_anti_affinity,
        &plugin_node_affinity_strategy,
        &plugin_node_taints,
        &plugin_pod_life_time,
        &plugin_pod_lifecycle,
        &plugin_remove_duplicates,
        &plugin_remove_failed_pods,
        &plugin_too_many_restarts,
        &plugin_topology_spread,
        NULL,
};
