/* Amounts that are added up: numbers as long as those are exact, texts otherwise. */
#pragma once

#include "base/arena.h"
#include "base/slice.h"

struct device_sum {
        int64_t milli;
        struct slice text; /* used when is_text */
        bool is_text;
};
struct device_sum device_sum_of(struct slice amount);
/* An amount that cannot be read changes nothing.  Texts are made in the arena. */
void device_sum_add(struct device_sum *sum, struct slice amount, struct arena *arena);
void device_sum_subtract(struct device_sum *sum, struct slice amount, struct arena *arena);
bool device_sum_is_negative(const struct device_sum *sum);
/* Below 0: less than the amount; above: more; 0 too for amounts that cannot be read. */
int device_sum_compare(const struct device_sum *sum, struct slice amount);
