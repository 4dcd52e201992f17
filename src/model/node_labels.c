/* Inverted index over live nodes: label pair to nodes, label key to nodes. */
#include "model/cluster_priv.h"

#include <assert.h>
#include <stdlib.h>

#define FEW_MIN 8u       /* a list up to here, however small the cluster */
#define FEW_FRACTION 64u /* a list while at most one node in so many has the pair */

static uint32_t pair_hash(struct label_pair pair) {
        return hash_number((uint64_t)pair.key.index << 32 | pair.value.index);
}

static uint32_t find_group(const struct cluster *cluster, struct label_pair pair) {
        const struct node_labels *labels = &cluster->node_labels;
        uint32_t at = 0, id;
        while (id_index_next(&labels->group_index, pair_hash(pair), &at, &id)) {
                const struct node_group *group = &labels->groups[id];
                if (str_id_eq(group->pair.key, pair.key) &&
                    str_id_eq(group->pair.value, pair.value))
                        return id;
        }
        return ID_NONE;
}

static uint32_t find_key(const struct cluster *cluster, struct str_id key) {
        const struct node_labels *labels = &cluster->node_labels;
        uint32_t at = 0, id;
        while (id_index_next(&labels->key_index, hash_number(key.index), &at, &id)) {
                if (str_id_eq(labels->keys[id].key, key))
                        return id;
        }
        return ID_NONE;
}

/* ---- groups ---- */

static uint32_t few_limit(const struct cluster *cluster) {
        uint32_t share = (uint32_t)(cluster->nodes.count / FEW_FRACTION);
        return share > FEW_MIN ? share : FEW_MIN;
}

static size_t group_bytes(const struct node_group *group) {
        if (group->kind == GROUP_FEW)
                return group->cap * sizeof(*group->few);
        if (group->kind == GROUP_MANY)
                return sizeof(*group->many) + group->many->word_cap * sizeof(uint64_t);
        return 0;
}

static void group_memory_free(struct node_group *group) {
        if (group->kind == GROUP_FEW)
                free(group->few);
        if (group->kind == GROUP_MANY) {
                bitset_release(group->many);
                free(group->many);
        }
}

static void group_make_few(struct node_group *group) {
        uint32_t cap = group->count > FEW_MIN / 2 ? group->count * 2 : FEW_MIN / 2;
        uint32_t *few = xcalloc(cap, sizeof(*few));
        if (group->kind == GROUP_ONE) {
                few[0] = group->one;
        } else {
                uint32_t filled = 0;
                for (size_t i = bitset_next(group->many, 0); i != SIZE_MAX;
                     i = bitset_next(group->many, i + 1))
                        few[filled++] = (uint32_t)i;
                assert(filled == group->count);
        }
        group_memory_free(group);
        group->kind = GROUP_FEW;
        group->few = few;
        group->cap = cap;
}

static void group_make_many(struct node_group *group, size_t bits) {
        struct bitset *many = xcalloc(1, sizeof(*many));
        bitset_init(many);
        bitset_resize(many, bits);
        for (uint32_t i = 0; i < group->count; i++)
                bitset_add(many, group->few[i]);
        group_memory_free(group);
        group->kind = GROUP_MANY;
        group->many = many;
        group->cap = 0;
}

/* Position of the first listed node that is not below `node`. */
static uint32_t few_position(const struct node_group *group, uint32_t node) {
        uint32_t low = 0, high = group->count;
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (group->few[middle] < node)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

static void few_insert(struct node_group *group, uint32_t node) {
        group->few = rows_reserve(group->few, &group->cap, group->count + 1, sizeof(*group->few));
        uint32_t at = few_position(group, node);
        memmove(&group->few[at + 1], &group->few[at], (group->count - at) * sizeof(*group->few));
        group->few[at] = node;
}

static void group_add(struct cluster *cluster, struct node_group *group, uint32_t node) {
        size_t before = group_bytes(group);
        if (group->count == 0) {
                group->kind = GROUP_ONE;
                group->one = node;
        } else if (group->kind == GROUP_ONE) {
                group_make_few(group);
        }
        if (group->kind == GROUP_FEW && group->count >= few_limit(cluster))
                group_make_many(group, cluster->nodes.count);
        if (group->kind == GROUP_FEW) {
                few_insert(group, node);
        } else if (group->kind == GROUP_MANY) {
                if (node >= group->many->bits)
                        bitset_resize(group->many, cluster->nodes.count);
                bitset_add(group->many, node);
        }
        group->count++;
        cluster->node_labels.bytes += group_bytes(group) - before;
}

static void few_remove(struct node_group *group, uint32_t node) {
        uint32_t at = few_position(group, node);
        assert(at < group->count && group->few[at] == node);
        memmove(&group->few[at], &group->few[at + 1],
                (group->count - at - 1) * sizeof(*group->few));
}

static void group_remove(struct cluster *cluster, struct node_group *group, uint32_t node) {
        size_t before = group_bytes(group);
        if (group->kind == GROUP_FEW)
                few_remove(group, node);
        else if (group->kind == GROUP_MANY)
                bitset_remove(group->many, node);
        group->count--;
        if (group->kind == GROUP_MANY && group->count < few_limit(cluster) / 2)
                group_make_few(group);
        cluster->node_labels.bytes += group_bytes(group) - before;
}

/* ---- rows ---- */

static uint32_t take_key(struct cluster *cluster, struct str_id key) {
        struct node_labels *labels = &cluster->node_labels;
        uint32_t id = find_key(cluster, key);
        if (id != ID_NONE)
                return id;
        id = id_pool_take(&labels->key_ids);
        labels->keys = rows_reserve(labels->keys, &labels->key_cap, id + 1, sizeof(*labels->keys));
        labels->keys[id] = (struct label_key){ .key = key };
        bitset_init(&labels->keys[id].nodes);
        bitset_resize(&labels->keys[id].nodes, cluster->nodes.count);
        id_index_insert(&labels->key_index, hash_number(key.index), id);
        return id;
}

static void drop_key(struct cluster *cluster, uint32_t id) {
        struct node_labels *labels = &cluster->node_labels;
        struct label_key *key = &labels->keys[id];
        assert(key->count == 0 && key->first_group == 0);
        id_index_remove(&labels->key_index, hash_number(key->key.index), id);
        bitset_release(&key->nodes);
        *key = (struct label_key){ 0 };
        id_pool_give(&labels->key_ids, id);
}

static uint32_t take_group(struct cluster *cluster, struct label_pair pair, struct label_key *key) {
        struct node_labels *labels = &cluster->node_labels;
        uint32_t id = find_group(cluster, pair);
        if (id != ID_NONE)
                return id;
        id = id_pool_take(&labels->group_ids);
        labels->groups =
                rows_reserve(labels->groups, &labels->group_cap, id + 1, sizeof(*labels->groups));
        labels->groups[id] = (struct node_group){ .pair = pair, .next = key->first_group };
        if (key->first_group)
                labels->groups[key->first_group - 1].prev = id + 1;
        key->first_group = id + 1;
        key->group_count++;
        id_index_insert(&labels->group_index, pair_hash(pair), id);
        return id;
}

static void drop_group(struct cluster *cluster, uint32_t id, struct label_key *key) {
        struct node_labels *labels = &cluster->node_labels;
        struct node_group *group = &labels->groups[id];
        if (group->prev)
                labels->groups[group->prev - 1].next = group->next;
        else
                key->first_group = group->next;
        if (group->next)
                labels->groups[group->next - 1].prev = group->prev;
        key->group_count--;
        id_index_remove(&labels->group_index, pair_hash(group->pair), id);
        labels->bytes -= group_bytes(group);
        group_memory_free(group);
        *group = (struct node_group){ 0 };
        id_pool_give(&labels->group_ids, id);
}

void node_labels_release(struct cluster *cluster) {
        struct node_labels *labels = &cluster->node_labels;
        for (uint32_t i = 0; i < labels->group_ids.used; i++)
                group_memory_free(&labels->groups[i]);
        for (uint32_t i = 0; i < labels->key_ids.used; i++)
                bitset_release(&labels->keys[i].nodes);
        free(labels->groups);
        free(labels->keys);
        id_pool_release(&labels->group_ids);
        id_pool_release(&labels->key_ids);
        id_index_release(&labels->group_index);
        id_index_release(&labels->key_index);
}

void node_labels_resize(struct cluster *cluster) {
        struct node_labels *labels = &cluster->node_labels;
        for (uint32_t i = 0; i < labels->key_ids.used; i++) {
                if (labels->keys[i].count > 0)
                        bitset_resize(&labels->keys[i].nodes, cluster->nodes.count);
        }
}

void node_labels_add(struct cluster *cluster, struct node_id node, struct label_set_id set) {
        const struct label_set *row = label_set_at(cluster, set);
        for (uint32_t i = 0; i < row->count; i++) {
                uint32_t key_id = take_key(cluster, row->pairs[i].key);
                struct label_key *key = &cluster->node_labels.keys[key_id];
                uint32_t group = take_group(cluster, row->pairs[i], key);
                group_add(cluster, &cluster->node_labels.groups[group], node.index);
                bitset_add(&key->nodes, node.index);
                key->count++;
        }
}

void node_labels_remove(struct cluster *cluster, struct node_id node, struct label_set_id set) {
        const struct label_set *row = label_set_at(cluster, set);
        for (uint32_t i = 0; i < row->count; i++) {
                uint32_t key_id = find_key(cluster, row->pairs[i].key);
                uint32_t group_id = find_group(cluster, row->pairs[i]);
                assert(key_id != ID_NONE && group_id != ID_NONE);
                struct label_key *key = &cluster->node_labels.keys[key_id];
                group_remove(cluster, &cluster->node_labels.groups[group_id], node.index);
                bitset_remove(&key->nodes, node.index);
                key->count--;
                if (cluster->node_labels.groups[group_id].count == 0)
                        drop_group(cluster, group_id, key);
                if (key->count == 0)
                        drop_key(cluster, key_id);
        }
}

/* ---- reading ---- */

const struct node_group *node_group_find(const struct cluster *cluster, struct label_pair pair) {
        uint32_t id = find_group(cluster, pair);
        return id == ID_NONE ? NULL : &cluster->node_labels.groups[id];
}

static const struct node_group *group_of(const struct cluster *cluster, struct str_id key,
                                         struct str_id value) {
        return node_group_find(cluster, (struct label_pair){ key, value });
}

static const uint32_t *group_list(const struct node_group *group) {
        return group->kind == GROUP_ONE ? &group->one : group->few;
}

void cluster_add_nodes_with_pair(const struct cluster *cluster, struct str_id key,
                                 struct str_id value, struct bitset *nodes) {
        const struct node_group *group = group_of(cluster, key, value);
        assert(nodes->bits == cluster->nodes.count);
        if (!group)
                return;
        if (group->kind == GROUP_MANY) {
                bitset_or(nodes, group->many);
                return;
        }
        for (uint32_t i = 0; i < group->count; i++)
                bitset_add(nodes, group_list(group)[i]);
}

/* Lists are in ascending order, so one walk over the words does. */
static void keep_listed(const struct node_group *group, struct bitset *nodes) {
        const uint32_t *list = group_list(group);
        size_t word_count = (nodes->bits + 63) / 64;
        uint32_t at = 0;
        for (size_t word = 0; word < word_count; word++) {
                uint64_t mask = 0;
                for (; at < group->count && list[at] / 64 == word; at++)
                        mask |= (uint64_t)1 << (list[at] % 64);
                nodes->words[word] &= mask;
        }
}

void cluster_keep_nodes_with_pair(const struct cluster *cluster, struct str_id key,
                                  struct str_id value, struct bitset *nodes) {
        const struct node_group *group = group_of(cluster, key, value);
        assert(nodes->bits == cluster->nodes.count);
        if (!group)
                bitset_clear(nodes);
        else if (group->kind == GROUP_MANY)
                bitset_and(nodes, group->many);
        else
                keep_listed(group, nodes);
}

void cluster_drop_nodes_with_pair(const struct cluster *cluster, struct str_id key,
                                  struct str_id value, struct bitset *nodes) {
        const struct node_group *group = group_of(cluster, key, value);
        assert(nodes->bits == cluster->nodes.count);
        if (!group)
                return;
        if (group->kind == GROUP_MANY) {
                bitset_and_not(nodes, group->many);
                return;
        }
        for (uint32_t i = 0; i < group->count; i++)
                bitset_remove(nodes, group_list(group)[i]);
}

size_t cluster_count_nodes_with_pair(const struct cluster *cluster, struct str_id key,
                                     struct str_id value) {
        const struct node_group *group = group_of(cluster, key, value);
        return group ? group->count : 0;
}

const struct bitset *cluster_nodes_with_key(const struct cluster *cluster, struct str_id key) {
        uint32_t id = find_key(cluster, key);
        return id == ID_NONE ? NULL : &cluster->node_labels.keys[id].nodes;
}

size_t cluster_node_label_values(const struct cluster *cluster, struct str_id key,
                                 struct arena *arena, struct str_id **ret_values) {
        const struct node_labels *labels = &cluster->node_labels;
        uint32_t id = find_key(cluster, key);
        size_t count = 0;
        if (id == ID_NONE) {
                *ret_values = NULL;
                return 0;
        }
        *ret_values = ARENA_ARRAY(arena, struct str_id, labels->keys[id].group_count);
        for (uint32_t group = labels->keys[id].first_group; group;
             group = labels->groups[group - 1].next)
                (*ret_values)[count++] = labels->groups[group - 1].pair.value;
        return count;
}
