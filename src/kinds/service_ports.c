/* What services ask for and others may have: addresses, and ports of nodes. */
#include "kinds/service_allocation.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"

/* ---- what others have ---- */

struct service_owner {
        struct slice ns, name;
        struct slice address;
        int64_t port;
        bool is_taken;
};

static bool visit_other(void *context, const struct json *service) {
        const struct json *spec = json_get(service, "spec"), *port;
        const struct json *metadata = json_get(service, "metadata");
        struct service_owner *owner = context;
        struct json_iter iter = json_iter(json_get(spec, "ports"));

        if (slice_eq(json_get_text(metadata, "name"), owner->name) &&
            slice_eq(json_get_text(metadata, "namespace"), owner->ns))
                return true;
        if (owner->address.len && slice_eq(json_get_text(spec, "clusterIP"), owner->address))
                owner->is_taken = true;
        while (owner->port && json_next(&iter, NULL, &port))
                owner->is_taken |= json_get_i64(port, "nodePort", 0) == owner->port;
        return !owner->is_taken;
}

bool service_is_taken(struct checker *checker, const struct json_node *service,
                      struct slice address, int64_t port) {
        const struct json_node *metadata = node_get(service, "metadata");
        struct kind_context *context = checker->context;
        struct service_owner owner = { .ns = node_get_text(metadata, "namespace"),
                                       .name = node_get_text(metadata, "name"),
                                       .address = address,
                                       .port = port };

        if (context && context->each)
                context->each(context->engine, "", "services", SLICE_EMPTY, visit_other, &owner);
        return owner.is_taken;
}

/* ---- ports ---- */

int64_t service_shared_port(const struct json_node *ports, int64_t number) {
        struct node_iter iter = node_iter(ports);
        struct json_node *port;

        while (node_next(&iter, NULL, &port)) {
                int64_t found = node_get_i64(port, "nodePort", 0);

                if (found && node_get_i64(port, "port", 0) == number)
                        return found;
        }
        return 0;
}

struct service_ports {
        struct checker *checker;
        const struct json_node *service;
        const struct json *old;
        struct map_u64 *taken;  /* ports of nodes that it has by now */
        struct map_u64 *shared; /* the first entry of a number */
};

static bool had_port(const struct json *old, int64_t number) {
        struct json_iter iter = json_iter(json_get(json_get(old, "spec"), "ports"));
        const struct json *port;

        while (json_next(&iter, NULL, &port))
                if (json_get_i64(port, "nodePort", 0) == number)
                        return true;
        return false;
}

/* What speaks against a port; NULL = it is this service's now. */
static const char *take_port(struct service_ports *state, int64_t number) {
        /* A dry run takes no port, and looks at no range. */
        if (!state->checker->context->is_dry_run &&
            (number < NODE_PORT_FIRST || number >= NODE_PORT_FIRST + NODE_PORT_COUNT))
                return "provided port is not in the valid range. The range of valid ports is "
                       "30000-32767";
        if (map_u64_get(state->taken, (uint64_t)number) ||
            service_is_taken(state->checker, state->service, SLICE_EMPTY, number))
                return "provided port is already allocated";
        map_u64_put(state->taken, (uint64_t)number, state);
        return NULL;
}

/* The port that an entry takes: of those of one number, the first takes what one of them asks for.
 * 0 = none, or one that it has. */
static int64_t wanted_port(struct service_ports *state, const struct json_node *port) {
        const struct json_node *ports = node_get(node_get(state->service, "spec"), "ports");
        int64_t number = node_get_i64(port, "port", 0), own = node_get_i64(port, "nodePort", 0);

        if (state->old)
                return own && !had_port(state->old, own) &&
                                       !map_u64_get(state->taken, (uint64_t)own)
                               ? own
                               : 0;
        int64_t shared = service_shared_port(ports, number);
        if (!map_u64_get(state->shared, (uint64_t)number + 1)) {
                map_u64_put(state->shared, (uint64_t)number + 1, state);
                return shared;
        }
        return own != shared ? own : 0;
}

/* The first port that cannot be had ends it. */
static void take_all(struct service_ports *state) {
        const struct json_node *spec = node_get(state->service, "spec");
        bool is_finding = slice_is(node_get_text(spec, "type"), "NodePort") ||
                          node_is_true(node_get(spec, "allocateLoadBalancerNodePorts"));
        struct at at = at_root("spec"), list = at_member(&at, "ports");
        struct node_iter iter = node_iter(node_get(spec, "ports"));
        struct json_node *port;

        for (size_t i = 0; node_next(&iter, NULL, &port); i++) {
                struct at place = at_index(&list, i);

                if (!is_finding && node_get_i64(port, "nodePort", 0) == 0)
                        continue;
                int64_t wanted = wanted_port(state, port);
                const char *problem = wanted ? take_port(state, wanted) : NULL;
                if (problem) {
                        report_number(state->checker, &place, "nodePort", wanted, problem);
                        return;
                }
        }
}

void check_service_ports(struct checker *checker, const struct json_node *service,
                         const struct json *old) {
        struct slice type = node_get_text(node_get(service, "spec"), "type");
        struct service_ports state = { .checker = checker,
                                       .service = service,
                                       .old = old,
                                       .taken = map_u64_new(),
                                       .shared = map_u64_new() };

        if (slice_is(type, "NodePort") || slice_is(type, "LoadBalancer"))
                take_all(&state);
        map_u64_free(state.taken);
        map_u64_free(state.shared);
}
