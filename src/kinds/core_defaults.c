/* Defaults of the core kinds other than pods and workloads. */
#include "kinds/defaults.h"

#include "base/base64.h"
#include "base/util.h"

/* ---- services ---- */

static void service_port_defaults(struct json_tree *tree, struct json_node *ports) {
        struct node_iter iter = node_iter(ports);
        struct json_node *port;

        while (node_next(&iter, NULL, &port)) {
                struct json_node *target = node_get(port, "targetPort");
                int64_t number;
                bool is_unset =
                        !target ||
                        (node_type(target) == JSON_STRING && node_get_slice(target).len == 0) ||
                        (node_as_i64(target, &number) && number == 0);

                default_text(tree, port, "protocol", "TCP");
                if (is_unset)
                        node_put_i64(tree, port, "targetPort", node_get_i64(port, "port", 0));
        }
}

static void affinity_defaults(struct json_tree *tree, struct json_node *spec) {
        default_text(tree, spec, "sessionAffinity", "None");
        if (!slice_is(node_get_text(spec, "sessionAffinity"), "ClientIP")) {
                node_remove(spec, "sessionAffinityConfig");
                return;
        }
        struct json_node *config = node_need_object(tree, spec, "sessionAffinityConfig");
        struct json_node *client = node_need_object(tree, config, "clientIP");
        default_absent_i64(tree, client, "timeoutSeconds", 10800);
}

static void balancer_defaults(struct json_tree *tree, const struct json_node *status) {
        struct node_iter points = node_iter(node_get(node_get(status, "loadBalancer"), "ingress"));
        struct json_node *point;

        while (node_next(&points, NULL, &point))
                if (node_get_text(point, "ip").len)
                        default_absent_text(tree, point, "ipMode", "VIP");
}

void service_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");

        default_text(tree, spec, "type", "ClusterIP");
        struct slice type = node_get_text(spec, "type");
        bool is_balanced = slice_is(type, "LoadBalancer");
        bool has_node_ports = is_balanced || slice_is(type, "NodePort");
        service_port_defaults(tree, node_get(spec, "ports"));
        affinity_defaults(tree, spec);
        if (has_node_ports ||
            (slice_is(type, "ClusterIP") && node_count(node_get(spec, "externalIPs")) > 0))
                default_text(tree, spec, "externalTrafficPolicy", "Cluster");
        if (has_node_ports || slice_is(type, "ClusterIP"))
                default_absent_text(tree, spec, "internalTrafficPolicy", "Cluster");
        if (!is_balanced)
                return;
        default_absent_bool(tree, spec, "allocateLoadBalancerNodePorts", true);
        balancer_defaults(tree, node_get(object, "status"));
}

void endpoints_defaults(struct json_tree *tree, struct json_node *object) {
        struct node_iter subsets = node_iter(node_get(object, "subsets"));
        struct json_node *subset, *port;

        while (node_next(&subsets, NULL, &subset)) {
                struct node_iter ports = node_iter(node_get(subset, "ports"));

                while (node_next(&ports, NULL, &port))
                        default_text(tree, port, "protocol", "TCP");
        }
}

/* ---- configuration ---- */

/* stringData is write-only: it goes into data, encoded. */
void secret_defaults(struct json_tree *tree, struct json_node *object) {
        struct node_iter iter = node_iter(node_get(object, "stringData"));
        struct json_node *value;
        struct slice key;

        default_text(tree, object, "type", "Opaque");
        if (node_count(node_get(object, "stringData")) == 0)
                return;
        struct json_node *data = node_need_object(tree, object, "data");
        while (node_next(&iter, &key, &value)) {
                struct buf encoded = { 0 };

                base64_encode(node_get_slice(value), BASE64_STANDARD, &encoded);
                node_set(tree, data, key, node_text(tree, buf_view(&encoded)));
                buf_release(&encoded);
        }
        node_remove(object, "stringData");
}

/* ---- namespaces, nodes ---- */

void namespace_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *metadata = node_need_object(tree, object, "metadata");
        struct json_node *status = node_need_object(tree, object, "status");
        struct slice name = node_get_text(metadata, "name");

        if (name.len)
                node_put_text(tree, node_need_object(tree, metadata, "labels"),
                              "kubernetes.io/metadata.name", name);
        default_text(tree, status, "phase", "Active");
}

void node_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *status = node_need_object(tree, object, "status");
        struct json_node *spec = object_at(object, "spec");
        struct json_node *capacity = object_at(status, "capacity");
        struct slice cidr = node_get_text(spec, "podCIDR");
        struct json_node *cidrs = node_get(spec, "podCIDRs");

        resource_list_defaults(tree, capacity);
        if (capacity && node_count(node_get(status, "allocatable")) == 0)
                node_put(tree, status, "allocatable", node_clone(tree, capacity));
        resource_list_defaults(tree, node_get(status, "allocatable"));
        if (cidr.len && !slice_eq(node_get_slice(node_at(cidrs, 0)), cidr)) {
                node_put(tree, spec, "podCIDRs", node_array(tree));
                node_append(node_need_array(tree, spec, "podCIDRs"), node_text(tree, cidr));
        } else if (spec && cidr.len == 0 && node_count(cidrs) > 0) {
                node_put_text(tree, spec, "podCIDR", node_get_slice(node_at(cidrs, 0)));
        }
}

/* ---- storage ---- */

void persistent_volume_claim_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *status = node_need_object(tree, object, "status");

        default_text(tree, status, "phase", "Pending");
        resource_list_defaults(tree, node_get(status, "capacity"));
        resource_list_defaults(tree, node_get(status, "allocatedResources"));
        claim_spec_defaults(tree, node_need_object(tree, object, "spec"));
}

/* ---- limits ---- */

/* Copies the amounts that the target does not have yet. */
static void merge_amounts(struct json_tree *tree, struct json_node *target,
                          const struct json_node *source) {
        struct node_iter iter = node_iter(source);
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount))
                if (!node_find(target, name))
                        node_set(tree, target, name, node_clone(tree, amount));
}

void limit_range_defaults(struct json_tree *tree, struct json_node *object) {
        static const char *const lists[] = { "max", "min", "default", "defaultRequest",
                                             "maxLimitRequestRatio" };
        struct node_iter iter = node_iter(node_get(object_at(object, "spec"), "limits"));
        struct json_node *item;

        while (node_next(&iter, NULL, &item)) {
                for (size_t i = 0; i < ARRAY_LEN(lists); i++)
                        resource_list_defaults(tree, node_get(item, lists[i]));
                if (!slice_is(node_get_text(item, "type"), "Container"))
                        continue;
                struct json_node *limit = node_need_object(tree, item, "default");
                struct json_node *request = node_need_object(tree, item, "defaultRequest");
                merge_amounts(tree, limit, node_get(item, "max"));
                merge_amounts(tree, request, limit);
                merge_amounts(tree, request, node_get(item, "min"));
        }
}

void resource_quota_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");

        resource_list_defaults(tree, node_get(spec, "hard"));
        struct json_node *status = node_need_object(tree, object, "status");
        resource_list_defaults(tree, node_get(status, "hard"));
        resource_list_defaults(tree, node_get(status, "used"));
}
