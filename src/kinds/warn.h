/* Warnings about objects that are valid but hardly meant. */
#pragma once

#include "kinds/kind.h"

#define WARN_HOOK(name)                                                                            \
        void name(enum kind_operation operation, const struct json_node *object,                   \
                  void (*emit)(void *context, const char *text), void *context)
WARN_HOOK(pod_warn);
WARN_HOOK(workload_warn); /* spec.template */
WARN_HOOK(node_warn);
WARN_HOOK(secret_warn);
WARN_HOOK(cron_job_warn);
WARN_HOOK(pod_template_warn);
WARN_HOOK(resource_slice_warn);
WARN_HOOK(service_warn);
WARN_HOOK(endpoints_warn);
WARN_HOOK(endpoint_slice_warn);
WARN_HOOK(ingress_warn);
WARN_HOOK(persistent_volume_claim_warn);
WARN_HOOK(persistent_volume_warn);
WARN_HOOK(resource_quota_warn);
WARN_HOOK(storage_class_warn);

/* What to use instead of a label of nodes that has a successor; NULL for any other. */
const char *old_node_label(struct slice label);
WARN_HOOK(custom_resource_definition_warn); /* crd_validate.c */

/* Those of every write (write_warn.c). */
#define WARN_EACH_HOOK(name)                                                                       \
        void name(enum kind_operation operation, const struct json_node *object,                   \
                  const struct json *old, void (*emit)(void *context, const char *text),           \
                  void *context)
WARN_EACH_HOOK(address_status_warn); /* addresses of pods, services and ingresses */
WARN_EACH_HOOK(csi_driver_warn);
WARN_EACH_HOOK(finalizer_warn);   /* of custom resources */
WARN_EACH_HOOK(node_labels_warn); /* of RuntimeClasses and CSIStorageCapacities */
WARN_EACH_HOOK(network_policy_warn);
WARN_EACH_HOOK(replication_controller_warn);
WARN_EACH_HOOK(service_account_warn);
WARN_EACH_HOOK(stateful_set_warn);
WARN_EACH_HOOK(static_name_warn); /* names that only files may have */
