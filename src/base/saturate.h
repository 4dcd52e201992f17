/* Arithmetic on amounts that stays at the end of the range instead of overflowing: whatever a
 * client wrote into an object, a sum or a share of it is defined. */
#pragma once

#include <stdint.h>

__extension__ typedef __int128 int128; /* GNU C; for intermediate values beyond the range */

static inline int64_t sum_saturated(int64_t a, int64_t b) {
        int64_t sum;
        if (__builtin_add_overflow(a, b, &sum))
                return b < 0 ? INT64_MIN : INT64_MAX;
        return sum;
}

static inline int64_t difference_saturated(int64_t a, int64_t b) {
        int64_t difference;
        if (__builtin_sub_overflow(a, b, &difference))
                return b > 0 ? INT64_MIN : INT64_MAX;
        return difference;
}

/* part * factor / whole, rounded towards zero as a division of integers is; whole is not 0. */
static inline int64_t share_of(int64_t part, int64_t factor, int64_t whole) {
        int64_t product;
        if (!__builtin_mul_overflow(part, factor, &product))
                return product / whole;
        int128 share = (int128)part * factor / whole;
        return share > INT64_MAX ? INT64_MAX : share < INT64_MIN ? INT64_MIN : (int64_t)share;
}
