/* Interned lists of owners: the pods of one ReplicaSet share a row, and the pods of an owner are
 * counted by the rows that name it. */
#include "model/cluster_priv.h"

#include <assert.h>
#include <stdlib.h>

#define OWNERS_MAX 1024u /* more are cut off; the API server has its own limits */

void owner_lists_init(struct cluster *cluster) {
        cluster->owner_lists.owners = map_u64_new();
}

void owner_lists_release(struct cluster *cluster) {
        struct owner_lists *lists = &cluster->owner_lists;
        size_t at = 0;
        void *value;
        for (uint32_t i = 0; i < lists->ids.used; i++)
                free(lists->items[i]);
        free(lists->items);
        id_pool_release(&lists->ids);
        id_index_release(&lists->index);
        while (map_u64_next(lists->owners, &at, NULL, &value)) {
                free(((struct owner_links *)value)->lists);
                free(value);
        }
        map_u64_free(lists->owners);
}

/* ---- which lists name an owner ---- */

static void link_owner(struct cluster *cluster, struct owner_list *list, struct str_id uid) {
        struct owner_lists *lists = &cluster->owner_lists;
        struct owner_links *links = map_u64_get(lists->owners, uid.index);
        if (!links) {
                links = xcalloc(1, sizeof(*links));
                map_u64_put(lists->owners, uid.index, links);
        }
        lists->bytes -= links->cap * sizeof(*links->lists);
        if (links->count == links->cap) {
                links->cap = links->cap ? links->cap * 2 : 1;
                links->lists = xreallocarray(links->lists, links->cap, sizeof(*links->lists));
        }
        links->lists[links->count++] = list;
        lists->bytes += links->cap * sizeof(*links->lists);
}

static void unlink_owner(struct cluster *cluster, const struct owner_list *list,
                         struct str_id uid) {
        struct owner_lists *lists = &cluster->owner_lists;
        struct owner_links *links = map_u64_get(lists->owners, uid.index);
        uint32_t at = 0;
        while (links->lists[at] != list)
                at++;
        assert(at < links->count);
        links->lists[at] = links->lists[--links->count];
        if (links->count > 0)
                return;
        lists->bytes -= links->cap * sizeof(*links->lists);
        map_u64_remove(lists->owners, uid.index);
        free(links->lists);
        free(links);
}

/* The same owner twice in a list counts once. */
static bool names_before(const struct owner_list *list, uint32_t index) {
        for (uint32_t i = 0; i < index; i++) {
                if (str_id_eq(list->rows[i].uid, list->rows[index].uid))
                        return true;
        }
        return false;
}

/* ---- rows ---- */

static struct owner_list *list_of(const struct owner_row *rows) {
        return (struct owner_list *)(uintptr_t)((const char *)rows -
                                                offsetof(struct owner_list, rows));
}

uint32_t owner_list_count(const struct owner_row *rows) {
        return rows ? list_of(rows)->count : 0;
}

static void rows_fill(struct cluster *cluster, const struct owner_ref *owners, uint32_t count,
                      struct owner_row *rows) {
        for (uint32_t i = 0; i < count; i++) {
                rows[i].kind = str_take(cluster, owners[i].kind);
                rows[i].name = str_take(cluster, owners[i].name);
                rows[i].uid = str_take(cluster, owners[i].uid);
                rows[i].is_controller = owners[i].is_controller;
        }
}

static void rows_drop(struct cluster *cluster, const struct owner_row *rows, uint32_t count) {
        for (uint32_t i = 0; i < count; i++) {
                str_drop(cluster, rows[i].kind);
                str_drop(cluster, rows[i].name);
                str_drop(cluster, rows[i].uid);
        }
}

/* Rows are zeroed memory filled field by field, so their padding is equal too. */
static bool find_list(const struct cluster *cluster, const struct owner_row *rows, uint32_t count,
                      uint32_t hash, struct owner_list **ret_list) {
        const struct owner_lists *lists = &cluster->owner_lists;
        uint32_t at = 0, id;
        while (id_index_next(&lists->index, hash, &at, &id)) {
                struct owner_list *list = lists->items[id];
                if (list->count == count && memcmp(list->rows, rows, count * sizeof(*rows)) == 0) {
                        *ret_list = list;
                        return true;
                }
        }
        return false;
}

static struct owner_list *add_list(struct cluster *cluster, const struct owner_row *rows,
                                   uint32_t count, uint32_t hash) {
        struct owner_lists *lists = &cluster->owner_lists;
        struct owner_list *list = xcalloc(1, sizeof(*list) + count * sizeof(*rows));
        list->refs = 1;
        list->hash = hash;
        list->count = count;
        memcpy(list->rows, rows, count * sizeof(*rows));
        uint32_t id = id_pool_take(&lists->ids);
        lists->items = rows_reserve(lists->items, &lists->cap, id + 1, sizeof(struct owner_list *));
        lists->items[id] = list;
        id_index_insert(&lists->index, hash, id);
        lists->bytes += sizeof(*list) + count * sizeof(*rows);
        for (uint32_t i = 0; i < count; i++) {
                if (!names_before(list, i))
                        link_owner(cluster, list, rows[i].uid);
        }
        return list;
}

const struct owner_row *owner_list_take(struct cluster *cluster, const struct owner_ref *owners,
                                        size_t owner_count) {
        if (owner_count == 0)
                return NULL;
        uint32_t count = owner_count < OWNERS_MAX ? (uint32_t)owner_count : OWNERS_MAX;
        struct owner_row *rows = ARENA_ARRAY(&cluster->scratch, struct owner_row, count);
        struct owner_list *list;
        rows_fill(cluster, owners, count, rows);
        uint32_t hash = (uint32_t)hash_bytes(rows, count * sizeof(*rows), 2);
        if (!find_list(cluster, rows, count, hash, &list))
                return add_list(cluster, rows, count, hash)->rows;
        rows_drop(cluster, rows, count);
        list->refs++;
        return list->rows;
}

uint32_t owner_list_number(const struct cluster *cluster, const struct owner_row *rows) {
        const struct owner_lists *lists = &cluster->owner_lists;
        const struct owner_list *list = list_of(rows);
        uint32_t at = 0, id;
        while (id_index_next(&lists->index, list->hash, &at, &id)) {
                if (lists->items[id] == list)
                        return id;
        }
        abort();
}

void owner_list_drop(struct cluster *cluster, const struct owner_row *rows) {
        if (!rows)
                return;
        struct owner_lists *lists = &cluster->owner_lists;
        struct owner_list *list = list_of(rows);
        assert(list->refs > 0);
        if (--list->refs > 0)
                return;
        uint32_t id = owner_list_number(cluster, rows);
        for (uint32_t i = 0; i < list->count; i++) {
                if (!names_before(list, i))
                        unlink_owner(cluster, list, list->rows[i].uid);
        }
        rows_drop(cluster, list->rows, list->count);
        lists->bytes -= sizeof(*list) + list->count * sizeof(*list->rows);
        id_index_remove(&lists->index, list->hash, id);
        id_pool_give(&lists->ids, id);
        lists->items[id] = NULL;
        free(list);
}

uint32_t cluster_owner_count(const struct cluster *cluster, struct str_id owner_uid) {
        const struct owner_links *links = map_u64_get(cluster->owner_lists.owners, owner_uid.index);
        uint32_t count = 0;
        for (uint32_t i = 0; links && i < links->count; i++)
                count += links->lists[i]->refs;
        return count;
}
