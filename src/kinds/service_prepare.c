/* Preparation of services: cluster addresses and node ports. */
#include "kinds/prepare.h"

#include "kinds/defaults.h"
#include "kinds/service_allocation.h"

#include "base/map.h"
#include "base/util.h"
#include <stdio.h>

/* Addresses come from 10.96.0.0/16, tried in order from a place that the service's name decides. */
#define ADDRESS_COUNT 65000

struct address_search {
        struct slice address;
        bool is_taken;
};

static bool visit_service(void *context, const struct json *service) {
        struct address_search *search = context;

        search->is_taken =
                slice_eq(json_get_text(json_get(service, "spec"), "clusterIP"), search->address);
        return !search->is_taken;
}

static void allocate_address(struct kind_context *context, struct json_tree *tree,
                             struct json_node *spec, uint64_t start) {
        char text[24];

        for (uint64_t i = 0; i < ADDRESS_COUNT; i++) {
                unsigned place = (unsigned)((start + i) % ADDRESS_COUNT) + 10;

                snprintf(text, sizeof(text), "10.96.%u.%u", place / 256, place % 256);
                struct address_search search = { .address = slice_of(text) };
                if (context->each)
                        context->each(context->engine, "", "services", SLICE_EMPTY, visit_service,
                                      &search);
                if (!search.is_taken) {
                        node_put_string(tree, spec, "clusterIP", text);
                        return;
                }
        }
}

/* A balancer may do without ports of nodes. */
static bool wants_node_ports(const struct json_node *spec) {
        struct slice type = node_get_text(spec, "type");

        return slice_is(type, "NodePort") ||
               (slice_is(type, "LoadBalancer") &&
                node_is_true(node_get(spec, "allocateLoadBalancerNodePorts")));
}

/* ---- families ---- */

static void infer_families(struct json_tree *tree, struct json_node *spec) {
        const struct json_node *addresses = node_get(spec, "clusterIPs");
        struct json_node *families = node_need_array(tree, spec, "ipFamilies");

        for (size_t i = node_count(families); i < node_count(addresses); i++) {
                struct slice address = node_get_slice(node_at(addresses, i));

                if (slice_is(address, "None"))
                        break;
                node_append(families, node_string(tree, is_six_address(address) ? "IPv6" : "IPv4"));
        }
        if (node_count(families) == 0)
                node_append(families, node_string(tree, "IPv4"));
}

/* Without pods that could tell, a headless service gets both families. */
static bool is_bare(const struct json_node *spec) {
        return slice_is(node_get_text(spec, "clusterIP"), "None") &&
               node_count(node_get(spec, "selector")) == 0;
}

/* Who goes back to a single stack and leaves the rest as it was means the first of each. */
static void cut_stacks(struct json_node *spec, const struct json *old_spec) {
        static const char *const members[] = { "clusterIPs", "ipFamilies" };

        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                if (service_stack_count(spec, old_spec, members[i]) == 1)
                        while (node_count(node_get(spec, members[i])) > 1)
                                node_remove_at(node_get(spec, members[i]), 1);
}

static void prepare_families(struct json_tree *tree, struct json_node *spec,
                             const struct json *old_spec) {
        struct slice policy = service_family_policy(spec, old_spec);

        if (service_keeps_stacks(spec, old_spec))
                return;
        cut_stacks(spec, old_spec);
        node_put_text(tree, spec, "ipFamilyPolicy", policy);
        infer_families(tree, spec);
        struct json_node *families = node_get(spec, "ipFamilies");
        if (is_bare(spec) && node_count(families) < 2 && !slice_is(policy, "SingleStack"))
                node_append(families,
                            node_string(tree, slice_is(node_get_slice(node_at(families, 0)), "IPv4")
                                                      ? "IPv6"
                                                      : "IPv4"));
}

/* ---- updates ---- */

static bool has_type(const struct json *spec, const char *type) {
        return slice_is(json_get_text(spec, "type"), type);
}

static bool had_node_ports(const struct json *spec) {
        return has_type(spec, "NodePort") ||
               (has_type(spec, "LoadBalancer") &&
                json_get_bool(spec, "allocateLoadBalancerNodePorts", true));
}

static bool had_number(const struct json *spec, int64_t number) {
        struct json_iter iter = json_iter(json_get(spec, "ports"));
        const struct json *port;

        while (json_next(&iter, NULL, &port))
                if (json_get_i64(port, "nodePort", 0) == number)
                        return true;
        return false;
}

static void note_number(struct map_u64 *numbers, int64_t number) {
        if (number)
                map_u64_put(numbers, (uint64_t)number, numbers);
}

/* A port keeps the number that its name had, unless another one asks for it. */
static void keep_node_ports(struct json_tree *tree, struct json_node *spec,
                            const struct json *old_spec) {
        struct json_node *ports = node_get(spec, "ports"), *port;
        struct node_iter all = node_iter(ports), iter = node_iter(ports);
        struct json_iter before = json_iter(json_get(old_spec, "ports"));
        struct map_u64 *used = map_u64_new();
        struct map *old_ports = map_new(); /* by name */
        const struct json *old_port;

        while (node_next(&all, NULL, &port))
                note_number(used, node_get_i64(port, "nodePort", 0));
        while (json_next(&before, NULL, &old_port))
                map_put(old_ports, json_get_text(old_port, "name"), (void *)(uintptr_t)old_port);
        while (node_next(&iter, NULL, &port)) {
                old_port = map_get(old_ports, node_get_text(port, "name"));
                int64_t number = json_get_i64(old_port, "nodePort", 0);

                if (node_get_i64(port, "nodePort", 0) || !number ||
                    map_u64_get(used, (uint64_t)number))
                        continue;
                note_number(used, number);
                node_put_i64(tree, port, "nodePort", number);
        }
        map_u64_free(used);
        map_free(old_ports);
}

/* What was allocated is kept by writers who leave it out. */
static void keep_allocated(struct json_tree *tree, struct json_node *spec,
                           const struct json *old_spec) {
        struct slice type = node_get_text(spec, "type");
        bool needs_address = !slice_is(type, "ExternalName");

        if (needs_address && !has_type(old_spec, "ExternalName")) {
                if (node_get_text(spec, "clusterIP").len == 0)
                        keep_member(tree, spec, old_spec, "clusterIP");
                if (node_count(node_get(spec, "clusterIPs")) == 0)
                        keep_member(tree, spec, old_spec, "clusterIPs");
        }
        if (wants_node_ports(spec) && had_node_ports(old_spec))
                keep_node_ports(tree, spec, old_spec);
        if (slice_is(type, "LoadBalancer") && has_type(old_spec, "LoadBalancer") &&
            slice_is(node_get_text(spec, "externalTrafficPolicy"), "Local") &&
            slice_is(json_get_text(old_spec, "externalTrafficPolicy"), "Local") &&
            !node_get_i64(spec, "healthCheckNodePort", 0))
                keep_member(tree, spec, old_spec, "healthCheckNodePort");
}

/* Whoever writes one of clusterIP and clusterIPs means both. */
static void sync_addresses(struct json_tree *tree, struct json_node *spec,
                           const struct json *old_spec) {
        struct slice address = node_get_text(spec, "clusterIP");
        struct slice before = json_get_text(old_spec, "clusterIP");
        bool is_same_list = old_spec && is_same_member(spec, old_spec, "clusterIPs");
        bool is_listed = node_count(node_get(spec, "clusterIPs")) > 0;

        if (old_spec && slice_eq(address, before))
                return;
        if (old_spec && before.len && address.len == 0 && is_same_list)
                node_remove(spec, "clusterIPs");
        else if (address.len && (old_spec ? is_same_list : !is_listed)) {
                node_remove(spec, "clusterIPs");
                node_append(node_need_array(tree, spec, "clusterIPs"), node_text(tree, address));
        }
}

static void drop_same(struct json_node *spec, const struct json *old_spec, const char *member) {
        if (is_same_member(spec, old_spec, member))
                node_remove(spec, member);
}

static void drop_node_ports(struct json_node *spec, const struct json *old_spec) {
        struct node_iter iter = node_iter(node_get(spec, "ports"));
        struct json_node *port;

        while (node_next(&iter, NULL, &port)) {
                int64_t number = node_get_i64(port, "nodePort", 0);

                if (number && !had_number(old_spec, number))
                        return;
        }
        iter = node_iter(node_get(spec, "ports"));
        while (node_next(&iter, NULL, &port))
                node_remove(port, "nodePort");
}

static bool is_reachable(struct slice type, size_t addresses) {
        return slice_is(type, "NodePort") || slice_is(type, "LoadBalancer") ||
               (slice_is(type, "ClusterIP") && addresses > 0);
}

/* What the new type has no use for goes, unless the writer changed it. */
static void drop_useless(struct json_node *spec, const struct json *old_spec) {
        static const char *const of_address[] = { "clusterIP", "clusterIPs", "ipFamilies",
                                                  "ipFamilyPolicy" };
        struct slice type = node_get_text(spec, "type");
        bool is_balancer = slice_is(type, "LoadBalancer");
        bool was_balancer = has_type(old_spec, "LoadBalancer");
        bool is_local = slice_is(node_get_text(spec, "externalTrafficPolicy"), "Local");

        for (size_t i = 0; i < sizeof(of_address) / sizeof(of_address[0]); i++)
                if (slice_is(type, "ExternalName") && !has_type(old_spec, "ExternalName"))
                        drop_same(spec, old_spec, of_address[i]);
        if (had_node_ports(old_spec) && !is_balancer && !slice_is(type, "NodePort"))
                drop_node_ports(spec, old_spec);
        if (was_balancer && slice_is(json_get_text(old_spec, "externalTrafficPolicy"), "Local") &&
            !(is_balancer && is_local))
                drop_same(spec, old_spec, "healthCheckNodePort");
        if (was_balancer && !is_balancer) {
                drop_same(spec, old_spec, "allocateLoadBalancerNodePorts");
                drop_same(spec, old_spec, "loadBalancerClass");
        }
        if (is_reachable(json_get_text(old_spec, "type"),
                         json_count(json_get(old_spec, "externalIPs"))) &&
            !is_reachable(type, node_count(node_get(spec, "externalIPs"))))
                drop_same(spec, old_spec, "externalTrafficPolicy");
}

static bool needs_health_port(const struct json_node *spec) {
        return slice_is(node_get_text(spec, "type"), "LoadBalancer") &&
               slice_is(node_get_text(spec, "externalTrafficPolicy"), "Local");
}

/* An address is found for new services, and for those that had no use for one. */
static void allocate_missing(struct kind_context *context, struct json_tree *tree,
                             struct json_node *object, struct json_node *spec,
                             const struct json *old_spec) {
        const struct json_node *metadata = node_get(object, "metadata");
        uint64_t start = slice_hash(node_get_text(metadata, "name")) ^
                         (slice_hash(node_get_text(metadata, "namespace")) << 1);
        struct slice type = node_get_text(spec, "type");

        if (!slice_is(type, "ExternalName") && node_get_text(spec, "clusterIP").len == 0 &&
            (!old_spec || has_type(old_spec, "ExternalName"))) {
                allocate_address(context, tree, spec, start);
                node_append(node_need_array(tree, spec, "clusterIPs"),
                            node_text(tree, node_get_text(spec, "clusterIP")));
        }
        if (wants_node_ports(spec) || needs_health_port(spec))
                service_take_ports(context, tree, spec,
                                   &(struct service_need){ .start = start,
                                                           .is_new = !old_spec,
                                                           .has_ports = wants_node_ports(spec),
                                                           .has_health = needs_health_port(spec) });
}

/* Upstream keeps what it shows nobody, and refuses what is none. */
static void hide_traffic_policy(struct json_node *spec) {
        struct slice policy = node_get_text(spec, "internalTrafficPolicy");

        if (slice_is(policy, "Cluster") || slice_is(policy, "Local"))
                node_remove(spec, "internalTrafficPolicy");
}

PREPARE_HOOK(service_prepare) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        const struct json *old_spec = json_get(old, "spec");
        struct field_errors errors = { .arena = context->scratch };
        struct checker checker = { .errors = &errors, .context = context };

        status_prepare(context, operation, tree, object, old);
        if (operation == KIND_UPDATE_STATUS || context->subresource.len) /* allocates nothing */
                return;
        if (old)
                keep_allocated(tree, spec, old_spec);
        if (slice_is(node_get_text(spec, "type"), "ExternalName"))
                hide_traffic_policy(spec);
        sync_addresses(tree, spec, old_spec);
        /* Validation finds the same errors again, and says so. */
        if (!check_service_allocation(&checker, object, old))
                return;
        context->is_allocated = true;
        if (!slice_is(node_get_text(spec, "type"), "ExternalName"))
                prepare_families(tree, spec, old_spec);
        allocate_missing(context, tree, object, spec, old_spec);
        if (!old)
                return;
        drop_useless(spec, old_spec);
        if (!slice_is(node_get_text(spec, "type"), "LoadBalancer"))
                node_remove(node_get(object, "status"), "loadBalancer");
}
