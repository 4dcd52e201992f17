/* Inside of the simulated kubelets: nodes, their heartbeats, and the pods on their way. */
#pragma once

#include "base/map.h"
#include "base/uuid.h"
#include "control/control_priv.h"
#include "control/pod_plan.h"

#define HEARTBEAT_SLOTS 40 /* nodes renew their Leases in as many groups, one after the other */

struct pod_run;

struct kubelet_node {
        char *name;
        uint32_t number;               /* decides addresses */
        uint32_t bucket, bucket_index; /* place among the heartbeats */
        uint32_t beats, next_ip;
        struct mono_time since;      /* of registration here */
        struct mono_time down_until; /* while it reboots */
        bool is_down;
        char boot_id[UUID_TEXT_SIZE];
        struct json_doc *doc; /* of the node, when it has lifecycle annotations */
        char host_ip[48];
        bool is_failed; /* does nothing any more, and reports nothing */
        bool is_registered;
};

struct heartbeat_bucket {
        struct kubelet_node **nodes;
        uint32_t count, cap;
};

struct kubelet {
        struct controller_run *run;
        struct map *nodes;    /* struct kubelet_node by name */
        struct map *pod_runs; /* struct pod_run by uid: pods that change by themselves */
        struct heartbeat_bucket buckets[HEARTBEAT_SLOTS];
        struct loop_timer heartbeat;
        uint32_t next_number, next_bucket;
        struct pod_plan_defaults defaults;
        struct arena scratch;
        bool is_writing; /* events that come now are our own */
};

const struct json *kubelet_node_annotations(const struct kubelet_node *node);
int kubelet_node_reconcile(struct kubelet *kubelet, struct slice name, struct err *err);
void kubelet_node_forget(struct kubelet *kubelet, struct kubelet_node *node);
void kubelet_heartbeat_start(struct kubelet *kubelet);
int kubelet_pod_reconcile(struct kubelet *kubelet, struct slice ns, struct slice name,
                          struct err *err);
/* Why the pod cannot have the devices that it wants; NULL when it can. In the scratch arena. */
const char *kubelet_claims_problem(struct kubelet *kubelet, const struct json *pod);
