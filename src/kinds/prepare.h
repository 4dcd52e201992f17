/* Preparation of writes: what a client may not set is reset or taken from the stored object. */
#pragma once

#include "kinds/kind.h"

/* Replaces a member by that of the stored object; removes it when there is none. */
void keep_member(struct json_tree *tree, struct json_node *object, const struct json *old,
                 const char *key);
/* Takes everything but metadata and status from the stored object. */
void keep_all_but_status(struct json_tree *tree, struct json_node *object, const struct json *old);

#define PREPARE_HOOK(name)                                                                         \
        void name(struct kind_context *context, enum kind_operation operation,                     \
                  struct json_tree *tree, struct json_node *object, const struct json *old)
/* Status belongs to /status: dropped at create, unchanged by updates. */
void drop_gated(struct json_node *pod_spec);
PREPARE_HOOK(status_prepare);
PREPARE_HOOK(pod_prepare);
PREPARE_HOOK(node_prepare);
PREPARE_HOOK(csi_driver_prepare);
PREPARE_HOOK(namespace_prepare);
PREPARE_HOOK(service_prepare);
PREPARE_HOOK(service_account_prepare);
PREPARE_HOOK(persistent_volume_prepare);
PREPARE_HOOK(persistent_volume_claim_prepare);
PREPARE_HOOK(resource_slice_prepare);
PREPARE_HOOK(pod_group_prepare);
PREPARE_HOOK(deployment_prepare);
PREPARE_HOOK(daemon_set_prepare);
PREPARE_HOOK(job_prepare);
PREPARE_HOOK(certificate_signing_request_prepare);
PREPARE_HOOK(custom_resource_definition_prepare);

/* Leaves the part of the spec that belongs to ephemeralcontainers or resize. */
void pod_subresource_prepare(struct slice subresource, struct json_tree *tree,
                             struct json_node *pod, const struct json *old);
static inline bool is_pod_part(struct slice subresource) {
        return slice_is(subresource, "ephemeralcontainers") || slice_is(subresource, "resize");
}

const char *pod_qos_class(const struct json_node *spec);
