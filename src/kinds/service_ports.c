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

/* ---- ports that are asked for ---- */

/* Ports of one number, such as 53 of TCP and of UDP, share a port of the nodes when a service is
 * made: by number, the one that the first of them asks for. */
static struct map_u64 *shared_ports_new(const struct json_node *ports) {
        struct map_u64 *shared = map_u64_new();
        struct node_iter iter = node_iter(ports);
        struct json_node *port;

        while (node_next(&iter, NULL, &port)) {
                uint64_t number = (uint64_t)node_get_i64(port, "port", 0);
                int64_t own = node_get_i64(port, "nodePort", 0);

                if (own && !map_u64_get(shared, number))
                        map_u64_put(shared, number, (void *)(intptr_t)own);
        }
        return shared;
}

static int64_t shared_port(const struct map_u64 *shared, const struct json_node *port) {
        return (intptr_t)map_u64_get(shared, (uint64_t)node_get_i64(port, "port", 0));
}

struct service_ports {
        struct checker *checker;
        const struct json_node *service;
        bool is_new;
        struct map_u64 *taken;  /* ports of nodes that it has by now */
        struct map_u64 *shared; /* of a new one */
        struct map_u64 *seen;   /* numbers that came by, of a new one */
};

/* Those that the stored service has. */
static void note_old(struct service_ports *state, const struct json *old) {
        struct json_iter iter = json_iter(json_get(json_get(old, "spec"), "ports"));
        const struct json *port;

        while (json_next(&iter, NULL, &port))
                map_u64_put(state->taken, (uint64_t)json_get_i64(port, "nodePort", 0), state);
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
        uint64_t number = (uint64_t)node_get_i64(port, "port", 0);
        int64_t own = node_get_i64(port, "nodePort", 0);

        if (!state->is_new)
                return own && !map_u64_get(state->taken, (uint64_t)own) ? own : 0;
        int64_t shared = shared_port(state->shared, port);
        if (!map_u64_put(state->seen, number, state))
                return shared;
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
        const struct json_node *spec = node_get(service, "spec");
        struct slice type = node_get_text(spec, "type");

        if (!slice_is(type, "NodePort") && !slice_is(type, "LoadBalancer"))
                return;
        struct service_ports state = { .checker = checker,
                                       .service = service,
                                       .is_new = !old,
                                       .taken = map_u64_new(),
                                       .shared = shared_ports_new(node_get(spec, "ports")),
                                       .seen = map_u64_new() };
        note_old(&state, old);
        take_all(&state);
        map_u64_free(state.taken);
        map_u64_free(state.shared);
        map_u64_free(state.seen);
}

/* ---- ports that are found ---- */

struct port_range {
        bool is_used[NODE_PORT_COUNT];
        uint64_t start, tried;
};

static void range_use(struct port_range *range, int64_t port) {
        if (port >= NODE_PORT_FIRST && port < NODE_PORT_FIRST + NODE_PORT_COUNT)
                range->is_used[port - NODE_PORT_FIRST] = true;
}

static bool note_others(void *context, const struct json *service) {
        const struct json *spec = json_get(service, "spec"), *port;
        struct json_iter iter = json_iter(json_get(spec, "ports"));

        while (json_next(&iter, NULL, &port))
                range_use(context, json_get_i64(port, "nodePort", 0));
        range_use(context, json_get_i64(spec, "healthCheckNodePort", 0));
        return true;
}

/* The next that is free; 0 = none is left. */
static int64_t range_next(struct port_range *range) {
        for (; range->tried < NODE_PORT_COUNT; range->tried++) {
                uint64_t place = (range->start + range->tried) % NODE_PORT_COUNT;

                if (!range->is_used[place]) {
                        range->is_used[place] = true;
                        return NODE_PORT_FIRST + (int64_t)place;
                }
        }
        return 0;
}

static void take_missing(struct port_range *range, struct json_tree *tree,
                         const struct json_node *ports, bool is_new) {
        struct map_u64 *shared = shared_ports_new(ports);
        struct node_iter iter = node_iter(ports);
        struct json_node *port;

        while (node_next(&iter, NULL, &port)) {
                int64_t found = is_new ? shared_port(shared, port) : 0;

                if (node_get_i64(port, "nodePort", 0))
                        continue;
                if (!found)
                        found = range_next(range);
                if (!found)
                        continue;
                node_put_i64(tree, port, "nodePort", found);
                map_u64_put(shared, (uint64_t)node_get_i64(port, "port", 0),
                            (void *)(intptr_t)found);
        }
        map_u64_free(shared);
}

void service_take_ports(struct kind_context *context, struct json_tree *tree,
                        struct json_node *spec, const struct service_need *need) {
        struct port_range range = { .start = need->start };
        struct json_node *ports = node_get(spec, "ports"), *port;
        struct node_iter iter = node_iter(ports);
        int64_t health = node_get_i64(spec, "healthCheckNodePort", 0);

        if (context->each)
                context->each(context->engine, "", "services", SLICE_EMPTY, note_others, &range);
        while (node_next(&iter, NULL, &port))
                range_use(&range, node_get_i64(port, "nodePort", 0));
        range_use(&range, health);
        if (need->has_ports)
                take_missing(&range, tree, ports, need->is_new);
        if (need->has_health && !health && (health = range_next(&range)))
                node_put_i64(tree, spec, "healthCheckNodePort", health);
}
