/* The end of an inventory and of all that is kept in it. */
#include "base/map.h"
#include "devices/device_reach.h"
#include <stdlib.h>

void device_inventory_free(struct device_inventory *inventory) {
        if (!inventory)
                return;
        device_inventory_forget_selectors(inventory);
        device_inventory_drop_holdings(inventory);
        device_reaches_drop(inventory);
        for (uint32_t i = 0; i < inventory->pool_count; i++) {
                device_pool_free_views(&inventory->pools[i]);
                free(inventory->pools[i].slices);
        }
        free(inventory->pools);
        free(inventory->wide);
        free(inventory->uses);
        free(inventory->names);
        free(inventory->homes);
        map_u64_free(inventory->pools_by_key);
        map_u64_free(inventory->pools_by_slice);
        map_u64_free(inventory->strangers);
        map_free(inventory->selectors);
        map_free(inventory->classes);
        map_free(inventory->nodes);
        arena_release(&inventory->selector_arena);
        arena_release(&inventory->arena);
        free(inventory);
}
