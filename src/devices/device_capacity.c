/* Consumable capacity. Amounts are compared exactly; steps count in units, as upstream's do. */
#include "devices/device_capacity.h"

#include "api/quantity.h"
#include "devices/device_sum.h"

static int device_capacity_order(struct slice a, struct slice b) {
        int order = 0;

        if (!slice_eq(a, b))
                (void)quantity_compare(a, b, &order, NULL);
        return order;
}

static int64_t units_of(struct slice text) {
        int64_t units = 0;

        (void)quantity_value(text, &units, NULL);
        return units;
}

/* How far the amount is above a multiple of the step; 0 without a usable step. */
static int64_t above_step(const struct device_capacity *capacity, struct slice amount) {
        int64_t step = units_of(capacity->step), above;

        if (step <= 0 || __builtin_sub_overflow(units_of(amount), units_of(capacity->min), &above))
                return 0;
        return above % step;
}

static struct slice round_to_range(const struct device_capacity *capacity, struct slice amount,
                                   struct arena *arena) {
        char text[QUANTITY_TEXT_MAX];

        if (device_capacity_order(amount, capacity->min) < 0)
                return capacity->min;
        if (capacity->step.len == 0)
                return amount;
        int64_t above = above_step(capacity, amount), rounded = units_of(amount);
        if (above && __builtin_add_overflow(rounded, units_of(capacity->step) - above, &rounded))
                return amount;
        quantity_format_units(rounded, QUANTITY_BINARY_SI, text);
        return arena_slice(arena, slice_of(text));
}

struct slice device_capacity_consumed(const struct device_capacity *capacity,
                                      const struct device_amounts *asked, struct arena *arena,
                                      bool *ret_is_standard) {
        const struct device_amount *wanted = NULL;

        *ret_is_standard = false;
        for (size_t i = 0; i < asked->count; i++) {
                if (slice_eq(asked->items[i].name, capacity->name))
                        wanted = &asked->items[i];
        }
        if (!wanted) {
                *ret_is_standard = capacity->standard.len > 0;
                return *ret_is_standard ? capacity->standard : capacity->value;
        }
        *ret_is_standard = slice_eq(wanted->value, capacity->standard);
        if (capacity->has_range && capacity->min.len)
                return round_to_range(capacity, wanted->value, arena);
        for (size_t i = 0; i < capacity->valid_value_count; i++) {
                if (device_capacity_order(wanted->value, capacity->valid_values[i]) <= 0)
                        return capacity->valid_values[i];
        }
        return wanted->value;
}

bool device_capacity_allows(const struct device_capacity *capacity, struct slice amount,
                            bool is_standard) {
        if (!capacity->has_policy || is_standard)
                return true;
        if (capacity->has_range)
                return !(capacity->max.len && device_capacity_order(amount, capacity->max) > 0) &&
                       above_step(capacity, amount) == 0;
        for (size_t i = 0; i < capacity->valid_value_count; i++) {
                if (device_capacity_order(amount, capacity->valid_values[i]) == 0)
                        return true;
        }
        return capacity->valid_value_count == 0;
}

static bool is_known(const struct device *device, struct slice name) {
        for (size_t i = 0; i < device->traits->capacity_count; i++) {
                if (slice_eq(device->traits->capacity[i].name, name))
                        return true;
        }
        return false;
}

bool device_capacity_fits(const struct device *device, const struct device_amounts *asked,
                          const struct device_shares *taken, struct arena *arena) {
        for (size_t i = 0; i < asked->count; i++) {
                if (!is_known(device, asked->items[i].name))
                        return false;
        }
        for (size_t i = 0; i < device->traits->capacity_count; i++) {
                const struct device_capacity *capacity = &device->traits->capacity[i];
                bool is_standard;
                struct slice own = device_capacity_consumed(capacity, asked, arena, &is_standard);

                if (!device_capacity_allows(capacity, own, is_standard))
                        return false;
                struct device_sum sum = device_sum_of(own);
                for (size_t j = 0; j < taken->count; j++) {
                        for (size_t k = 0; k < taken->items[j].count; k++) {
                                const struct device_amount *share = &taken->items[j].items[k];

                                if (slice_eq(share->name, capacity->name))
                                        device_sum_add(&sum, share->value, arena);
                        }
                }
                if (device_sum_compare(&sum, capacity->value) > 0)
                        return false;
        }
        return true;
}

struct device_amounts device_capacity_share(const struct device *device,
                                            const struct device_amounts *asked,
                                            struct arena *arena) {
        struct device_amounts share = { .items = ARENA_ARRAY(arena, struct device_amount,
                                                             device->traits->capacity_count),
                                        .count = device->traits->capacity_count };
        bool is_standard;

        for (size_t i = 0; i < device->traits->capacity_count; i++)
                share.items[i] = (struct device_amount){ device->traits->capacity[i].name,
                                                         device_capacity_consumed(
                                                                 &device->traits->capacity[i],
                                                                 asked, arena, &is_standard) };
        return share;
}
