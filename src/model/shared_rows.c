/* Interned arrays of rows. */
#include "model/shared_rows.h"

#include "base/slice.h"
#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

void shared_table_release(struct shared_table *table) {
        for (uint32_t i = 0; i < table->ids.used; i++)
                free(table->items[i]);
        free(table->items);
        id_pool_release(&table->ids);
        id_index_release(&table->index);
}

struct shared_rows *shared_rows_of(const void *rows) {
        return (struct shared_rows *)(uintptr_t)((const char *)rows -
                                                 offsetof(struct shared_rows, bytes));
}

static struct shared_rows *shared_rows_find(const struct shared_table *table, const void *rows,
                                            size_t size, uint32_t hash) {
        uint32_t at = 0, id;
        while (id_index_next(&table->index, hash, &at, &id)) {
                struct shared_rows *shared = table->items[id];
                if (shared->size == size && memcmp(shared->bytes, rows, size) == 0)
                        return shared;
        }
        return NULL;
}

const void *shared_rows_take(struct shared_table *table, const void *rows, size_t size,
                             bool *ret_is_new) {
        uint32_t hash = (uint32_t)hash_bytes(rows, size, 2);
        struct shared_rows *shared = shared_rows_find(table, rows, size, hash);
        *ret_is_new = !shared;
        if (shared) {
                shared->refs++;
                return shared->bytes;
        }
        shared = xmalloc(sizeof(*shared) + size);
        *shared = (struct shared_rows){ .refs = 1, .hash = hash, .size = size };
        memcpy(shared->bytes, rows, size);
        uint32_t id = id_pool_take(&table->ids);
        table->items =
                rows_reserve(table->items, &table->cap, id + 1, sizeof(struct shared_rows *));
        table->items[id] = shared;
        id_index_insert(&table->index, hash, id);
        table->bytes += sizeof(*shared) + size;
        return shared->bytes;
}

bool shared_rows_drop(const void *rows) {
        struct shared_rows *shared = shared_rows_of(rows);
        assert(shared->refs > 0);
        return --shared->refs == 0;
}

uint32_t shared_rows_number(const struct shared_table *table, const void *rows) {
        const struct shared_rows *shared = shared_rows_of(rows);
        uint32_t at = 0, id;
        while (id_index_next(&table->index, shared->hash, &at, &id)) {
                if (table->items[id] == shared)
                        return id;
        }
        abort();
}

void shared_rows_free(struct shared_table *table, const void *rows) {
        struct shared_rows *shared = shared_rows_of(rows);
        uint32_t id = shared_rows_number(table, rows);
        assert(shared->refs == 0);
        id_index_remove(&table->index, shared->hash, id);
        id_pool_give(&table->ids, id);
        table->items[id] = NULL;
        table->bytes -= sizeof(*shared) + shared->size;
        free(shared);
}
