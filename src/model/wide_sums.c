/* Sums of amounts that do not fit 64 bits. */
#include "model/wide_sums.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/saturate.h"
#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

struct wide_sum {
        int128 sum; /* above INT64_MAX */
};

void wide_sums_release(struct wide_sums *wide) {
        uint64_t key;
        void *sum;

        for (size_t at = 0; wide->sums && map_u64_next(wide->sums, &at, &key, &sum);)
                free(sum);
        map_u64_free(wide->sums);
        wide->sums = NULL;
}

static struct wide_sum *wide_sums_find(const struct wide_sums *wide, uint64_t key) {
        return wide->sums ? map_u64_get(wide->sums, key) : NULL;
}

void wide_sums_add(struct wide_sums *wide, uint64_t key, int64_t *sum, int64_t amount) {
        struct wide_sum *entry = *sum == INT64_MAX ? wide_sums_find(wide, key) : NULL;
        int64_t result;

        assert(amount >= 0);
        if (entry) {
                entry->sum += amount;
                return;
        }
        if (!__builtin_add_overflow(*sum, amount, &result)) {
                *sum = result;
                return;
        }
        entry = xcalloc(1, sizeof(*entry));
        entry->sum = (int128)*sum + amount;
        if (!wide->sums)
                wide->sums = map_u64_new();
        map_u64_put(wide->sums, key, entry);
        *sum = INT64_MAX;
}

void wide_sums_take(struct wide_sums *wide, uint64_t key, int64_t *sum, int64_t amount) {
        struct wide_sum *entry = *sum == INT64_MAX ? wide_sums_find(wide, key) : NULL;

        assert(amount >= 0);
        if (!entry) {
                *sum -= amount;
                return;
        }
        entry->sum -= amount;
        if (entry->sum > INT64_MAX)
                return;
        *sum = (int64_t)entry->sum;
        free(map_u64_remove(wide->sums, key));
}
