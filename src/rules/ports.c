/* Host ports. */
#include "rules/ports.h"
#include "base/slice.h"

/* The id of 0.0.0.0; when no node or pod ever named it, no address equals it. */
static struct str_id ports_wildcard(const struct cluster *cluster) {
        bool is_known;
        struct str_id id = cluster_str(cluster, SLICE_LITERAL("0.0.0.0"), &is_known);
        return is_known ? id : (struct str_id){ ID_NONE };
}

/* Sorted ports, of a class or a node. */
struct port_list {
        const struct class_port *ports;
        const struct port_row *rows; /* instead */
        size_t count;
};

static const struct class_port *port_at(const struct port_list *list, size_t index) {
        return list->rows ? &list->rows[index].port : &list->ports[index];
}

/* By number and protocol, whatever the address. */
static int compare_sockets(const struct class_port *a, const struct class_port *b) {
        if (a->port != b->port)
                return a->port < b->port ? -1 : 1;
        return (a->protocol.index > b->protocol.index) - (a->protocol.index < b->protocol.index);
}

/* The first from `start` on that is not before port. */
static size_t ports_search(const struct port_list *list, size_t start,
                           const struct class_port *port) {
        size_t end = list->count;
        while (start < end) {
                size_t middle = start + (end - start) / 2;
                if (compare_sockets(port_at(list, middle), port) < 0)
                        start = middle + 1;
                else
                        end = middle;
        }
        return start;
}

/* The end of those that differ from the one at start in their address only. */
static size_t ports_alike(const struct port_list *list, size_t start, struct str_id any_ip,
                          bool *ret_has_any) {
        size_t end = start;
        *ret_has_any = false;
        while (end < list->count && compare_sockets(port_at(list, end), port_at(list, start)) == 0)
                *ret_has_any |= str_id_eq(port_at(list, end++)->ip, any_ip);
        return end;
}

/* Of ports of one number and protocol, sorted by address. */
static bool share_address(const struct port_list *a, size_t i, size_t a_end,
                          const struct port_list *b, size_t j, size_t b_end) {
        while (i < a_end && j < b_end) {
                int order = class_port_compare(port_at(a, i), port_at(b, j));
                if (order == 0)
                        return true;
                i += order < 0;
                j += order > 0;
        }
        return false;
}

static bool lists_clash(const struct port_list *a, const struct port_list *b,
                        struct str_id any_ip) {
        bool a_has_any, b_has_any;
        for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
                int order = compare_sockets(port_at(a, i), port_at(b, j));
                if (order < 0) {
                        i = ports_search(a, i, port_at(b, j));
                        continue;
                }
                if (order > 0) {
                        j = ports_search(b, j, port_at(a, i));
                        continue;
                }
                size_t a_end = ports_alike(a, i, any_ip, &a_has_any);
                size_t b_end = ports_alike(b, j, any_ip, &b_has_any);
                if (a_has_any || b_has_any || share_address(a, i, a_end, b, j, b_end))
                        return true;
                i = a_end;
                j = b_end;
        }
        return false;
}

static bool is_taken(const struct node_table *nodes, size_t node, const struct pod_class *class,
                     struct str_id any_ip) {
        struct port_list wanted = { .ports = class->ports, .count = class->port_count };
        struct port_list used = { .rows = nodes->ports[node], .count = nodes->port_count[node] };
        return used.count > 0 && lists_clash(&wanted, &used, any_ip);
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

bool ports_clash(const struct pod_class *a, const struct pod_class *b, struct str_id any_ip) {
        struct port_list first = { .ports = a->ports, .count = a->port_count };
        struct port_list second = { .ports = b->ports, .count = b->port_count };
        return lists_clash(&first, &second, any_ip);
}
