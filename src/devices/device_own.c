/* Which slices name which node. */
#include "devices/device_own.h"

#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

static struct slice node_of(const struct inventory_slice *slice) {
        return slice->slice->place->node_name;
}

static struct slice_list *need_list(struct device_inventory *inventory, struct slice node) {
        struct slice_list *list = map_get(inventory->nodes, node);

        if (list)
                return list;
        if (inventory->home_count >= inventory->home_cap) {
                inventory->home_cap += inventory->home_cap / 4 + 16;
                inventory->homes = xreallocarray(inventory->homes, inventory->home_cap,
                                                 sizeof(*inventory->homes));
        }
        list = ARENA_NEW(&inventory->arena, struct slice_list);
        list->home = inventory->home_count++;
        inventory->homes[list->home] = slice_of(arena_string(&inventory->arena, node));
        map_put(inventory->nodes, node, list);
        return list;
}

void device_own_remove(struct device_inventory *inventory, const struct inventory_pool *pool,
                       uint32_t at) {
        for (uint32_t i = 0; i < pool->slice_count; i++) {
                struct slice_list *list = map_get(inventory->nodes, node_of(&pool->slices[i]));
                size_t left = 0;

                for (size_t j = 0; list && j < list->count; j++)
                        if (list->items[j].pool != at)
                                list->items[left++] = list->items[j];
                if (list)
                        list->count = left;
        }
}

static bool is_before(const struct device_inventory *inventory, const struct slice_ref *ref,
                      const struct inventory_pool *pool) {
        const struct inventory_pool *other = &inventory->pools[ref->pool];
        int order = slice_compare(other->driver, pool->driver);

        return (order ? order : slice_compare(other->name, pool->name)) <= 0;
}

void device_own_add(struct device_inventory *inventory, const struct inventory_pool *pool,
                    uint32_t at) {
        for (uint32_t i = 0; i < pool->slice_count; i++) {
                if (node_of(&pool->slices[i]).len == 0)
                        continue;
                struct slice_list *list = need_list(inventory, node_of(&pool->slices[i]));
                size_t place = list->count;

                list->items = arena_grow(&inventory->arena, list->items, list->count, &list->cap,
                                         sizeof(*list->items));
                for (; place > 0 && !is_before(inventory, &list->items[place - 1], pool); place--)
                        list->items[place] = list->items[place - 1];
                list->items[place] = (struct slice_ref){ at, i };
                list->count++;
        }
}

uint32_t device_own_home(const struct device_inventory *inventory,
                         const struct inventory_pool *pool) {
        if (pool->slice_count == 0)
                return DEVICE_HOME_NONE;
        struct slice node = node_of(&pool->slices[0]);
        for (uint32_t i = 0; i < pool->slice_count; i++)
                if (node.len == 0 || !slice_eq(node_of(&pool->slices[i]), node))
                        return DEVICE_HOME_ANY;
        const struct slice_list *list = map_get(inventory->nodes, node);
        return list->home;
}
