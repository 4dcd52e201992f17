/* Validation of claims of devices, their templates and device classes. */
#include "kinds/device_rules.h"

#include "base/util.h"

#define SUBREQUESTS_MAX 8
#define CONSTRAINTS_MAX 32
#define RESERVED_MAX 256
#define RESULTS_MAX 32
#define DEVICE_CONDITIONS_MAX 8

/* ---- requests ---- */

OWN_RULE(rule_allocation_mode) {
        static const char *const modes[] = { "All", "ExactCount", NULL };
        struct slice mode = node_get_text(value, "allocationMode");
        int64_t count = node_get_i64(value, "count", 0);

        (void)rule;
        if (slice_is(mode, "All")) {
                if (count != 0)
                        report_number(checker, at, "count", count,
                                      "must not be specified when allocationMode is 'All'");
        } else if (slice_is(mode, "ExactCount")) {
                if (count <= 0)
                        report_number(checker, at, "count", count, "must be greater than zero");
        } else {
                report_choice(checker, at, "allocationMode", quoted_json(checker, mode), modes);
        }
}

#define REQUEST_RULES                                                                              \
        { "deviceClassName", rule_form, .low = FORM_SUBDOMAIN, .flags = RULE_REQUIRED },           \
                { "selectors", rule_device_selector, .flags = RULE_EACH,                           \
                  .max = DEVICE_SELECTORS_MAX },                                                   \
                { NULL, rule_allocation_mode },                                                    \
                { "tolerations", rule_device_toleration, .flags = RULE_EACH }, RULES_END

static const struct rule exact_rules[] = { REQUEST_RULES };
static const struct rule subrequest_rules[] = {
        { "name", rule_form, .low = FORM_LABEL, .flags = RULE_ALWAYS },
        REQUEST_RULES,
};
static const struct rule first_available_rules[] = {
        { "firstAvailable", rule_object, .data = subrequest_rules, .flags = RULE_EACH | RULE_UNIQUE,
          .unique = "name", .max = SUBREQUESTS_MAX },
        RULES_END,
};

OWN_RULE(rule_request_choice) {
        bool has_choices = node_count(node_get(value, "firstAvailable")) > 0;
        const struct json_node *exactly = node_get(value, "exactly");
        struct at place = at_member(at, "exactly");

        (void)rule;
        if (has_choices && exactly)
                report(checker, FIELD_INVALID, at, NULL, "null",
                       "exactly one of `exactly` or `firstAvailable` is required, but multiple "
                       "fields are set");
        else if (has_choices)
                check_rules(checker, at, value, first_available_rules);
        else if (exactly)
                check_rules(checker, &place, exactly, exact_rules);
        else
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "exactly one of `exactly` or `firstAvailable` is required");
}

static const struct rule request_rules[] = {
        { "name", rule_form, .low = FORM_LABEL, .flags = RULE_ALWAYS },
        { NULL, rule_request_choice },
        RULES_END,
};

/* ---- references to requests ---- */

/* Of several with one name, which are refused, upstream's map has the last. */
static const struct json_node *named_element(const struct json_node *list, struct slice name) {
        struct node_iter iter = node_iter(list);
        const struct json_node *found = NULL;
        struct json_node *element;

        while (node_next(&iter, NULL, &element))
                if (slice_eq(node_get_text(element, "name"), name))
                        found = element;
        return found;
}

#define REFERENCE_TEXT                                                                             \
        "must be the name of a request in the claim or the name of a request and a subrequest "    \
        "separated by '/'"

/* A request of the claim, or REQUEST/SUBREQUEST. */
OWN_RULE(rule_request_name) {
        struct slice name = node_get_slice(value), first = name, second = SLICE_EMPTY;
        const char *slash = name.len ? memchr(name.ptr, '/', name.len) : NULL;

        (void)rule;
        if (slash) {
                first.len = (size_t)(slash - name.ptr);
                second = slice_make(slash + 1, name.len - first.len - 1);
        }
        if (second.len && memchr(second.ptr, '/', second.len)) {
                report_text(checker, at, NULL, name, REFERENCE_TEXT);
                return;
        }
        check_form(checker, at, first, FORM_LABEL);
        if (slash)
                check_form(checker, at, second, FORM_LABEL);
        const struct json_node *request =
                named_element(node_get(checker->subject, "requests"), first);
        if (!request || (slash && !named_element(node_get(request, "firstAvailable"), second)))
                report_text(checker, at, NULL, name, REFERENCE_TEXT);
}

OWN_RULE(rule_constraint_attribute) {
        struct at match = at_member(at, "matchAttribute");
        struct at distinct = at_member(at, "distinctAttribute");

        if (node_get(value, "matchAttribute"))
                rule_device_full_name(checker, &match, node_get(value, "matchAttribute"), rule);
        else if (node_get(value, "distinctAttribute"))
                rule_device_full_name(checker, &distinct, node_get(value, "distinctAttribute"),
                                      rule);
        else
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, "
                       "but multiple fields are set");
}

#define REQUEST_NAMES                                                                              \
        {                                                                                          \
                "requests", rule_request_name, .flags = RULE_EACH | RULE_UNIQUE,                   \
                                               .max = DEVICE_REQUESTS_MAX                          \
        }

static const struct rule constraint_rules[] = {
        REQUEST_NAMES,
        { NULL, rule_constraint_attribute },
        RULES_END,
};
static const struct rule claim_config_rules[] = {
        REQUEST_NAMES,
        { NULL, rule_device_config },
        RULES_END,
};
static const struct rule device_claim_rules[] = {
        { "requests", rule_object, .data = request_rules, .flags = RULE_EACH | RULE_UNIQUE,
          .unique = "name", .max = DEVICE_REQUESTS_MAX },
        { "constraints", rule_object, .data = constraint_rules, .flags = RULE_EACH,
          .max = CONSTRAINTS_MAX },
        { "config", rule_object, .data = claim_config_rules, .flags = RULE_EACH,
          .max = DEVICE_CONFIG_MAX },
        RULES_END,
};

static void check_claim_spec(struct checker *checker, const struct at *at,
                             const struct json_node *spec) {
        struct at devices = at_member(at, "devices");

        checker->subject = node_get(spec, "devices");
        check_rules(checker, &devices, checker->subject, device_claim_rules);
}

/* ---- administrators' access ---- */

#define ADMIN_LABEL "resource.kubernetes.io/admin-access"

static bool is_admin_namespace(struct kind_context *context, struct slice ns) {
        const struct json *object = context->lookup ? context->lookup(context->engine, "",
                                                                      "namespaces", SLICE_EMPTY, ns)
                                                    : NULL;

        return slice_is(
                json_get_text(json_get(json_get(object, "metadata"), "labels"), ADMIN_LABEL),
                "true");
}

/* The first request for it counts, in a namespace without the label. */
static void check_admin_access(struct checker *checker, const struct json_node *object,
                               const struct at *at, const struct json_node *list,
                               const char *within) {
        struct slice ns = node_get_text(node_get(object, "metadata"), "namespace");

        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *element = node_at(list, i);
                struct at place = at_index(at, i);

                if (within)
                        element = node_get(element, within);
                if (!node_is_true(node_get(element, "adminAccess")))
                        continue;
                if (!is_admin_namespace(checker->context, ns))
                        report(checker, FIELD_FORBIDDEN, &place, "adminAccess", NULL,
                               "admin access to devices requires the `" ADMIN_LABEL
                               ": true` label on the containing namespace");
                return;
        }
}

/* ---- status ---- */

static const struct rule consumer_rules[] = {
        { "resource", rule_present, .flags = RULE_REQUIRED },
        { "name", rule_present, .flags = RULE_REQUIRED },
        { "uid", rule_present, .flags = RULE_REQUIRED },
        RULES_END,
};

/* What tells a device of an allocation from the others. */
static struct slice device_key(struct checker *checker, const struct json_node *device) {
        return slice_of(message_of(checker, SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT,
                                   SLICE_ARG(node_get_text(device, "driver")),
                                   SLICE_ARG(node_get_text(device, "pool")),
                                   SLICE_ARG(node_get_text(device, "device")),
                                   SLICE_ARG(node_get_text(device, "shareID"))));
}

static const char *device_key_json(struct checker *checker, const struct json_node *device) {
        return message_of(checker, "{\"Driver\":%s,\"Pool\":%s,\"Device\":%s,\"ShareID\":%s}",
                          quoted(checker, node_get_text(device, "driver")),
                          quoted(checker, node_get_text(device, "pool")),
                          quoted(checker, node_get_text(device, "device")),
                          quoted(checker, node_get_text(device, "shareID")));
}

static bool is_allocated(struct checker *checker, const struct json_node *device) {
        const struct json_node *devices =
                node_get(node_get(checker->subject, "allocation"), "devices");
        struct node_iter iter = node_iter(node_get(devices, "results"));
        struct slice key = device_key(checker, device);
        struct json_node *result;

        while (node_next(&iter, NULL, &result))
                if (slice_eq(device_key(checker, result), key))
                        return true;
        return false;
}

OWN_RULE(rule_is_allocated) {
        (void)rule;
        if (!is_allocated(checker, value))
                report_as_is(checker, FIELD_INVALID, at, device_key_json(checker, value),
                             "must be an allocated device in the claim");
}

#define DEVICE_DATA_MAX (10 * 1024)
#define INTERFACE_NAME_MAX 256
#define HARDWARE_ADDRESS_MAX 128
#define DEVICE_ADDRESSES_MAX 16

OWN_RULE(rule_device_data) {
        (void)rule;
        check_raw_object(checker, at, value, DEVICE_DATA_MAX);
}

static const struct rule network_data_rules[] = {
        { "interfaceName", rule_length, .high = INTERFACE_NAME_MAX },
        { "hardwareAddress", rule_length, .high = HARDWARE_ADDRESS_MAX },
        { "ips", rule_interface_address, .flags = RULE_EACH | RULE_UNIQUE,
          .max = DEVICE_ADDRESSES_MAX },
        RULES_END,
};
static const struct rule device_status_rules[] = {
        { "driver", rule_driver_name, .flags = RULE_REQUIRED },
        { "pool", rule_pool_name, .flags = RULE_REQUIRED },
        { "device", rule_form, .low = FORM_LABEL, .flags = RULE_ALWAYS },
        { "shareID", rule_uuid, .flags = RULE_PRESENT },
        { NULL, rule_is_allocated },
        { "conditions", rule_conditions, .high = DEVICE_CONDITIONS_MAX },
        { "data", rule_device_data },
        { "networkData", rule_object, .data = network_data_rules },
        RULES_END,
};
static const struct rule status_rules[] = {
        { "reservedFor", rule_object, .data = consumer_rules, .flags = RULE_EACH | RULE_UNIQUE,
          .unique = "uid", .max = RESERVED_MAX },
        { "devices", rule_object, .data = device_status_rules, .flags = RULE_EACH },
        RULES_END,
};
static const struct rule result_rules[] = {
        { "request", rule_request_name, .flags = RULE_ALWAYS },
        { "driver", rule_driver_name, .flags = RULE_REQUIRED },
        { "pool", rule_pool_name, .flags = RULE_REQUIRED },
        { "device", rule_form, .low = FORM_LABEL, .flags = RULE_ALWAYS },
        { NULL, rule_binding_conditions },
        { "shareID", rule_uuid, .flags = RULE_PRESENT },
        RULES_END,
};
static const char *const config_sources[] = { "FromClaim", "FromClass", NULL };
static const struct rule allocated_config_rules[] = {
        { "source", rule_choice, .data = config_sources, .flags = RULE_REQUIRED },
        REQUEST_NAMES,
        { NULL, rule_device_config },
        RULES_END,
};
static const struct rule allocated_devices_rules[] = {
        { "results", rule_object, .data = result_rules, .flags = RULE_EACH, .max = RESULTS_MAX },
        { "config", rule_object, .data = allocated_config_rules, .flags = RULE_EACH,
          .max = 2 * (size_t)DEVICE_CONFIG_MAX },
        RULES_END,
};
static const struct rule allocation_rules[] = {
        { "devices", rule_object, .data = allocated_devices_rules },
        { "nodeSelector", rule_node_selector },
        RULES_END,
};

static void check_repeated_devices(struct checker *checker, const struct at *at,
                                   const struct json_node *devices) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };

        for (size_t i = 0; i < node_count(devices); i++) {
                struct at place = at_index(at, i);

                if (!text_set_add(&seen, device_key(checker, node_at(devices, i))))
                        report_as_is(checker, FIELD_DUPLICATE, &place,
                                     device_key_json(checker, node_at(devices, i)), NULL);
        }
}

static bool is_deleted(const struct json_node *object) {
        return node_get(node_get(object, "metadata"), "deletionTimestamp");
}

static void check_reservations(struct checker *checker, const struct at *at,
                               const struct json_node *object, const struct json *old) {
        const struct json_node *status = node_get(object, "status");
        const struct json_node *consumers = node_get(status, "reservedFor");
        CLEANUP(text_set_release) struct text_set known = { 0 };
        struct json_iter iter = json_iter(json_get(old, "reservedFor"));
        const struct json *consumer;

        if (node_count(consumers) == 0)
                return;
        if (!node_get(status, "allocation")) {
                report(checker, FIELD_FORBIDDEN, at, "reservedFor", NULL,
                       "may not be specified when `allocated` is not set");
                return;
        }
        while (json_next(&iter, NULL, &consumer))
                text_set_add(&known, json_get_text(consumer, "uid"));
        for (size_t i = 0; is_deleted(object) && i < node_count(consumers); i++)
                if (!text_set_has(&known, node_get_text(node_at(consumers, i), "uid"))) {
                        report(checker, FIELD_FORBIDDEN, at, "reservedFor", NULL,
                               "new entries may not be added while `deallocationRequested` or "
                               "`deletionTimestamp` are set");
                        return;
                }
}

static bool had_admin_access(const struct json *status) {
        const struct json *devices = json_get(json_get(status, "allocation"), "devices");
        struct json_iter iter = json_iter(json_get(devices, "results"));
        const struct json *result;

        while (json_next(&iter, NULL, &result))
                if (json_get_bool(result, "adminAccess", false))
                        return true;
        return false;
}

static void check_claim_status(struct checker *checker, const struct json_node *object,
                               const struct json *old) {
        const struct json_node *status = node_get(object, "status");
        const struct json_node *allocation = node_get(status, "allocation");
        const struct json *old_status = json_get(old, "status");
        struct at at = at_root("status"), place = at_member(&at, "allocation");
        struct at devices = at_member(&at, "devices"), inner = at_member(&place, "devices");
        struct at results = at_member(&inner, "results");

        if (!had_admin_access(old_status))
                check_admin_access(checker, object, &results,
                                   node_get(node_get(allocation, "devices"), "results"), NULL);
        checker->subject = status;
        check_rules(checker, &at, status, status_rules);
        check_repeated_devices(checker, &devices, node_get(status, "devices"));
        check_reservations(checker, &at, object, old_status);
        if (allocation && json_get(old_status, "allocation")) {
                check_immutable(checker, &at, status, old_status, "allocation");
        } else if (allocation) {
                checker->subject = node_get(node_get(object, "spec"), "devices");
                check_rules(checker, &place, allocation, allocation_rules);
        }
}

/* ---- kinds ---- */

VALIDATE_HOOK(resource_claim_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec"), devices = at_member(&at, "devices");
        struct at requests = at_member(&devices, "requests");

        if (operation == KIND_UPDATE_STATUS) {
                check_claim_status(&checker, object, old);
                return;
        }
        if (operation == KIND_UPDATE) {
                check_immutable(&checker, NULL, object, old, "spec");
                return;
        }
        check_admin_access(&checker, object, &requests,
                           node_get(node_get(spec, "devices"), "requests"), "exactly");
        check_claim_spec(&checker, &at, spec);
}

VALIDATE_HOOK(resource_claim_template_validate) {
        static const char *const allowed[] = { "annotations", "labels", NULL };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec"), *claim = node_get(spec, "spec");
        struct at at = at_root("spec"), metadata = at_member(&at, "metadata");
        /* The rights of a request are looked at where claims have them. */
        struct at inner = at_member(&at, "spec"), devices = at_member(&at, "devices");
        struct at requests = at_member(&devices, "requests");

        if (operation == KIND_CREATE)
                check_admin_access(&checker, object, &requests,
                                   node_get(node_get(claim, "devices"), "requests"), "exactly");
        check_template_metadata(&checker, &metadata, node_get(spec, "metadata"), allowed);
        check_claim_spec(&checker, &inner, claim);
        if (operation != KIND_CREATE)
                check_immutable(&checker, NULL, object, old, "spec");
}

OWN_RULE(rule_extended_resource) {
        (void)rule;
        if (!check_extended_resource_name(checker, node_get_slice(value)))
                report_text(checker, at, NULL, node_get_slice(value),
                            "must be a valid extended resource name");
}

static const struct rule class_spec_rules[] = {
        { "selectors", rule_device_selector, .flags = RULE_EACH, .max = DEVICE_SELECTORS_MAX },
        { "config", rule_device_config, .flags = RULE_EACH, .max = DEVICE_CONFIG_MAX },
        { "extendedResourceName", rule_extended_resource, .flags = RULE_PRESENT },
        RULES_END,
};
static const struct rule class_rules[] = {
        { "spec", rule_object, .data = class_spec_rules },
        RULES_END,
};

VALIDATE_HOOK(device_class_validate) {
        (void)operation, (void)old;
        check_object(context, object, errors, class_rules);
}
