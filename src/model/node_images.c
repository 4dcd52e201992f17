/* Images: which nodes have one, and its size as first reported. */
#include "model/cluster_priv.h"

#include <assert.h>
#include <stdlib.h>

#define NODE_IMAGES_MAX UINT16_MAX /* names per node; more are cut off */

void images_release(struct cluster *cluster) {
        free(cluster->images.rows);
        id_pool_release(&cluster->images.ids);
        id_index_release(&cluster->images.index);
}

static uint32_t find_image(const struct cluster *cluster, struct str_id name) {
        uint32_t at = 0, id;
        while (id_index_next(&cluster->images.index, hash_number(name.index), &at, &id)) {
                if (str_id_eq(cluster->images.rows[id].name, name))
                        return id;
        }
        return ID_NONE;
}

/* Takes over one count of the name. */
static void image_add(struct cluster *cluster, struct str_id name, int64_t size_bytes) {
        struct image_table *images = &cluster->images;
        uint32_t id = find_image(cluster, name);
        if (id == ID_NONE) {
                id = id_pool_take(&images->ids);
                images->rows =
                        rows_reserve(images->rows, &images->cap, id + 1, sizeof(*images->rows));
                images->rows[id] = (struct image_row){ .name = name, .size_bytes = size_bytes };
                id_index_insert(&images->index, hash_number(name.index), id);
        }
        images->rows[id].node_count++;
}

static void image_remove(struct cluster *cluster, struct str_id name) {
        struct image_table *images = &cluster->images;
        uint32_t id = find_image(cluster, name);
        assert(id != ID_NONE);
        if (--images->rows[id].node_count == 0) {
                id_index_remove(&images->index, hash_number(name.index), id);
                images->rows[id] = (struct image_row){ 0 };
                id_pool_give(&images->ids, id);
        }
        str_drop(cluster, name);
}

/* ---- lists of nodes ---- */

static int compare_ids(const void *a, const void *b) {
        const struct str_id *first = a, *second = b;
        return (first->index > second->index) - (first->index < second->index);
}

static uint64_t images_hash(const struct node_image *images, size_t count) {
        uint64_t hash = count;
        for (size_t i = 0; i < count; i++) {
                hash = hash_bytes(&images[i].size_bytes, sizeof(images[i].size_bytes), hash);
                for (size_t j = 0; j < images[i].name_count; j++)
                        hash = hash_bytes(images[i].names[j].ptr, images[i].names[j].len, hash);
        }
        return count ? hash | 1 : 0;
}

static void list_clear(struct cluster *cluster, struct node_id node) {
        struct node_table *nodes = &cluster->nodes;
        for (uint16_t i = 0; i < nodes->image_count[node.index]; i++)
                image_remove(cluster, nodes->images[node.index][i]);
        free(nodes->images[node.index]);
        nodes->images[node.index] = NULL;
        nodes->image_count[node.index] = 0;
}

static size_t count_names(const struct node_image *images, size_t count) {
        size_t names = 0;
        for (size_t i = 0; i < count; i++)
                names += images[i].name_count;
        return names < NODE_IMAGES_MAX ? names : NODE_IMAGES_MAX;
}

/* Counts the images in and collects their names; a name listed twice is taken once. */
static size_t node_images_collect(struct cluster *cluster, const struct node_image *images,
                                  size_t count, struct str_id *names, size_t limit) {
        size_t filled = 0;
        for (size_t i = 0; i < count; i++) {
                for (size_t j = 0; j < images[i].name_count && filled < limit; j++)
                        names[filled++] = str_take(cluster, images[i].names[j]);
        }
        qsort(names, filled, sizeof(*names), compare_ids);
        size_t unique = 0;
        for (size_t i = 0; i < filled; i++) {
                if (unique > 0 && str_id_eq(names[unique - 1], names[i]))
                        str_drop(cluster, names[i]);
                else
                        names[unique++] = names[i];
        }
        return unique;
}

static void add_sizes(struct cluster *cluster, const struct node_image *images, size_t count,
                      const struct str_id *names, size_t name_count) {
        bool *is_added = ARENA_ARRAY(&cluster->scratch, bool, name_count);
        for (size_t i = 0; i < count; i++) {
                for (size_t j = 0; j < images[i].name_count; j++) {
                        struct str_id name =
                                interner_find(cluster->strings, images[i].names[j], NULL);
                        const struct str_id *at =
                                bsearch(&name, names, name_count, sizeof(*names), compare_ids);
                        if (!at || is_added[at - names])
                                continue;
                        is_added[at - names] = true;
                        image_add(cluster, name, images[i].size_bytes);
                }
        }
}

bool node_images_set(struct cluster *cluster, struct node_id node, const struct node_image *images,
                     size_t count) {
        struct node_table *nodes = &cluster->nodes;
        uint64_t hash = images_hash(images, count);
        if (hash == cluster->node_extra[node.index].image_hash)
                return false;
        list_clear(cluster, node);
        size_t limit = count_names(images, count);
        if (limit > 0) {
                struct str_id *names = xcalloc(limit, sizeof(*names));
                size_t unique = node_images_collect(cluster, images, count, names, limit);
                add_sizes(cluster, images, count, names, unique);
                nodes->images[node.index] = xreallocarray(names, unique, sizeof(*names));
                nodes->image_count[node.index] = (uint16_t)unique;
        }
        cluster->node_extra[node.index].image_hash = hash;
        return true;
}

/* ---- reading ---- */

bool cluster_image(const struct cluster *cluster, struct str_id name, int64_t *ret_size_bytes,
                   uint32_t *ret_node_count) {
        uint32_t id = find_image(cluster, name);
        if (id == ID_NONE)
                return false;
        *ret_size_bytes = cluster->images.rows[id].size_bytes;
        *ret_node_count = cluster->images.rows[id].node_count;
        return true;
}

bool cluster_node_has_image(const struct cluster *cluster, struct node_id node,
                            struct str_id name) {
        const struct node_table *nodes = &cluster->nodes;
        return nodes->image_count[node.index] > 0 &&
               bsearch(&name, nodes->images[node.index], nodes->image_count[node.index],
                       sizeof(name), compare_ids);
}
