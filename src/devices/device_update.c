/* Slices that change: the pools that they belong to are made anew, all others stay as they are. */
#include "devices/device_numbers.h"
#include "devices/device_own.h"
#include "devices/device_reach.h"

#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

struct pool_edit { /* what the slices of a pool will be */
        uint32_t pool;
        const struct resource_slice **rows; /* NULL: taken out */
        size_t count, cap;
};
struct pool_edits {
        struct device_inventory *inventory;
        struct pool_edit *items;
        size_t count, cap;
};

/* ---- pools ---- */

static uint32_t need_pool(struct device_inventory *inventory, const struct resource_slice *slice) {
        struct inventory_pool *pool = device_pool_find(inventory, slice->driver, slice->pool);
        uint64_t hash = device_pool_hash(slice->driver, slice->pool);

        if (pool)
                return (uint32_t)(pool - inventory->pools);
        if (inventory->pool_count == inventory->pool_cap) {
                inventory->pool_cap += inventory->pool_cap / 4 + 16;
                inventory->pools = xreallocarray(inventory->pools, inventory->pool_cap,
                                                 sizeof(*inventory->pools));
        }
        uint32_t at = inventory->pool_count++;
        inventory->pools[at] =
                (struct inventory_pool){ .driver = slice->driver, .name = slice->pool };
        inventory->pools[at].next = (uint32_t)(uintptr_t)map_u64_put(inventory->pools_by_key, hash,
                                                                     (void *)((uintptr_t)at + 1));
        return at;
}

static void list_wide(struct device_inventory *inventory, uint32_t at) {
        if (inventory->wide_count == inventory->wide_cap) {
                inventory->wide_cap += inventory->wide_cap + 16;
                inventory->wide = xreallocarray(inventory->wide, inventory->wide_cap,
                                                sizeof(*inventory->wide));
        }
        inventory->wide[inventory->wide_count++] = at;
        inventory->pools[at].wide_at = inventory->wide_count;
}

static void unlist_wide(struct device_inventory *inventory, const struct inventory_pool *before) {
        uint32_t last = inventory->wide[--inventory->wide_count];

        inventory->wide[before->wide_at - 1] = last;
        inventory->pools[last].wide_at = before->wide_at;
}

static void add_slice(struct inventory_pool *pool, struct inventory_slice *entry) {
        const struct resource_slice *slice = entry->slice;

        if (pool->slice_count == 0 || slice->generation > pool->newest) {
                pool->newest = slice->generation;
                pool->newest_count = 0;
        }
        pool->newest_count += slice->generation == pool->newest;
        pool->is_wide |= slice->place->node_name.len == 0;
        pool->has_counters |= slice->counter_count > 0;
        pool->slice_count++;
}

/* Slices, their devices and the list of numbers, in one piece of memory. */
static void fill_pool(struct inventory_pool *pool, uint32_t at,
                      const struct resource_slice *const *rows, size_t count) {
        struct inventory_device *device;
        size_t devices = 0;

        if (count == 0)
                return;
        for (size_t i = 0; i < count; i++)
                devices += rows[i]->device_count;
        size_t size =
                count * sizeof(*pool->slices) + devices * (sizeof(*device) + sizeof(uint32_t));
        pool->slices = xcalloc(1, size);
        device = (struct inventory_device *)(pool->slices + count);
        pool->numbers = (uint32_t *)(device + devices);
        for (size_t i = 0; i < count; i++) {
                pool->slices[i] = (struct inventory_slice){ rows[i], device, at };
                for (size_t j = 0; j < rows[i]->device_count; j++)
                        (device++)->device = &rows[i]->devices[j];
                add_slice(pool, &pool->slices[i]);
        }
}

static size_t count_devices(const struct inventory_pool *pool) {
        size_t count = 0;

        for (uint32_t i = 0; i < pool->slice_count; i++)
                count += pool->slices[i].slice->device_count;
        return count;
}

static void house_devices(struct device_inventory *inventory, const struct inventory_pool *pool,
                          uint32_t at, uint32_t home) {
        for (uint32_t i = 0; i < pool->number_count; i++) {
                inventory->uses[pool->numbers[i]].home = home;
                inventory->uses[pool->numbers[i]].pool = at;
        }
}

/* ---- who sees it ---- */

/* Nodes without own slices of the pool see it, too. */
static bool is_seen_widely(const struct device_inventory *inventory,
                           const struct inventory_pool *pool, uint32_t home) {
        return pool->is_wide || home == DEVICE_HOME_ANY ||
               device_reach_is_broken(inventory, (uint32_t)(pool - inventory->pools));
}

static void note_change(struct device_inventory *inventory, uint32_t home) {
        if (home >= DEVICE_HOME_FIRST)
                inventory->changes[inventory->change_count++ % DEVICE_CHANGES_MAX] =
                        home | DEVICE_CHANGE_OF_SLICES;
}

/* ---- changing ---- */

static void change_shape(struct device_inventory *inventory) {
        device_reaches_drop(inventory);
        inventory->shape++;
}

/* Slices, devices and their numbers; who may see it is not looked at yet. */
static void remake_pool(struct device_inventory *inventory, uint32_t at,
                        const struct resource_slice *const *rows, size_t count) {
        struct inventory_pool *pool = &inventory->pools[at], before = *pool;

        *pool = (struct inventory_pool){ .driver = before.driver,
                                         .name = before.name,
                                         .next = before.next,
                                         .version = before.version + 1 };
        if (before.is_wide)
                unlist_wide(inventory, &before);
        device_own_remove(inventory, &before, at);
        fill_pool(pool, at, rows, count);
        device_numbers_renew(inventory, pool, &before);
        device_own_add(inventory, pool, at);
        if (pool->is_wide)
                list_wide(inventory, at);
        inventory->live_count += (pool->slice_count > 0) - (before.slice_count > 0);
        inventory->device_count += (uint32_t)count_devices(pool) - (uint32_t)count_devices(&before);
        device_pool_free_views(&before);
        free(before.slices);
}

/* The rows by name.  All that nodes knew of the pool is forgotten. */
static void put_pool(struct device_inventory *inventory, uint32_t at,
                     const struct resource_slice *const *rows, size_t count) {
        const struct inventory_pool *pool = &inventory->pools[at];
        uint32_t home_before = device_own_home(inventory, pool);

        if (is_seen_widely(inventory, pool, home_before))
                change_shape(inventory);
        remake_pool(inventory, at, rows, count);
        uint32_t home = device_own_home(inventory, pool);
        house_devices(inventory, pool, at, home);
        note_change(inventory, home_before);
        if (home != home_before)
                note_change(inventory, home);
        if (is_seen_widely(inventory, pool, home) ||
            (inventory->reaches && device_reach_breaks(inventory, at)))
                change_shape(inventory);
}

static struct pool_edit *edit_of(struct pool_edits *edits, uint32_t at) {
        struct inventory_pool *pool = &edits->inventory->pools[at];

        if (pool->edit)
                return &edits->items[pool->edit - 1];
        if (edits->count == edits->cap) {
                edits->cap += edits->cap / 2 + 16;
                edits->items = xreallocarray(edits->items, edits->cap, sizeof(*edits->items));
        }
        struct pool_edit *edit = &edits->items[edits->count++];
        *edit = (struct pool_edit){ .pool = at,
                                    .rows = xcalloc(pool->slice_count + 1,
                                                    sizeof(struct resource_slice *)),
                                    .count = pool->slice_count,
                                    .cap = pool->slice_count + 1 };
        for (uint32_t i = 0; i < pool->slice_count; i++)
                edit->rows[i] = pool->slices[i].slice;
        pool->edit = (uint32_t)edits->count;
        return edit;
}

static int compare_name(const void *key, const void *item) {
        return slice_compare(*(const struct slice *)key,
                             ((const struct inventory_slice *)item)->slice->name);
}

/* False: the pool does not have it, as the names of two slices have the same hash. */
static bool take_out(struct pool_edits *edits, struct slice name) {
        uint64_t hash = slice_hash(name);
        uint32_t at = (uint32_t)(uintptr_t)map_u64_remove(edits->inventory->pools_by_slice, hash);

        if (!at)
                return true;
        const struct inventory_pool *pool = &edits->inventory->pools[at - 1];
        const struct inventory_slice *found =
                bsearch(&name, pool->slices, pool->slice_count, sizeof(*found), compare_name);
        if (!found)
                return false;
        edit_of(edits, at - 1)->rows[found - pool->slices] = NULL;
        return true;
}

static void put_in(struct pool_edits *edits, const struct resource_slice *slice) {
        uint32_t at = need_pool(edits->inventory, slice);
        struct pool_edit *edit = edit_of(edits, at);

        if (edit->count == edit->cap) {
                edit->cap = 2 * edit->cap;
                edit->rows = xreallocarray(edit->rows, edit->cap, sizeof(*edit->rows));
        }
        edit->rows[edit->count++] = slice;
        map_u64_put(edits->inventory->pools_by_slice, slice_hash(slice->name),
                    (void *)((uintptr_t)at + 1));
}

static int compare_rows(const void *a, const void *b) {
        return slice_compare((*(const struct resource_slice *const *)a)->name,
                             (*(const struct resource_slice *const *)b)->name);
}

static void apply_edit(struct device_inventory *inventory, struct pool_edit *edit) {
        size_t left = 0;

        for (size_t i = 0; i < edit->count; i++)
                if (edit->rows[i])
                        edit->rows[left++] = edit->rows[i];
        if (left > 1)
                qsort(edit->rows, left, sizeof(*edit->rows), compare_rows);
        put_pool(inventory, edit->pool, edit->rows, left);
        free(edit->rows);
}

/* Names and places that nothing uses any more are the most. */
static bool is_worn(const struct device_inventory *inventory) {
        return inventory->pool_count > 2 * inventory->live_count + 1024 ||
               inventory->home_count > 2 * inventory->live_count + 65536 ||
               inventory->serial_count / 4 > inventory->device_count + 65536 ||
               inventory->use_count / 2 > inventory->device_count + 65536;
}

bool device_inventory_update(struct device_inventory *inventory, const struct slice_change *changes,
                             size_t count) {
        struct pool_edits edits = { .inventory = inventory };
        bool is_followed = true;
        size_t devices = 0;

        for (size_t i = 0; i < count; i++)
                is_followed &= take_out(&edits, changes[i].name);
        for (size_t i = 0; i < count; i++)
                if (changes[i].slice) {
                        put_in(&edits, changes[i].slice);
                        devices += changes[i].slice->device_count;
                }
        if (inventory->use_count == 0)
                device_numbers_reserve(inventory, devices);
        for (size_t i = 0; i < edits.count; i++)
                apply_edit(inventory, &edits.items[i]);
        free(edits.items);
        return is_followed && !is_worn(inventory);
}
