/* Interned taint lists, each with the live nodes that have it. */
#include "model/cluster_priv.h"
#include "model/pod_spec_codec.h"

#include <assert.h>
#include <stdlib.h>

void taint_sets_init(struct cluster *cluster) {
        struct taint_sets *sets = &cluster->taint_sets;
        uint32_t none = id_pool_take(&sets->ids);
        assert(none == 0);
        sets->items = rows_reserve(sets->items, &sets->cap, none + 1, sizeof(*sets->items));
        bitset_init(&sets->items[none].nodes);
}

void taint_sets_release(struct cluster *cluster) {
        struct taint_sets *sets = &cluster->taint_sets;
        for (uint32_t i = 0; i < sets->ids.used; i++) {
                free(sets->items[i].taints);
                bitset_release(&sets->items[i].nodes);
        }
        free(sets->items);
        id_pool_release(&sets->ids);
        id_index_release(&sets->index);
}

void taint_sets_resize(struct cluster *cluster) {
        struct taint_sets *sets = &cluster->taint_sets;
        for (uint32_t i = 0; i < sets->ids.used; i++) {
                if (i == 0 || sets->items[i].refs > 0)
                        bitset_resize(&sets->items[i].nodes, cluster->nodes.count);
        }
}

static bool find_set(const struct cluster *cluster, struct slice content, uint32_t hash,
                     uint32_t *ret_id) {
        const struct taint_sets *sets = &cluster->taint_sets;
        uint32_t at = 0, id;
        while (id_index_next(&sets->index, hash, &at, &id)) {
                const struct taint_set *set = &sets->items[id];
                if (slice_eq(slice_make(set->content, set->content_size), content)) {
                        *ret_id = id;
                        return true;
                }
        }
        return false;
}

static struct taint_set_id add_set(struct cluster *cluster, struct slice content, uint32_t hash,
                                   size_t array_bytes) {
        struct taint_sets *sets = &cluster->taint_sets;
        char *block = xcalloc(1, array_bytes + content.len);
        char *copy = memcpy(block + array_bytes, content.ptr, content.len);
        struct content_codec codec = {
                .is_reading = true, .at = copy, .end = copy + content.len, .arrays = block
        };
        uint32_t id = id_pool_take(&sets->ids);
        sets->items = rows_reserve(sets->items, &sets->cap, id + 1, sizeof(*sets->items));
        struct taint_set *set = &sets->items[id];
        *set = (struct taint_set){
                .refs = 1, .hash = hash, .content = copy, .content_size = content.len
        };
        CODEC_LIST(&codec, set->taints, set->count, taint_codec);
        bitset_init(&set->nodes);
        bitset_resize(&set->nodes, cluster->nodes.count);
        id_index_insert(&sets->index, hash, id);
        sets->bytes += array_bytes + content.len;
        return (struct taint_set_id){ id };
}

struct taint_set_id taint_set_take(struct cluster *cluster, const struct taint *taints,
                                   size_t count) {
        if (count == 0)
                return (struct taint_set_id){ 0 };
        struct taint *items = arena_copy(&cluster->scratch, taints, count * sizeof(*taints));
        struct content_codec codec = { .out = &cluster->content };
        buf_clear(&cluster->content);
        CODEC_LIST(&codec, items, count, taint_codec);
        struct slice content = buf_view(&cluster->content);
        uint32_t hash = (uint32_t)slice_hash(content);
        uint32_t id;
        if (!find_set(cluster, content, hash, &id))
                return add_set(cluster, content, hash, codec.array_bytes);
        cluster->taint_sets.items[id].refs++;
        return (struct taint_set_id){ id };
}

void taint_set_drop(struct cluster *cluster, struct taint_set_id set) {
        if (set.index == 0)
                return;
        struct taint_sets *sets = &cluster->taint_sets;
        struct taint_set *row = &sets->items[set.index];
        assert(row->refs > 0);
        if (--row->refs > 0)
                return;
        assert(row->node_count == 0);
        id_index_remove(&sets->index, row->hash, set.index);
        sets->bytes -= row->content_size + (size_t)(row->content - (const char *)row->taints);
        free(row->taints);
        bitset_release(&row->nodes);
        *row = (struct taint_set){ 0 };
        id_pool_give(&sets->ids, set.index);
}

void taint_set_add_node(struct cluster *cluster, struct taint_set_id set, struct node_id node) {
        struct taint_set *row = &cluster->taint_sets.items[set.index];
        bitset_add(&row->nodes, node.index);
        row->node_count++;
}

void taint_set_remove_node(struct cluster *cluster, struct taint_set_id set, struct node_id node) {
        struct taint_set *row = &cluster->taint_sets.items[set.index];
        assert(row->node_count > 0);
        bitset_remove(&row->nodes, node.index);
        row->node_count--;
}

/* ---- reading ---- */

size_t cluster_taints(const struct cluster *cluster, struct taint_set_id set,
                      const struct taint **ret_taints) {
        assert(set.index < cluster->taint_sets.ids.used);
        const struct taint_set *row = &cluster->taint_sets.items[set.index];
        *ret_taints = row->taints;
        return row->count;
}

size_t cluster_taint_set_cap(const struct cluster *cluster) {
        return cluster->taint_sets.ids.used;
}

const struct bitset *cluster_nodes_with_taints(const struct cluster *cluster,
                                               struct taint_set_id set) {
        assert(set.index < cluster->taint_sets.ids.used);
        const struct taint_set *row = &cluster->taint_sets.items[set.index];
        return row->node_count > 0 ? &row->nodes : NULL;
}
