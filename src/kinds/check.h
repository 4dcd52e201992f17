/* What validation is written with: places in an object that become text only when something is
 * wrong there, and the usual complaints about a member of an object. */
#pragma once

#include "base/text_set.h"
#include "kinds/defaults.h"
#include "kinds/kind.h"
#include "kinds/text_form.h"

struct checker {
        struct field_errors *errors;
        struct kind_context *context;
        const struct json_node *subject; /* what rules of members refer to, by the kind; or NULL */
        bool had_source_group;           /* of a claim: its source had a group before */
};

/* A place is a chain of these on the stack; the outermost has no parent. */
struct at {
        const struct at *up;
        const char *name; /* member; NULL = a list element or map key */
        size_t index;
        struct slice key; /* map key, when set */
};
static inline struct at at_root(const char *name) {
        return (struct at){ .name = name };
}
static inline struct at at_member(const struct at *up, const char *name) {
        return (struct at){ .up = up, .name = name };
}
static inline struct at at_index(const struct at *up, size_t index) {
        return (struct at){ .up = up, .index = index };
}
static inline struct at at_key(const struct at *up, struct slice key) {
        return (struct at){ .up = up, .key = key };
}
const char *at_text(struct checker *checker, const struct at *at);

/* The client sent an empty list or map there, which is dropped as if it were absent. */
bool is_emptied(struct checker *checker, const struct at *at);

/* member may be NULL: the place itself. value is JSON text, shown as shown_value() makes it, or
 * NULL; detail text or NULL. */
void report(struct checker *checker, enum field_error_kind kind, const struct at *at,
            const char *member, const char *value, const char *detail);
void report_text(struct checker *checker, const struct at *at, const char *member,
                 struct slice value, const char *detail); /* invalid text */
/* The same for what has a type of its own. */
void report_json_text(struct checker *checker, const struct at *at, const char *member,
                      struct slice value, const char *detail);
void report_number(struct checker *checker, const struct at *at, const char *member, int64_t value,
                   const char *detail); /* invalid number */
void report_choice(struct checker *checker, const struct at *at, const char *member,
                   const char *value, const char *const *choices);
/* In Go's quotes, as errors show texts; in the request's arena, as all of these. */
const char *quoted(struct checker *checker, struct slice text);
/* As JSON: what has a type of its own in Go, such as enums and resource names, or is a pointer. */
const char *quoted_json(struct checker *checker, struct slice text);
/* Two texts as one, for sets of pairs. */
struct slice pair_text(struct checker *checker, struct slice a, struct slice b);
const char *node_json(struct checker *checker, const struct json_node *node);
/* A value as upstream shows it: by the type at the place, which its JSON text lacks. Others as they
 * are. path: the place as text. */
const char *shown_value(struct checker *checker, const struct at *place, const char *path,
                        const char *value);
/* The same of a named type (of schema/schema.h); NULL = all of its members are zero. place: of the
 * value in what was sent. */
const char *shown_typed(struct checker *checker, const char *place, const char *type,
                        const struct json_node *value);
/* report() of a value that is shown as it is. */
void report_as_is(struct checker *checker, enum field_error_kind kind, const struct at *at,
                  const char *value, const char *detail);
/* report() of a value of a named type, which the place does not tell. */
void report_typed(struct checker *checker, enum field_error_kind kind, const struct at *at,
                  const char *type, const struct json_node *value, const char *detail);
/* A message, and below it what differs by lines between two values of a type. place: the path of
 * the second in what was sent. */
const char *shown_difference(struct checker *checker, const char *message, const char *type,
                             const char *place, const struct json_node *before,
                             const struct json_node *after);

/* Complaints about one member of an object; true when there was none. */
bool check_required(struct checker *checker, const struct at *at, const struct json_node *object,
                    const char *member);
/* Empty counts as absent and passes. */
bool check_choice(struct checker *checker, const struct at *at, const struct json_node *object,
                  const char *member, const char *const *choices);
bool check_not_negative(struct checker *checker, const struct at *at,
                        const struct json_node *object, const char *member);
bool check_port(struct checker *checker, const struct at *at, const struct json_node *object,
                const char *member); /* a number or a port name */
bool check_name(struct checker *checker, const struct at *at, const struct json_node *object,
                const char *member, enum kind_name_rule rule); /* empty passes */
/* Reports everything that is wrong with the form of a text, at a place; true when nothing is. */
bool check_form(struct checker *checker, const struct at *at, struct slice text,
                enum text_form form);
bool check_label_key(struct checker *checker, const struct at *at, const char *member,
                     struct slice key);
/* Path and messages are of the map itself. */
void check_label_map(struct checker *checker, const struct at *at, const struct json_node *map);
void check_label_selector(struct checker *checker, const struct at *at,
                          const struct json_node *selector);
/* Values of a requirement as its operator wants them; false when there is no such operator. */
bool check_operator_values(struct checker *checker, const struct at *at,
                           const struct json_node *requirement);
/* Number or percentage as disruption budgets and rollouts take it; is_capped: at most 100%. */
bool check_int_or_percent(struct checker *checker, const struct at *at,
                          const struct json_node *object, const char *member, bool is_capped);
/* A label's value whose problems make one complaint, joined by ";". */
void check_joined_value(struct checker *checker, const struct at *at, const char *member,
                        struct slice value);
void check_not_over_percent(struct checker *checker, const struct at *at,
                            const struct json_node *object, const char *member);
struct slice lower_text(struct checker *checker, struct slice text);
bool check_quantity_not_negative(struct checker *checker, const struct at *at,
                                 struct slice quantity);
bool is_whole_quantity(struct slice quantity);
int quantity_sign(struct slice quantity); /* 0 when it is none, too */
/* In Go's syntax; the pattern is compiled each time, so only for what is rarely there. */
bool text_matches(struct slice text, const char *pattern);
/* "field is immutable" when a member differs from the stored object's. */
void check_immutable(struct checker *checker, const struct at *at, const struct json_node *object,
                     const struct json *old, const char *member);
bool is_same_member(const struct json_node *object, const struct json *old, const char *member);

/* Text without a NUL made usable as a C string for messages. */
const char *message_of(struct checker *checker, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

#define VALIDATE_HOOK(name)                                                                        \
        void name(struct kind_context *context, enum kind_operation operation,                     \
                  const struct json_node *object, const struct json *old,                          \
                  struct field_errors *errors)
VALIDATE_HOOK(pod_validate);
VALIDATE_HOOK(node_validate);
VALIDATE_HOOK(namespace_validate);
VALIDATE_HOOK(config_map_validate);
VALIDATE_HOOK(secret_validate);
VALIDATE_HOOK(service_validate);
VALIDATE_HOOK(event_validate);
VALIDATE_HOOK(new_event_validate);
VALIDATE_HOOK(persistent_volume_validate);
VALIDATE_HOOK(persistent_volume_claim_validate);
VALIDATE_HOOK(pod_template_validate);
VALIDATE_HOOK(replication_controller_validate);
VALIDATE_HOOK(controller_revision_validate);
VALIDATE_HOOK(deployment_validate);
VALIDATE_HOOK(replica_set_validate);
VALIDATE_HOOK(stateful_set_validate);
VALIDATE_HOOK(daemon_set_validate);
VALIDATE_HOOK(job_validate);
VALIDATE_HOOK(cron_job_validate);
VALIDATE_HOOK(pod_disruption_budget_validate);
VALIDATE_HOOK(lease_validate);
VALIDATE_HOOK(priority_class_validate);
VALIDATE_HOOK(workload_object_validate);
VALIDATE_HOOK(pod_group_validate);
VALIDATE_HOOK(role_validate);
VALIDATE_HOOK(cluster_role_validate);
VALIDATE_HOOK(role_binding_validate);
VALIDATE_HOOK(cluster_role_binding_validate);
VALIDATE_HOOK(storage_class_validate);
VALIDATE_HOOK(csi_node_validate);
VALIDATE_HOOK(runtime_class_validate);
VALIDATE_HOOK(horizontal_pod_autoscaler_validate);
VALIDATE_HOOK(resource_slice_validate);
VALIDATE_HOOK(resource_claim_validate);
VALIDATE_HOOK(resource_claim_template_validate);
VALIDATE_HOOK(device_class_validate);
VALIDATE_HOOK(volume_attachment_validate);
VALIDATE_HOOK(volume_attributes_class_validate);
VALIDATE_HOOK(csi_driver_validate);
VALIDATE_HOOK(csi_storage_capacity_validate);
VALIDATE_HOOK(ip_address_validate);
VALIDATE_HOOK(service_cidr_validate);
VALIDATE_HOOK(endpoints_validate);
VALIDATE_HOOK(flow_schema_validate);
VALIDATE_HOOK(priority_level_configuration_validate);
VALIDATE_HOOK(api_service_validate);
VALIDATE_HOOK(validating_admission_policy_validate);
VALIDATE_HOOK(validating_admission_policy_binding_validate);
VALIDATE_HOOK(mutating_admission_policy_validate);
VALIDATE_HOOK(mutating_admission_policy_binding_validate);
VALIDATE_HOOK(resource_quota_validate);
VALIDATE_HOOK(limit_range_validate);
VALIDATE_HOOK(ingress_validate);
VALIDATE_HOOK(ingress_class_validate);
VALIDATE_HOOK(network_policy_validate);
VALIDATE_HOOK(webhook_configuration_validate);
VALIDATE_HOOK(custom_resource_definition_validate);
VALIDATE_HOOK(endpoint_slice_validate);
VALIDATE_HOOK(certificate_signing_request_validate);
const char *custom_resource_definition_name(struct arena *arena, const struct json_node *object,
                                            struct slice name);
const char *api_service_name(struct arena *arena, const struct json_node *object,
                             struct slice name);

/* A pod's spec, also inside templates; at is the place of the spec. */
void check_pod_spec(struct checker *checker, const struct at *at, const struct json_node *spec);
void check_tolerations(struct checker *checker, const struct at *at,
                       const struct json_node *tolerations);
void check_affinity(struct checker *checker, const struct at *at, const struct json_node *affinity);
void check_topology_spread(struct checker *checker, const struct at *at,
                           const struct json_node *constraints);
/* A selector of nodes that must match, values of labels included. */
void check_node_selection(struct checker *checker, const struct at *at,
                          const struct json_node *selector);
void check_scheduling_gates(struct checker *checker, const struct at *at,
                            const struct json_node *gates);
void check_taint_effect(struct checker *checker, const struct at *at, const struct json_node *owner,
                        bool is_optional);
/* All of a toleration but its seconds. */
struct slice toleration_text(struct checker *checker, const struct json_node *toleration);
void check_pod_update(struct checker *checker, const struct json_node *pod, const struct json *old);
/* Through the ephemeralcontainers or resize subresource. */
void check_pod_subresource(struct checker *checker, const struct json_node *pod,
                           const struct json *old);
void check_pod_status_update(struct checker *checker, const struct json_node *pod,
                             const struct json *old);
