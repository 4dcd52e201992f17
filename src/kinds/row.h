/* Table rows: the cells of one object, in the order of its kind's columns. */
#pragma once

#include "kinds/kind.h"

/* A row under way; cells are appended as JSON. */
struct row {
        struct kind_context *context;
        struct buf *out;
        size_t count;
};
struct row row_begin(struct kind_context *context, struct buf *out);
void row_end(struct row *row);
void cell_text(struct row *row, struct slice text);
void cell_string(struct row *row, const char *text);
void cell_number(struct row *row, int64_t number);
void cell_bool(struct row *row, bool value);
void cell_format(struct row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cell_or(struct row *row, struct slice text, const char *otherwise); /* otherwise when empty */
void cell_name(struct row *row, const struct json *object);
void cell_age(struct row *row, const struct json *object); /* since its creation */
void cell_since(struct row *row, struct slice time, const char *otherwise);
void cell_join(struct row *row, const struct json *texts, const char *otherwise);
/* "a=b,c=d" of a label map; "<none>" when empty. */
void cell_labels(struct row *row, const struct json *labels);
void cell_label_selector(struct row *row, const struct json *selector);
/* Addresses, else names, of status.loadBalancer: each once, in order, joined by commas. */
void balancer_print(struct arena *arena, const struct json *status, struct buf *out);
/* Two cells: names and images of the containers of a pod spec. */
void cells_containers(struct row *row, const struct json *pod_spec);

/* Age as kubectl shows it; "<unknown>" when the time cannot be read. buffer of 40 bytes. */
const char *since_text(struct kind_context *context, struct slice time, char *buffer);

#define ROW_HOOK(name)                                                                             \
        void name(struct kind_context *context, const struct json *object, struct buf *cells,      \
                  struct buf *conditions)
ROW_HOOK(pod_row);
ROW_HOOK(node_row);
ROW_HOOK(namespace_row);
ROW_HOOK(event_row);
ROW_HOOK(config_map_row);
ROW_HOOK(secret_row);
ROW_HOOK(service_row);
ROW_HOOK(endpoints_row);
ROW_HOOK(persistent_volume_row);
ROW_HOOK(persistent_volume_claim_row);
ROW_HOOK(resource_quota_row);
ROW_HOOK(name_age_row);
ROW_HOOK(pod_template_row);
ROW_HOOK(replica_set_row); /* replication controllers too */
ROW_HOOK(deployment_row);
ROW_HOOK(stateful_set_row);
ROW_HOOK(daemon_set_row);
ROW_HOOK(controller_revision_row);
ROW_HOOK(job_row);
ROW_HOOK(cron_job_row);
ROW_HOOK(horizontal_pod_autoscaler_row);
ROW_HOOK(scale_row);
ROW_HOOK(pod_disruption_budget_row);
ROW_HOOK(lease_row);
ROW_HOOK(priority_class_row);
ROW_HOOK(pod_group_row);
ROW_HOOK(binding_row);
ROW_HOOK(storage_class_row);
ROW_HOOK(csi_node_row);
ROW_HOOK(csi_driver_row);
ROW_HOOK(volume_attachment_row);
ROW_HOOK(volume_attributes_class_row);
ROW_HOOK(runtime_class_row);
ROW_HOOK(endpoint_slice_row);
ROW_HOOK(ingress_row);
ROW_HOOK(ingress_class_row);
ROW_HOOK(network_policy_row);
ROW_HOOK(ip_address_row);
ROW_HOOK(service_cidr_row);
ROW_HOOK(resource_claim_row);
ROW_HOOK(resource_slice_row);
ROW_HOOK(certificate_signing_request_row);
ROW_HOOK(webhook_configuration_row);
ROW_HOOK(validating_admission_policy_row);
ROW_HOOK(mutating_admission_policy_row);
ROW_HOOK(admission_policy_binding_row);
ROW_HOOK(api_service_row);
ROW_HOOK(flow_schema_row);
ROW_HOOK(priority_level_configuration_row);
