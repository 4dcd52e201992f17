/* The number inside a quantity: a sign, decimal digits and a power of ten. Decimal, because inputs
 * and outputs are, so every conversion but the binary suffixes is a matter of moving digits. */
#pragma once

#include "api/quantity.h"

#define QUANTITY_INPUT_MAX 200 /* bytes of text accepted; keeps every result below TEXT_MAX */
#define QUANTITY_DIGITS_MAX 512

struct quantity {
        int sign;         /* -1, 0, 1 */
        int64_t exponent; /* power of ten of the last digit */
        size_t count;     /* 0 exactly when sign is 0; no leading and no trailing zeros */
        uint8_t digits[QUANTITY_DIGITS_MAX]; /* most significant first */
        enum quantity_format format;
        bool is_small;  /* upstream keeps it as one int64 and a scale */
        bool is_echoed; /* upstream prints it as it was written */
};

void quantity_normalize(struct quantity *q);
void quantity_from_u64(struct quantity *q, int sign, uint64_t value, int64_t exponent);
/* Multiplies by 2^bits, bits <= 60. */
void quantity_shift_left(struct quantity *q, unsigned bits);
/* Rounds away from zero to a multiple of 10^exponent. */
void quantity_round_up(struct quantity *q, int64_t exponent);
bool quantity_is_multiple(const struct quantity *q, int64_t exponent);
int quantity_order(const struct quantity *a, const struct quantity *b);
/* |a| compared with limit * 10^0. */
int quantity_order_u64(const struct quantity *a, uint64_t limit);
/* In units of 10^exponent, rounded away from zero, saturating. */
int64_t quantity_to_i64(const struct quantity *q, int64_t exponent);
/* false when the digits do not fit. ret_sum keeps its format. */
bool quantity_add(const struct quantity *a, const struct quantity *b, struct quantity *ret_sum);
/* Appends zeros until the exponent is `exponent`; false when they do not fit or it is below. */
bool quantity_lower_exponent(struct quantity *q, int64_t exponent);
/* Divides an integer (exponent 0) by 1024 when that leaves no remainder. */
bool quantity_divide_1024(struct quantity *q);
