/* Nodes and pods of a pass in their order, and what rules get to see of them. */
#include "base/map.h"
#include "plugin/desched_run.h"
#include <stdlib.h>

/* ---- order ---- */

struct named_node {
        struct slice name;
        struct node_id node;
};

static int compare_nodes(const void *a, const void *b) {
        const struct named_node *x = a, *y = b;
        return slice_compare(x->name, y->name);
}

static void order_nodes(struct desched_run *run, const struct bitset *selected) {
        const struct node_table *table = cluster_nodes(run->cluster);
        struct named_node *named =
                ARENA_ARRAY(run->pass, struct named_node, bitset_count(selected));
        size_t count = 0;
        for (size_t i = bitset_next(selected, 0); i != SIZE_MAX; i = bitset_next(selected, i + 1)) {
                if (!bitset_has(&table->ready, i))
                        continue;
                struct node_id node = { (uint32_t)i };
                named[count++] = (struct named_node){ cluster_node_name(run->cluster, node), node };
        }
        qsort(named, count, sizeof(*named), compare_nodes);
        struct node_id *nodes = ARENA_ARRAY(run->pass, struct node_id, count);
        for (size_t i = 0; i < count; i++)
                nodes[i] = named[i].node;
        run->nodes = (struct node_batch_list){ nodes, count };
        run->listed = bitset_in_arena(run->pass, table->count);
        for (size_t i = 0; i < count; i++)
                bitset_add(&run->listed, nodes[i].index);
}

/* Oldest first; namespace and name make the order total. */
int desched_pod_order(const struct cluster *cluster, struct pod_id a, struct pod_id b) {
        const struct pod_row *x = cluster_pod(cluster, a), *y = cluster_pod(cluster, b);
        if (x->created.ns != y->created.ns)
                return x->created.ns < y->created.ns ? -1 : 1;
        if (!str_id_eq(x->ns, y->ns))
                return slice_compare(cluster_text(cluster, x->ns), cluster_text(cluster, y->ns));
        return strcmp(x->name, y->name);
}

/* Merge sort: stable, needs no context behind the comparison; spare is as long as pods. */
static void desched_list_merge(const struct pod_order *order, struct pod_id *pods, size_t half,
                               size_t count, struct pod_id *spare) {
        memcpy(spare, pods, half * sizeof(*pods));
        size_t left = 0, right = half, to = 0;
        while (left < half && right < count)
                pods[to++] = order->compare(order->cluster, pods[right], spare[left]) < 0
                                     ? pods[right++]
                                     : spare[left++];
        memcpy(pods + to, spare + left, (half - left) * sizeof(*pods));
}

static void sort_pods(const struct pod_order *order, struct pod_id *pods, size_t count,
                      struct pod_id *spare) {
        if (count < 2)
                return;
        size_t half = count / 2;
        sort_pods(order, pods, half, spare);
        sort_pods(order, pods + half, count - half, spare);
        if (order->compare(order->cluster, pods[half], pods[half - 1]) < 0)
                desched_list_merge(order, pods, half, count, spare);
}

void desched_sort_pods(const struct pod_order *order, struct pod_id *pods, size_t count,
                       struct arena *arena) {
        sort_pods(order, pods, count, ARENA_ARRAY(arena, struct pod_id, count));
}

/* What the order needs of a pod, gathered in one walk along the rows so that sorting does not jump
 * between them. */
struct pod_key {
        int64_t created_ns;
        struct pod_id pod;
        struct node_id node;
};

static bool is_listed(const struct desched_run *run, const struct pod_row *row) {
        return row->is_live && !node_id_is_none(row->node) &&
               run->first[2 * row->node.index + 1] != UINT32_MAX;
}

/* The node's life is over or unknown, and with it the pod's. */
static bool is_lost(const struct desched_run *run, const struct pod_row *row) {
        if (row->phase == POD_UNKNOWN)
                return true;
        return row->detail && slice_is(cluster_text(run->cluster, row->detail->reason), "NodeLost");
}

/* Finished and lost pods do not run any more, so it does not matter whether their node is usable;
 * only those on nodes outside the policy stay. */
static bool is_elsewhere(const struct desched_run *run, const struct pod_row *row) {
        if (!row->is_live || is_listed(run, row) ||
            (!pod_row_is_finished(row) && !is_lost(run, row)))
                return false;
        return node_id_is_none(row->node) ||
               !bitset_has(&cluster_nodes(run->cluster)->live, row->node.index) ||
               bitset_has(&run->selected, row->node.index);
}

/* Insertion sort: a node holds few pods, and they are often nearly in order. */
static void sort_keys(const struct cluster *cluster, struct pod_key *keys, size_t count) {
        for (size_t i = 1; i < count; i++) {
                struct pod_key key = keys[i];
                size_t at = i;
                while (at > 0 && (keys[at - 1].created_ns > key.created_ns ||
                                  (keys[at - 1].created_ns == key.created_ns &&
                                   desched_pod_order(cluster, keys[at - 1].pod, key.pod) > 0))) {
                        keys[at] = keys[at - 1];
                        at--;
                }
                keys[at] = key;
        }
}

/* The keys of listed pods as the rows come, counting those of each node; the others go to
 * run->elsewhere if they belong there. */
static size_t gather_keys(struct desched_run *run, struct pod_key *keys) {
        size_t cap = cluster_pod_cap(run->cluster), rows = cluster_nodes(run->cluster)->count;
        struct pod_id *elsewhere = ARENA_ARRAY(run->scratch, struct pod_id, cap);
        size_t count = 0;
        run->finished = bitset_in_arena(run->pass, cap);
        run->shown = bitset_in_arena(run->pass, cap);
        run->first = ARENA_ARRAY(run->pass, uint32_t, 2 * rows);
        for (size_t i = 0; i < rows; i++)
                run->first[2 * i + 1] = UINT32_MAX;
        for (size_t i = 0; i < run->nodes.count; i++)
                run->first[2 * run->nodes.nodes[i].index + 1] = 0;
        for (size_t i = 0; i < cap; i++) {
                struct pod_id pod = { (uint32_t)i };
                const struct pod_row *row = cluster_pod(run->cluster, pod);
                if (is_listed(run, row)) {
                        run->first[2 * row->node.index + 1]++;
                        keys[count++] = (struct pod_key){ row->created.ns, pod, row->node };
                        bitset_add(&run->shown, i);
                        if (pod_row_is_finished(row))
                                bitset_add(&run->finished, i);
                } else if (is_elsewhere(run, row)) {
                        elsewhere[run->elsewhere_count++] = pod;
                        bitset_add(&run->shown, i);
                }
        }
        run->elsewhere =
                arena_copy(run->pass, elsewhere, run->elsewhere_count * sizeof(*elsewhere));
        return count;
}

/* Ranges for the pods of each listed node, one after the other and still empty. */
static void lay_out(struct desched_run *run) {
        uint32_t total = 0;
        for (size_t i = 0; i < run->nodes.count; i++) {
                uint32_t *range = &run->first[2 * run->nodes.nodes[i].index];
                uint32_t count = range[1];
                range[0] = range[1] = total;
                total += count;
        }
}

static void order_pods(struct desched_run *run) {
        struct pod_key *rows =
                ARENA_ARRAY(run->scratch, struct pod_key, cluster_pod_cap(run->cluster));
        size_t count = gather_keys(run, rows);
        struct pod_key *keys = ARENA_ARRAY(run->scratch, struct pod_key, count);
        lay_out(run);
        for (size_t i = 0; i < count; i++)
                keys[run->first[2 * rows[i].node.index + 1]++] = rows[i];
        for (size_t i = 0; i < run->nodes.count; i++) {
                const uint32_t *range = &run->first[2 * run->nodes.nodes[i].index];
                sort_keys(run->cluster, keys + range[0], range[1] - range[0]);
        }
        run->pod_count = count;
        run->pods = ARENA_ARRAY(run->pass, struct pod_id, count);
        for (size_t i = 0; i < count; i++)
                run->pods[i] = keys[i].pod;
        const struct pod_order order = { run->cluster, desched_pod_order };
        desched_sort_pods(&order, run->elsewhere, run->elsewhere_count, run->scratch);
}

void desched_run_prepare(struct desched_run *run, const struct bitset *selected) {
        run->selected = *selected;
        order_nodes(run, selected);
        order_pods(run);
        run->kinds = pod_kinds_make(run->cluster, run->pass);
        run->gone = bitset_in_arena(run->pass, cluster_pod_cap(run->cluster));
        run->cached = map_new();
}

void desched_run_finish(struct desched_run *run) {
        map_free(run->cached);
        run->cached = NULL;
}

size_t desched_run_pods(struct desched_run *run, struct node_id node, enum pod_listing listing,
                        const struct pod_id **ret_pods) {
        uint32_t from = run->first[2 * node.index], to = run->first[2 * node.index + 1];
        struct pod_id *pods = ARENA_ARRAY(run->scratch, struct pod_id, to - from);
        size_t count = 0;
        for (uint32_t i = from; i < to; i++) {
                uint32_t index = run->pods[i].index;
                bool is_finished = bitset_has(&run->finished, index);
                bool is_asked = listing == PODS_ALL || is_finished == (listing == PODS_FINISHED);
                if (is_asked && !bitset_has(&run->gone, index))
                        pods[count++] = run->pods[i];
        }
        *ret_pods = pods;
        return count;
}

size_t desched_run_all_pods(struct desched_run *run, const struct pod_id **ret_pods) {
        struct pod_id *pods = ARENA_ARRAY(run->scratch, struct pod_id, bitset_count(&run->shown));
        size_t count = 0;
        for (size_t i = bitset_next(&run->shown, 0); i != SIZE_MAX;
             i = bitset_next(&run->shown, i + 1))
                if (!bitset_has(&run->gone, i))
                        pods[count++] = (struct pod_id){ (uint32_t)i };
        *ret_pods = pods;
        return count;
}

size_t desched_run_pods_elsewhere(struct desched_run *run, const struct pod_id **ret_pods) {
        struct pod_id *pods = ARENA_ARRAY(run->scratch, struct pod_id, run->elsewhere_count);
        size_t count = 0;
        for (size_t i = 0; !run->is_parity && i < run->elsewhere_count; i++)
                if (!bitset_has(&run->gone, run->elsewhere[i].index))
                        pods[count++] = run->elsewhere[i];
        *ret_pods = pods;
        return count;
}
