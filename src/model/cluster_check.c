/* The model against itself, rows first: lists, sums and ports of nodes from the pods on them. */
#include "model/cluster_check.h"

#include "base/saturate.h"
#include <stdlib.h>

static struct slice node_name(const struct cluster *cluster, uint32_t node) {
        return interner_text(cluster->strings, cluster->nodes.name[node]);
}

static int node_problem(const struct cluster *cluster, uint32_t node, const char *what,
                        int64_t found, int64_t wanted, struct err *err) {
        return err_set(err, BERTH_ERR_INTERNAL, "node " SLICE_FMT ": %s is %lld, should be %lld",
                       SLICE_ARG(node_name(cluster, node)), what, (long long)found,
                       (long long)wanted);
}

static int pod_problem(const struct cluster *cluster, const struct pod_row *row, const char *what,
                       struct err *err) {
        return err_set(err, BERTH_ERR_INTERNAL, "pod " SLICE_FMT "/%s: %s",
                       SLICE_ARG(interner_text(cluster->strings, row->ns)), row->name, what);
}

/* ---- sums of one node, recomputed ---- */

struct node_sums {
        int64_t *requested; /* by resource */
        int64_t nonzero_cpu_milli, nonzero_memory_bytes;
        uint32_t pods, pods_with_terms, attach_count, port_holders;
};

static void sums_add(struct node_sums *sums, const struct pod_class *class) {
        for (size_t i = 0; i < class->request_count; i++) {
                int64_t *sum = &sums->requested[class->requests[i].resource.index];
                *sum = sum_saturated(*sum, class->requests[i].amount);
        }
        sums->requested[RESOURCE_PODS]++;
        sums->nonzero_cpu_milli = sum_saturated(sums->nonzero_cpu_milli, class->nonzero_cpu_milli);
        sums->nonzero_memory_bytes =
                sum_saturated(sums->nonzero_memory_bytes, class->nonzero_memory_bytes);
        sums->pods++;
        sums->pods_with_terms += class->has_pod_terms;
        sums->attach_count += class->attach_count;
        sums->port_holders += (uint32_t) class->port_count;
}

static bool node_holds(const struct node_table *nodes, uint32_t node,
                       const struct class_port *port) {
        for (uint16_t i = 0; i < nodes->port_count[node]; i++) {
                const struct port_row *row = &nodes->ports[node][i];
                if (class_port_compare(&row->port, port) == 0)
                        return true;
        }
        return false;
}

static int check_pod_on_node(const struct cluster *cluster, struct pod_id pod, uint32_t node,
                             struct pod_id previous, struct node_sums *sums, struct err *err) {
        const struct pod_row *row = pod_row_at(&cluster->pods, pod);
        if (!row->is_live)
                return node_problem(cluster, node, "a pod on the list that is not live", 0, 1, err);
        if (row->node.index != node)
                return pod_problem(cluster, row, "is on the list of another node", err);
        if (row->prev_on_node.index != previous.index)
                return pod_problem(cluster, row, "does not link back to its neighbour", err);
        if (pod_row_is_finished(row))
                return 0;
        const struct pod_class *class = cluster_class(cluster, row->class);
        for (size_t i = 0; i < class->port_count; i++) {
                if (!node_holds(&cluster->nodes, node, &class->ports[i]))
                        return pod_problem(cluster, row, "holds a port its node does not list",
                                           err);
        }
        sums_add(sums, class);
        return 0;
}

static int compare_sums(const struct cluster *cluster, uint32_t node, const struct node_sums *sums,
                        struct err *err) {
        const struct node_table *nodes = &cluster->nodes;
        uint32_t holders = 0;
        for (size_t i = 0; i < nodes->resource_count; i++) {
                int64_t found = nodes->resources[i].requested[node];
                if (found != sums->requested[i])
                        return node_problem(
                                cluster, node,
                                interner_text(cluster->strings, cluster->resources.names[i]).ptr,
                                found, sums->requested[i], err);
        }
        for (uint16_t i = 0; i < nodes->port_count[node]; i++)
                holders += nodes->ports[node][i].count;
        if (nodes->pod_count[node] != sums->pods)
                return node_problem(cluster, node, "pod count", nodes->pod_count[node], sums->pods,
                                    err);
        if (nodes->attach_count[node] != sums->attach_count)
                return node_problem(cluster, node, "attached volumes", nodes->attach_count[node],
                                    sums->attach_count, err);
        if (nodes->pods_with_terms[node] != sums->pods_with_terms)
                return node_problem(cluster, node, "pods with terms", nodes->pods_with_terms[node],
                                    sums->pods_with_terms, err);
        if (nodes->nonzero_cpu_milli[node] != sums->nonzero_cpu_milli)
                return node_problem(cluster, node, "cpu with defaults",
                                    nodes->nonzero_cpu_milli[node], sums->nonzero_cpu_milli, err);
        if (nodes->nonzero_memory_bytes[node] != sums->nonzero_memory_bytes)
                return node_problem(cluster, node, "memory with defaults",
                                    nodes->nonzero_memory_bytes[node], sums->nonzero_memory_bytes,
                                    err);
        if (holders != sums->port_holders)
                return node_problem(cluster, node, "holders of ports", holders, sums->port_holders,
                                    err);
        return 0;
}

static int check_node_row(const struct cluster *cluster, uint32_t node, size_t *listed,
                          struct err *err) {
        const struct node_table *nodes = &cluster->nodes;
        CLEANUP(cleanup_free)
        int64_t *requested = xcalloc(nodes->resource_count, sizeof(*requested));
        struct node_sums sums = { .requested = requested };
        struct pod_id previous = POD_NONE;
        for (struct pod_id pod = nodes->first_pod[node]; !pod_id_is_none(pod);
             pod = pod_row_at(&cluster->pods, pod)->next_on_node) {
                int r = check_pod_on_node(cluster, pod, node, previous, &sums, err);
                if (r < 0)
                        return r;
                previous = pod;
                (*listed)++;
        }
        return compare_sums(cluster, node, &sums, err);
}

static int check_flags(const struct cluster *cluster, uint32_t node, struct err *err) {
        const struct node_table *nodes = &cluster->nodes;
        uint8_t flags = nodes->flags[node];
        bool is_live = flags & NODE_KNOWN;
        if (is_live && !cluster->node_extra[node].is_used)
                return node_problem(cluster, node, "row in use", 0, 1, err);
        if (bitset_has(&nodes->live, node) != is_live)
                return node_problem(cluster, node, "live bit", !is_live, is_live, err);
        if (bitset_has(&nodes->unschedulable, node) != !!(flags & NODE_UNSCHEDULABLE))
                return node_problem(cluster, node, "unschedulable bit", 0, 1, err);
        if (bitset_has(&nodes->ready, node) != !!(flags & NODE_READY))
                return node_problem(cluster, node, "ready bit", 0, 1, err);
        return 0;
}

static int check_nodes(const struct cluster *cluster, size_t *listed, struct err *err) {
        size_t live = 0;
        for (uint32_t node = 0; node < cluster->nodes.count; node++) {
                int r = check_flags(cluster, node, err);
                if (r < 0)
                        return r;
                live += bitset_has(&cluster->nodes.live, node);
                if (!cluster->node_extra[node].is_used)
                        continue;
                if (node_row_find(cluster, cluster->nodes.name[node]).index != node)
                        return node_problem(cluster, node, "index entry", -1, node, err);
                r = check_node_row(cluster, node, listed, err);
                if (r < 0)
                        return r;
        }
        if (live != cluster->live_nodes || live != node_order_count(cluster->order))
                return err_set(err, BERTH_ERR_INTERNAL, "%zu live nodes, %zu counted, %zu ordered",
                               live, cluster->live_nodes, node_order_count(cluster->order));
        return 0;
}

/* ---- pods ---- */

static int check_nominations(const struct cluster *cluster, size_t nominated, struct err *err) {
        if (nominated != cluster->pods.nominated_count)
                return err_set(err, BERTH_ERR_INTERNAL, "%zu nominated pods, %u listed", nominated,
                               cluster->pods.nominated_count);
        for (uint32_t i = 0; i < cluster->pods.nominated_count; i++) {
                const struct pod_row *row = pod_row_at(&cluster->pods, cluster->pods.nominated[i]);
                if (!row->is_live || row->nominated.index == 0)
                        return err_set(err, BERTH_ERR_INTERNAL, "listed pod has no nomination");
        }
        return 0;
}

static bool is_well_listed(const struct pod_equivalents *equivalents, uint32_t list,
                           struct pod_id previous, const struct pod_row *row) {
        return row->is_listed && row->equivalents == list &&
               row->prev_equivalent.index == previous.index && !node_id_is_none(row->node) &&
               str_id_eq(row->ns, equivalents->ns) &&
               row->class.index == equivalents->class.index &&
               row->labels.index == equivalents->labels.index;
}

static int check_equivalent_list(const struct cluster *cluster, uint32_t list, struct err *err) {
        const struct pod_equivalents *equivalents = &cluster->equivalents.items[list];
        struct pod_id pod = equivalents->count > 0 ? equivalents->first : POD_NONE,
                      previous = POD_NONE;
        uint32_t count = 0;
        for (; !pod_id_is_none(pod) && count < equivalents->count; count++) {
                const struct pod_row *row = pod_row_at(&cluster->pods, pod);
                if (!is_well_listed(equivalents, list, previous, row))
                        return pod_problem(cluster, row, "is listed with others", err);
                previous = pod;
                pod = row->next_equivalent;
        }
        if (count != equivalents->count || !pod_id_is_none(pod))
                return err_set(err, BERTH_ERR_INTERNAL, "list %u of alike pods: %u, not %u", list,
                               count, equivalents->count);
        return 0;
}

/* Every pod on a node is in the one list of its kind, and the index finds that list. */
static int check_equivalents(const struct cluster *cluster, size_t placed, struct err *err) {
        const struct equivalent_table *table = &cluster->equivalents;
        size_t listed = 0, lists = 0;
        for (uint32_t i = 0; i < table->ids.used; i++) {
                int r = check_equivalent_list(cluster, i, err);
                if (r < 0)
                        return r;
                lists += table->items[i].is_used;
                listed += table->items[i].count;
        }
        if (listed != placed || lists != table->index.count)
                return err_set(err, BERTH_ERR_INTERNAL,
                               "%zu pods have nodes, %zu are in %zu lists, %u in the index", placed,
                               listed, lists, table->index.count);
        return 0;
}

static int check_priorities(const struct cluster *cluster, struct err *err) {
        const struct pod_rows *pods = &cluster->pods;
        uint32_t occupying = 0, counted = 0;
        for (uint32_t i = 0; i < pods->ids.used; i++) {
                const struct pod_row *row = pod_row_at(pods, (struct pod_id){ i });
                if (!row->is_live || !pod_row_occupies(row))
                        continue;
                occupying++;
                if (row->priority < cluster_lowest_priority(cluster))
                        return pod_problem(cluster, row, "has a priority below the lowest", err);
        }
        for (uint32_t i = 0; i < cluster->priorities.count; i++)
                counted += cluster->priorities.items[i].count;
        if (counted != occupying)
                return err_set(err, BERTH_ERR_INTERNAL, "%u pods occupy nodes, %u have priorities",
                               occupying, counted);
        return 0;
}

static int check_pods(const struct cluster *cluster, size_t listed, struct err *err) {
        const struct pod_rows *pods = &cluster->pods;
        size_t live = 0, placed = 0, nominated = 0;
        for (uint32_t i = 0; i < pods->ids.used; i++) {
                const struct pod_row *row = pod_row_at(pods, (struct pod_id){ i });
                if (!row->is_live)
                        continue;
                live++;
                placed += !node_id_is_none(row->node);
                nominated += row->nominated.index != 0;
                struct slice name = slice_make(row->name, row->name_length);
                if (pod_row_find(cluster, row->ns, name).index != i)
                        return pod_problem(cluster, row, "is not in the index", err);
                if ((row->flags & POD_ASSUMED) && node_id_is_none(row->node))
                        return pod_problem(cluster, row, "is assumed without a node", err);
        }
        if (live != pods->live || live != pods->index.count)
                return err_set(err, BERTH_ERR_INTERNAL,
                               "%zu live pods, %u counted, %u in the index", live, pods->live,
                               pods->index.count);
        if (placed != listed)
                return err_set(err, BERTH_ERR_INTERNAL, "%zu pods have nodes, %zu are listed",
                               placed, listed);
        int r = cluster_is_what_if(cluster) ? 0 : check_equivalents(cluster, placed, err);
        if (r == 0)
                r = check_priorities(cluster, err);
        return r < 0 ? r : check_nominations(cluster, nominated, err);
}

/* ---- classes ---- */

static int check_class(const struct cluster *cluster, const struct pod_class *class,
                       struct arena *arena, struct err *err) {
        struct resource_list list = pod_spec_requests(&class->spec, false, arena);
        size_t at = 0;
        for (size_t i = 0; i < list.count; i++) {
                struct resource_id resource;
                bool has_column = cluster_resource(cluster, list.items[i].name, &resource);
                if (list.items[i].amount <= 0 || (has_column && resource.index == RESOURCE_PODS))
                        continue;
                if (at == class->request_count ||
                    class->requests[at].amount != list.items[i].amount)
                        return err_set(err, BERTH_ERR_INTERNAL, "class %u: request of " SLICE_FMT,
                                       class->id.index, SLICE_ARG(list.items[i].name));
                at++;
        }
        if (at != class->request_count)
                return err_set(err, BERTH_ERR_INTERNAL, "class %u: too many requests",
                               class->id.index);
        return 0;
}

static int check_classes(const struct cluster *cluster, struct err *err) {
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 0);
        for (uint32_t i = 0; i < cluster->classes.ids.used; i++) {
                const struct pod_class *class = cluster->classes.items[i];
                arena_clear(&arena);
                int r = class ? check_class(cluster, class, &arena, err) : 0;
                if (r < 0)
                        return r;
        }
        return 0;
}

int cluster_check(const struct cluster *cluster, struct err *err) {
        size_t listed = 0;
        int r = check_nodes(cluster, &listed, err);
        if (r == 0)
                r = check_pods(cluster, listed, err);
        if (r == 0)
                r = check_classes(cluster, err);
        if (r == 0)
                r = check_counts(cluster, err);
        if (r == 0)
                r = check_node_labels(cluster, err);
        return r;
}
