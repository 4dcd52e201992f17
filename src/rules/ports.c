/* Host ports. */
#include "rules/ports.h"
#include "base/slice.h"

/* The id of 0.0.0.0; when no node or pod ever named it, no address equals it. */
static struct str_id ports_wildcard(const struct cluster *cluster) {
        bool is_known;
        struct str_id id = cluster_str(cluster, SLICE_LITERAL("0.0.0.0"), &is_known);
        return is_known ? id : (struct str_id){ ID_NONE };
}

bool ports_conflict(const struct class_port *a, struct str_id ip, struct str_id protocol,
                    int32_t port, struct str_id any_ip) {
        return a->port == port && str_id_eq(a->protocol, protocol) &&
               (str_id_eq(a->ip, ip) || str_id_eq(a->ip, any_ip) || str_id_eq(ip, any_ip));
}

static bool is_taken(const struct node_table *nodes, size_t node, const struct pod_class *class,
                     struct str_id any_ip) {
        const struct port_row *used = nodes->ports[node];
        for (size_t i = 0; i < nodes->port_count[node]; i++)
                for (size_t j = 0; j < class->port_count; j++)
                        if (ports_conflict(&class->ports[j], used[i].ip, used[i].protocol,
                                           used[i].port, any_ip))
                                return true;
        return false;
}

bool ports_taken(const struct cluster *cluster, const struct pod_class *class,
                 struct node_id node) {
        return class->port_count > 0 &&
               is_taken(cluster_nodes(cluster), node.index, class, ports_wildcard(cluster));
}

void ports_narrow(const struct cluster *cluster, const struct pod_class *class,
                  struct bitset *nodes) {
        if (class->port_count == 0)
                return;
        const struct node_table *table = cluster_nodes(cluster);
        struct str_id any_ip = ports_wildcard(cluster);
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (is_taken(table, i, class, any_ip))
                        bitset_remove(nodes, i);
}

bool ports_clash(const struct cluster *cluster, const struct pod_class *a,
                 const struct pod_class *b) {
        struct str_id any_ip = ports_wildcard(cluster);
        for (size_t i = 0; i < a->port_count; i++)
                for (size_t j = 0; j < b->port_count; j++)
                        if (ports_conflict(&a->ports[i], b->ports[j].ip, b->ports[j].protocol,
                                           b->ports[j].port, any_ip))
                                return true;
        return false;
}
