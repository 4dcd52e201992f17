/* The end of an inventory and of all that is kept in it. */
#include "base/map.h"
#include "devices/device_reach.h"
#include <stdlib.h>

void device_inventory_free(struct device_inventory *inventory) {
        struct slice key;
        void *value;
        size_t at = 0;

        if (!inventory)
                return;
        while (map_next(inventory->selectors, &at, &key, &value)) {
                struct device_selector *selector = value;

                cel_program_release(selector->program);
                free(selector->known);
        }
        device_inventory_drop_holdings(inventory);
        device_pools_free_views(inventory);
        device_reaches_free(inventory->reaches);
        map_u64_free(inventory->strangers);
        map_free(inventory->selectors);
        map_free(inventory->classes);
        map_free(inventory->nodes);
        arena_release(&inventory->arena);
        free(inventory);
}
