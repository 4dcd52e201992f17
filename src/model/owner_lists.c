/* Interned lists of owners: the pods of one ReplicaSet share rows, and the pods of an owner are
 * counted by the lists that name it. */
#include "model/cluster_priv.h"

#include <assert.h>
#include <stdlib.h>

#define OWNERS_MAX 1024u /* more are cut off; the API server has its own limits */

struct owner_links { /* lists that name an owner */
        const struct shared_rows **lists;
        uint32_t count, cap;
};

void owner_lists_init(struct cluster *cluster) {
        cluster->owner_lists.owners = map_u64_new();
}

void owner_lists_release(struct cluster *cluster) {
        struct owner_lists *lists = &cluster->owner_lists;
        size_t at = 0;
        void *value;
        shared_table_release(&lists->table);
        while (map_u64_next(lists->owners, &at, NULL, &value)) {
                free(((struct owner_links *)value)->lists);
                free(value);
        }
        map_u64_free(lists->owners);
}

uint32_t owner_list_count(const struct owner_row *rows) {
        return rows ? (uint32_t)(shared_rows_of(rows)->size / sizeof(*rows)) : 0;
}

/* ---- which lists name an owner ---- */

static void link_owner(struct cluster *cluster, const struct shared_rows *list, struct str_id uid) {
        struct owner_lists *lists = &cluster->owner_lists;
        struct owner_links *links = map_u64_get(lists->owners, uid.index);
        if (!links) {
                links = xcalloc(1, sizeof(*links));
                map_u64_put(lists->owners, uid.index, links);
        }
        if (links->count == links->cap) {
                links->cap = links->cap ? links->cap * 2 : 1;
                links->lists = xreallocarray(links->lists, links->cap, sizeof(*links->lists));
        }
        links->lists[links->count++] = list;
}

static void unlink_owner(struct cluster *cluster, const struct shared_rows *list,
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
        map_u64_remove(lists->owners, uid.index);
        free(links->lists);
        free(links);
}

/* The same owner twice in a list counts once. */
static bool is_repeated(const struct owner_row *rows, uint32_t index) {
        for (uint32_t i = 0; i < index; i++) {
                if (str_id_eq(rows[i].uid, rows[index].uid))
                        return true;
        }
        return false;
}

/* ---- rows ---- */

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

const struct owner_row *owner_list_take(struct cluster *cluster, const struct owner_ref *owners,
                                        size_t owner_count) {
        if (owner_count == 0)
                return NULL;
        uint32_t count = owner_count < OWNERS_MAX ? (uint32_t)owner_count : OWNERS_MAX;
        struct owner_row *rows = ARENA_ARRAY(&cluster->scratch, struct owner_row, count);
        bool is_new;
        rows_fill(cluster, owners, count, rows);
        const struct owner_row *shared =
                shared_rows_take(&cluster->owner_lists.table, rows, count * sizeof(*rows), &is_new);
        if (!is_new)
                rows_drop(cluster, rows, count);
        for (uint32_t i = 0; is_new && i < count; i++) {
                if (!is_repeated(shared, i))
                        link_owner(cluster, shared_rows_of(shared), shared[i].uid);
        }
        return shared;
}

void owner_list_drop(struct cluster *cluster, const struct owner_row *rows) {
        if (!rows || !shared_rows_drop(rows))
                return;
        uint32_t count = owner_list_count(rows);
        for (uint32_t i = 0; i < count; i++) {
                if (!is_repeated(rows, i))
                        unlink_owner(cluster, shared_rows_of(rows), rows[i].uid);
        }
        rows_drop(cluster, rows, count);
        shared_rows_free(&cluster->owner_lists.table, rows);
}

uint32_t cluster_owner_count(const struct cluster *cluster, struct str_id owner_uid) {
        const struct owner_links *links = map_u64_get(cluster->owner_lists.owners, owner_uid.index);
        uint32_t count = 0;
        for (uint32_t i = 0; links && i < links->count; i++)
                count += links->lists[i]->refs;
        return count;
}
