/* Preparation of services: cluster addresses and node ports. */
#include "kinds/prepare.h"

#include "kinds/defaults.h"
#include <stdio.h>

/* Addresses come from 10.96.0.0/16, ports from 30000 to 32767; both are tried in order from a place
 * that the service's name decides. */
#define ADDRESS_COUNT 65000
#define NODE_PORT_FIRST 30000
#define NODE_PORT_COUNT 2768

struct service_prepare_search {
        struct slice address;
        int64_t node_port;
        bool is_taken;
};

static bool visit_service(void *context, const struct json *service) {
        const struct json *spec = json_get(service, "spec"), *port;
        struct service_prepare_search *search = context;
        struct json_iter iter = json_iter(json_get(spec, "ports"));

        if (search->address.len && slice_eq(json_get_text(spec, "clusterIP"), search->address))
                search->is_taken = true;
        while (search->node_port && json_next(&iter, NULL, &port))
                if (json_get_i64(port, "nodePort", 0) == search->node_port)
                        search->is_taken = true;
        return !search->is_taken;
}

static bool is_taken(struct kind_context *context, struct service_prepare_search *search) {
        search->is_taken = false;
        if (context->each)
                context->each(context->engine, "", "services", SLICE_EMPTY, visit_service, search);
        return search->is_taken;
}

static void allocate_address(struct kind_context *context, struct json_tree *tree,
                             struct json_node *spec, uint64_t start) {
        char text[24];

        for (uint64_t i = 0; i < ADDRESS_COUNT; i++) {
                unsigned place = (unsigned)((start + i) % ADDRESS_COUNT) + 10;

                snprintf(text, sizeof(text), "10.96.%u.%u", place / 256, place % 256);
                struct service_prepare_search search =
                        (struct service_prepare_search){ .address = slice_of(text) };
                if (!is_taken(context, &search)) {
                        node_put_string(tree, spec, "clusterIP", text);
                        return;
                }
        }
}

static bool is_used_here(const struct json_node *ports, int64_t number) {
        struct node_iter iter = node_iter(ports);
        struct json_node *port;

        while (node_next(&iter, NULL, &port))
                if (node_get_i64(port, "nodePort", 0) == number)
                        return true;
        return false;
}

static void allocate_ports(struct kind_context *context, struct json_tree *tree,
                           struct json_node *spec, uint64_t start) {
        struct json_node *ports = node_get(spec, "ports"), *port;
        struct node_iter iter = node_iter(ports);

        while (node_next(&iter, NULL, &port)) {
                for (uint64_t i = 0; i < NODE_PORT_COUNT && !node_get_i64(port, "nodePort", 0);
                     i++) {
                        int64_t number = NODE_PORT_FIRST + (int64_t)((start + i) % NODE_PORT_COUNT);
                        struct service_prepare_search search = { .node_port = number };

                        if (!is_used_here(ports, number) && !is_taken(context, &search))
                                node_put_i64(tree, port, "nodePort", number);
                }
        }
}

static void address_family(struct json_tree *tree, struct json_node *spec) {
        struct slice address = node_get_text(spec, "clusterIP");
        bool is_six = address.len && memchr(address.ptr, ':', address.len);
        struct json_node *addresses = node_need_array(tree, spec, "clusterIPs");
        struct json_node *families = node_need_array(tree, spec, "ipFamilies");

        if (node_count(addresses) == 0)
                node_append(addresses, node_text(tree, address));
        if (node_count(families) == 0)
                node_append(families, node_string(tree, is_six ? "IPv6" : "IPv4"));
        default_absent_text(tree, spec, "ipFamilyPolicy", "SingleStack");
}

PREPARE_HOOK(service_prepare) {
        static const char *const carried_over[] = { "clusterIP", "clusterIPs", "ipFamilies",
                                                    "ipFamilyPolicy" };
        struct json_node *spec = node_need_object(tree, object, "spec"), *metadata;
        const struct json *old_spec = json_get(old, "spec");

        status_prepare(context, operation, tree, object, old);
        if (operation == KIND_UPDATE_STATUS)
                return;
        struct slice type = node_get_text(spec, "type");
        if (slice_is(type, "ExternalName"))
                return;
        metadata = node_get(object, "metadata");
        uint64_t start = slice_hash(node_get_text(metadata, "name")) ^
                         (slice_hash(node_get_text(metadata, "namespace")) << 1);
        for (size_t i = 0; old && i < sizeof(carried_over) / sizeof(carried_over[0]); i++)
                if (!node_get(spec, carried_over[i]))
                        keep_member(tree, spec, old_spec, carried_over[i]);
        if (node_get_text(spec, "clusterIP").len == 0)
                allocate_address(context, tree, spec, start);
        address_family(tree, spec);
        if (slice_is(type, "NodePort") || slice_is(type, "LoadBalancer"))
                allocate_ports(context, tree, spec, start);
}
