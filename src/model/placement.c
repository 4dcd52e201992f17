/* What a pod on a node amounts to: its place in the node's list, sums, ports; and nominations. */
#include "model/cluster_priv.h"

#include <assert.h>

/* ---- lists ---- */

void pod_link(struct cluster *cluster, struct pod_id pod, struct node_id node) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        struct pod_id *first = &cluster->nodes.first_pod[node.index];
        assert(node_id_is_none(row->node));
        row->node = node;
        row->prev_on_node = POD_NONE;
        row->next_on_node = *first;
        if (!pod_id_is_none(*first))
                pod_row_at(&cluster->pods, *first)->prev_on_node = pod;
        *first = pod;
        pod_equivalents_join(cluster, pod);
}

void pod_unlink(struct cluster *cluster, struct pod_id pod) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        if (pod_id_is_none(row->prev_on_node))
                cluster->nodes.first_pod[row->node.index] = row->next_on_node;
        else
                pod_row_at(&cluster->pods, row->prev_on_node)->next_on_node = row->next_on_node;
        if (!pod_id_is_none(row->next_on_node))
                pod_row_at(&cluster->pods, row->next_on_node)->prev_on_node = row->prev_on_node;
        row->node = NODE_NONE;
        row->next_on_node = row->prev_on_node = POD_NONE;
}

/* ---- sums ---- */

/* Sums that are no resource's, in keys of wide sums. */
enum { SUM_NONZERO_CPU = UINT16_MAX + 1, SUM_NONZERO_MEMORY };

static uint64_t sum_key(uint32_t column, uint32_t node) {
        return (uint64_t)column << 32 | node;
}

static inline void sum_add(struct cluster *cluster, uint64_t key, int64_t *sum, int64_t amount) {
        int64_t result;
        if (*sum < INT64_MAX && !__builtin_add_overflow(*sum, amount, &result))
                *sum = result;
        else
                wide_sums_add(&cluster->wide_sums, key, sum, amount);
}

static inline void sum_take(struct cluster *cluster, uint64_t key, int64_t *sum, int64_t amount) {
        if (*sum < INT64_MAX)
                *sum -= amount;
        else
                wide_sums_take(&cluster->wide_sums, key, sum, amount);
}

/* Adds what a pod of the class requests to the sums of a node. */
static void add_requests(struct cluster *cluster, const struct pod_class *class, uint32_t node) {
        struct node_table *nodes = &cluster->nodes;
        for (size_t i = 0; i < class->request_count; i++) {
                uint32_t resource = class->requests[i].resource.index;
                sum_add(cluster, sum_key(resource, node),
                        &nodes->resources[resource].requested[node], class->requests[i].amount);
        }
        sum_add(cluster, sum_key(SUM_NONZERO_CPU, node), &nodes->nonzero_cpu_milli[node],
                class->nonzero_cpu_milli);
        sum_add(cluster, sum_key(SUM_NONZERO_MEMORY, node), &nodes->nonzero_memory_bytes[node],
                class->nonzero_memory_bytes);
}

static void take_requests(struct cluster *cluster, const struct pod_class *class, uint32_t node) {
        struct node_table *nodes = &cluster->nodes;
        for (size_t i = 0; i < class->request_count; i++) {
                uint32_t resource = class->requests[i].resource.index;
                sum_take(cluster, sum_key(resource, node),
                         &nodes->resources[resource].requested[node], class->requests[i].amount);
        }
        sum_take(cluster, sum_key(SUM_NONZERO_CPU, node), &nodes->nonzero_cpu_milli[node],
                 class->nonzero_cpu_milli);
        sum_take(cluster, sum_key(SUM_NONZERO_MEMORY, node), &nodes->nonzero_memory_bytes[node],
                 class->nonzero_memory_bytes);
}

/* Ports of the class that the node has not, as many as there is room for; the others are counted
 * once more. */
static size_t count_ports(struct node_table *nodes, struct node_id node,
                          const struct pod_class *class) {
        struct port_row *rows = nodes->ports[node.index];
        size_t count = nodes->port_count[node.index], fresh = 0, at = 0;
        for (size_t i = 0; i < class->port_count; i++) {
                while (at < count && class_port_compare(&rows[at].port, &class->ports[i]) < 0)
                        at++;
                if (at < count && class_port_compare(&rows[at].port, &class->ports[i]) == 0)
                        rows[at].count++;
                else
                        fresh++;
        }
        return fresh < UINT16_MAX - count ? fresh : UINT16_MAX - count;
}

/* Merges from the back, in place. The strings are the class's, which lives as long as a pod holds
 * the port. */
static void node_ports_add(struct node_table *nodes, struct node_id node,
                           const struct pod_class *class) {
        size_t fresh = class->port_count ? count_ports(nodes, node, class) : 0;
        size_t old = nodes->port_count[node.index], at = old + fresh, from = class->port_count;
        if (fresh == 0)
                return;
        struct port_row *rows = xreallocarray(nodes->ports[node.index], old + fresh, sizeof(*rows));
        nodes->ports[node.index] = rows;
        nodes->port_count[node.index] = (uint16_t)at;
        while (at > old && from > 0) {
                int order =
                        old ? class_port_compare(&rows[old - 1].port, &class->ports[from - 1]) : -1;
                if (order > 0)
                        rows[--at] = rows[--old];
                else if (order == 0)
                        from--;
                else
                        rows[--at] = (struct port_row){ .port = class->ports[--from], .count = 1 };
        }
}

static void node_ports_remove(struct node_table *nodes, struct node_id node,
                              const struct pod_class *class) {
        struct port_row *rows = nodes->ports[node.index];
        size_t left = 0, from = 0;
        for (size_t i = 0; class->port_count && i < nodes->port_count[node.index]; i++) {
                struct port_row row = rows[i];
                while (from < class->port_count &&
                       class_port_compare(&class->ports[from], &row.port) < 0)
                        from++;
                if (from < class->port_count &&
                    class_port_compare(&class->ports[from], &row.port) == 0)
                        row.count--;
                if (row.count > 0)
                        rows[left++] = row;
        }
        if (class->port_count)
                nodes->port_count[node.index] = (uint16_t)left;
}

static void add_priority(struct priority_counts *counts, int32_t priority) {
        uint32_t at = 0;
        while (at < counts->count && counts->items[at].priority != priority)
                at++;
        if (at == counts->count) {
                counts->items = rows_reserve(counts->items, &counts->cap, counts->count + 1,
                                             sizeof(*counts->items));
                counts->items[counts->count++] = (struct priority_count){ priority, 0 };
        }
        counts->items[at].count++;
}

static void remove_priority(struct priority_counts *counts, int32_t priority) {
        uint32_t at = 0;
        while (counts->items[at].priority != priority)
                at++;
        if (--counts->items[at].count == 0)
                counts->items[at] = counts->items[--counts->count];
}

int32_t cluster_lowest_priority(const struct cluster *cluster) {
        const struct priority_counts *counts = &cluster->priorities;
        int32_t lowest = INT32_MAX;
        for (uint32_t i = 0; i < counts->count; i++)
                lowest = counts->items[i].priority < lowest ? counts->items[i].priority : lowest;
        return lowest;
}

void pod_account(struct cluster *cluster, struct pod_id pod) {
        const struct pod_row *row = pod_row_at(&cluster->pods, pod);
        const struct pod_class *class = cluster_class(cluster, row->class);
        struct node_table *nodes = &cluster->nodes;
        uint32_t at = row->node.index;
        if (!pod_row_occupies(row))
                return;
        add_requests(cluster, class, at);
        nodes->resources[RESOURCE_PODS].requested[at]++;
        nodes->pod_count[at]++;
        nodes->pods_with_terms[at] += class->has_pod_terms;
        nodes->attach_count[at] += class->attach_count;
        add_priority(&cluster->priorities, row->priority);
        node_ports_add(nodes, row->node, class);
}

void pod_unaccount(struct cluster *cluster, struct pod_id pod) {
        const struct pod_row *row = pod_row_at(&cluster->pods, pod);
        const struct pod_class *class = cluster_class(cluster, row->class);
        struct node_table *nodes = &cluster->nodes;
        uint32_t at = row->node.index;
        if (!pod_row_occupies(row))
                return;
        take_requests(cluster, class, at);
        assert(nodes->pod_count[at] > 0);
        nodes->resources[RESOURCE_PODS].requested[at]--;
        nodes->pod_count[at]--;
        nodes->pods_with_terms[at] -= class->has_pod_terms;
        nodes->attach_count[at] -= class->attach_count;
        remove_priority(&cluster->priorities, row->priority);
        node_ports_remove(nodes, row->node, class);
}

/* ---- nominations ---- */

uint32_t pod_nomination_position(const struct cluster *cluster, struct pod_id pod) {
        const struct pod_rows *pods = &cluster->pods;
        for (uint32_t i = 0; i < pods->nominated_count; i++) {
                if (pods->nominated[i].index == pod.index)
                        return i;
        }
        return ID_NONE;
}

void pod_nomination_insert(struct cluster *cluster, struct pod_id pod, uint32_t position) {
        struct pod_rows *pods = &cluster->pods;
        assert(position <= pods->nominated_count);
        pods->nominated = rows_reserve(pods->nominated, &pods->nominated_cap,
                                       pods->nominated_count + 1, sizeof(*pods->nominated));
        memmove(&pods->nominated[position + 1], &pods->nominated[position],
                (pods->nominated_count - position) * sizeof(*pods->nominated));
        pods->nominated[position] = pod;
        pods->nominated_count++;
}

void pod_nomination_remove(struct cluster *cluster, struct pod_id pod) {
        struct pod_rows *pods = &cluster->pods;
        uint32_t position = pod_nomination_position(cluster, pod);
        assert(position != ID_NONE);
        pods->nominated_count--;
        memmove(&pods->nominated[position], &pods->nominated[position + 1],
                (pods->nominated_count - position) * sizeof(*pods->nominated));
}

bool pod_set_nomination(struct cluster *cluster, struct pod_id pod, struct slice node) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        struct str_id now = str_take(cluster, node), before = row->nominated;
        row->nominated = now;
        str_drop(cluster, before);
        if (before.index == 0 && now.index != 0)
                pod_nomination_insert(cluster, pod, cluster->pods.nominated_count);
        if (before.index != 0 && now.index == 0)
                pod_nomination_remove(cluster, pod);
        return !str_id_eq(before, now);
}
