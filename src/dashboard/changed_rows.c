/* What changed since a generation, each row once, as it is now. */
#include "dashboard/rows.h"

#include "base/arena.h"
#include "base/bitset.h"
#include "dashboard/json_list.h"

/* The node itself changed, not only the pods on it. */
#define NODE_MASK                                                                                  \
        (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED | CLUSTER_NODE_ALLOCATABLE |                    \
         CLUSTER_NODE_LABELS | CLUSTER_NODE_TAINTS | CLUSTER_NODE_CONDITION)

struct changed_sets {
        struct bitset nodes, loads, pods;
};

static void note_changes(const struct cluster *cluster, const struct cluster_change *changes,
                         size_t count, struct changed_sets *sets) {
        for (size_t i = 0; i < count; i++) {
                const struct cluster_change *change = &changes[i];

                if (change->node.index < cluster_nodes(cluster)->count)
                        bitset_add(change->mask & NODE_MASK ? &sets->nodes : &sets->loads,
                                   change->node.index);
                if (change->pod.index < cluster_pod_cap(cluster))
                        bitset_add(&sets->pods, change->pod.index);
        }
}

/* [id, pods, requested by resource ...] */
static void load_row_write(const struct cluster *cluster, size_t node, struct buf *out) {
        const struct node_table *nodes = cluster_nodes(cluster);

        buf_char(out, '[');
        buf_u64(out, node);
        for (size_t r = 0; r < nodes->resource_count; r++)
                json_item(out, 1,
                          r == RESOURCE_PODS ? (int64_t)nodes->pod_count[node]
                                             : nodes->resources[r].requested[node]);
        buf_char(out, ']');
}

static bool is_there(const struct cluster *cluster, bool is_pod, size_t index) {
        return is_pod ? cluster_pod(cluster, (struct pod_id){ (uint32_t)index })->is_live
                      : bitset_has(&cluster_nodes(cluster)->live, index);
}

static void write_gone(const struct cluster *cluster, const char *name, const struct bitset *set,
                       bool is_pod, struct buf *out) {
        size_t count = 0;

        buf_printf(out, ",\"%s\":[", name);
        for (size_t i = bitset_next(set, 0); i != SIZE_MAX; i = bitset_next(set, i + 1))
                if (!is_there(cluster, is_pod, i))
                        json_item(out, count++, (int64_t)i);
        buf_char(out, ']');
}

static void write_nodes(const struct cluster *cluster, const struct changed_sets *sets,
                        struct buf *out) {
        size_t count = 0;

        buf_text(out, ",\"nodes\":[");
        for (size_t i = bitset_next(&sets->nodes, 0); i != SIZE_MAX;
             i = bitset_next(&sets->nodes, i + 1)) {
                if (!is_there(cluster, false, i))
                        continue;
                if (count++)
                        buf_char(out, ',');
                node_row_write(cluster, (struct node_id){ (uint32_t)i }, out);
        }
        count = 0;
        buf_text(out, "],\"loads\":[");
        for (size_t i = bitset_next(&sets->loads, 0); i != SIZE_MAX;
             i = bitset_next(&sets->loads, i + 1)) {
                if (!is_there(cluster, false, i) || bitset_has(&sets->nodes, i))
                        continue;
                if (count++)
                        buf_char(out, ',');
                load_row_write(cluster, i, out);
        }
        buf_char(out, ']');
        write_gone(cluster, "goneNodes", &sets->nodes, false, out);
}

static void write_pods(const struct cluster *cluster, const struct changed_sets *sets,
                       struct buf *out) {
        size_t count = 0;

        buf_text(out, ",\"pods\":[");
        for (size_t i = bitset_next(&sets->pods, 0); i != SIZE_MAX;
             i = bitset_next(&sets->pods, i + 1)) {
                if (!is_there(cluster, true, i))
                        continue;
                if (count++)
                        buf_char(out, ',');
                pod_row_write(cluster, (struct pod_id){ (uint32_t)i }, out);
        }
        buf_char(out, ']');
        write_gone(cluster, "gonePods", &sets->pods, true, out);
}

bool changed_rows_write(const struct cluster *cluster, uint64_t since, struct buf *out) {
        CLEANUP(arena_release) struct arena arena;
        struct change_range range;
        struct changed_sets sets;

        arena_init(&arena, 0);
        if (since > cluster_generation(cluster) || !cluster_changes_since(cluster, since, &range))
                return false;
        sets.nodes = bitset_in_arena(&arena, cluster_nodes(cluster)->count);
        sets.loads = bitset_in_arena(&arena, cluster_nodes(cluster)->count);
        sets.pods = bitset_in_arena(&arena, cluster_pod_cap(cluster));
        note_changes(cluster, range.first, range.first_count, &sets);
        note_changes(cluster, range.second, range.second_count, &sets);
        if (bitset_count(&sets.nodes) + bitset_count(&sets.loads) + bitset_count(&sets.pods) >
            CHANGED_ROWS_MAX)
                return false;
        write_nodes(cluster, &sets, out);
        write_pods(cluster, &sets, out);
        return true;
}
