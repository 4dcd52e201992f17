/* Memory the model holds, by what it is for; and the fingerprint of its content. */
#include "model/cluster_priv.h"

/* ---- memory ---- */

static size_t columns_bytes(const struct node_table *nodes) {
        size_t row = sizeof(*nodes->nonzero_cpu_milli) + sizeof(*nodes->nonzero_memory_bytes) +
                     sizeof(*nodes->name) + sizeof(*nodes->zone) + sizeof(*nodes->labels) +
                     sizeof(*nodes->taints) + sizeof(*nodes->flags) + sizeof(*nodes->first_pod) +
                     sizeof(*nodes->pod_count) + sizeof(*nodes->pods_with_terms) +
                     sizeof(*nodes->attach_count) + sizeof(*nodes->generation) +
                     sizeof(*nodes->image_count) + sizeof(*nodes->port_count) +
                     sizeof(*nodes->images) + sizeof(*nodes->ports) + sizeof(*nodes->boot_id) +
                     sizeof(struct node_extra) + 2 * sizeof(int64_t) * nodes->resource_count;
        return row * nodes->count;
}

static size_t node_bytes(const struct cluster *cluster) {
        const struct node_table *nodes = &cluster->nodes;
        size_t bytes = columns_bytes(nodes) + node_order_bytes(cluster->order) +
                       id_index_bytes(&cluster->node_index) + id_pool_bytes(&cluster->node_ids);
        for (size_t i = 0; i < nodes->count; i++)
                bytes += nodes->image_count[i] * sizeof(**nodes->images) +
                         nodes->port_count[i] * sizeof(**nodes->ports);
        return bytes;
}

static size_t pod_bytes(const struct pod_rows *pods) {
        size_t chunks = (pods->ids.used + POD_CHUNK_ROWS - 1) / POD_CHUNK_ROWS;
        return chunks * POD_CHUNK_ROWS * sizeof(struct pod_row) + pods->text_bytes +
               pods->detail_bytes + id_index_bytes(&pods->index) + id_pool_bytes(&pods->ids) +
               pods->chunk_cap * sizeof(*pods->chunks) +
               pods->nominated_cap * sizeof(*pods->nominated);
}

static size_t index_bytes(const struct cluster *cluster) {
        const struct node_labels *labels = &cluster->node_labels;
        size_t bytes = labels->bytes + labels->group_cap * sizeof(*labels->groups) +
                       labels->key_cap * sizeof(*labels->keys) +
                       id_index_bytes(&labels->group_index) + id_index_bytes(&labels->key_index);
        for (uint32_t i = 0; i < labels->key_ids.used; i++)
                bytes += labels->keys[i].nodes.word_cap * sizeof(uint64_t);
        for (uint32_t i = 0; i < cluster->taint_sets.ids.used; i++)
                bytes += cluster->taint_sets.items[i].nodes.word_cap * sizeof(uint64_t);
        return bytes + cluster->taint_sets.bytes + cluster->owner_lists.table.bytes +
               cluster->container_lists.bytes + cluster->label_sets.bytes +
               cluster->label_sets.cap * sizeof(*cluster->label_sets.items) +
               id_index_bytes(&cluster->label_sets.index) +
               cluster->equivalents.cap * sizeof(*cluster->equivalents.items) +
               id_index_bytes(&cluster->equivalents.index) +
               id_pool_bytes(&cluster->equivalents.ids) +
               cluster->images.cap * sizeof(*cluster->images.rows) +
               id_index_bytes(&cluster->images.index) + cluster->tables.bytes;
}

void cluster_usage(const struct cluster *cluster, struct cluster_usage *ret_usage) {
        *ret_usage = (struct cluster_usage){
                .node_bytes = node_bytes(cluster),
                .pod_bytes = pod_bytes(&cluster->pods),
                .class_bytes = cluster->classes.bytes + cluster->bodies.bytes +
                               id_index_bytes(&cluster->bodies.index) +
                               id_index_bytes(&cluster->classes.index),
                .string_bytes = interner_bytes(cluster->strings),
                .index_bytes = index_bytes(cluster),
                .log_bytes = cluster->log.cap * sizeof(*cluster->log.ring) +
                             cluster->old_pods.cap * sizeof(*cluster->old_pods.items),
                .nodes = cluster->live_nodes,
                .pods = cluster->pods.live,
                .classes = cluster->classes.live,
                .label_sets = cluster->label_sets.live,
                .taint_sets = cluster->taint_sets.index.count,
                .owner_lists = cluster->owner_lists.table.index.count,
                .images = cluster->images.index.count,
                .strings = interner_count(cluster->strings),
        };
}

/* ---- fingerprint ---- */

struct digest {
        uint64_t hash;
};

static void cluster_usage_mix(struct digest *digest, uint64_t value) {
        digest->hash = hash_bytes(&value, sizeof(value), digest->hash);
}

/* Ports have no order. */
static uint64_t ports_digest(const struct node_table *nodes, size_t node) {
        uint64_t sum = nodes->port_count[node];
        for (uint16_t i = 0; i < nodes->port_count[node]; i++) {
                const struct port_row *row = &nodes->ports[node][i];
                struct digest digest = { row->port.ip.index };
                cluster_usage_mix(&digest, row->port.protocol.index);
                cluster_usage_mix(&digest, (uint64_t)row->port.port);
                cluster_usage_mix(&digest, row->count);
                sum += digest.hash;
        }
        return sum;
}

static void mix_node(struct digest *digest, const struct cluster *cluster, size_t node) {
        const struct node_table *nodes = &cluster->nodes;
        cluster_usage_mix(digest, nodes->flags[node]);
        cluster_usage_mix(digest, nodes->name[node].index);
        cluster_usage_mix(digest, nodes->zone[node].index);
        cluster_usage_mix(digest, nodes->labels[node].index);
        cluster_usage_mix(digest, nodes->taints[node].index);
        cluster_usage_mix(digest, nodes->first_pod[node].index);
        cluster_usage_mix(digest, nodes->pod_count[node]);
        cluster_usage_mix(digest, (uint64_t)nodes->nonzero_cpu_milli[node]);
        cluster_usage_mix(digest, (uint64_t)nodes->nonzero_memory_bytes[node]);
        cluster_usage_mix(digest, nodes->image_count[node]);
        cluster_usage_mix(digest, nodes->boot_id[node].index);
        cluster_usage_mix(digest, ports_digest(nodes, node));
        for (size_t i = 0; i < nodes->resource_count; i++) {
                cluster_usage_mix(digest, (uint64_t)nodes->resources[i].allocatable[node]);
                cluster_usage_mix(digest, (uint64_t)nodes->resources[i].requested[node]);
        }
}

static void mix_pod(struct digest *digest, const struct pod_row *row) {
        cluster_usage_mix(digest, row->ns.index);
        cluster_usage_mix(digest, slice_hash(slice_of(row->name)));
        cluster_usage_mix(digest, slice_hash(slice_of(row->uid)));
        cluster_usage_mix(digest, row->node.index);
        cluster_usage_mix(digest, row->class.index);
        cluster_usage_mix(digest, row->labels.index);
        cluster_usage_mix(digest, row->nominated.index);
        cluster_usage_mix(digest, row->next_on_node.index);
        cluster_usage_mix(digest, row->prev_on_node.index);
        cluster_usage_mix(digest, (uint64_t)row->priority);
        cluster_usage_mix(digest, row->flags);
        cluster_usage_mix(digest, row->phase);
        cluster_usage_mix(digest, row->qos);
        cluster_usage_mix(digest, row->failure_hash);
        cluster_usage_mix(digest, (uint64_t)row->created.ns);
        cluster_usage_mix(digest, (uint64_t)row->started.ns);
        cluster_usage_mix(digest, (uint64_t)row->deleted.ns);
}

uint64_t cluster_digest(const struct cluster *cluster) {
        struct digest digest = { 0 };
        const struct pod_rows *pods = &cluster->pods;
        for (size_t i = 0; i < cluster->nodes.count; i++) {
                if (cluster->node_extra[i].is_used)
                        mix_node(&digest, cluster, i);
        }
        for (uint32_t i = 0; i < pods->ids.used; i++) {
                const struct pod_row *row = pod_row_at(pods, (struct pod_id){ i });
                cluster_usage_mix(&digest, row->is_live);
                if (row->is_live)
                        mix_pod(&digest, row);
        }
        for (uint32_t i = 0; i < pods->nominated_count; i++)
                cluster_usage_mix(&digest, pods->nominated[i].index);
        cluster_usage_mix(&digest, interner_count(cluster->strings));
        cluster_usage_mix(&digest, cluster->classes.live);
        return digest.hash;
}
