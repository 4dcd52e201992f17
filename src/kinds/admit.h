/* Admission: what the cluster adds to objects or refuses, beyond validity. The namespace checks are
 * the engine's. */
#pragma once

#include "kinds/kind.h"

#define ADMIT_HOOK(name)                                                                           \
        int name(struct kind_context *context, enum kind_operation operation,                      \
                 struct json_tree *tree, struct json_node *object, const struct json *old,         \
                 struct err *err)
#define JUDGE_HOOK(name)                                                                           \
        int name(struct kind_context *context, enum kind_operation operation,                      \
                 const struct json_node *object, const struct json *old, struct err *err)
ADMIT_HOOK(pod_admit);
ADMIT_HOOK(pod_group_admit);
ADMIT_HOOK(node_admit);
ADMIT_HOOK(persistent_volume_admit);
ADMIT_HOOK(persistent_volume_claim_admit);
ADMIT_HOOK(ingress_admit);
ADMIT_HOOK(volume_attributes_class_admit);

/* Defaults of the LimitRanges of the pod's namespace. old: of a pod that is resized, as below. */
int limit_range_admit(struct kind_context *context, struct json_tree *tree, struct json_node *pod,
                      const struct json *old, struct err *err);
/* The bounds of the LimitRanges, once a pod or claim is valid. old: the stored one, NULL at create.
 */
int limit_range_judge(struct kind_context *context, struct json_tree *tree,
                      struct json_node *object, const struct json *old, struct err *err);
/* Resource quotas of the namespace against what one more object would use, or one that changes more
 * than it did. old: NULL at create, of any kind. */
int quota_admit(struct kind_context *context, const struct json_node *object,
                const struct json *old, struct slice ns, struct err *err);
/* What that adds to the use that a quota's status shows: called for each resource of each quota the
 * object takes of, one quota after the other. used: the new amount. */
struct quota_charges {
        void (*visit)(void *context, struct slice quota, struct slice resource, struct slice used);
        void *context;
};
void quota_charge(struct kind_context *context, const struct json_node *object,
                  const struct json *old, struct slice ns, const struct quota_charges *charges);
/* RuntimeClass of a pod: overhead and where it may run. */
int runtime_class_admit(struct kind_context *context, struct json_tree *tree, struct json_node *pod,
                        struct err *err);
/* Overhead without a class that defines it, once a new pod is valid. */
/* errors: what is empty in what the client sent. */
int runtime_class_judge(struct kind_context *context, const struct json_node *pod,
                        struct field_errors *errors, struct err *err);

/* Whether a claim may ask for more: bound ones of a class that allows it. */
JUDGE_HOOK(persistent_volume_claim_judge);
/* Whether the node of a pod that changes has the features for it, and, when it is resized, the
 * room; sets context->cause. */
JUDGE_HOOK(pod_judge);

/* Copies the node's zone and region onto a pod that is put there; nothing when there is no node. */
void pod_topology_labels(struct kind_context *context, struct json_tree *tree,
                         struct json_node *pod, struct slice node_name);

/* What admission calls an object: names are generated after that which changes it, and before that
 * which judges it. */
struct slice admitted_name(const struct kind_context *context, const struct json_node *object);
/* 403 "pods "x" is forbidden: text". */
int admit_forbid(struct kind_context *context, const struct json_node *object, struct err *err,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Adds it unless it is there. */
void admit_finalizer(struct json_tree *tree, struct json_node *object, const char *name);
/* Only one PriorityClass may be the default. */
JUDGE_HOOK(priority_class_judge);
/* Who approves or signs requests of a signer has to be allowed to; no request is for a client of
 * system:masters. */
JUDGE_HOOK(certificate_signing_request_judge);
/* A new PodGroup's template exists. */
JUDGE_HOOK(pod_group_judge);
