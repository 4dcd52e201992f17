/* Lists of pods on nodes with equal namespace, class and labels.  A count over the whole cluster
 * asks once per list instead of once per pod.  The order of a list means nothing, so a rollback
 * need not restore it. */
#include "model/cluster_priv.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t hash_of(struct str_id ns, struct class_id class, struct label_set_id labels) {
        uint32_t parts[] = { ns.index, class.index, labels.index };
        return (uint32_t)hash_bytes(parts, sizeof(parts), 0);
}

static bool is_of(const struct pod_twins *twins, const struct pod_row *row) {
        return str_id_eq(twins->ns, row->ns) && twins->class.index == row->class.index &&
               twins->labels.index == row->labels.index;
}

/* Lists outlive their last pod, which often is away for a moment only; many empty ones go at once.
 */
#define EMPTY_MAX 64u

static bool is_current(const struct twin_table *table, const struct pod_row *row) {
        return row->twins < table->ids.used && table->items[row->twins].is_used &&
               is_of(&table->items[row->twins], row);
}

/* The list of the row's pods: mostly the one it was in before. */
static uint32_t pod_twins_take(struct twin_table *table, const struct pod_row *row) {
        uint32_t hash, at = 0, id;
        if (is_current(table, row))
                return row->twins;
        hash = hash_of(row->ns, row->class, row->labels);
        while (id_index_next(&table->index, hash, &at, &id)) {
                if (is_of(&table->items[id], row))
                        return id;
        }
        id = id_pool_take(&table->ids);
        table->items = rows_reserve(table->items, &table->cap, id + 1, sizeof(*table->items));
        table->items[id] = (struct pod_twins){ .ns = row->ns,
                                               .class = row->class,
                                               .labels = row->labels,
                                               .is_used = true,
                                               .first = POD_NONE };
        id_index_insert(&table->index, hash, id);
        table->empty++;
        return id;
}

static void drop_empty(struct twin_table *table) {
        for (uint32_t i = 0; i < table->ids.used; i++) {
                struct pod_twins *twins = &table->items[i];
                if (!twins->is_used || twins->count > 0)
                        continue;
                id_index_remove(&table->index, hash_of(twins->ns, twins->class, twins->labels), i);
                id_pool_give(&table->ids, i);
                twins->is_used = false;
        }
        table->empty = 0;
}

void pod_twins_join(struct cluster *cluster, struct pod_id pod) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        if (row->is_listed)
                return;
        row->is_listed = true;
        row->twins = pod_twins_take(&cluster->twins, row);
        struct pod_twins *twins = &cluster->twins.items[row->twins];
        row->prev_twin = POD_NONE;
        row->next_twin = twins->first;
        if (!pod_id_is_none(twins->first))
                pod_row_at(&cluster->pods, twins->first)->prev_twin = pod;
        twins->first = pod;
        cluster->twins.empty -= twins->count++ == 0;
}

void pod_twins_leave(struct cluster *cluster, struct pod_id pod) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        struct twin_table *table = &cluster->twins;
        if (!row->is_listed)
                return;
        struct pod_twins *twins = &table->items[row->twins];
        assert(twins->count > 0 && is_of(twins, row));
        row->is_listed = false;
        if (pod_id_is_none(row->prev_twin))
                twins->first = row->next_twin;
        else
                pod_row_at(&cluster->pods, row->prev_twin)->next_twin = row->next_twin;
        if (!pod_id_is_none(row->next_twin))
                pod_row_at(&cluster->pods, row->next_twin)->prev_twin = row->prev_twin;
        table->empty += --twins->count == 0;
        if (table->empty > EMPTY_MAX && table->empty > table->ids.used / 2)
                drop_empty(table);
}

void pod_twins_release(struct cluster *cluster) {
        free(cluster->twins.items);
        id_pool_release(&cluster->twins.ids);
        id_index_release(&cluster->twins.index);
}

size_t cluster_pod_twins(const struct cluster *cluster, const struct pod_twins **ret_items) {
        *ret_items = cluster->twins.items;
        return cluster->twins.ids.used;
}
