/* Ordered index of one resource's objects. */
#include "store/store_priv.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

#define BLOCK_START 16 /* first capacity of the first block: most resources stay tiny */

int store_key_compare(const struct store_object *object, struct slice ns, struct slice name) {
        int order = slice_compare(store_object_ns(object), ns);

        return order ? order : slice_compare(store_object_name(object), name);
}

static struct store_block *block_new(size_t cap) {
        struct store_block *block = xmalloc(sizeof(*block) + cap * sizeof(block->items[0]));

        block->count = 0;
        block->cap = cap;
        return block;
}

void store_index_release(struct store_index *index) {
        for (size_t i = 0; i < index->block_count; i++) {
                for (size_t j = 0; j < index->blocks[i]->count; j++)
                        store_object_unref(index->blocks[i]->items[j]);
                free(index->blocks[i]);
        }
        free(index->blocks);
        *index = (struct store_index){ 0 };
}

/* Last block whose first key is not above the wanted one. */
static size_t find_block(const struct store_index *index, struct slice ns, struct slice name) {
        size_t low = 0, high = index->block_count;

        while (high - low > 1) {
                size_t middle = low + (high - low) / 2;

                if (store_key_compare(index->blocks[middle]->items[0], ns, name) <= 0)
                        low = middle;
                else
                        high = middle;
        }
        return low;
}

struct store_position store_index_find(const struct store_index *index, struct slice ns,
                                       struct slice name, bool *ret_is_equal) {
        size_t which, low = 0, high;

        *ret_is_equal = false;
        if (index->block_count == 0)
                return (struct store_position){ 0, 0 };
        which = find_block(index, ns, name);
        const struct store_block *block = index->blocks[which];
        high = block->count;
        while (low < high) {
                size_t middle = low + (high - low) / 2;
                int order = store_key_compare(block->items[middle], ns, name);

                if (order == 0) {
                        *ret_is_equal = true;
                        return (struct store_position){ which, middle };
                }
                if (order < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return (struct store_position){ which, low };
}

const struct store_object *store_index_at(const struct store_index *index,
                                          struct store_position position) {
        if (position.block < index->block_count &&
            position.at < index->blocks[position.block]->count)
                return index->blocks[position.block]->items[position.at];
        /* A position behind the last object of a block names the first of the next. */
        if (position.block + 1 < index->block_count)
                return index->blocks[position.block + 1]->items[0];
        return NULL;
}

void store_index_advance(const struct store_index *index, struct store_position *position) {
        if (position->block >= index->block_count)
                return;
        if (position->at >= index->blocks[position->block]->count)
                *position = (struct store_position){ position->block + 1, 0 };
        position->at++;
}

size_t store_index_rank(const struct store_index *index, struct store_position position) {
        size_t rank = position.at;

        for (size_t i = 0; i < position.block && i < index->block_count; i++)
                rank += index->blocks[i]->count;
        return rank;
}

static void insert_block(struct store_index *index, size_t at, struct store_block *block) {
        if (index->block_count == index->block_cap) {
                index->block_cap = index->block_cap ? index->block_cap * 2 : 4;
                index->blocks =
                        xreallocarray(index->blocks, index->block_cap, sizeof(index->blocks[0]));
        }
        memmove(index->blocks + at + 1, index->blocks + at,
                (index->block_count - at) * sizeof(index->blocks[0]));
        index->blocks[at] = block;
        index->block_count++;
}

/* Makes room in a full block and returns where the position went. */
static struct store_position split_block(struct store_index *index,
                                         struct store_position position) {
        struct store_block *block = index->blocks[position.block], *right;
        size_t keep = block->count / 2;

        if (block->cap < STORE_BLOCK_OBJECTS) {
                block = xrealloc(block, sizeof(*block) + block->cap * 2 * sizeof(block->items[0]));
                block->cap *= 2;
                index->blocks[position.block] = block;
                return position;
        }
        if (position.at == block->count && position.block + 1 == index->block_count)
                keep = block->count; /* ascending keys: leave the full block alone */
        right = block_new(STORE_BLOCK_OBJECTS);
        right->count = block->count - keep;
        memcpy(right->items, block->items + keep, right->count * sizeof(block->items[0]));
        block->count = keep;
        insert_block(index, position.block + 1, right);
        if (position.at < keep)
                return position;
        return (struct store_position){ position.block + 1, position.at - keep };
}

void store_index_insert(struct store_index *index, struct store_position position,
                        const struct store_object *object) {
        struct store_block *block;

        if (index->block_count == 0)
                insert_block(index, 0, block_new(BLOCK_START));
        if (index->blocks[position.block]->count == index->blocks[position.block]->cap)
                position = split_block(index, position);
        block = index->blocks[position.block];
        memmove(block->items + position.at + 1, block->items + position.at,
                (block->count - position.at) * sizeof(block->items[0]));
        block->items[position.at] = object;
        block->count++;
        index->count++;
}

const struct store_object *store_index_replace(struct store_index *index,
                                               struct store_position position,
                                               const struct store_object *object) {
        const struct store_object **slot = &index->blocks[position.block]->items[position.at];
        const struct store_object *old = *slot;

        *slot = object;
        return old;
}

const struct store_object *store_index_remove(struct store_index *index,
                                              struct store_position position) {
        struct store_block *block = index->blocks[position.block];
        const struct store_object *old = block->items[position.at];

        assert(position.at < block->count);
        block->count--;
        memmove(block->items + position.at, block->items + position.at + 1,
                (block->count - position.at) * sizeof(block->items[0]));
        index->count--;
        if (block->count == 0) {
                free(block);
                index->block_count--;
                memmove(index->blocks + position.block, index->blocks + position.block + 1,
                        (index->block_count - position.block) * sizeof(index->blocks[0]));
        }
        return old;
}
