/* The scheduler's plugins. */
#include "plugins/sched/registry.h"
#include <stddef.h>

const struct plugin *const sched_registry[] = {
        &plugin_default_binder,      &plugin_default_preemption, &plugin_dynamic_resources,
        &plugin_gang_scheduling,     &plugin_image_locality,     &plugin_inter_pod_affinity,
        &plugin_node_affinity,       &plugin_node_balance,       &plugin_node_declared_features,
        &plugin_node_name,           &plugin_node_ports,         &plugin_node_resources_fit,
        &plugin_node_unschedulable,  &plugin_node_volume_limits, &plugin_pod_group_pods_count,
        &plugin_pod_topology_spread, &plugin_priority_sort,      &plugin_scheduling_gates,
        &plugin_taint_toleration,    &plugin_topology_placement, &plugin_volume_binding,
        &plugin_volume_restrictions, &plugin_volume_zone,        NULL,
};
