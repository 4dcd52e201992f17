/* Slices, what is allocated of their devices, and selectors. */
#include "devices/device_numbers.h"

#include "base/map.h"
#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

struct device_gates device_gates_standard(void) {
        return (struct device_gates){ .has_admin_access = true,
                                      .has_choices = true,
                                      .has_counters = true,
                                      .has_taints = true,
                                      .has_binding_conditions = true,
                                      .has_shares = true };
}

/* ---- devices ---- */

static void device_inventory_add_devices(struct device_inventory *inventory,
                                         struct inventory_slice *entry) {
        const struct resource_slice *slice = entry->slice;

        entry->devices =
                ARENA_ARRAY(&inventory->arena, struct inventory_device, slice->device_count);
        for (size_t i = 0; i < slice->device_count; i++) {
                struct inventory_device *device = &entry->devices[i];

                device->device = &slice->devices[i];
                device->serial = inventory->device_count++;
        }
}

static int compare_slices(const void *a, const void *b) {
        const struct resource_slice *left = ((const struct inventory_slice *)a)->slice;
        const struct resource_slice *right = ((const struct inventory_slice *)b)->slice;
        int order = slice_compare(left->driver, right->driver);

        if (order == 0)
                order = slice_compare(left->pool, right->pool);
        return order ? order : slice_compare(left->name, right->name);
}

static void device_inventory_index(struct device_inventory *inventory, size_t at) {
        const struct resource_slice *slice = inventory->slices[at].slice;

        if (slice->place->node_name.len == 0) {
                inventory->shared[inventory->shared_count++] = at;
                return;
        }
        struct slice_list *list = map_get(inventory->nodes, slice->place->node_name);
        if (!list) {
                list = ARENA_NEW(&inventory->arena, struct slice_list);
                map_put(inventory->nodes, slice->place->node_name, list);
        }
        list->items = arena_grow(&inventory->arena, list->items, list->count, &list->cap,
                                 sizeof(*list->items));
        list->items[list->count++] = at;
}

/* ---- pools ---- */

static bool is_of_pool(const struct resource_slice *a, const struct resource_slice *b) {
        return slice_eq(a->driver, b->driver) && slice_eq(a->pool, b->pool);
}

static void add_to_pool(struct inventory_pool *pool, const struct resource_slice *slice) {
        if (pool->end == pool->first || slice->generation > pool->newest) {
                pool->newest = slice->generation;
                pool->newest_count = 0;
        }
        pool->newest_count += slice->generation == pool->newest;
        pool->is_wide |= slice->place->node_name.len == 0;
        pool->has_counters |= slice->counter_count > 0;
        pool->end++;
}

static void device_inventory_pool(struct device_inventory *inventory) {
        inventory->pools =
                ARENA_ARRAY(&inventory->arena, struct inventory_pool, inventory->slice_count);
        for (uint32_t i = 0; i < inventory->slice_count; i++) {
                struct inventory_slice *entry = &inventory->slices[i];

                if (i == 0 || !is_of_pool(inventory->slices[i - 1].slice, entry->slice))
                        inventory->pools[inventory->pool_count++] =
                                (struct inventory_pool){ .first = i, .end = i };
                entry->pool = inventory->pool_count - 1;
                add_to_pool(&inventory->pools[entry->pool], entry->slice);
        }
}

/* Counters tie all devices of a pool together, so that its nodes are those of all its slices. */
static uint32_t home_of_pool(struct device_inventory *inventory,
                             const struct inventory_pool *pool) {
        struct slice node = inventory->slices[pool->first].slice->place->node_name;

        for (size_t i = pool->first; i < pool->end; i++)
                if (node.len == 0 || !slice_eq(inventory->slices[i].slice->place->node_name, node))
                        return DEVICE_HOME_ANY;
        inventory->homes[inventory->home_count] = node;
        return inventory->home_count++;
}

static void device_inventory_house(struct device_inventory *inventory) {
        inventory->homes = ARENA_ARRAY(&inventory->arena, struct slice,
                                       inventory->slice_count + DEVICE_HOME_FIRST);
        inventory->home_count = DEVICE_HOME_FIRST;
        for (uint32_t at = 0; at < inventory->pool_count; at++) {
                const struct inventory_pool *pool = &inventory->pools[at];
                uint32_t home = home_of_pool(inventory, pool);

                for (size_t i = pool->first; i < pool->end; i++)
                        for (size_t j = 0; j < inventory->slices[i].slice->device_count; j++) {
                                struct device_use *use =
                                        &inventory->uses[inventory->slices[i].devices[j].number];

                                use->home = home;
                                use->pool = at;
                        }
        }
}

struct slice device_inventory_changed_node(const struct device_inventory *inventory, uint64_t at) {
        return inventory->homes[inventory->changes[at % DEVICE_CHANGES_MAX]];
}

struct device_inventory *device_inventory_new(const struct device_gates *gates,
                                              const struct resource_slice *const *slices,
                                              size_t count) {
        struct device_inventory *inventory = xcalloc(1, sizeof(*inventory));

        arena_init(&inventory->arena, 0);
        inventory->gates = *gates;
        inventory->strangers = map_u64_new();
        inventory->selectors = map_new();
        inventory->classes = map_new();
        inventory->holdings = map_u64_new();
        inventory->nodes = map_new();
        inventory->slices = ARENA_ARRAY(&inventory->arena, struct inventory_slice, count);
        inventory->shared = ARENA_ARRAY(&inventory->arena, size_t, count);
        inventory->slice_count = count;
        for (size_t i = 0; i < count; i++)
                inventory->slices[i].slice = slices[i];
        if (count > 1)
                qsort(inventory->slices, count, sizeof(*inventory->slices), compare_slices);
        for (size_t i = 0; i < count; i++) {
                device_inventory_add_devices(inventory, &inventory->slices[i]);
                device_inventory_index(inventory, i);
        }
        device_inventory_pool(inventory);
        device_numbers_give(inventory);
        device_inventory_house(inventory);
        return inventory;
}

const struct slice_list *device_inventory_own(const struct device_inventory *inventory,
                                              struct slice node) {
        return map_get(inventory->nodes, node);
}

size_t device_inventory_reach(const struct device_inventory *inventory, struct slice node,
                              struct arena *arena, size_t **ret_slices) {
        const struct slice_list *own = device_inventory_own(inventory, node);
        size_t own_count = own ? own->count : 0, count = 0;
        size_t *slices = ARENA_ARRAY(arena, size_t, own_count + inventory->shared_count);

        for (size_t i = 0, j = 0; i < own_count || j < inventory->shared_count;) {
                bool takes_own = i < own_count && (j == inventory->shared_count ||
                                                   own->items[i] < inventory->shared[j]);

                slices[count++] = takes_own ? own->items[i++] : inventory->shared[j++];
        }
        *ret_slices = slices;
        return count;
}

/* ---- classes and selectors ---- */

void device_inventory_add_class(struct device_inventory *inventory,
                                const struct device_class *class) {
        map_put(inventory->classes, class->meta.name, (void *)(uintptr_t) class);
}

const struct device_class *device_inventory_class(const struct device_inventory *inventory,
                                                  struct slice name) {
        return map_get(inventory->classes, name);
}

struct device_selector *device_inventory_selector(struct device_inventory *inventory,
                                                  struct slice expression) {
        const struct cel_device_gates gates = { .has_lists = inventory->gates.has_lists,
                                                .has_shares = true };
        struct device_selector *selector = map_get(inventory->selectors, expression);
        struct err why = { 0 };

        if (selector)
                return selector;
        selector = ARENA_NEW(&inventory->arena, struct device_selector);
        if (cel_device_compile(&inventory->arena, expression, &gates, &selector->program, &why) <
            0) {
                selector->program = NULL;
                selector->problem = arena_string(&inventory->arena, slice_of(why.text));
        }
        map_put(inventory->selectors, expression, selector);
        return selector;
}

static int evaluate_selector(const struct device_inventory *inventory,
                             const struct device_selector *selector,
                             const struct offered_device *offered, struct arena *arena,
                             const char **ret_why) {
        const struct cel_device_gates gates = { .has_lists = inventory->gates.has_lists,
                                                .has_shares = true };
        const struct cel_value *value;
        struct err why = { 0 };

        if (cel_device_value(arena, offered->device->device, offered->slice->driver, &gates, &value,
                             &why) < 0) {
                *ret_why = arena_string(arena, slice_of(why.text));
                return CEL_FAILED;
        }
        return cel_device_matches(selector->program, value, arena, ret_why);
}

int device_selector_matches(const struct device_inventory *inventory,
                            struct device_selector *selector, const struct offered_device *offered,
                            struct arena *arena, const char **ret_why) {
        size_t at = offered->device->serial;

        if (at < selector->known_count && selector->known[at])
                return selector->known[at] == 2 ? CEL_TRUE : CEL_FALSE;
        int result = evaluate_selector(inventory, selector, offered, arena, ret_why);
        if (result != CEL_TRUE && result != CEL_FALSE)
                return result;
        if (at >= selector->known_count) {
                size_t count = selector->known_count ? selector->known_count : 64;
                while (count <= at)
                        count *= 2;
                selector->known = xreallocarray(selector->known, count, 1);
                memset(selector->known + selector->known_count, 0, count - selector->known_count);
                selector->known_count = count;
        }
        selector->known[at] = result == CEL_TRUE ? 2 : 1;
        return result;
}
