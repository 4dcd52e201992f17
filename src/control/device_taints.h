/* Taints of devices with the effect NoExecute, from ResourceSlices and DeviceTaintRules, and when
 * the pods that use a claim have to go because of them. */
#pragma once

#include "api/device.h"
#include "control/control_priv.h"

struct tainted_device {
        struct slice driver, pool, device;
        int64_t generation; /* of the pool, in its slice */
        struct device_taint taint;
        bool is_stale; /* a newer generation of the pool is there */
};
struct evicting_rule {
        struct device_taint_rule rule;
        struct wall_time since;
};
/* What the store has, read again when it changed. Zeroed: nothing read yet, and is_dirty to be set.
 */
struct device_taints {
        struct arena arena;
        struct json_doc **docs;
        size_t doc_count, doc_cap;
        struct tainted_device *devices;
        size_t device_count, device_cap;
        struct evicting_rule *rules; /* of any effect */
        size_t rule_count, rule_cap;
        bool is_dirty;
};
void device_taints_init(struct device_taints *taints);
void device_taints_release(struct device_taints *taints);
/* Nothing that could end a pod, as far as it is known. */
bool device_taints_is_empty(const struct device_taints *taints);
void device_taints_refresh(struct device_taints *taints, const struct control *control);

struct device_eviction {
        bool is_due;           /* at a time, rather than never */
        struct wall_time when; /* the earliest */
        bool *rules;           /* those among the reasons, by index; NULL: not asked for */
};
/* Adds what the claim's devices have to say. trial: a rule without effect that counts as one with
 * NoExecute; NULL = none. now stands for times that nobody wrote. */
void device_taints_judge(const struct device_taints *taints, const struct resource_claim *claim,
                         const struct evicting_rule *trial, struct wall_time now,
                         struct device_eviction *eviction);
bool taint_rule_selects(const struct device_taint_rule *rule, struct slice driver,
                        struct slice pool, struct slice device);
