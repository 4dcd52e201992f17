/* Numbers of devices.  Those of a pool follow each other by name, so that a device is found without
 * a table of all of them. */
#include "devices/device_numbers.h"

#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

/* ---- giving ---- */

static int compare_devices(const void *a, const void *b) {
        const struct inventory_device *left = *(struct inventory_device *const *)a;
        const struct inventory_device *right = *(struct inventory_device *const *)b;

        return slice_compare(left->device->name, right->device->name);
}

static size_t count_devices(const struct device_inventory *inventory,
                            const struct inventory_pool *pool) {
        size_t count = 0;

        for (uint32_t i = pool->first; i < pool->end; i++)
                count += inventory->slices[i].slice->device_count;
        return count;
}

static size_t list_devices(const struct device_inventory *inventory,
                           const struct inventory_pool *pool, struct inventory_device **list) {
        size_t count = 0;

        for (uint32_t i = pool->first; i < pool->end; i++) {
                const struct inventory_slice *entry = &inventory->slices[i];

                for (size_t j = 0; j < entry->slice->device_count; j++)
                        list[count++] = &entry->devices[j];
        }
        return count;
}

static void number_pool(struct device_inventory *inventory, struct inventory_pool *pool,
                        struct inventory_device **list) {
        size_t count = list_devices(inventory, pool, list);

        if (count > 1)
                qsort(list, count, sizeof(struct inventory_device *), compare_devices);
        pool->number = (uint32_t)inventory->use_count;
        for (size_t i = 0; i < count; i++) {
                if (i == 0 || !slice_eq(list[i - 1]->device->name, list[i]->device->name)) {
                        inventory->names[inventory->use_count] = list[i]->device;
                        inventory->uses[inventory->use_count++] = (struct device_use){ 0 };
                }
                list[i]->number = (uint32_t)inventory->use_count - 1;
        }
        pool->device_count = (uint32_t)inventory->use_count - pool->number;
}

static uint64_t hash_pool(struct slice driver, struct slice pool) {
        return slice_hash(driver) * 0x9e3779b97f4a7c15u + slice_hash(pool);
}

static int compare_keys(const void *a, const void *b) {
        const struct pool_key *left = a, *right = b;

        return (left->hash > right->hash) - (left->hash < right->hash);
}

static void list_keys(struct device_inventory *inventory) {
        inventory->pool_keys =
                ARENA_ARRAY(&inventory->arena, struct pool_key, inventory->pool_count);
        for (uint32_t i = 0; i < inventory->pool_count; i++) {
                const struct resource_slice *slice =
                        inventory->slices[inventory->pools[i].first].slice;

                inventory->pool_keys[i] =
                        (struct pool_key){ hash_pool(slice->driver, slice->pool), i };
        }
        if (inventory->pool_count > 1)
                qsort(inventory->pool_keys, inventory->pool_count, sizeof(struct pool_key),
                      compare_keys);
}

void device_numbers_give(struct device_inventory *inventory) {
        size_t count = inventory->use_cap = inventory->device_count, largest = 0;

        for (uint32_t i = 0; i < inventory->pool_count; i++) {
                size_t own = count_devices(inventory, &inventory->pools[i]);

                largest = own > largest ? own : largest;
        }
        struct inventory_device **list = xcalloc(largest + 1, sizeof(struct inventory_device *));
        inventory->uses = ARENA_ARRAY(&inventory->arena, struct device_use, count);
        inventory->names = ARENA_ARRAY(&inventory->arena, const struct device *, count);
        for (uint32_t i = 0; i < inventory->pool_count; i++)
                number_pool(inventory, &inventory->pools[i], list);
        free(list);
        list_keys(inventory);
}

/* ---- asking ---- */

static const struct inventory_pool *find_pool(const struct device_inventory *inventory,
                                              struct slice driver, struct slice pool) {
        uint64_t hash = hash_pool(driver, pool);
        uint32_t low = 0, high = inventory->pool_count;

        while (low < high) {
                uint32_t middle = low + (high - low) / 2;

                if (inventory->pool_keys[middle].hash < hash)
                        low = middle + 1;
                else
                        high = middle;
        }
        for (; low < inventory->pool_count && inventory->pool_keys[low].hash == hash; low++) {
                const struct inventory_pool *found =
                        &inventory->pools[inventory->pool_keys[low].pool];
                const struct resource_slice *slice = inventory->slices[found->first].slice;

                if (slice_eq(slice->driver, driver) && slice_eq(slice->pool, pool))
                        return found;
        }
        return NULL;
}

static bool find_device(const struct device_inventory *inventory, const struct inventory_pool *pool,
                        struct slice device, uint32_t *ret_number) {
        uint32_t low = pool->number, high = low + pool->device_count;

        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                int order = slice_compare(device, inventory->names[middle]->name);

                if (order == 0) {
                        *ret_number = middle;
                        return true;
                }
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return false;
}

/* Keys of the map are hashes of 64 bits; that two devices share one is not provided for, and would
 * only let each of them wait for the other. */
static uint32_t number_stranger(struct device_inventory *inventory, struct slice driver,
                                struct slice pool, struct slice device) {
        const uint64_t parts[] = { slice_hash(driver), slice_hash(pool), slice_hash(device) };
        uint64_t key = hash_bytes(parts, sizeof(parts), 0);
        void *known = map_u64_get(inventory->strangers, key);

        if (known)
                return (uint32_t)(uintptr_t)known - 1;
        inventory->uses = arena_grow(&inventory->arena, inventory->uses, inventory->use_count,
                                     &inventory->use_cap, sizeof(*inventory->uses));
        inventory->uses[inventory->use_count] = (struct device_use){ 0 };
        map_u64_put(inventory->strangers, key, (void *)(uintptr_t)(inventory->use_count + 1));
        return (uint32_t)inventory->use_count++;
}

uint32_t device_number_of(struct device_inventory *inventory, struct slice driver,
                          struct slice pool, struct slice device) {
        const struct inventory_pool *found = find_pool(inventory, driver, pool);
        uint32_t number;

        if (found && find_device(inventory, found, device, &number))
                return number;
        return number_stranger(inventory, driver, pool, device);
}
