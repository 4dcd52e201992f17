/* A node as JSON. */
#include "dashboard/rows.h"

#include "base/slice.h"
#include "dashboard/json_list.h"

static void write_labels(const struct cluster *cluster, struct label_set_id set, struct buf *out) {
        const struct label_pair *pairs;
        size_t count = cluster_label_pairs(cluster, set, &pairs);

        buf_text(out, ",\"labels\":{");
        for (size_t i = 0; i < count; i++) {
                if (i)
                        buf_char(out, ',');
                buf_json_string(out, cluster_text(cluster, pairs[i].key));
                buf_char(out, ':');
                buf_json_string(out, cluster_text(cluster, pairs[i].value));
        }
        buf_char(out, '}');
}

static void write_taints(const struct cluster *cluster, struct taint_set_id set, struct buf *out) {
        const struct taint *taints;
        size_t count = cluster_taints(cluster, set, &taints);

        buf_text(out, ",\"taints\":[");
        for (size_t i = 0; i < count; i++) {
                buf_text(out, i ? ",{\"key\":" : "{\"key\":");
                buf_json_string(out, taints[i].key);
                buf_text(out, ",\"value\":");
                buf_json_string(out, taints[i].value);
                buf_printf(out, ",\"effect\":\"%s\"}", taint_effect_name(taints[i].effect));
        }
        buf_char(out, ']');
}

static void write_amounts(const struct node_table *nodes, size_t node, bool is_requested,
                          struct buf *out) {
        buf_text(out, is_requested ? ",\"requested\":[" : ",\"allocatable\":[");
        for (size_t r = 0; r < nodes->resource_count; r++) {
                const struct resource_column *column = &nodes->resources[r];

                json_item(out, r,
                          !is_requested        ? column->allocatable[node]
                          : r == RESOURCE_PODS ? (int64_t)nodes->pod_count[node]
                                               : column->requested[node]);
        }
        buf_char(out, ']');
}

static struct slice label_of(const struct cluster *cluster, struct label_set_id set,
                             const char *key) {
        struct str_id value;
        bool is_known;
        struct str_id id = cluster_str(cluster, slice_of(key), &is_known);

        if (!is_known || !cluster_label_get(cluster, set, id, &value))
                return SLICE_EMPTY;
        return cluster_text(cluster, value);
}

void node_row_write(const struct cluster *cluster, struct node_id node, struct buf *out) {
        const struct node_table *nodes = cluster_nodes(cluster);
        size_t n = node.index;

        buf_text(out, "{\"id\":");
        buf_u64(out, n);
        buf_text(out, ",\"name\":");
        buf_json_string(out, cluster_node_name(cluster, node));
        buf_text(out, ",\"zone\":");
        buf_json_string(out, label_of(cluster, nodes->labels[n], "topology.kubernetes.io/zone"));
        buf_printf(out, ",\"ready\":%s,\"cordoned\":%s",
                   bitset_has(&nodes->ready, n) ? "true" : "false",
                   bitset_has(&nodes->unschedulable, n) ? "true" : "false");
        write_labels(cluster, nodes->labels[n], out);
        write_taints(cluster, nodes->taints[n], out);
        buf_text(out, ",\"pods\":");
        buf_u64(out, nodes->pod_count[n]);
        write_amounts(nodes, n, true, out);
        write_amounts(nodes, n, false, out);
        buf_char(out, '}');
}
