/* Decimal arithmetic for quantities on bounded digit arrays. */
#include "api/quantity_priv.h"
#include <assert.h>
#include <string.h>

void quantity_normalize(struct quantity *q) {
        size_t leading = 0;
        while (leading < q->count && q->digits[leading] == 0)
                leading++;
        q->count -= leading;
        memmove(q->digits, q->digits + leading, q->count);
        while (q->count > 0 && q->digits[q->count - 1] == 0) {
                q->count--;
                q->exponent++;
        }
        if (q->count == 0) {
                q->sign = 0;
                q->exponent = 0;
        }
}

void quantity_from_u64(struct quantity *q, int sign, uint64_t value, int64_t exponent) {
        q->sign = sign;
        q->exponent = exponent;
        q->count = 20; /* digits of UINT64_MAX */
        for (size_t i = 20; i-- > 0; value /= 10)
                q->digits[i] = (uint8_t)(value % 10);
        quantity_normalize(q);
}

void quantity_shift_left(struct quantity *q, unsigned bits) {
        for (; bits > 0; bits -= bits < 10 ? bits : 10) {
                unsigned factor = 1u << (bits < 10 ? bits : 10), carry = 0;
                assert(q->count + 4 <= QUANTITY_DIGITS_MAX);
                memmove(q->digits + 4, q->digits, q->count);
                memset(q->digits, 0, 4);
                q->count += 4;
                for (size_t i = q->count; i-- > 0;) {
                        carry += q->digits[i] * factor;
                        q->digits[i] = (uint8_t)(carry % 10);
                        carry /= 10;
                }
                assert(carry == 0);
                quantity_normalize(q);
        }
}

/* Adds one unit in the last place. */
static void quantity_digits_increment(struct quantity *q) {
        size_t i = q->count;
        while (i > 0 && q->digits[i - 1] == 9)
                q->digits[--i] = 0;
        if (i > 0) {
                q->digits[i - 1]++;
                return;
        }
        assert(q->count < QUANTITY_DIGITS_MAX);
        memmove(q->digits + 1, q->digits, q->count++);
        q->digits[0] = 1;
}

bool quantity_is_multiple(const struct quantity *q, int64_t exponent) {
        return q->sign == 0 || q->exponent >= exponent;
}

void quantity_round_up(struct quantity *q, int64_t exponent) {
        if (quantity_is_multiple(q, exponent))
                return;
        uint64_t cut = (uint64_t)(exponent - q->exponent);
        q->count = cut < q->count ? q->count - (size_t)cut : 0;
        q->exponent = exponent;
        quantity_digits_increment(q); /* the digits cut off end in a non-zero one */
        quantity_normalize(q);
}

/* Compares absolute values. */
static int order_magnitude(const struct quantity *a, const struct quantity *b) {
        if (a->count == 0 || b->count == 0)
                return (a->count > 0) - (b->count > 0);
        int64_t top_a = a->exponent + (int64_t)a->count, top_b = b->exponent + (int64_t)b->count;
        if (top_a != top_b)
                return top_a < top_b ? -1 : 1;
        size_t common = a->count < b->count ? a->count : b->count;
        int order = memcmp(a->digits, b->digits, common);
        if (order != 0)
                return order < 0 ? -1 : 1;
        return (a->count > b->count) - (a->count < b->count);
}

int quantity_order(const struct quantity *a, const struct quantity *b) {
        if (a->sign != b->sign)
                return a->sign < b->sign ? -1 : 1;
        return a->sign < 0 ? -order_magnitude(a, b) : order_magnitude(a, b);
}

int quantity_order_u64(const struct quantity *a, uint64_t limit) {
        struct quantity b;
        quantity_from_u64(&b, 1, limit, 0);
        return order_magnitude(a, &b);
}

int64_t quantity_to_i64(const struct quantity *q, int64_t exponent) {
        const uint64_t limit = q->sign < 0 ? (uint64_t)1 << 63 : INT64_MAX;
        uint64_t value = 0;
        int64_t place = q->exponent + (int64_t)q->count - 1;
        bool fits = place - exponent < 20;
        for (size_t i = 0; fits && place >= exponent; i++, place--) {
                uint8_t digit = i < q->count ? q->digits[i] : 0;
                fits = !__builtin_mul_overflow(value, 10, &value) &&
                       !__builtin_add_overflow(value, digit, &value);
        }
        if (fits && !quantity_is_multiple(q, exponent))
                fits = !__builtin_add_overflow(value, 1, &value);
        if (q->sign == 0)
                return 0;
        if (!fits || value > limit)
                return q->sign < 0 ? INT64_MIN : INT64_MAX;
        return q->sign < 0 ? (int64_t)(0 - value) : (int64_t)value;
}

bool quantity_lower_exponent(struct quantity *q, int64_t exponent) {
        if (q->sign == 0) {
                q->exponent = exponent;
                return true;
        }
        int64_t zeros = q->exponent - exponent;
        if (zeros < 0 || zeros > (int64_t)(QUANTITY_DIGITS_MAX - q->count))
                return false;
        memset(q->digits + q->count, 0, (size_t)zeros);
        q->count += (size_t)zeros;
        q->exponent = exponent;
        return true;
}

/* Digit of weight 10^place; places outside the number are zero. */
static int digit_at(const struct quantity *q, int64_t place) {
        int64_t from_last = place - q->exponent;
        if (from_last < 0 || from_last >= (int64_t)q->count)
                return 0;
        return q->digits[q->count - 1 - (size_t)from_last];
}

bool quantity_add(const struct quantity *a, const struct quantity *b, struct quantity *ret_sum) {
        const struct quantity *big = order_magnitude(a, b) >= 0 ? a : b, *small = big == a ? b : a;
        bool is_same_sign = a->sign == b->sign || small->sign == 0;
        int64_t low = big->exponent < small->exponent || small->sign == 0 ? big->exponent
                                                                          : small->exponent;
        int64_t places = big->exponent + (int64_t)big->count + 1 - low;
        if (places > QUANTITY_DIGITS_MAX)
                return false;
        struct quantity sum = { .sign = big->sign,
                                .exponent = low,
                                .count = (size_t)places,
                                .format = ret_sum->format };
        int carry = 0;
        for (int64_t i = 0; i < places; i++) {
                int part = digit_at(small, low + i);
                int digit = digit_at(big, low + i) + (is_same_sign ? part : -part) + carry;
                carry = digit < 0 ? -1 : digit / 10;
                sum.digits[(size_t)(places - 1 - i)] = (uint8_t)((digit + 10) % 10);
        }
        assert(carry == 0);
        quantity_normalize(&sum);
        *ret_sum = sum;
        return true;
}

bool quantity_divide_1024(struct quantity *q) {
        uint8_t quotient[QUANTITY_DIGITS_MAX];
        unsigned rest = 0;
        assert(q->exponent == 0);
        for (size_t i = 0; i < q->count; i++) {
                rest = rest * 10 + q->digits[i];
                quotient[i] = (uint8_t)(rest / 1024);
                rest %= 1024;
        }
        if (rest != 0 || q->count == 0)
                return false;
        memcpy(q->digits, quotient, q->count);
        quantity_normalize(q);
        return quantity_lower_exponent(q, 0);
}
