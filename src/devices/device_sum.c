/* Sums of amounts. */
#include "devices/device_sum.h"

#include "api/quantity.h"

/* Far from where quantities are cut off. */
#define MILLI_MAX (INT64_MAX / 2)

static bool is_within(int64_t milli) {
        return milli >= -MILLI_MAX && milli <= MILLI_MAX;
}

struct device_sum device_sum_of(struct slice amount) {
        struct device_sum sum = { .text = amount };

        sum.is_text = !quantity_ordinary(amount, &sum.milli) || !is_within(sum.milli);
        return sum;
}

static void add_number(struct device_sum *sum, int64_t milli, struct arena *arena) {
        char text[QUANTITY_TEXT_MAX];

        sum->milli += milli;
        if (is_within(sum->milli))
                return;
        quantity_format_milli(sum->milli, text);
        sum->text = arena_slice(arena, slice_of(text));
        sum->is_text = true;
}

static void add_text(struct device_sum *sum, struct slice amount, bool is_subtract,
                     struct arena *arena) {
        char before[QUANTITY_TEXT_MAX];
        struct buf out = { 0 };

        if (!sum->is_text) {
                quantity_format_milli(sum->milli, before);
                sum->text = slice_of(before);
        }
        if (quantity_sum(sum->text, amount, is_subtract, &out, NULL) == 0) {
                sum->text = arena_slice(arena, buf_view(&out));
                sum->is_text = true;
        }
        buf_release(&out);
}

static void device_sum_change(struct device_sum *sum, struct slice amount, bool is_subtract,
                              struct arena *arena) {
        const struct device_sum more = device_sum_of(amount);

        if (sum->is_text || more.is_text)
                add_text(sum, amount, is_subtract, arena);
        else
                add_number(sum, is_subtract ? -more.milli : more.milli, arena);
}

void device_sum_add(struct device_sum *sum, struct slice amount, struct arena *arena) {
        device_sum_change(sum, amount, false, arena);
}

void device_sum_subtract(struct device_sum *sum, struct slice amount, struct arena *arena) {
        device_sum_change(sum, amount, true, arena);
}

int device_sum_compare(const struct device_sum *sum, struct slice amount) {
        const struct device_sum other = device_sum_of(amount);
        char text[QUANTITY_TEXT_MAX];
        struct slice own = sum->text;
        int order = 0;

        if (!sum->is_text && !other.is_text)
                return (sum->milli > other.milli) - (sum->milli < other.milli);
        if (!sum->is_text) {
                quantity_format_milli(sum->milli, text);
                own = slice_of(text);
        }
        (void)quantity_compare(own, amount, &order, NULL);
        return order;
}

bool device_sum_is_negative(const struct device_sum *sum) {
        return sum->is_text ? device_sum_compare(sum, SLICE_LITERAL("0")) < 0 : sum->milli < 0;
}
