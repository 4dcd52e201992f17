/* Plugins of src/plugins/sched that tests name one by one. */
#pragma once

#include "plugin/plugin.h"

extern const struct plugin plugin_default_binder;
extern const struct plugin plugin_default_preemption;
extern const struct plugin plugin_dynamic_resources;
extern const struct plugin plugin_image_locality;
extern const struct plugin plugin_inter_pod_affinity;
extern const struct plugin plugin_node_affinity;
extern const struct plugin plugin_node_balance;
extern const struct plugin plugin_node_declared_features;
extern const struct plugin plugin_node_name;
extern const struct plugin plugin_node_ports;
extern const struct plugin plugin_node_resources_fit;
extern const struct plugin plugin_node_unschedulable;
extern const struct plugin plugin_node_volume_limits;
extern const struct plugin plugin_pod_topology_spread;
extern const struct plugin plugin_priority_sort;
extern const struct plugin plugin_taint_toleration;
extern const struct plugin plugin_volume_binding;
extern const struct plugin plugin_volume_restrictions;
extern const struct plugin plugin_volume_zone;
