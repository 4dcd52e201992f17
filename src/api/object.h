/* Typed, field-projected views of API objects: what placement, eviction and node upkeep read, and
 * nothing else.
 *
 * Decoders walk the JSON once and copy nothing: every slice points into the json_doc, arrays live
 * in the arena; both must outlive the struct. Unknown fields cost nothing. Wrong types are errors
 * with the field path; absent fields get upstream's default where reading code needs one (stated at
 * the field). Amounts: cpu in millicores, all else in units, rounded up. Field names are upstream's
 * (k8s.io/api). */
#pragma once

#include "api/json.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/time.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct owner_ref {
        struct slice api_version, kind, name, uid;
        bool is_controller, blocks_deletion;
};

struct object_meta {
        struct slice ns, name, uid, resource_version, generate_name;
        int64_t generation;
        struct label_list labels, annotations;
        size_t owner_count;
        struct owner_ref *owners;
        size_t finalizer_count;
        struct slice *finalizers;
        struct wall_time created, deleted; /* deletionTimestamp unset = not being deleted */
        int64_t deletion_grace_s;          /* -1 = unset */
};

struct resource_amount {
        struct slice name; /* cpu, memory, nvidia.com/gpu */
        int64_t amount;    /* cpu: milli; else units */
};
struct resource_list {
        size_t count;
        struct resource_amount *items;
};
int64_t resource_list_get(const struct resource_list *list, const char *name,
                          bool *ret_found); /* 0 when absent */

enum taint_effect {
        TAINT_EFFECT_NONE,
        TAINT_NO_SCHEDULE,
        TAINT_PREFER_NO_SCHEDULE,
        TAINT_NO_EXECUTE
};
struct taint {
        struct slice key, value;
        enum taint_effect effect;
};
enum toleration_op { TOLERATION_EQUAL, TOLERATION_EXISTS, TOLERATION_LT, TOLERATION_GT };
struct toleration {
        struct slice key, value; /* empty key with EXISTS matches every key */
        enum toleration_op op;
        enum taint_effect effect; /* NONE matches all effects */
        bool has_seconds;
        int64_t seconds;
};

/* Node selector terms are ORed, requirements inside one ANDed. */
struct node_requirement {
        struct slice key;
        enum selector_op op;
        size_t value_count;
        struct slice *values;
        bool is_invalid; /* unparsable (unknown operator, Gt/Lt without one integer): the term
                            matches nothing */
        int64_t number;  /* Gt, Lt */
};
struct node_term {
        size_t expression_count, field_count;
        struct node_requirement *expressions; /* matchExpressions */
        struct node_requirement *fields;      /* matchFields: metadata.name */
};
struct preferred_node_term {
        int32_t weight;
        struct node_term term;
};
struct pod_affinity_term {
        bool has_selector, has_namespace_selector; /* null labelSelector matches nothing */
        struct selector selector, namespace_selector;
        size_t namespace_count;
        struct slice *namespaces;
        struct slice topology_key;
        int32_t weight;           /* preferred terms; 0 on required ones */
        bool selector_is_invalid; /* either selector: it then matches nothing */
};
struct pod_affinity_terms {
        size_t required_count, preferred_count;
        struct pod_affinity_term *required, *preferred;
};
struct affinity {
        bool has_required_node_terms; /* nodeAffinity.requiredDuringScheduling... present */
        size_t required_node_count, preferred_node_count;
        struct node_term *required_node;
        struct preferred_node_term *preferred_node;
        struct pod_affinity_terms pod, pod_anti;
};
struct spread_constraint {
        int32_t max_skew, min_domains; /* min_domains 0 = unset */
        struct slice topology_key;
        bool is_hard;                           /* DoNotSchedule */
        bool has_selector, selector_is_invalid; /* an invalid one matches nothing */
        struct selector selector;
        bool honor_affinity, honor_taints; /* defaults true, false */
        size_t match_label_key_count;
        struct slice *match_label_keys;
};

struct container_port {
        struct slice host_ip, protocol;    /* "" = 0.0.0.0, TCP */
        int32_t container_port, host_port; /* host_port 0 = none */
};
struct container {
        struct slice name, image;
        struct resource_list requests, limits;
        size_t port_count;
        struct container_port *ports;
        size_t claim_count;
        struct slice *claims; /* resources.claims[].name */
        bool is_sidecar;      /* init container with restartPolicy Always */
        bool restarts_all;    /* a restartPolicyRules entry with action RestartAllContainers */
        /* From the pod's status (in-place resize), filled in by pod_decode. */
        bool has_actual;
        struct resource_list actual;    /* containerStatuses[].resources.requests */
        struct resource_list allocated; /* containerStatuses[].allocatedResources */
};

struct pod_resource_claim {
        struct slice name, claim_name; /* claim_name "" = made from a template */
        struct slice template_name;
};

struct pod_node_claim { /* takes resources of the node by devices */
        struct slice claim_name;
        struct resource_list resources;
};

enum volume_kind {
        VOLUME_OTHER,
        VOLUME_EMPTY_DIR,
        VOLUME_HOST_PATH,
        VOLUME_CLAIM,
        VOLUME_EPHEMERAL
};
struct volume {
        struct slice name;
        enum volume_kind kind;
        struct slice claim_name;   /* VOLUME_CLAIM */
        const struct json *source; /* the volume object, for kinds read later (disks, CSI) */
};

enum restart_policy { RESTART_ALWAYS, RESTART_ON_FAILURE, RESTART_NEVER };
struct pod_spec {
        struct slice node_name, scheduler_name /* default-scheduler */, priority_class_name,
                service_account;
        bool has_priority;
        int32_t priority;    /* 0 when unset */
        bool never_preempts; /* preemptionPolicy Never */
        bool uses_host_network;
        bool has_own_users; /* hostUsers false: a user namespace of its own */
        enum restart_policy restart_policy;
        int64_t termination_grace_s; /* default 30 */
        int64_t active_deadline_s;   /* -1 = unset */
        struct label_list node_selector;
        struct affinity affinity;
        size_t toleration_count, spread_count, container_count, init_count, ephemeral_count,
                volume_count, gate_count;
        struct toleration *tolerations;
        struct spread_constraint *spread;
        struct container *containers, *init, *ephemeral;
        struct volume *volumes;
        struct slice *gates; /* schedulingGates names */
        struct resource_list overhead, pod_requests /* spec.resources.requests */,
                pod_limits /* spec.resources.limits */;
        bool has_pod_resources;        /* spec.resources present */
        struct slice scheduling_group; /* schedulingGroup.podGroupName; "" = none */
        size_t claim_count;
        struct pod_resource_claim *claims; /* spec.resourceClaims */
        struct slice eviction_responders;  /* evictionResponders as "name=priority,..." */
        uint64_t sibling; /* equal in specs that differ in node_name, names of volumes with
                             configuration and the members below alone; 0 = not known */
        /* From the pod's status (in-place resize), filled in by pod_decode. */
        bool is_resize_infeasible, has_pod_actual;
        struct resource_list pod_actual, pod_allocated;
        struct resource_list device_requests; /* of the node, by devices; from the status */
};

enum condition_status { CONDITION_UNKNOWN, CONDITION_TRUE, CONDITION_FALSE };
struct condition {
        struct slice type, reason, message;
        enum condition_status status;
        struct wall_time changed; /* lastTransitionTime */
};
struct container_status {
        struct slice name, waiting_reason, terminated_reason, last_terminated_reason;
        bool is_ready, is_started, is_waiting, is_running, is_terminated, has_last;
        int32_t restarts, exit_code, signal, last_exit_code;
        struct wall_time started /* running or terminated */, finished, last_finished;
        bool has_resources; /* status.resources present */
        struct resource_list requests /* resources.requests */, allocated /* allocatedResources */;
};
enum pod_phase { POD_PENDING, POD_RUNNING, POD_SUCCEEDED, POD_FAILED, POD_UNKNOWN };
enum qos_class { QOS_BEST_EFFORT, QOS_BURSTABLE, QOS_GUARANTEED };
struct pod_status {
        enum pod_phase phase; /* default Pending */
        struct slice reason, message, nominated_node, pod_ip;
        bool has_qos;
        enum qos_class qos;
        struct wall_time started; /* startTime */
        size_t condition_count, container_count, init_count, ephemeral_count;
        struct condition *conditions;
        struct container_status *containers, *init, *ephemeral;
        bool has_resources; /* status.resources present (pod-level resize) */
        struct resource_list requests /* resources.requests */, allocated /* allocatedResources */;
        size_t claim_count;
        struct pod_resource_claim *claims; /* resourceClaimStatuses; claim_name "": none needed */
        size_t node_claim_count;
        struct pod_node_claim *node_claims; /* nodeAllocatableResourceClaimStatuses */
};

struct pod {
        struct object_meta meta;
        struct pod_spec spec;
        struct pod_status status;
};

struct node_image {
        size_t name_count;
        struct slice *names;
        int64_t size_bytes;
};
struct node {
        struct object_meta meta;
        bool is_unschedulable;
        size_t taint_count, condition_count, image_count, feature_count;
        struct taint *taints;
        struct resource_list capacity, allocatable; /* allocatable empty when absent */
        struct condition *conditions;
        struct node_image *images;
        struct slice *features; /* status.declaredFeatures */
        struct slice boot_id, provider_id;
};

struct disruption_budget {
        struct object_meta meta;
        bool has_selector, selector_is_invalid;
        struct selector selector;
        const struct json *min_available, *max_unavailable; /* int or percentage; NULL when unset */
        bool always_allow_unhealthy; /* unhealthyPodEvictionPolicy AlwaysAllow */
        int64_t observed_generation;
        int32_t disruptions_allowed, current_healthy, desired_healthy, expected_pods;
        size_t disrupted_count;
        struct slice *disrupted; /* names in status.disruptedPods */
};

struct priority_class {
        struct object_meta meta;
        int32_t value;
        bool is_default, never_preempts;
};
struct namespace_object {
        struct object_meta meta;
        bool is_terminating;
};
struct claim_object { /* PersistentVolumeClaim */
        struct object_meta meta;
        struct slice storage_class, volume_name;
        bool has_storage_class;
};

/* Each returns 0 or BERTH_ERR_BAD_REQUEST (wrong type) / BERTH_ERR_INVALID (bad value) with
 * err->path set. null counts as absent. Enumerations from a newer API are no errors: an unknown
 * toleration operator or spread constraint kind drops that entry, an unknown taint effect reads as
 * NONE, an unknown phase as Unknown. object_meta_decode takes the whole object. */
int object_meta_decode(const struct json *object, struct arena *arena, struct object_meta *ret_meta,
                       struct err *err);
int pod_decode(const struct json *object, struct arena *arena, struct pod *ret_pod,
               struct err *err);
int pod_spec_decode(const struct json *spec, struct arena *arena, struct pod_spec *ret_spec,
                    struct err *err);
/* What pod_decode begins and ends with, for pods that arrive in another form. The end takes the
 * sizes of the status into the containers of the spec. */
void pod_set_defaults(struct pod *pod);
void pod_take_resize_state(struct pod *pod);
int node_decode(const struct json *object, struct arena *arena, struct node *ret_node,
                struct err *err);
int disruption_budget_decode(const struct json *object, struct arena *arena,
                             struct disruption_budget *ret_budget, struct err *err);
int priority_class_decode(const struct json *object, struct arena *arena,
                          struct priority_class *ret_class, struct err *err);
int namespace_decode(const struct json *object, struct arena *arena,
                     struct namespace_object *ret_namespace, struct err *err);
int claim_decode(const struct json *object, struct arena *arena, struct claim_object *ret_claim,
                 struct err *err);
int node_affinity_decode(const struct json *node_affinity, struct arena *arena,
                         struct affinity *ret_affinity, struct err *err);
/* A NodeSelector ({"nodeSelectorTerms": [...]}) as required terms. */
int node_selector_decode(const struct json *node_selector, struct arena *arena,
                         struct affinity *ret_affinity, struct err *err);

const struct condition *condition_find(const struct condition *conditions, size_t count,
                                       const char *type);
const char *pod_phase_name(enum pod_phase phase);
enum pod_phase pod_phase_from(struct slice name);
bool qos_class_from(struct slice name, enum qos_class *ret_qos); /* false: none of that name */
enum condition_status condition_status_from(struct slice name);
const char *taint_effect_name(enum taint_effect effect);
/* QoS as the API server computes it from containers and init containers. */
enum qos_class pod_spec_qos(const struct pod_spec *spec);
const char *qos_class_name(enum qos_class qos);
/* Limits of a resource summed over containers, or the highest of an init container. */
int64_t pod_spec_limit(const struct pod_spec *spec, const char *resource);

/* What a pod occupies on a node (component-helpers/resource PodRequests, reference
 * scheduler.md 4.3): containers, sidecars, init peaks, pod-level override, overhead. use_defaults
 * substitutes 100m / 200 MiB per container that lacks a cpu / memory request (scoring only).
 * Resources in order of first appearance. */
struct resource_list pod_spec_requests(const struct pod_spec *spec, bool use_defaults,
                                       struct arena *arena);
