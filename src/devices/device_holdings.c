/* What claims take of devices. */
#include "devices/device_inventory.h"

#include "api/quantity.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

struct held_device {
        size_t number;
        bool is_share;
        struct device_amounts consumed; /* owned, with their texts */
};
struct device_holding { /* of one claim */
        size_t count;
        struct held_device devices[];
};

static void free_amounts(struct device_amount *items, size_t count) {
        for (size_t i = 0; i < count; i++) {
                free((char *)(uintptr_t)items[i].name.ptr);
                free((char *)(uintptr_t)items[i].value.ptr);
        }
        free(items);
}

static struct slice owned_text(struct slice text) {
        return slice_make(slice_dup(text), text.len);
}

static struct device_amount *amount_named(const struct device_use *use, struct slice name) {
        for (size_t i = 0; i < use->consumed_count; i++)
                if (slice_eq(use->consumed[i].name, name))
                        return &use->consumed[i];
        return NULL;
}

static void device_inventory_consume(struct device_use *use, const struct device_amount *amount,
                                     bool is_back) {
        struct device_amount *sum = amount_named(use, amount->name);
        struct buf text = { 0 };

        if (!sum && is_back)
                return;
        if (!sum) {
                if (use->consumed_count == use->consumed_cap) {
                        use->consumed_cap = use->consumed_cap ? 2 * use->consumed_cap : 4;
                        use->consumed = xreallocarray(use->consumed, use->consumed_cap,
                                                      sizeof(*use->consumed));
                }
                use->consumed[use->consumed_count++] =
                        (struct device_amount){ owned_text(amount->name),
                                                owned_text(amount->value) };
                return;
        }
        if (quantity_sum(sum->value, amount->value, is_back, &text, NULL) == 0) {
                free((char *)(uintptr_t)sum->value.ptr);
                sum->value = owned_text(buf_view(&text));
        }
        buf_release(&text);
}

static void note_change(struct device_inventory *inventory, const struct device_use *use) {
        if (use->home == DEVICE_HOME_NONE)
                return;
        inventory->pools[use->pool].version++;
        if (use->home == DEVICE_HOME_ANY)
                inventory->shared_changes[inventory->shared_change_count++ % DEVICE_CHANGES_MAX] =
                        use->pool;
        else
                inventory->changes[inventory->change_count++ % DEVICE_CHANGES_MAX] = use->home;
}

static void count_holding(struct device_inventory *inventory, const struct device_holding *holding,
                          bool is_back) {
        uint32_t step = is_back ? UINT32_MAX : 1;

        for (size_t i = 0; i < holding->count; i++) {
                const struct held_device *held = &holding->devices[i];
                struct device_use *use = &inventory->uses[held->number];

                note_change(inventory, use);
                use->allocated += held->is_share ? 0 : step;
                use->shared += held->is_share ? step : 0;
                for (size_t j = 0; j < held->consumed.count; j++)
                        device_inventory_consume(use, &held->consumed.items[j], is_back);
                if (use->shared == 0) { /* sums are exact, but need no place any more */
                        free_amounts(use->consumed, use->consumed_count);
                        use->consumed = NULL;
                        use->consumed_count = use->consumed_cap = 0;
                }
        }
}

static void free_holding(struct device_holding *holding) {
        for (size_t i = 0; i < holding->count; i++)
                free_amounts(holding->devices[i].consumed.items,
                             holding->devices[i].consumed.count);
        free(holding);
}

static struct device_holding *holding_of(struct device_inventory *inventory,
                                         const struct resource_claim *claim) {
        struct device_holding *holding =
                xcalloc(1, sizeof(*holding) + claim->result_count * sizeof(*holding->devices));

        for (size_t i = 0; i < claim->result_count; i++) {
                const struct device_result *result = &claim->results[i];

                if (result->has_admin_access)
                        continue;
                struct held_device *held = &holding->devices[holding->count++];
                held->number = device_inventory_number(inventory, result->driver, result->pool,
                                                       result->device);
                held->is_share = inventory->gates.has_shares && result->share_id.len > 0;
                if (!held->is_share || result->consumed.count == 0)
                        continue;
                held->consumed.items =
                        xcalloc(result->consumed.count, sizeof(*held->consumed.items));
                held->consumed.count = result->consumed.count;
                for (size_t j = 0; j < result->consumed.count; j++)
                        held->consumed.items[j] = (struct device_amount){
                                owned_text(result->consumed.items[j].name),
                                owned_text(result->consumed.items[j].value)
                        };
        }
        return holding;
}

/* The same devices as a whole; what is consumed of shares is not compared. */
static bool is_same_holding(const struct device_holding *a, const struct device_holding *b) {
        if (a->count != b->count)
                return false;
        for (size_t i = 0; i < a->count; i++)
                if (a->devices[i].number != b->devices[i].number || a->devices[i].is_share ||
                    b->devices[i].is_share)
                        return false;
        return true;
}

void device_inventory_take(struct device_inventory *inventory, struct slice key,
                           const struct resource_claim *claim) {
        struct device_holding *before = map_remove(inventory->holdings, key);
        struct device_holding *now =
                claim && claim->result_count ? holding_of(inventory, claim) : NULL;

        if (now)
                map_put(inventory->holdings, key, now);
        if (before && now && is_same_holding(before, now)) {
                free_holding(before);
                return;
        }
        if (now)
                count_holding(inventory, now, false);
        if (!before)
                return;
        count_holding(inventory, before, true);
        free_holding(before);
}

void device_inventory_drop_holdings(struct device_inventory *inventory) {
        void *value;

        for (size_t at = 0; map_next(inventory->holdings, &at, NULL, &value);)
                free_holding(value);
        map_free(inventory->holdings);
        for (size_t i = 0; i < inventory->use_count; i++)
                free_amounts(inventory->uses[i].consumed, inventory->uses[i].consumed_count);
}
