/* Interned label sets. */
#include "model/cluster_priv.h"

#include <assert.h>
#include <stdlib.h>

void label_sets_init(struct cluster *cluster) {
        struct label_sets *sets = &cluster->label_sets;
        uint32_t empty = id_pool_take(&sets->ids);
        assert(empty == 0);
        sets->items = rows_reserve(sets->items, &sets->cap, empty + 1, sizeof(*sets->items));
}

void label_sets_release(struct cluster *cluster) {
        struct label_sets *sets = &cluster->label_sets;
        for (uint32_t i = 0; i < sets->ids.used; i++)
                free(sets->items[i].pairs);
        free(sets->items);
        id_pool_release(&sets->ids);
        id_index_release(&sets->index);
}

const struct label_set *label_set_at(const struct cluster *cluster, struct label_set_id set) {
        assert(set.index < cluster->label_sets.ids.used);
        return &cluster->label_sets.items[set.index];
}

static int compare_pairs(const void *a, const void *b) {
        const struct label_pair *first = a, *second = b;
        return (first->key.index > second->key.index) - (first->key.index < second->key.index);
}

/* Short lists, mostly sorted already. */
static void sort_pairs(struct label_pair *pairs, size_t count) {
        if (count > 32) {
                qsort(pairs, count, sizeof(*pairs), compare_pairs);
                return;
        }
        for (size_t i = 1; i < count; i++) {
                struct label_pair pair = pairs[i];
                size_t at = i;
                for (; at > 0 && pairs[at - 1].key.index > pair.key.index; at--)
                        pairs[at] = pairs[at - 1];
                pairs[at] = pair;
        }
}

static uint32_t pairs_hash(const struct label_pair *pairs, size_t count) {
        return (uint32_t)hash_bytes(pairs, count * sizeof(*pairs), 1);
}

/* Strings of the labels without counting them; false when some string is not known yet. */
static bool find_pairs(const struct cluster *cluster, struct label_list labels,
                       struct label_pair *pairs) {
        for (size_t i = 0; i < labels.count; i++) {
                bool has_key, has_value;
                pairs[i].key = interner_find(cluster->strings, labels.items[i].key, &has_key);
                pairs[i].value = interner_find(cluster->strings, labels.items[i].value, &has_value);
                if (!has_key || !has_value)
                        return false;
        }
        sort_pairs(pairs, labels.count);
        return true;
}

static bool find_set(const struct cluster *cluster, const struct label_pair *pairs, size_t count,
                     uint32_t hash, uint32_t *ret_id) {
        const struct label_sets *sets = &cluster->label_sets;
        uint32_t at = 0, id;
        while (id_index_next(&sets->index, hash, &at, &id)) {
                const struct label_set *set = &sets->items[id];
                if (set->count == count && memcmp(set->pairs, pairs, count * sizeof(*pairs)) == 0) {
                        *ret_id = id;
                        return true;
                }
        }
        return false;
}

static struct label_set_id add_set(struct cluster *cluster, struct label_list labels) {
        struct label_sets *sets = &cluster->label_sets;
        struct label_pair *pairs = xcalloc(labels.count, sizeof(*pairs));
        for (size_t i = 0; i < labels.count; i++) {
                pairs[i].key = str_take(cluster, labels.items[i].key);
                pairs[i].value = str_take(cluster, labels.items[i].value);
        }
        sort_pairs(pairs, labels.count);
        uint32_t id = id_pool_take(&sets->ids);
        sets->items = rows_reserve(sets->items, &sets->cap, id + 1, sizeof(*sets->items));
        sets->items[id] = (struct label_set){ .refs = 1,
                                              .hash = pairs_hash(pairs, labels.count),
                                              .count = (uint32_t)labels.count,
                                              .pairs = pairs };
        id_index_insert(&sets->index, sets->items[id].hash, id);
        sets->live++;
        sets->bytes += labels.count * sizeof(*pairs);
        return (struct label_set_id){ id };
}

struct label_set_id label_set_take(struct cluster *cluster, struct label_list labels) {
        if (labels.count == 0)
                return (struct label_set_id){ 0 };
        struct label_pair *pairs = ARENA_ARRAY(&cluster->scratch, struct label_pair, labels.count);
        uint32_t id;
        if (find_pairs(cluster, labels, pairs) &&
            find_set(cluster, pairs, labels.count, pairs_hash(pairs, labels.count), &id)) {
                cluster->label_sets.items[id].refs++;
                return (struct label_set_id){ id };
        }
        return add_set(cluster, labels);
}

void label_set_ref(struct cluster *cluster, struct label_set_id set) {
        if (set.index != 0)
                cluster->label_sets.items[set.index].refs++;
}

void label_set_drop(struct cluster *cluster, struct label_set_id set) {
        if (set.index == 0)
                return;
        struct label_sets *sets = &cluster->label_sets;
        struct label_set *row = &sets->items[set.index];
        assert(row->refs > 0);
        if (--row->refs > 0)
                return;
        id_index_remove(&sets->index, row->hash, set.index);
        for (uint32_t i = 0; i < row->count; i++) {
                str_drop(cluster, row->pairs[i].key);
                str_drop(cluster, row->pairs[i].value);
        }
        sets->bytes -= row->count * sizeof(*row->pairs);
        free(row->pairs);
        *row = (struct label_set){ 0 };
        sets->live--;
        id_pool_give(&sets->ids, set.index);
}

/* ---- reading ---- */

size_t cluster_label_pairs(const struct cluster *cluster, struct label_set_id set,
                           const struct label_pair **ret_pairs) {
        const struct label_set *row = label_set_at(cluster, set);
        *ret_pairs = row->pairs;
        return row->count;
}

bool cluster_label_get(const struct cluster *cluster, struct label_set_id set, struct str_id key,
                       struct str_id *ret_value) {
        const struct label_set *row = label_set_at(cluster, set);
        for (uint32_t i = 0; i < row->count && row->pairs[i].key.index <= key.index; i++) {
                if (str_id_eq(row->pairs[i].key, key)) {
                        *ret_value = row->pairs[i].value;
                        return true;
                }
        }
        return false;
}

struct label_list cluster_labels(const struct cluster *cluster, struct label_set_id set,
                                 struct arena *arena) {
        const struct label_set *row = label_set_at(cluster, set);
        struct label_list list = { .count = row->count,
                                   .items = ARENA_ARRAY(arena, struct label, row->count) };
        for (uint32_t i = 0; i < row->count; i++) {
                list.items[i] = (struct label){
                        .key = interner_text(cluster->strings, row->pairs[i].key),
                        .value = interner_text(cluster->strings, row->pairs[i].value),
                };
        }
        return list;
}

/* So few keys are compared faster than one is looked up. */
#define KEYS_COMPARED 6

static bool find_value(const struct cluster *cluster, const struct label_set *set, struct slice key,
                       struct str_id *ret_value) {
        for (uint32_t i = 0; i < set->count; i++) {
                if (slice_eq(interner_text(cluster->strings, set->pairs[i].key), key)) {
                        *ret_value = set->pairs[i].value;
                        return true;
                }
        }
        return false;
}

static bool requirement_matches(const struct cluster *cluster,
                                const struct selector_requirement *requirement,
                                struct label_set_id id) {
        const struct label_set *set = label_set_at(cluster, id);
        struct str_id value = STR_ID_EMPTY;
        bool has_key;
        if (set->count <= KEYS_COMPARED) {
                has_key = find_value(cluster, set, requirement->key, &value);
        } else {
                struct str_id key = interner_find(cluster->strings, requirement->key, &has_key);
                has_key = has_key && cluster_label_get(cluster, id, key, &value);
        }
        return selector_requirement_matches(requirement, has_key,
                                            interner_text(cluster->strings, value));
}

bool cluster_labels_match(const struct cluster *cluster, const struct selector *selector,
                          struct label_set_id set) {
        if (selector->matches_nothing)
                return false;
        for (size_t i = 0; i < selector->count; i++) {
                if (!requirement_matches(cluster, &selector->requirements[i], set))
                        return false;
        }
        return true;
}
