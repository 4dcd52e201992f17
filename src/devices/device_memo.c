/* Which pools have nothing for which request. */
#include "devices/device_memo.h"

#include "base/util.h"
#include <stdlib.h>

#define PLACES_MAX 64 /* further requests are not remembered */

struct memo_item {
        uint64_t version; /* one more than that of the pool; 0 = not known */
        uint64_t values;
};
struct memo_row {
        struct memo_item *items; /* by the serial of a pool */
        size_t count;
};
struct device_memo {
        uint64_t owner;
        struct memo_row rows[PLACES_MAX];
};

struct device_memo *device_memo_new(void) {
        return xcalloc(1, sizeof(struct device_memo));
}

void device_memo_begin(struct device_memo *memo, uint64_t owner) {
        for (size_t i = 0; i < PLACES_MAX; i++) {
                free(memo->rows[i].items);
                memo->rows[i] = (struct memo_row){ 0 };
        }
        memo->owner = owner;
}

void device_memo_free(struct device_memo *memo) {
        if (memo)
                device_memo_begin(memo, 0);
        free(memo);
}

uint64_t device_memo_owner(const struct device_memo *memo) {
        return memo->owner;
}

/* A pool that is gathered anew for each search is not remembered; nor is one whose devices differ
 * from node to node. */
static bool is_lasting(size_t place, const struct device_pool *pool) {
        return place < PLACES_MAX && pool->serial && !pool->has_places;
}

bool device_memo_has(const struct device_memo *memo, const struct device_inventory *inventory,
                     size_t place, const struct device_pool *pool) {
        return is_lasting(place, pool) && pool->serial < memo->rows[place].count &&
               memo->rows[place].items[pool->serial].version ==
                       inventory->pools[pool->at].version + 1;
}

static struct memo_item *need_item(struct device_memo *memo,
                                   const struct device_inventory *inventory, size_t place,
                                   const struct device_pool *pool) {
        struct memo_row *row = &memo->rows[place];

        if (pool->serial >= row->count) {
                size_t count = inventory->view_count + 1;

                row->items = xreallocarray(row->items, count, sizeof(*row->items));
                for (size_t i = row->count; i < count; i++)
                        row->items[i] = (struct memo_item){ 0 };
                row->count = count;
        }
        return &row->items[pool->serial];
}

void device_memo_add(struct device_memo *memo, const struct device_inventory *inventory,
                     size_t place, const struct device_pool *pool) {
        if (is_lasting(place, pool))
                need_item(memo, inventory, place, pool)->version =
                        inventory->pools[pool->at].version + 1;
}

uint64_t device_memo_values(const struct device_memo *memo, size_t place,
                            const struct device_pool *pool) {
        return is_lasting(place, pool) && pool->serial < memo->rows[place].count
                       ? memo->rows[place].items[pool->serial].values
                       : 0;
}

void device_memo_put_values(struct device_memo *memo, const struct device_inventory *inventory,
                            size_t place, const struct device_pool *pool, uint64_t values) {
        if (is_lasting(place, pool))
                need_item(memo, inventory, place, pool)->values = values | DEVICE_VALUES_KNOWN;
}
