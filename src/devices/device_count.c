/* Devices of a class on a node. */
#include "devices/device_count.h"

#include "base/util.h"

/* 1: all selectors match; negative: one fails. */
static int class_selects(struct device_inventory *inventory, const struct device_class *class,
                         const struct offered_device *device, struct arena *arena) {
        for (size_t i = 0; i < class->selector_count; i++) {
                struct device_selector *selector =
                        device_inventory_selector(inventory, class->selectors[i]);

                if (selector->problem)
                        return -1;
                switch (device_selector_matches(inventory, selector, device, arena, NULL)) {
                case CEL_TRUE:
                        break;
                case CEL_FALSE:
                        return 0;
                default:
                        return -1;
                }
        }
        return 1;
}

static bool is_elsewhere(const struct device_node *node, const struct device_place *place) {
        return !device_place_matches(node, place) && (place->node_name.len || place->has_selector);
}

int device_count_class(struct device_inventory *inventory, const struct device_node *node,
                       struct slice class_name, struct arena *arena, size_t *ret_count,
                       size_t *ret_allocated) {
        const struct device_class *class = device_inventory_class(inventory, class_name);
        const struct inventory_slice **reach;
        size_t count = 0, allocated = 0;
        size_t slices = class ? device_inventory_reach(inventory, node->name, arena, &reach) : 0;

        for (size_t i = 0; i < slices; i++) {
                const struct inventory_slice *entry = reach[i];

                if (!entry->slice->has_places && is_elsewhere(node, entry->slice->place))
                        continue;
                for (size_t j = 0; j < entry->slice->device_count; j++) {
                        const struct inventory_device *device = &entry->devices[j];

                        if (entry->slice->has_places &&
                            !device_place_matches(node, device->device->traits->place))
                                continue;
                        int selects = class_selects(
                                inventory, class, &(struct offered_device){ entry->slice, device },
                                arena);
                        if (selects < 0)
                                return -1;
                        count += (size_t)selects;
                        allocated +=
                                selects && !device_use_is_none(&inventory->uses[device->number]);
                }
        }
        *ret_count = count;
        *ret_allocated = allocated;
        return 0;
}
