/* PodGroups and Workloads as Kubernetes 1.36 serves them with the gate GenericWorkload, for the
 * sandbox: the definitions of examples/groups and of this folder without the fields whose own gates
 * are off. */
#pragma once

#include "base/embedded_text.h"
#include "base/err.h"
#include <stdbool.h>

#define POD_GROUP_FINALIZER "scheduling.k8s.io/podgroup-protection"

struct native_groups {     /* which gates are on */
        bool is_served;    /* GenericWorkload */
        bool has_topology; /* TopologyAwareWorkloadScheduling: schedulingConstraints */
        bool has_claims;   /* DRAWorkloadResourceClaims: resourceClaims and their statuses */
        bool has_priority; /* WorkloadAwarePreemption: disruptionMode, priority and its class */
};

extern const struct embedded_text group_definitions[];
struct api_definition;
#define NATIVE_GROUP_KINDS 2 /* PodGroup, Workload */
/* NATIVE_GROUP_KINDS of them; their JSON is to be freed. */
int native_groups_definitions(const struct native_groups *gates,
                              struct api_definition *ret_definitions, struct err *err);
