/* What the files of the controller of device taints share. */
#pragma once

#include "control/device_taints.h"
#include "control/pod_claims.h"
#include "control/pod_owner.h"

#define RULE_STATUS_PERIOD_NS (10 * NS_PER_S)

struct device_eviction_state {
        struct device_taints taints;
        struct map *sentences; /* of pods that are to go, by uid: no value of interest */
        struct map *evicted;   /* size_t by uid of a rule: pods that it ended */
};

/* When the pod has to go. eviction is zeroed but for its rules. */
void device_taint_judge_pod(struct controller_run *run, const struct json *pod,
                            const struct evicting_rule *trial, struct device_eviction *eviction);
/* Keeps the condition EvictionInProgress of a DeviceTaintRule. */
int device_taint_rule_report(struct controller_run *run, struct slice name, struct err *err);
