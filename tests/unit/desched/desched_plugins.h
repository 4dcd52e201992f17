/* Plugins of src/plugins/desched that tests name one by one. */
#pragma once

#include "plugin/plugin.h"

extern const struct plugin plugin_default_evictor;
extern const struct plugin plugin_high_node_utilization;
extern const struct plugin plugin_inter_pod_anti_affinity;
extern const struct plugin plugin_low_node_utilization;
extern const struct plugin plugin_node_affinity_strategy;
extern const struct plugin plugin_node_taints;
extern const struct plugin plugin_pod_life_time;
extern const struct plugin plugin_pod_lifecycle;
extern const struct plugin plugin_remove_duplicates;
extern const struct plugin plugin_remove_failed_pods;
extern const struct plugin plugin_too_many_restarts;
extern const struct plugin plugin_topology_spread;
