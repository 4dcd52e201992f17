/* Numbers of devices.  A pool lists those of its own by name, so that a device is found without a
 * table of all of them. */
#include "devices/device_numbers.h"

#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

/* ---- pools ---- */

uint64_t device_pool_hash(struct slice driver, struct slice pool) {
        return slice_hash(driver) * 0x9e3779b97f4a7c15u + slice_hash(pool);
}

struct inventory_pool *device_pool_find(const struct device_inventory *inventory,
                                        struct slice driver, struct slice pool) {
        uint64_t hash = device_pool_hash(driver, pool);
        uint32_t at = (uint32_t)(uintptr_t)map_u64_get(inventory->pools_by_key, hash);

        while (at) {
                struct inventory_pool *found = &inventory->pools[at - 1];

                if (slice_eq(found->driver, driver) && slice_eq(found->name, pool))
                        return found;
                at = found->next;
        }
        return NULL;
}

/* ---- numbers that no pool has ---- */

void device_numbers_reserve(struct device_inventory *inventory, size_t count) {
        if (count <= inventory->use_cap)
                return;
        inventory->uses = xreallocarray(inventory->uses, count, sizeof(*inventory->uses));
        inventory->names = xreallocarray(inventory->names, count, sizeof(*inventory->names));
        inventory->use_cap = count;
}

static uint32_t new_number(struct device_inventory *inventory) {
        if (inventory->use_count == inventory->use_cap)
                device_numbers_reserve(inventory, inventory->use_cap + inventory->use_cap / 8 + 64);
        inventory->names[inventory->use_count] = NULL;
        inventory->uses[inventory->use_count] = (struct device_use){ 0 };
        return (uint32_t)inventory->use_count++;
}

/* Keys of the map are hashes of 64 bits; that two devices share one is not provided for, and would
 * only let each of them wait for the other. */
static uint64_t stranger_key(struct slice driver, struct slice pool, struct slice device) {
        const uint64_t parts[] = { slice_hash(driver), slice_hash(pool), slice_hash(device) };

        return hash_bytes(parts, sizeof(parts), 0);
}

static uint32_t number_stranger(struct device_inventory *inventory, uint64_t key) {
        void *known = map_u64_get(inventory->strangers, key);

        if (known)
                return (uint32_t)(uintptr_t)known - 1;
        uint32_t number = new_number(inventory);
        map_u64_put(inventory->strangers, key, (void *)((uintptr_t)number + 1));
        return number;
}

static uint32_t number_newcomer(struct device_inventory *inventory,
                                const struct inventory_pool *pool, struct slice name) {
        void *known = map_u64_count(inventory->strangers)
                              ? map_u64_remove(inventory->strangers,
                                               stranger_key(pool->driver, pool->name, name))
                              : NULL;

        return known ? (uint32_t)(uintptr_t)known - 1 : new_number(inventory);
}

static void make_stranger(struct device_inventory *inventory, const struct inventory_pool *pool,
                          const struct inventory_device *device) {
        struct device_use *use = &inventory->uses[device->number];

        use->home = DEVICE_HOME_NONE;
        map_u64_put(inventory->strangers,
                    stranger_key(pool->driver, pool->name, device->device->name),
                    (void *)((uintptr_t)device->number + 1));
}

/* ---- those of a pool ---- */

struct device_list { /* of a pool, by name */
        struct inventory_device **items;
        size_t count;
};

static int compare_devices(const void *a, const void *b) {
        const struct inventory_device *left = *(struct inventory_device *const *)a;
        const struct inventory_device *right = *(struct inventory_device *const *)b;

        return slice_compare(left->device->name, right->device->name);
}

static struct device_list list_devices(const struct inventory_pool *pool) {
        struct device_list list = { 0 };
        size_t count = 0;

        for (uint32_t i = 0; i < pool->slice_count; i++)
                count += pool->slices[i].slice->device_count;
        list.items = xcalloc(count + 1, sizeof(struct inventory_device *));
        for (uint32_t i = 0; i < pool->slice_count; i++)
                for (size_t j = 0; j < pool->slices[i].slice->device_count; j++)
                        list.items[list.count++] = &pool->slices[i].devices[j];
        if (list.count > 1)
                qsort(list.items, list.count, sizeof(struct inventory_device *), compare_devices);
        return list;
}

static bool has_name(const struct inventory_device *device, struct slice name) {
        return slice_eq(device->device->name, name);
}

/* Rows share lists that are equal. */
static bool looks_alike(const struct device *a, const struct device *b) {
        return a->attributes == b->attributes && a->attribute_count == b->attribute_count &&
               a->traits->capacity == b->traits->capacity &&
               a->traits->capacity_count == b->traits->capacity_count &&
               a->traits->allows_multiple == b->traits->allows_multiple;
}

static uint32_t serial_of(struct device_inventory *inventory, const struct device_list *before,
                          size_t at, const struct inventory_device *device) {
        for (; at < before->count && has_name(before->items[at], device->device->name); at++)
                if (looks_alike(before->items[at]->device, device->device))
                        return before->items[at]->serial;
        return inventory->serial_count++;
}

/* Devices of one name, from `first` on; the index behind them. */
static size_t number_name(struct device_inventory *inventory, struct inventory_pool *pool,
                          const struct device_list *now, size_t first,
                          const struct device_list *before, size_t before_at) {
        struct slice name = now->items[first]->device->name;
        bool is_old = before_at < before->count && has_name(before->items[before_at], name);
        uint32_t number =
                is_old ? before->items[before_at]->number : number_newcomer(inventory, pool, name);
        size_t at = first;

        inventory->names[number] = now->items[first]->device;
        pool->numbers[pool->number_count++] = number;
        for (; at < now->count && has_name(now->items[at], name); at++) {
                now->items[at]->number = number;
                now->items[at]->serial = serial_of(inventory, before, before_at, now->items[at]);
        }
        return at;
}

void device_numbers_renew(struct device_inventory *inventory, struct inventory_pool *pool,
                          const struct inventory_pool *before) {
        struct device_list now = list_devices(pool), old = list_devices(before);
        size_t old_at = 0;

        for (size_t i = 0; i < now.count;) {
                struct slice name = now.items[i]->device->name;

                for (;
                     old_at < old.count && slice_compare(old.items[old_at]->device->name, name) < 0;
                     old_at++)
                        make_stranger(inventory, pool, old.items[old_at]);
                i = number_name(inventory, pool, &now, i, &old, old_at);
                while (old_at < old.count && has_name(old.items[old_at], name))
                        old_at++;
        }
        for (; old_at < old.count; old_at++)
                make_stranger(inventory, pool, old.items[old_at]);
        free(now.items);
        free(old.items);
}

/* ---- asking ---- */

static bool find_device(const struct device_inventory *inventory, const struct inventory_pool *pool,
                        struct slice device, uint32_t *ret_number) {
        uint32_t low = 0, high = pool->number_count;

        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                int order = slice_compare(device, inventory->names[pool->numbers[middle]]->name);

                if (order == 0) {
                        *ret_number = pool->numbers[middle];
                        return true;
                }
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return false;
}

uint32_t device_number_of(struct device_inventory *inventory, struct slice driver,
                          struct slice pool, struct slice device) {
        const struct inventory_pool *found = device_pool_find(inventory, driver, pool);
        uint32_t number;

        if (found && find_device(inventory, found, device, &number))
                return number;
        return number_stranger(inventory, stranger_key(driver, pool, device));
}
