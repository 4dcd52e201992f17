/* Sums of amounts that do not fit 64 bits. A column holds INT64_MAX for such a sum, and the sum
 * itself is stored here, so that subtracting amounts gives the earlier sum again. Real clusters
 * have none. */
#pragma once

#include <stdint.h>

struct wide_sums {
        struct map_u64 *sums; /* by key; NULL = none */
};
void wide_sums_release(struct wide_sums *wide);

/* Adds an amount (>= 0) to a sum of a column, or takes it off. The key names the sum: a column's
 * number and the row in it. */
void wide_sums_add(struct wide_sums *wide, uint64_t key, int64_t *sum, int64_t amount);
void wide_sums_take(struct wide_sums *wide, uint64_t key, int64_t *sum, int64_t amount);
