/* DeviceClasses, ResourceClaims and their templates. */
#include "api/device_decode_priv.h"

#include "base/util.h"

/* ---- what classes and claims share ---- */

/* A selector that is no CEL expression reads as an empty one, which does not compile. */
static int decode_device_selector(const struct json *value, void *target, struct decode *d) {
        if (json_type(value) != JSON_OBJECT)
                return decode_type_error(value, "object", d);
        *(struct slice *)target = json_get_text(json_get(value, "cel"), "expression");
        return 0;
}

static int decode_opaque(const struct json *value, void *target, struct decode *d) {
        (void)d;
        *(const struct json **)target = value;
        return 0;
}

static int decode_device_config(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                LIST_FIELD(struct device_config, "requests", requests, request_count, decode_text),
                FIELD(struct device_config, "opaque", opaque, decode_opaque),
        };

        *(struct device_config *)target = (struct device_config){ 0 };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_wait(const struct json *value, void *target, struct decode *d) {
        struct device_toleration *toleration = target;

        toleration->has_seconds = true;
        return decode_int64(value, &toleration->seconds, d);
}

static int decode_device_toleration(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_toleration, "key", key, decode_text),
                FIELD(struct device_toleration, "operator", op, decode_text),
                FIELD(struct device_toleration, "value", value, decode_text),
                FIELD(struct device_toleration, "effect", effect, decode_text),
                PART_FIELD("tolerationSeconds", decode_wait),
        };

        *(struct device_toleration *)target = (struct device_toleration){ 0 };
        return DECODE_FIELDS(value, fields, target, d);
}

/* ---- classes ---- */

static int decode_class_spec(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                LIST_FIELD(struct device_class, "selectors", selectors, selector_count,
                           decode_device_selector),
                LIST_FIELD(struct device_class, "config", configs, config_count,
                           decode_device_config),
                FIELD(struct device_class, "extendedResourceName", extended_resource, decode_text),
        };

        return DECODE_FIELDS(value, fields, target, d);
}

int device_class_decode(const struct json *object, struct arena *arena,
                        struct device_class *ret_class, struct err *err) {
        static const struct decode_field fields[] = {
                FIELD(struct device_class, "metadata", meta, decode_meta),
                PART_FIELD("spec", decode_class_spec),
        };
        struct device_class class = { 0 };
        struct decode d = { arena, err };

        meta_set_defaults(&class.meta);
        int r = DECODE_FIELDS(object, fields, &class, &d);
        if (r == 0)
                *ret_class = class;
        return r;
}

/* ---- requests ---- */

static int decode_request_capacity(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { FIELD(struct device_request, "requests",
                                                            capacity, decode_amounts) };

        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_exact(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_request, "deviceClassName", class_name, decode_text),
                LIST_FIELD(struct device_request, "selectors", selectors, selector_count,
                           decode_device_selector),
                FIELD(struct device_request, "allocationMode", mode, decode_text),
                FIELD(struct device_request, "count", count, decode_int64),
                FIELD(struct device_request, "adminAccess", has_admin_access, decode_bool),
                LIST_FIELD(struct device_request, "tolerations", tolerations, toleration_count,
                           decode_device_toleration),
                PART_FIELD("capacity", decode_request_capacity),
        };
        struct device_request *request = target;

        request->has_exactly = true;
        return DECODE_FIELDS(value, fields, target, d);
}

/* A choice has the members of "exactly" beside its name. */
static int decode_choice(const struct json *value, void *target, struct decode *d) {
        struct device_request *choice = target;

        *choice = (struct device_request){ .name = json_get_text(value, "name") };
        int r = decode_exact(value, target, d);
        choice->has_admin_access = false;
        return r;
}

static int decode_device_request(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_request, "name", name, decode_text),
                PART_FIELD("exactly", decode_exact),
                LIST_FIELD(struct device_request, "firstAvailable", choices, choice_count,
                           decode_choice),
        };

        *(struct device_request *)target = (struct device_request){ 0 };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_constraint(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                LIST_FIELD(struct device_constraint, "requests", requests, request_count,
                           decode_text),
                FIELD(struct device_constraint, "matchAttribute", match_attribute, decode_text),
                FIELD(struct device_constraint, "distinctAttribute", distinct_attribute,
                      decode_text),
        };

        *(struct device_constraint *)target = (struct device_constraint){ 0 };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_claim_devices(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                LIST_FIELD(struct device_claim_spec, "requests", requests, request_count,
                           decode_device_request),
                LIST_FIELD(struct device_claim_spec, "constraints", constraints, constraint_count,
                           decode_constraint),
                LIST_FIELD(struct device_claim_spec, "config", configs, config_count,
                           decode_device_config),
        };

        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_claim_spec(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct resource_claim, "devices", spec, decode_claim_devices),
        };

        ((struct resource_claim *)target)->spec_json = value;
        return DECODE_FIELDS(value, fields, target, d);
}

/* ---- allocations ---- */

static int decode_result(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_result, "request", request, decode_text),
                FIELD(struct device_result, "driver", driver, decode_text),
                FIELD(struct device_result, "pool", pool, decode_text),
                FIELD(struct device_result, "device", device, decode_text),
                FIELD(struct device_result, "shareID", share_id, decode_text),
                FIELD(struct device_result, "adminAccess", has_admin_access, decode_bool),
                LIST_FIELD(struct device_result, "tolerations", tolerations, toleration_count,
                           decode_device_toleration),
                LIST_FIELD(struct device_result, "bindingConditions", conditions, condition_count,
                           decode_text),
                LIST_FIELD(struct device_result, "bindingFailureConditions", failure_conditions,
                           failure_condition_count, decode_text),
                FIELD(struct device_result, "consumedCapacity", consumed, decode_amounts),
        };

        *(struct device_result *)target = (struct device_result){ 0 };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_results(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                LIST_FIELD(struct resource_claim, "results", results, result_count, decode_result),
        };

        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_allocation_nodes(const struct json *value, void *target, struct decode *d) {
        struct resource_claim *claim = target;

        claim->has_node_selector = true;
        return node_selector_decode(value, d->arena, &claim->node_selector, d->err);
}

static int decode_allocation(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("devices", decode_results),
                PART_FIELD("nodeSelector", decode_allocation_nodes),
                FIELD(struct resource_claim, "allocationTimestamp", allocated, decode_time),
        };
        struct resource_claim *claim = target;

        claim->is_allocated = true;
        claim->allocation = value;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_consumer(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_consumer, "apiGroup", api_group, decode_text),
                FIELD(struct device_consumer, "resource", resource, decode_text),
                FIELD(struct device_consumer, "name", name, decode_text),
                FIELD(struct device_consumer, "uid", uid, decode_text),
        };

        *(struct device_consumer *)target = (struct device_consumer){ 0 };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_device_condition(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_condition, "type", type, decode_text),
                FIELD(struct device_condition, "status", status, decode_text),
                FIELD(struct device_condition, "reason", reason, decode_text),
                FIELD(struct device_condition, "message", message, decode_text),
        };

        *(struct device_condition *)target = (struct device_condition){ 0 };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_device_status(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_status, "driver", driver, decode_text),
                FIELD(struct device_status, "pool", pool, decode_text),
                FIELD(struct device_status, "device", device, decode_text),
                FIELD(struct device_status, "shareID", share_id, decode_text),
                LIST_FIELD(struct device_status, "conditions", conditions, condition_count,
                           decode_device_condition),
        };

        *(struct device_status *)target = (struct device_status){ 0 };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_claim_status(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("allocation", decode_allocation),
                LIST_FIELD(struct resource_claim, "reservedFor", consumers, consumer_count,
                           decode_consumer),
                LIST_FIELD(struct resource_claim, "devices", devices, device_count,
                           decode_device_status),
        };

        return DECODE_FIELDS(value, fields, target, d);
}

int resource_claim_decode(const struct json *object, struct arena *arena,
                          struct resource_claim *ret_claim, struct err *err) {
        static const struct decode_field fields[] = {
                FIELD(struct resource_claim, "metadata", meta, decode_meta),
                PART_FIELD("spec", decode_claim_spec),
                PART_FIELD("status", decode_claim_status),
        };
        struct resource_claim claim = { .allocated = WALL_TIME_UNSET };
        struct decode d = { arena, err };

        meta_set_defaults(&claim.meta);
        int r = DECODE_FIELDS(object, fields, &claim, &d);
        if (r == 0)
                *ret_claim = claim;
        return r;
}

int resource_claim_template_decode(const struct json *object, struct arena *arena,
                                   struct resource_claim_template *ret_template, struct err *err) {
        static const struct decode_field fields[] = {
                FIELD(struct resource_claim_template, "metadata", meta, decode_meta),
                FIELD(struct resource_claim_template, "spec", spec, decode_opaque),
        };
        struct resource_claim_template template = { 0 };
        struct decode d = { arena, err };

        meta_set_defaults(&template.meta);
        int r = DECODE_FIELDS(object, fields, &template, &d);
        if (r == 0)
                *ret_template = template;
        return r;
}
