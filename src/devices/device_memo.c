/* Which pools have nothing for which request. */
#include "devices/device_memo.h"

#include "base/util.h"
#include <stdlib.h>

#define PLACES_MAX 64 /* further requests are not remembered */

struct memo_row {
        uint64_t *versions; /* by the serial of a pool: one more than its version; 0 = not known */
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
                free(memo->rows[i].versions);
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
               memo->rows[place].versions[pool->serial] == inventory->pools[pool->at].version + 1;
}

void device_memo_add(struct device_memo *memo, const struct device_inventory *inventory,
                     size_t place, const struct device_pool *pool) {
        if (!is_lasting(place, pool))
                return;
        struct memo_row *row = &memo->rows[place];
        if (pool->serial >= row->count) {
                size_t count = inventory->view_count + 1;

                row->versions = xreallocarray(row->versions, count, sizeof(*row->versions));
                memset(row->versions + row->count, 0,
                       (count - row->count) * sizeof(*row->versions));
                row->count = count;
        }
        row->versions[pool->serial] = inventory->pools[pool->at].version + 1;
}
