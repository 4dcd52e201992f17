/* Row numbers and their hash index. */
#include "model/id_index.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_MIN_CAP 16u

/* ---- numbers ---- */

void id_pool_release(struct id_pool *pool) {
        free(pool->free);
        *pool = (struct id_pool){ 0 };
}

uint32_t id_pool_take(struct id_pool *pool) {
        if (pool->free_count > 0)
                return pool->free[--pool->free_count];
        assert(pool->used < UINT32_MAX - 1);
        return pool->used++;
}

void id_pool_give(struct id_pool *pool, uint32_t id) {
        assert(id < pool->used);
        pool->free = rows_reserve(pool->free, &pool->free_cap, pool->free_count + 1,
                                  sizeof(*pool->free));
        pool->free[pool->free_count++] = id;
}

size_t id_pool_bytes(const struct id_pool *pool) {
        return pool->free_cap * sizeof(*pool->free);
}

void *rows_reserve(void *rows, uint32_t *cap, uint32_t need, size_t element_size) {
        if (need <= *cap)
                return rows;
        uint32_t grown = *cap + *cap / 8 + 8;
        if (grown < need)
                grown = need;
        rows = xreallocarray(rows, grown, element_size);
        memset((char *)rows + *cap * element_size, 0, (grown - *cap) * element_size);
        *cap = grown;
        return rows;
}

/* ---- hash index ---- */

uint32_t hash_number(uint64_t key) {
        key *= 0x9e3779b97f4a7c15u;
        return (uint32_t)(key >> 32) ^ (uint32_t)key;
}

void id_index_release(struct id_index *index) {
        free(index->slots);
        *index = (struct id_index){ 0 };
}

static void place_slot(struct id_index *index, struct id_slot slot) {
        uint32_t mask = index->cap - 1;
        uint32_t at = slot.hash & mask;
        while (index->slots[at].id_plus_one)
                at = (at + 1) & mask;
        index->slots[at] = slot;
}

static void index_resize(struct id_index *index, uint32_t cap) {
        struct id_slot *old = index->slots;
        uint32_t old_cap = index->cap;
        index->slots = xcalloc(cap, sizeof(*index->slots));
        index->cap = cap;
        for (uint32_t i = 0; i < old_cap; i++) {
                if (old[i].id_plus_one)
                        place_slot(index, old[i]);
        }
        free(old);
}

void id_index_insert(struct id_index *index, uint32_t hash, uint32_t id) {
        assert(index->count < UINT32_MAX / 4);
        if ((index->count + 1) * 4 > index->cap * 3)
                index_resize(index, index->cap ? index->cap * 2 : INDEX_MIN_CAP);
        place_slot(index, (struct id_slot){ hash, id + 1 });
        index->count++;
}

/* Slots after a removed one move back where the hole would hide them. */
static void close_hole(struct id_index *index, uint32_t hole) {
        uint32_t mask = index->cap - 1;
        for (uint32_t at = (hole + 1) & mask; index->slots[at].id_plus_one; at = (at + 1) & mask) {
                uint32_t home = index->slots[at].hash & mask;
                if (((at - home) & mask) >= ((at - hole) & mask)) {
                        index->slots[hole] = index->slots[at];
                        hole = at;
                }
        }
        index->slots[hole] = (struct id_slot){ 0 };
}

void id_index_remove(struct id_index *index, uint32_t hash, uint32_t id) {
        assert(index->count > 0);
        uint32_t mask = index->cap - 1;
        uint32_t at = hash & mask;
        while (index->slots[at].id_plus_one != id + 1) {
                assert(index->slots[at].id_plus_one);
                at = (at + 1) & mask;
        }
        close_hole(index, at);
        index->count--;
        if (index->cap > INDEX_MIN_CAP && index->count < index->cap / 8)
                index_resize(index, index->cap / 4);
}

bool id_index_next(const struct id_index *index, uint32_t hash, uint32_t *at, uint32_t *ret_id) {
        if (!index->cap)
                return false;
        uint32_t mask = index->cap - 1;
        for (;; (*at)++) {
                const struct id_slot *slot = &index->slots[(hash + *at) & mask];
                if (!slot->id_plus_one)
                        return false;
                if (slot->hash == hash) {
                        *ret_id = slot->id_plus_one - 1;
                        (*at)++;
                        return true;
                }
        }
}

size_t id_index_bytes(const struct id_index *index) {
        return index->cap * sizeof(*index->slots);
}
