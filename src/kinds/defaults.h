/* Small verbs for filling in defaults, and the defaults of what many kinds embed: pod templates and
 * claim specs. Objects come normalised, so a member is absent or has its type. */
#pragma once

#include "api/json.h"

/* For members whose zero value means unset. */
void default_text(struct json_tree *tree, struct json_node *object, const char *key,
                  const char *text);
void default_i64(struct json_tree *tree, struct json_node *object, const char *key, int64_t value);
/* For members of pointer type: only absence counts. */
void default_absent(struct json_tree *tree, struct json_node *object, const char *key,
                    struct json_node *value);
void default_absent_text(struct json_tree *tree, struct json_node *object, const char *key,
                         const char *text);
void default_absent_i64(struct json_tree *tree, struct json_node *object, const char *key,
                        int64_t value);
void default_absent_bool(struct json_tree *tree, struct json_node *object, const char *key,
                         bool value);

/* Member that is an object, NULL otherwise. */
struct json_node *object_at(const struct json_node *object, const char *key);

void pod_spec_defaults(struct json_tree *tree, struct json_node *spec);
void pod_level_defaults(struct json_tree *tree, struct json_node *spec); /* after its containers */
void pod_defaults(struct json_tree *tree, struct json_node *pod);
/* The member "template" of a workload spec: made when absent, its spec filled in. */
void pod_template_defaults(struct json_tree *tree, struct json_node *owner);
void claim_spec_defaults(struct json_tree *tree, struct json_node *spec);
/* Amounts finer than a thousandth are rounded up to one. */
void resource_list_defaults(struct json_tree *tree, struct json_node *list);

#define DEFAULTS_HOOK(name) void name(struct json_tree *tree, struct json_node *object)
DEFAULTS_HOOK(deployment_defaults);
DEFAULTS_HOOK(daemon_set_defaults);
DEFAULTS_HOOK(stateful_set_defaults);
DEFAULTS_HOOK(replica_set_defaults);
DEFAULTS_HOOK(replication_controller_defaults);
DEFAULTS_HOOK(pod_template_object_defaults);
DEFAULTS_HOOK(job_defaults);
DEFAULTS_HOOK(cron_job_defaults);
DEFAULTS_HOOK(service_defaults);
DEFAULTS_HOOK(secret_defaults);
DEFAULTS_HOOK(endpoints_defaults);
DEFAULTS_HOOK(namespace_defaults);
DEFAULTS_HOOK(node_defaults);
DEFAULTS_HOOK(persistent_volume_defaults);
DEFAULTS_HOOK(volume_attachment_defaults);
DEFAULTS_HOOK(persistent_volume_claim_defaults);
DEFAULTS_HOOK(limit_range_defaults);
DEFAULTS_HOOK(resource_quota_defaults);
DEFAULTS_HOOK(priority_class_defaults);
DEFAULTS_HOOK(pod_group_defaults);
DEFAULTS_HOOK(role_binding_defaults);
DEFAULTS_HOOK(storage_class_defaults);
DEFAULTS_HOOK(csi_driver_defaults);
DEFAULTS_HOOK(network_policy_defaults);
DEFAULTS_HOOK(ingress_class_defaults);
DEFAULTS_HOOK(endpoint_slice_defaults);
DEFAULTS_HOOK(custom_resource_definition_defaults);
DEFAULTS_HOOK(mutating_webhook_configuration_defaults);
DEFAULTS_HOOK(validating_webhook_configuration_defaults);
DEFAULTS_HOOK(admission_policy_defaults);
DEFAULTS_HOOK(admission_policy_binding_defaults);
DEFAULTS_HOOK(flow_schema_defaults);
DEFAULTS_HOOK(priority_level_configuration_defaults);
DEFAULTS_HOOK(api_service_defaults);
DEFAULTS_HOOK(resource_claim_defaults);
DEFAULTS_HOOK(resource_claim_template_defaults);
DEFAULTS_HOOK(horizontal_pod_autoscaler_defaults);
