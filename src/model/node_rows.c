/* Rows and columns of the node table, and the columns' resource names. */
#include "model/cluster_priv.h"

#include <assert.h>
#include <stdlib.h>

#define GROW_MIN 64u

/* ---- columns ---- */

/* Calls X for every column of node_table but the resources. */
#define NODE_COLUMNS(X)                                                                            \
        X(nonzero_cpu_milli)                                                                       \
        X(nonzero_memory_bytes)                                                                    \
        X(name)                                                                                    \
        X(zone)                                                                                    \
        X(labels)                                                                                  \
        X(taints)                                                                                  \
        X(flags)                                                                                   \
        X(first_pod)                                                                               \
        X(pod_count)                                                                               \
        X(pods_with_terms)                                                                         \
        X(attach_count)                                                                            \
        X(generation)                                                                              \
        X(image_count)                                                                             \
        X(port_count)                                                                              \
        X(images)                                                                                  \
        X(ports)                                                                                   \
        X(boot_id)

static void *column_grow(void *column, size_t from, size_t to, size_t size) {
        column = xreallocarray(column, to, size);
        memset((char *)column + from * size, 0, (to - from) * size);
        return column;
}

static void rows_grow(struct cluster *cluster) {
        struct node_table *nodes = &cluster->nodes;
        size_t from = nodes->count;
        size_t step = from / 8 > GROW_MIN ? from / 8 / 64 * 64 : GROW_MIN;
        size_t to = from + step;
        assert(to < ID_NONE);
#define X(column) nodes->column = column_grow(nodes->column, from, to, sizeof(*nodes->column));
        NODE_COLUMNS(X)
#undef X
        for (size_t i = 0; i < nodes->resource_count; i++) {
                struct resource_column *column = &nodes->resources[i];
                column->allocatable = column_grow(column->allocatable, from, to, sizeof(int64_t));
                column->requested = column_grow(column->requested, from, to, sizeof(int64_t));
        }
        cluster->node_extra =
                column_grow(cluster->node_extra, from, to, sizeof(*cluster->node_extra));
        for (size_t i = from; i < to; i++)
                nodes->first_pod[i] = POD_NONE;
        nodes->count = to;
        bitset_resize(&nodes->live, to);
        bitset_resize(&nodes->unschedulable, to);
        bitset_resize(&nodes->ready, to);
        bitset_resize(&cluster->what_if.touched, to);
        node_labels_resize(cluster);
        taint_sets_resize(cluster);
}

void node_rows_init(struct cluster *cluster) {
        bitset_init(&cluster->nodes.live);
        bitset_init(&cluster->nodes.unschedulable);
        bitset_init(&cluster->nodes.ready);
        bitset_init(&cluster->what_if.touched);
        cluster->order = node_order_new();
}

void node_rows_release(struct cluster *cluster) {
        struct node_table *nodes = &cluster->nodes;
        for (size_t i = 0; i < nodes->count; i++) {
                free(nodes->images[i]);
                free(nodes->ports[i]);
        }
#define X(column) free(nodes->column);
        NODE_COLUMNS(X)
#undef X
        free(cluster->node_extra);
        bitset_release(&nodes->live);
        bitset_release(&nodes->unschedulable);
        bitset_release(&nodes->ready);
        id_pool_release(&cluster->node_ids);
        id_index_release(&cluster->node_index);
        node_order_free(cluster->order);
}

/* ---- rows ---- */

struct node_id node_row_find(const struct cluster *cluster, struct str_id name) {
        uint32_t at = 0, id;
        while (id_index_next(&cluster->node_index, hash_number(name.index), &at, &id)) {
                if (str_id_eq(cluster->nodes.name[id], name))
                        return (struct node_id){ id };
        }
        return NODE_NONE;
}

struct node_id cluster_find_any_node(const struct cluster *cluster, struct slice name) {
        bool is_known;
        struct str_id id = interner_find(cluster->strings, name, &is_known);
        return is_known ? node_row_find(cluster, id) : NODE_NONE;
}

struct node_id node_row_take(struct cluster *cluster, struct slice name) {
        struct node_id found = cluster_find_any_node(cluster, name);
        if (!node_id_is_none(found))
                return found;
        uint32_t id = id_pool_take(&cluster->node_ids);
        if (id >= cluster->nodes.count)
                rows_grow(cluster);
        cluster->nodes.name[id] = str_take(cluster, name);
        cluster->node_extra[id] = (struct node_extra){ .is_used = true };
        id_index_insert(&cluster->node_index, hash_number(cluster->nodes.name[id].index), id);
        return (struct node_id){ id };
}

void node_row_release_unused(struct cluster *cluster, struct node_id node) {
        struct node_table *nodes = &cluster->nodes;
        if ((nodes->flags[node.index] & NODE_KNOWN) ||
            !pod_id_is_none(nodes->first_pod[node.index]))
                return;
        assert(nodes->pod_count[node.index] == 0 && nodes->port_count[node.index] == 0);
        id_index_remove(&cluster->node_index, hash_number(nodes->name[node.index].index),
                        node.index);
        str_drop(cluster, nodes->name[node.index]);
        nodes->name[node.index] = STR_ID_EMPTY;
        nodes->generation[node.index] = 0;
        free(nodes->ports[node.index]);
        nodes->ports[node.index] = NULL;
        cluster->node_extra[node.index] = (struct node_extra){ 0 };
        id_pool_give(&cluster->node_ids, node.index);
}

/* ---- resources ---- */

static struct resource_id resource_add(struct cluster *cluster, struct slice name) {
        struct node_table *nodes = &cluster->nodes;
        uint32_t id = (uint32_t)nodes->resource_count++;
        nodes->resources =
                xreallocarray(nodes->resources, nodes->resource_count, sizeof(*nodes->resources));
        cluster->resources.names = xreallocarray(cluster->resources.names, nodes->resource_count,
                                                 sizeof(*cluster->resources.names));
        nodes->resources[id] = (struct resource_column){
                .allocatable = xcalloc(nodes->count + 1, sizeof(int64_t)),
                .requested = xcalloc(nodes->count + 1, sizeof(int64_t)),
        };
        cluster->resources.names[id] = str_take(cluster, name);
        id_index_insert(&cluster->resources.index, hash_number(cluster->resources.names[id].index),
                        id);
        return (struct resource_id){ id };
}

void resources_init(struct cluster *cluster) {
        static const char *const names[RESOURCE_FIXED_COUNT] = {
                [RESOURCE_CPU] = "cpu",
                [RESOURCE_MEMORY] = "memory",
                [RESOURCE_EPHEMERAL_STORAGE] = "ephemeral-storage",
                [RESOURCE_PODS] = "pods",
        };
        for (size_t i = 0; i < RESOURCE_FIXED_COUNT; i++)
                resource_add(cluster, slice_of(names[i]));
}

void resources_release(struct cluster *cluster) {
        for (size_t i = 0; i < cluster->nodes.resource_count; i++) {
                free(cluster->nodes.resources[i].allocatable);
                free(cluster->nodes.resources[i].requested);
        }
        free(cluster->nodes.resources);
        wide_sums_release(&cluster->wide_sums);
        free(cluster->resources.names);
        id_index_release(&cluster->resources.index);
}

bool resource_is_shared(const struct cluster *cluster, struct resource_id resource) {
        return cluster->resources.shared > 0 && resource.index == cluster->resources.shared;
}

static bool has_free_column(const struct node_table *nodes) {
        return nodes->resource_count < RESOURCES_SURE ||
               (nodes->resource_count < RESOURCES_MAX &&
                nodes->resource_count * nodes->count < RESOURCE_CELLS_MAX);
}

struct resource_id resource_take(struct cluster *cluster, struct slice name) {
        struct resource_id resource;
        if (cluster_resource(cluster, name, &resource))
                return resource;
        if (cluster->resources.shared > 0)
                return (struct resource_id){ cluster->resources.shared };
        if (has_free_column(&cluster->nodes))
                return resource_add(cluster, name);
        resource = resource_add(cluster, SLICE_LITERAL("(too many resources)"));
        cluster->resources.shared = resource.index;
        return resource;
}

bool cluster_resource(const struct cluster *cluster, struct slice name,
                      struct resource_id *ret_resource) {
        bool is_known;
        struct str_id text = interner_find(cluster->strings, name, &is_known);
        uint32_t at = 0, id;
        while (is_known &&
               id_index_next(&cluster->resources.index, hash_number(text.index), &at, &id)) {
                if (str_id_eq(cluster->resources.names[id], text)) {
                        *ret_resource = (struct resource_id){ id };
                        return true;
                }
        }
        return false;
}

struct slice cluster_resource_name(const struct cluster *cluster, struct resource_id resource) {
        assert(resource.index < cluster->nodes.resource_count);
        return interner_text(cluster->strings, cluster->resources.names[resource.index]);
}
