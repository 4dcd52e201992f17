/* Defaults of the smaller groups: scheduling, RBAC, storage, networking, devices, autoscaling. */
#include "kinds/defaults.h"
#include "kinds/views.h"

#include "base/util.h"

#define RBAC_GROUP "rbac.authorization.k8s.io"

void priority_class_defaults(struct json_tree *tree, struct json_node *object) {
        default_absent_text(tree, object, "preemptionPolicy", "PreemptLowerPriority");
}

void pod_group_defaults(struct json_tree *tree, struct json_node *object) {
        default_absent_text(tree, node_need_object(tree, object, "spec"), "disruptionMode", "Pod");
}

void role_binding_defaults(struct json_tree *tree, struct json_node *object) {
        struct node_iter iter = node_iter(node_get(object, "subjects"));
        struct json_node *subject;

        default_text(tree, node_need_object(tree, object, "roleRef"), "apiGroup", RBAC_GROUP);
        while (node_next(&iter, NULL, &subject))
                if (slice_is(node_get_text(subject, "kind"), "User") ||
                    slice_is(node_get_text(subject, "kind"), "Group"))
                        default_text(tree, subject, "apiGroup", RBAC_GROUP);
}

/* ---- storage ---- */

void storage_class_defaults(struct json_tree *tree, struct json_node *object) {
        default_absent_text(tree, object, "reclaimPolicy", "Delete");
        default_absent_text(tree, object, "volumeBindingMode", "Immediate");
}

void csi_driver_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec"), *modes;

        default_absent_bool(tree, spec, "attachRequired", true);
        default_absent_bool(tree, spec, "podInfoOnMount", false);
        default_absent_bool(tree, spec, "storageCapacity", false);
        default_absent_text(tree, spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
        default_absent_bool(tree, spec, "requiresRepublish", false);
        default_absent_bool(tree, spec, "seLinuxMount", false);
        modes = node_need_array(tree, spec, "volumeLifecycleModes");
        if (node_count(modes) == 0)
                node_append(modes, node_string(tree, "Persistent"));
}

/* ---- networking ---- */

static void policy_port_defaults(struct json_tree *tree, struct json_node *rules) {
        struct node_iter iter = node_iter(rules);
        struct json_node *rule, *port;

        while (node_next(&iter, NULL, &rule)) {
                struct node_iter ports = node_iter(node_get(rule, "ports"));

                while (node_next(&ports, NULL, &port))
                        default_absent_text(tree, port, "protocol", "TCP");
        }
}

void network_policy_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *types = node_need_array(tree, spec, "policyTypes");

        if (node_count(types) == 0) {
                node_append(types, node_string(tree, "Ingress"));
                if (node_count(node_get(spec, "egress")) > 0)
                        node_append(types, node_string(tree, "Egress"));
        }
        policy_port_defaults(tree, node_get(spec, "ingress"));
        policy_port_defaults(tree, node_get(spec, "egress"));
}

void ingress_class_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *parameters = object_at(object_at(object, "spec"), "parameters");

        if (parameters)
                default_absent_text(tree, parameters, "scope", "Cluster");
}

void endpoint_slice_defaults(struct json_tree *tree, struct json_node *object) {
        struct node_iter iter = node_iter(node_get(object, "ports"));
        struct json_node *port;

        while (node_next(&iter, NULL, &port)) {
                default_absent_text(tree, port, "name", "");
                default_absent_text(tree, port, "protocol", "TCP");
        }
}

/* ---- devices ---- */

static void device_toleration_defaults(struct json_tree *tree, struct json_node *owner) {
        struct node_iter iter = node_iter(node_get(owner, "tolerations"));
        struct json_node *toleration;

        while (node_next(&iter, NULL, &toleration))
                default_text(tree, toleration, "operator", "Equal");
}

static void device_count_defaults(struct json_tree *tree, struct json_node *request) {
        device_toleration_defaults(tree, request);
        default_text(tree, request, "allocationMode", "ExactCount");
        if (slice_is(node_get_text(request, "allocationMode"), "ExactCount"))
                default_i64(tree, request, "count", 1);
}

static void device_claim_defaults(struct json_tree *tree, struct json_node *spec) {
        struct node_iter iter = node_iter(node_get(object_at(spec, "devices"), "requests"));
        struct json_node *request, *choice;

        while (node_next(&iter, NULL, &request)) {
                struct node_iter choices = node_iter(node_get(request, "firstAvailable"));

                if (object_at(request, "exactly"))
                        device_count_defaults(tree, object_at(request, "exactly"));
                while (node_next(&choices, NULL, &choice))
                        device_count_defaults(tree, choice);
        }
}

void resource_claim_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *allocation = object_at(object_at(object, "status"), "allocation");
        struct node_iter iter = node_iter(node_get(object_at(allocation, "devices"), "results"));
        struct json_node *result;

        device_claim_defaults(tree, node_need_object(tree, object, "spec"));
        while (node_next(&iter, NULL, &result))
                device_toleration_defaults(tree, result);
}

void resource_claim_template_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");

        device_claim_defaults(tree, node_need_object(tree, spec, "spec"));
}

/* ---- flow control, API services ---- */

void flow_schema_defaults(struct json_tree *tree, struct json_node *object) {
        default_i64(tree, node_need_object(tree, object, "spec"), "matchingPrecedence", 1000);
}

void priority_level_configuration_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *limited = object_at(spec, "limited"), *exempt = object_at(spec, "exempt");
        struct json_node *queuing = object_at(object_at(limited, "limitResponse"), "queuing");

        if (slice_is(node_get_text(spec, "type"), "Exempt") && !exempt)
                exempt = node_need_object(tree, spec, "exempt");
        if (exempt) {
                default_absent_i64(tree, exempt, "nominalConcurrencyShares", 0);
                default_absent_i64(tree, exempt, "lendablePercent", 0);
        }
        if (limited) {
                default_absent_i64(tree, limited, "nominalConcurrencyShares", 30);
                default_absent_i64(tree, limited, "lendablePercent", 0);
        }
        if (queuing) {
                default_i64(tree, queuing, "handSize", 8);
                default_i64(tree, queuing, "queues", 64);
                default_i64(tree, queuing, "queueLengthLimit", 50);
        }
}

void api_service_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *service = object_at(object_at(object, "spec"), "service");

        if (service)
                default_absent_i64(tree, service, "port", 443);
}

/* ---- autoscaling ---- */

static void scaling_policy(struct json_tree *tree, struct json_node *policies, const char *type,
                           int64_t value) {
        struct json_node *policy = node_object(tree);

        node_put_string(tree, policy, "type", type);
        node_put_i64(tree, policy, "value", value);
        node_put_i64(tree, policy, "periodSeconds", 15);
        node_append(policies, policy);
}

static void behavior_defaults(struct json_tree *tree, struct json_node *behavior) {
        struct json_node *up = node_need_object(tree, behavior, "scaleUp");
        struct json_node *down = node_need_object(tree, behavior, "scaleDown"), *policies;

        default_absent_i64(tree, up, "stabilizationWindowSeconds", 0);
        default_absent_text(tree, up, "selectPolicy", "Max");
        policies = node_need_array(tree, up, "policies");
        if (node_count(policies) == 0) {
                scaling_policy(tree, policies, "Pods", 4);
                scaling_policy(tree, policies, "Percent", 100);
        }
        default_absent_text(tree, down, "selectPolicy", "Max");
        policies = node_need_array(tree, down, "policies");
        if (node_count(policies) == 0)
                scaling_policy(tree, policies, "Percent", 100);
}

void horizontal_pod_autoscaler_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *metrics = node_need_array(tree, spec, "metrics");

        autoscaler_drop_annotations(object);
        default_absent_i64(tree, spec, "minReplicas", 1);
        if (node_count(metrics) == 0) {
                struct json_node *metric = node_object(tree), *resource, *target;

                node_put_string(tree, metric, "type", "Resource");
                resource = node_need_object(tree, metric, "resource");
                node_put_string(tree, resource, "name", "cpu");
                target = node_need_object(tree, resource, "target");
                node_put_string(tree, target, "type", "Utilization");
                node_put_i64(tree, target, "averageUtilization", 80);
                node_append(metrics, metric);
        }
        if (object_at(spec, "behavior"))
                behavior_defaults(tree, object_at(spec, "behavior"));
}
