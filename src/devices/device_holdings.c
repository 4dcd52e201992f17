/* What claims take of devices. */
#include "devices/device_numbers.h"

#include "api/quantity.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

#define HOLDING_UNIT 64 /* bytes */

struct held_device {
        size_t number;
        bool is_share;
        struct device_amounts consumed; /* owned, with their texts */
};
struct device_holding {              /* of one claim */
        struct device_holding *next; /* with the same hash, or free and as large */
        char *key;
        size_t key_len, size; /* in units */
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

/* ---- memory ---- */

/* Holdings come and go with every pod: the small ones are used again. */
static struct device_holding *holding_new(struct device_inventory *inventory, struct slice key,
                                          size_t device_count) {
        size_t wanted =
                sizeof(struct device_holding) + device_count * sizeof(struct held_device) + key.len;
        size_t size = wanted / HOLDING_UNIT + 1;
        struct device_holding **free_ones =
                size < DEVICE_HOLDING_SIZES ? &inventory->free_holdings[size] : NULL;
        struct device_holding *holding = free_ones ? *free_ones : NULL;

        if (holding)
                *free_ones = holding->next;
        else if (free_ones)
                holding = arena_alloc(&inventory->arena, size * HOLDING_UNIT);
        else
                holding = xcalloc(size, HOLDING_UNIT);
        *holding = (struct device_holding){ .key = (char *)&holding->devices[device_count],
                                            .key_len = key.len,
                                            .size = size };
        for (size_t i = 0; i < device_count; i++)
                holding->devices[i] = (struct held_device){ 0 };
        for (size_t i = 0; i < key.len; i++)
                holding->key[i] = key.ptr[i];
        return holding;
}

static void free_holding(struct device_inventory *inventory, struct device_holding *holding) {
        for (size_t i = 0; i < holding->count; i++)
                free_amounts(holding->devices[i].consumed.items,
                             holding->devices[i].consumed.count);
        if (holding->size >= DEVICE_HOLDING_SIZES) {
                free(holding);
                return;
        }
        holding->next = inventory->free_holdings[holding->size];
        inventory->free_holdings[holding->size] = holding;
}

/* Takes what the claim of that key has out of the list; NULL: nothing. */
static struct device_holding *remove_holding(struct device_inventory *inventory, struct slice key) {
        uint64_t hash = slice_hash(key);
        struct device_holding *first = map_u64_get(inventory->holdings, hash), **link = &first;

        while (*link && !slice_eq(key, slice_make((*link)->key, (*link)->key_len)))
                link = &(*link)->next;
        struct device_holding *found = *link;
        if (!found)
                return NULL;
        *link = found->next;
        if (first)
                map_u64_put(inventory->holdings, hash, first);
        else
                map_u64_remove(inventory->holdings, hash);
        return found;
}

static void keep_holding(struct device_inventory *inventory, struct device_holding *holding) {
        uint64_t hash = slice_hash(slice_make(holding->key, holding->key_len));

        holding->next = map_u64_put(inventory->holdings, hash, holding);
}

/* ---- claims ---- */

static struct device_holding *holding_of(struct device_inventory *inventory, struct slice key,
                                         const struct resource_claim *claim) {
        struct device_holding *holding = holding_new(inventory, key, claim->result_count);

        for (size_t i = 0; i < claim->result_count; i++) {
                const struct device_result *result = &claim->results[i];

                if (result->has_admin_access)
                        continue;
                struct held_device *held = &holding->devices[holding->count++];
                held->number =
                        device_number_of(inventory, result->driver, result->pool, result->device);
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
        struct device_holding *before = remove_holding(inventory, key);
        struct device_holding *now =
                claim && claim->result_count ? holding_of(inventory, key, claim) : NULL;

        if (now)
                keep_holding(inventory, now);
        if (before && now && is_same_holding(before, now)) {
                free_holding(inventory, before);
                return;
        }
        if (now)
                count_holding(inventory, now, false);
        if (!before)
                return;
        count_holding(inventory, before, true);
        free_holding(inventory, before);
}

void device_inventory_drop_holdings(struct device_inventory *inventory) {
        void *value;

        for (size_t at = 0; map_u64_next(inventory->holdings, &at, NULL, &value);)
                for (struct device_holding *holding = value, *next; holding; holding = next) {
                        next = holding->next;
                        free_holding(inventory, holding);
                }
        map_u64_free(inventory->holdings);
        for (size_t i = 0; i < inventory->use_count; i++)
                free_amounts(inventory->uses[i].consumed, inventory->uses[i].consumed_count);
}
