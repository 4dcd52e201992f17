/* Devices as drivers publish them, classes of devices, and claims of them (resource.k8s.io/v1),
 * field by field as in upstream's API. The rules of object.h hold: slices point into the JSON,
 * arrays live in the arena. Amounts stay texts. */
#pragma once

#include "api/object.h"

enum device_value {
        DEVICE_NO_VALUE, /* none that is known here */
        DEVICE_BOOL,
        DEVICE_INT,
        DEVICE_STRING,
        DEVICE_VERSION
};
struct device_scalar { /* which of them, the attribute's kind says */
        union {
                bool boolean;
                int64_t integer;
                struct slice text;
        };
};
struct device_attribute {
        struct slice name; /* as written: with a domain or without */
        enum device_value kind;
        bool is_list;
        union {
                struct device_scalar scalar;
                struct {
                        struct device_scalar *items; /* of a list */
                        size_t item_count;
                };
        };
};
struct device_amount { /* of a capacity, counter or resource */
        struct slice name, value;
};
struct device_amounts {
        struct device_amount *items;
        size_t count;
};
/* Which shares of a capacity may be asked for; texts are empty where nothing is said. */
struct device_capacity {
        struct slice name, value;
        bool has_policy, has_range;
        struct slice standard; /* default */
        struct slice *valid_values;
        size_t valid_value_count;
        struct slice min, max, step;
};
struct device_taint {
        struct slice key, value;
        enum taint_effect effect;
        struct slice effect_name, time_added; /* as written */
};
struct device_toleration {
        struct slice key, value, op, effect; /* as written */
        bool has_seconds;
        int64_t seconds;
};
struct counter_set {
        struct slice name;
        struct device_amounts counters;
};
/* Where devices can be used; none of the three: not said. */
struct device_place {
        struct slice node_name;
        bool has_node_name, has_selector, is_everywhere;
        struct affinity selector;   /* required terms */
        const struct json *written; /* the node selector */
};
struct device_mapping { /* of a capacity to a resource of the node */
        struct slice resource, capacity_key, multiplier;
};
/* What devices of one model have alike, beside attributes. */
struct device_traits {
        struct device_capacity *capacity;
        struct counter_set *consumes;
        struct device_taint *taints;
        struct slice *conditions, *failure_conditions; /* of binding */
        struct device_mapping *mappings;
        size_t capacity_count, consume_count, taint_count, condition_count, failure_condition_count,
                mapping_count;
        const struct device_place *place;
        bool binds_to_node, allows_multiple;
};
struct device {
        struct slice name;
        const struct device_attribute **attributes; /* others may have the same */
        size_t attribute_count;
        const struct device_traits *traits; /* the same */
};
struct resource_slice {
        struct slice name, driver, pool;
        int64_t generation, slice_count; /* of the pool */
        const struct device_place *place;
        bool has_places; /* each device says where it can be used */
        struct device *devices;
        struct counter_set *counters; /* that devices share */
        size_t device_count, counter_count;
};

struct device_config {
        struct slice *requests;
        size_t request_count;
        const struct json *opaque;
};
struct device_class {
        struct object_meta meta;
        struct slice *selectors; /* expressions */
        struct device_config *configs;
        size_t selector_count, config_count;
        struct slice extended_resource; /* empty: none */
};

/* A request, or one of the choices of firstAvailable. */
struct device_request {
        struct slice name, class_name, mode; /* allocationMode */
        struct slice *selectors;
        struct device_toleration *tolerations;
        struct device_amounts capacity;
        struct device_request *choices; /* firstAvailable */
        size_t selector_count, toleration_count, choice_count;
        int64_t count;
        bool has_exactly, has_admin_access;
};
struct device_constraint {
        struct slice *requests;
        size_t request_count;
        struct slice match_attribute, distinct_attribute; /* empty: not set */
};
struct device_claim_spec {
        struct device_request *requests;
        struct device_constraint *constraints;
        struct device_config *configs;
        size_t request_count, constraint_count, config_count;
};
struct device_result { /* one device of an allocation */
        struct slice request, driver, pool, device, share_id;
        bool has_admin_access;
        struct device_toleration *tolerations;
        struct slice *conditions, *failure_conditions;
        struct device_amounts consumed;
        size_t toleration_count, condition_count, failure_condition_count;
};
struct device_consumer { /* reservedFor */
        struct slice api_group, resource, name, uid;
};
struct device_condition { /* of an allocated device */
        struct slice type, status, reason, message;
};
struct device_status {
        struct slice driver, pool, device, share_id;
        struct device_condition *conditions;
        size_t condition_count;
};
struct resource_claim {
        struct object_meta meta;
        struct device_claim_spec spec;
        const struct json *spec_json;
        bool is_allocated;
        struct device_result *results;
        struct affinity node_selector; /* of the allocation; no terms: any node */
        bool has_node_selector;
        struct wall_time allocated; /* allocationTimestamp */
        const struct json *allocation;
        struct device_consumer *consumers;
        struct device_status *devices;
        size_t result_count, consumer_count, device_count;
};
struct resource_claim_template {
        struct object_meta meta;
        const struct json *spec; /* metadata and spec of the claims */
};
struct device_taint_rule {
        struct object_meta meta;
        bool has_selector;
        struct slice driver, pool, device; /* empty: any; together: and */
        bool has_driver, has_pool, has_device;
        struct device_taint taint;
};

int resource_slice_decode(const struct json *object, struct arena *arena,
                          struct resource_slice *ret_slice, struct err *err);
int device_class_decode(const struct json *object, struct arena *arena,
                        struct device_class *ret_class, struct err *err);
int resource_claim_decode(const struct json *object, struct arena *arena,
                          struct resource_claim *ret_claim, struct err *err);
int resource_claim_template_decode(const struct json *object, struct arena *arena,
                                   struct resource_claim_template *ret_template, struct err *err);
int device_taint_rule_decode(const struct json *object, struct arena *arena,
                             struct device_taint_rule *ret_rule, struct err *err);
/* One device alone, as a slice lists it. */
int device_decode(const struct json *object, struct arena *arena, struct device *ret_device,
                  struct err *err);
