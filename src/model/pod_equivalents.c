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

static bool is_of(const struct pod_equivalents *equivalents, const struct pod_row *row) {
        return str_id_eq(equivalents->ns, row->ns) &&
               equivalents->class.index == row->class.index &&
               equivalents->labels.index == row->labels.index;
}

/* Lists outlive their last pod, which often is away for a moment only; many empty ones go at once.
 */
#define EMPTY_MAX 64u

static bool is_current(const struct equivalent_table *table, const struct pod_row *row) {
        return row->equivalents < table->ids.used && table->items[row->equivalents].is_used &&
               is_of(&table->items[row->equivalents], row);
}

/* The list of the row's pods: mostly the one it was in before. */
static uint32_t pod_equivalents_take(struct equivalent_table *table, const struct pod_row *row) {
        uint32_t hash, at = 0, id;
        if (is_current(table, row))
                return row->equivalents;
        hash = hash_of(row->ns, row->class, row->labels);
        while (id_index_next(&table->index, hash, &at, &id)) {
                if (is_of(&table->items[id], row))
                        return id;
        }
        id = id_pool_take(&table->ids);
        table->items = rows_reserve(table->items, &table->cap, id + 1, sizeof(*table->items));
        table->items[id] = (struct pod_equivalents){ .ns = row->ns,
                                                     .class = row->class,
                                                     .labels = row->labels,
                                                     .is_used = true,
                                                     .first = POD_NONE };
        id_index_insert(&table->index, hash, id);
        table->empty++;
        return id;
}

static void drop_empty(struct equivalent_table *table) {
        for (uint32_t i = 0; i < table->ids.used; i++) {
                struct pod_equivalents *equivalents = &table->items[i];
                if (!equivalents->is_used || equivalents->count > 0)
                        continue;
                id_index_remove(&table->index,
                                hash_of(equivalents->ns, equivalents->class, equivalents->labels),
                                i);
                id_pool_give(&table->ids, i);
                equivalents->is_used = false;
        }
        table->empty = 0;
}

void pod_equivalents_join(struct cluster *cluster, struct pod_id pod) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        if (row->is_listed)
                return;
        row->is_listed = true;
        row->equivalents = pod_equivalents_take(&cluster->equivalents, row);
        struct pod_equivalents *equivalents = &cluster->equivalents.items[row->equivalents];
        row->prev_equivalent = POD_NONE;
        row->next_equivalent = equivalents->first;
        if (!pod_id_is_none(equivalents->first))
                pod_row_at(&cluster->pods, equivalents->first)->prev_equivalent = pod;
        equivalents->first = pod;
        cluster->equivalents.empty -= equivalents->count++ == 0;
}

void pod_equivalents_leave(struct cluster *cluster, struct pod_id pod) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        struct equivalent_table *table = &cluster->equivalents;
        if (!row->is_listed)
                return;
        struct pod_equivalents *equivalents = &table->items[row->equivalents];
        assert(equivalents->count > 0 && is_of(equivalents, row));
        row->is_listed = false;
        if (pod_id_is_none(row->prev_equivalent))
                equivalents->first = row->next_equivalent;
        else
                pod_row_at(&cluster->pods, row->prev_equivalent)->next_equivalent =
                        row->next_equivalent;
        if (!pod_id_is_none(row->next_equivalent))
                pod_row_at(&cluster->pods, row->next_equivalent)->prev_equivalent =
                        row->prev_equivalent;
        table->empty += --equivalents->count == 0;
        if (table->empty > EMPTY_MAX && table->empty > table->ids.used / 2)
                drop_empty(table);
}

void pod_equivalents_release(struct cluster *cluster) {
        free(cluster->equivalents.items);
        id_pool_release(&cluster->equivalents.ids);
        id_index_release(&cluster->equivalents.index);
}

size_t cluster_pod_equivalents(const struct cluster *cluster,
                               const struct pod_equivalents **ret_items) {
        *ret_items = cluster->equivalents.items;
        return cluster->equivalents.ids.used;
}
