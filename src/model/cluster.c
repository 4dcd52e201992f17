/* Life cycle of the model and plain look-ups. */
#include "model/cluster_priv.h"

#include <assert.h>
#include <stdlib.h>

#define SCRATCH_BLOCK ((size_t)16 << 10)

struct cluster *cluster_new(const struct cluster_config *config) {
        struct cluster *cluster = xcalloc(1, sizeof(*cluster));
        cluster->config = *config;
        cluster->strings = interner_new();
        arena_init(&cluster->scratch, SCRATCH_BLOCK);
        arena_init(&cluster->decoded, SCRATCH_BLOCK);
        change_log_init(&cluster->log, config->log_capacity);
        node_rows_init(cluster);
        resources_init(cluster);
        label_sets_init(cluster);
        taint_sets_init(cluster);
        owner_lists_init(cluster);
        cold_tables_init(cluster);
        return cluster;
}

void cluster_free(struct cluster *cluster) {
        if (!cluster)
                return;
        what_if_release(cluster);
        cold_tables_release(cluster);
        pod_rows_release(cluster);
        pod_equivalents_release(cluster);
        free(cluster->priorities.items);
        classes_release(cluster);
        owner_lists_release(cluster);
        shared_table_release(&cluster->container_lists);
        images_release(cluster);
        node_rows_release(cluster);
        resources_release(cluster);
        node_labels_release(cluster);
        label_sets_release(cluster);
        taint_sets_release(cluster);
        change_log_release(&cluster->log);
        old_pods_release(cluster);
        buf_release(&cluster->content);
        buf_release(&cluster->terms);
        arena_release(&cluster->scratch);
        arena_release(&cluster->decoded);
        interner_free(cluster->strings);
        free(cluster);
}

/* ---- nodes ---- */

const struct node_table *cluster_nodes(const struct cluster *cluster) {
        return &cluster->nodes;
}

size_t cluster_node_count(const struct cluster *cluster) {
        return cluster->live_nodes;
}

static struct node_id known_only(const struct cluster *cluster, struct node_id node) {
        if (node_id_is_none(node) || !(cluster->nodes.flags[node.index] & NODE_KNOWN))
                return NODE_NONE;
        return node;
}

struct node_id cluster_find_node(const struct cluster *cluster, struct slice name) {
        return known_only(cluster, cluster_find_any_node(cluster, name));
}

struct pod_id cluster_first_pod(const struct cluster *cluster, struct slice node) {
        struct node_id id = cluster_find_any_node(cluster, node);

        return node_id_is_none(id) ? POD_NONE : cluster->nodes.first_pod[id.index];
}

struct node_id cluster_node_named(const struct cluster *cluster, struct str_id name) {
        return known_only(cluster, node_row_find(cluster, name));
}

struct slice cluster_node_name(const struct cluster *cluster, struct node_id node) {
        assert(node.index < cluster->nodes.count);
        return interner_text(cluster->strings, cluster->nodes.name[node.index]);
}

struct bitset cluster_live_nodes(const struct cluster *cluster, struct arena *arena) {
        struct bitset live = bitset_in_arena(arena, cluster->nodes.live.bits);
        bitset_copy(&live, &cluster->nodes.live);
        return live;
}

/* ---- strings ---- */

const struct interner *cluster_strings(const struct cluster *cluster) {
        return cluster->strings;
}

struct slice cluster_text(const struct cluster *cluster, struct str_id id) {
        return interner_text(cluster->strings, id);
}

struct str_id cluster_str(const struct cluster *cluster, struct slice text, bool *ret_found) {
        return interner_find(cluster->strings, text, ret_found);
}
