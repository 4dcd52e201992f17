/* Validation of group storage.k8s.io. */
#include "kinds/rules.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include "kinds/volume_rules.h"

/* ---- classes ---- */

#define PARAMETERS_MAX 512
#define PARAMETER_BYTES_MAX (256 * 1024)

OWN_RULE(rule_provisioner) {
        struct slice name = node_get_slice(value);
        struct buf lower = { 0 };

        (void)rule;
        for (size_t i = 0; i < name.len; i++) {
                char c = name.ptr[i];

                buf_char(&lower, c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c);
        }
        check_form(checker, at, buf_view(&lower), FORM_QUALIFIED);
        buf_release(&lower);
}

static size_t text_map_bytes(const struct json_node *map) {
        struct node_iter iter = node_iter(map);
        struct json_node *value;
        struct slice key;
        size_t bytes = 0;

        while (node_next(&iter, &key, &value))
                bytes += key.len + node_get_slice(value).len;
        return bytes;
}

static void report_size(struct checker *checker, const struct at *at, size_t max) {
        report(checker, FIELD_TOO_LONG, at, NULL, NULL,
               message_of(checker, "may not be more than %zu bytes", max));
}

OWN_RULE(rule_parameters) {
        (void)rule;
        if (node_count(value) > PARAMETERS_MAX) {
                report_size(checker, at, PARAMETERS_MAX);
                return;
        }
        if (node_find(value, SLICE_EMPTY))
                report_text(checker, at, NULL, SLICE_EMPTY, "field can not be empty.");
        if (text_map_bytes(value) > PARAMETER_BYTES_MAX)
                report_size(checker, at, PARAMETER_BYTES_MAX);
}

OWN_RULE(rule_topology_values) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                struct slice text = node_get_slice(node_at(value, i));
                struct at place = at_index(at, i);

                if (!text_set_add(&seen, text))
                        report(checker, FIELD_DUPLICATE, &place, NULL, quoted(checker, text), NULL);
        }
}

static const struct rule topology_rules[] = {
        { "values", rule_topology_values, .flags = RULE_REQUIRED },
        { "key", rule_form, .low = FORM_QUALIFIED, .flags = RULE_ALWAYS },
        RULES_END,
};

/* One complaint for each earlier term that is the same; upstream compares with as many empty terms
 * as there are terms, too. */
static void report_same_terms(struct checker *checker, const struct at *at, struct map *terms,
                              const struct json_node *list, size_t term_count) {
        struct slice text = slice_of(node_count(list) ? node_json(checker, list) : "");
        uintptr_t earlier = (uintptr_t)map_get(terms, text);
        size_t same = earlier + (node_count(list) == 0 ? term_count : 0);

        map_put(terms, text, (void *)(earlier + 1));
        for (size_t i = 0; i < same; i++) {
                if (checker->errors->more > 0) {
                        checker->errors->more += same - i;
                        return;
                }
                report(checker, FIELD_DUPLICATE, at, NULL, "\"\"", NULL);
        }
}

/* The keys of a term differ; so do terms. */
OWN_RULE(rule_topologies) {
        struct map *terms = map_new();

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                const struct json_node *list = node_get(node_at(value, i), "matchLabelExpressions");
                CLEANUP(text_set_release) struct text_set keys = { 0 };
                struct at term = at_index(at, i), inner = at_member(&term, "matchLabelExpressions");

                for (size_t j = 0; j < node_count(list); j++) {
                        struct slice key = node_get_text(node_at(list, j), "key");
                        struct at place = at_index(&inner, j);

                        check_rules(checker, &place, node_at(list, j), topology_rules);
                        if (!text_set_add(&keys, key))
                                report(checker, FIELD_DUPLICATE, &place, "key",
                                       quoted(checker, key), NULL);
                }
                report_same_terms(checker, &inner, terms, list, node_count(value));
        }
        map_free(terms);
}

static const char *const reclaim_policies[] = { "Delete", "Retain", NULL };
static const char *const binding_modes[] = { "Immediate", "WaitForFirstConsumer", NULL };
static const struct rule storage_class_rules[] = {
        { "provisioner", rule_provisioner, .flags = RULE_REQUIRED },
        { "parameters", rule_parameters },
        { "reclaimPolicy", rule_choice, .data = reclaim_policies },
        { "volumeBindingMode", rule_choice, .data = binding_modes,
          .flags = RULE_REQUIRED | RULE_PRESENT },
        { "allowedTopologies", rule_topologies },
        RULES_END,
};

VALIDATE_HOOK(storage_class_validate) {
        static const struct frozen frozen[] = {
                { "parameters", FIELD_INVALID, NULL, NULL },
                { "provisioner", FIELD_INVALID, NULL, NULL },
                { "reclaimPolicy", FIELD_INVALID, NULL, NULL },
                { "volumeBindingMode", FIELD_INVALID, NULL, NULL },
        };
        struct checker checker = { .errors = errors, .context = context };

        check_rules(&checker, NULL, object, storage_class_rules);
        if (operation != KIND_CREATE)
                check_frozen_members(&checker, NULL, object, old, frozen, ARRAY_LEN(frozen));
}

static const struct rule attributes_class_rules[] = {
        { "driverName", rule_provisioner, .flags = RULE_REQUIRED },
        { "parameters", rule_parameters, .flags = RULE_REQUIRED,
          .text = "must contain at least one key/value pair" },
        RULES_END,
};

VALIDATE_HOOK(volume_attributes_class_validate) {
        static const struct frozen frozen[] = {
                { "driverName", FIELD_FORBIDDEN, "updates to driverName are forbidden.", NULL },
                { "parameters", FIELD_FORBIDDEN, "updates to parameters are forbidden.", NULL },
        };
        struct checker checker = { .errors = errors, .context = context };

        if (operation != KIND_CREATE)
                check_frozen_members(&checker, NULL, object, old, frozen, ARRAY_LEN(frozen));
        check_rules(&checker, NULL, object, attributes_class_rules);
}

/* ---- attachments ---- */

#define ATTACHMENT_BYTES_MAX (256 * 1024)
#define VOLUME_ERROR_MAX 1024

OWN_RULE(rule_attachment_source) {
        const struct json_node *name = node_get(value, "persistentVolumeName");
        const struct json_node *inline_spec = node_get(value, "inlineVolumeSpec");
        struct at place = at_member(at, "inlineVolumeSpec");

        (void)rule;
        if (!inline_spec && !name)
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "must specify exactly one of inlineVolumeSpec and persistentVolumeName");
        else if (inline_spec && name)
                report(checker, FIELD_FORBIDDEN, at, NULL, NULL,
                       "must specify exactly one of inlineVolumeSpec and persistentVolumeName");
        else if (inline_spec)
                check_volume_spec(checker, &place, inline_spec, true);
        else if (node_get_slice(name).len == 0)
                report(checker, FIELD_REQUIRED, at, "persistentVolumeName", NULL,
                       "must specify non empty persistentVolumeName");
}

static const struct rule attachment_spec_rules[] = {
        { "attacher", rule_driver_name, .flags = RULE_REQUIRED },
        { "source", rule_attachment_source, .flags = RULE_ALWAYS },
        { "nodeName", rule_form, .low = FORM_SUBDOMAIN, .flags = RULE_ALWAYS },
        RULES_END,
};

OWN_RULE(rule_attachment_metadata) {
        (void)rule;
        if (text_map_bytes(value) > ATTACHMENT_BYTES_MAX)
                report_size(checker, at, ATTACHMENT_BYTES_MAX);
}

OWN_RULE(rule_error_message) {
        (void)rule;
        if (node_get_slice(value).len > VOLUME_ERROR_MAX)
                report_size(checker, at, ATTACHMENT_BYTES_MAX);
}

static const struct rule volume_error_rules[] = {
        { "message", rule_error_message },
        { "errorCode", rule_range, .low = 0, .high = INT32_MAX },
        RULES_END,
};
static const struct rule attachment_status_rules[] = {
        { "attachmentMetadata", rule_attachment_metadata },
        { "attachError", rule_object, .data = volume_error_rules },
        { "detachError", rule_object, .data = volume_error_rules },
        RULES_END,
};
static const struct rule volume_name_rules[] = {
        { "persistentVolumeName", rule_form, .low = FORM_SUBDOMAIN, .flags = RULE_PRESENT },
        RULES_END,
};
static const struct rule attachment_source_rules[] = {
        { "source", rule_object, .data = volume_name_rules },
        RULES_END,
};
static const struct rule attachment_rules[] = {
        { "spec", rule_object, .data = attachment_spec_rules, .flags = RULE_ALWAYS },
        { "status", rule_object, .data = attachment_status_rules },
        { "spec", rule_object, .data = attachment_source_rules },
        RULES_END,
};

VALIDATE_HOOK(volume_attachment_validate) {
        static const struct frozen frozen[] = { { "spec", FIELD_INVALID, NULL, NULL } };
        struct checker checker = { .errors = errors, .context = context };

        check_rules(&checker, NULL, object, attachment_rules);
        if (operation != KIND_CREATE)
                check_frozen_members(&checker, NULL, object, old, frozen, ARRAY_LEN(frozen));
}

/* ---- nodes' drivers ---- */

#define NODE_ID_MAX 256

OWN_RULE(rule_node_id) {
        (void)rule;
        if (node_get_slice(value).len > NODE_ID_MAX)
                report_text(checker, at, NULL, node_get_slice(value),
                            "must be 256 characters or less");
}

static const struct rule allocatable_rules[] = {
        { "count", rule_not_negative },
        RULES_END,
};
static const struct rule csi_node_driver_rules[] = {
        { "name", rule_driver_name, .flags = RULE_REQUIRED },
        { "nodeID", rule_node_id, .flags = RULE_REQUIRED },
        { "allocatable", rule_object, .data = allocatable_rules },
        RULES_END,
};

static void check_topology_keys(struct checker *checker, const struct at *at,
                                const struct json_node *keys) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };

        for (size_t i = 0; i < node_count(keys); i++) {
                struct slice key = node_get_slice(node_at(keys, i));

                if (key.len == 0)
                        report(checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
                if (!text_set_add(&seen, key))
                        report(checker, FIELD_DUPLICATE, at, NULL, quoted(checker, key), NULL);
                check_form(checker, at, key, FORM_QUALIFIED);
        }
}

static void check_node_drivers(struct checker *checker, const struct at *at,
                               const struct json_node *drivers) {
        CLEANUP(text_set_release) struct text_set names = { 0 };

        for (size_t i = 0; i < node_count(drivers); i++) {
                const struct json_node *driver = node_at(drivers, i);
                struct slice name = node_get_text(driver, "name");
                struct at place = at_index(at, i);

                check_rules(checker, &place, driver, csi_node_driver_rules);
                if (!text_set_add(&names, name))
                        report(checker, FIELD_DUPLICATE, &place, "name", quoted(checker, name),
                               NULL);
                check_topology_keys(checker, &place, node_get(driver, "topologyKeys"));
        }
}

/* All of a driver but what can be allocated on the node. */
static void check_same_drivers(struct checker *checker, const struct at *at,
                               const struct json_node *driver, const struct json *before) {
        static const char *const members[] = { "nodeID", "topologyKeys" };
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *rest = node_clone(tree, driver);

        node_remove(rest, "allocatable");
        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                if (!is_same_member(driver, before, members[i])) {
                        report_typed(checker, FIELD_INVALID, at, "storage.v1.CSINodeDriver", rest,
                                     "field is immutable");
                        return;
                }
}

VALIDATE_HOOK(csi_node_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *drivers = node_get(node_get(object, "spec"), "drivers");
        struct json_iter iter = json_iter(json_get(json_get(old, "spec"), "drivers"));
        struct at spec = at_root("spec"), at = at_member(&spec, "drivers");
        const struct json *before;

        check_node_drivers(&checker, &at, drivers);
        while (operation != KIND_CREATE && json_next(&iter, NULL, &before))
                for (size_t i = 0; i < node_count(drivers); i++)
                        if (slice_eq(node_get_text(node_at(drivers, i), "name"),
                                     json_get_text(before, "name")))
                                check_same_drivers(&checker, &at, node_at(drivers, i), before);
}

/* ---- drivers ---- */

#define TOKEN_SECONDS_MIN 600
#define TOKEN_SECONDS_MAX ((int64_t)1 << 32)

OWN_RULE(rule_token_requests) {
        CLEANUP(text_set_release) struct text_set audiences = { 0 };

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                const struct json_node *request = node_at(value, i);
                struct slice audience = node_get_text(request, "audience");
                int64_t seconds = node_get_i64(request, "expirationSeconds", TOKEN_SECONDS_MIN);
                struct at place = at_index(at, i);

                if (!text_set_add(&audiences, audience)) {
                        report(checker, FIELD_DUPLICATE, &place, "audience",
                               quoted(checker, audience), NULL);
                        continue;
                }
                if (seconds < TOKEN_SECONDS_MIN)
                        report_number(checker, &place, "expirationSeconds", seconds,
                                      "may not specify a duration less than 10 minutes");
                if (seconds > TOKEN_SECONDS_MAX)
                        report_number(checker, &place, "expirationSeconds", seconds,
                                      "may not specify a duration larger than 2^32 seconds");
        }
}

OWN_RULE(rule_lifecycle_modes) {
        static const char *const modes[] = { "Persistent", "Ephemeral", NULL };
        const struct rule choice = { .data = modes };

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++)
                rule_choice(checker, at, node_at(value, i), &choice);
}

OWN_RULE(rule_secret_tokens) {
        const struct json_node *flag = node_get(value, "serviceAccountTokenInSecrets");

        (void)rule;
        if (flag && node_count(node_get(value, "tokenRequests")) == 0)
                report(checker, FIELD_INVALID, at, "serviceAccountTokenInSecrets",
                       node_json(checker, flag),
                       "serviceAccountTokenInSecrets is set but no tokenRequests are specified");
}

static const char *const group_policies[] = { "File", "None", "ReadWriteOnceWithFSType", NULL };
static const struct rule csi_driver_spec_rules[] = {
        { "fsGroupPolicy", rule_choice, .data = group_policies, .flags = RULE_PRESENT },
        { "tokenRequests", rule_token_requests },
        { "volumeLifecycleModes", rule_lifecycle_modes },
        { "nodeAllocatableUpdatePeriodSeconds", rule_range, .low = 10, .high = INT64_MAX,
          .text = "must be greater than or equal to 10 seconds" },
        { NULL, rule_secret_tokens },
        RULES_END,
};

VALIDATE_HOOK(csi_driver_validate) {
        static const struct frozen frozen[] = {
                { "attachRequired", FIELD_INVALID, NULL, "attachedRequired" },
                { "volumeLifecycleModes", FIELD_INVALID, NULL, NULL },
        };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec");

        check_rules(&checker, &at, spec, csi_driver_spec_rules);
        if (operation != KIND_CREATE)
                check_frozen_members(&checker, &at, spec, json_get(old, "spec"), frozen,
                                     ARRAY_LEN(frozen));
}

/* ---- capacities ---- */

static const struct rule capacity_rules[] = {
        { "nodeTopology", rule_label_selector },
        { "storageClassName", rule_form, .low = FORM_SUBDOMAIN, .flags = RULE_ALWAYS },
        { "capacity", rule_quantity_not_negative },
        RULES_END,
};

VALIDATE_HOOK(csi_storage_capacity_validate) {
        static const struct frozen frozen[] = {
                { "nodeTopology", FIELD_INVALID, NULL, NULL },
                { "storageClassName", FIELD_INVALID, NULL, NULL },
        };
        struct checker checker = { .errors = errors, .context = context };

        check_rules(&checker, NULL, object, capacity_rules);
        if (operation != KIND_CREATE)
                check_frozen_members(&checker, NULL, object, old, frozen, ARRAY_LEN(frozen));
}
