/* Bookkeeping of numbered rows: which numbers are free, and which rows have a given content hash.
 * Rows live in arrays of their owners; nothing here knows what they hold. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hands out row numbers, those given back first. */
struct id_pool {
        uint32_t *free;
        uint32_t free_count, free_cap;
        uint32_t used; /* numbers below it were handed out at some time */
};
void id_pool_release(struct id_pool *pool);
uint32_t id_pool_take(struct id_pool *pool);
void id_pool_give(struct id_pool *pool, uint32_t id);
size_t id_pool_bytes(const struct id_pool *pool);

/* Makes room for `need` elements, growing by an eighth at least; new elements are zero. */
void *rows_reserve(void *rows, uint32_t *cap, uint32_t need, size_t element_size);

/* Open addressing from a 32-bit hash to row numbers; several rows may share a hash.  The owner
 * compares contents. */
struct id_slot {
        uint32_t hash, id_plus_one; /* 0 = empty */
};
struct id_index {
        struct id_slot *slots;
        uint32_t cap, count; /* cap: 0 or a power of two */
};
void id_index_release(struct id_index *index);
void id_index_insert(struct id_index *index, uint32_t hash, uint32_t id);
void id_index_remove(struct id_index *index, uint32_t hash, uint32_t id); /* must be there */
/* Rows with a hash: uint32_t at = 0; while (id_index_next(index, hash, &at, &id)) ... */
bool id_index_next(const struct id_index *index, uint32_t hash, uint32_t *at, uint32_t *ret_id);
size_t id_index_bytes(const struct id_index *index);

/* Spreads a small integer key over 32 bits. */
uint32_t hash_number(uint64_t key);
