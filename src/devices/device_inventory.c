/* Slices, what is allocated of their devices, and selectors. */
#include "devices/device_inventory.h"

#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

/* More expressions, or more that is known of devices by them, are forgotten and found out again. */
#define SELECTORS_MAX 1024
#define KNOWN_BYTES_MAX ((size_t)64 << 20)

struct device_gates device_gates_standard(void) {
        return (struct device_gates){ .has_admin_access = true,
                                      .has_choices = true,
                                      .has_counters = true,
                                      .has_taints = true,
                                      .has_binding_conditions = true,
                                      .has_shares = true };
}

/* ---- what there is ---- */

struct device_inventory *device_inventory_new(const struct device_gates *gates) {
        struct device_inventory *inventory = xcalloc(1, sizeof(*inventory));

        arena_init(&inventory->arena, 0);
        arena_init(&inventory->selector_arena, 0);
        inventory->gates = *gates;
        inventory->pools_by_key = map_u64_new();
        inventory->pools_by_slice = map_u64_new();
        inventory->strangers = map_u64_new();
        inventory->selectors = map_new();
        inventory->classes = map_new();
        inventory->holdings = map_u64_new();
        inventory->nodes = map_new();
        inventory->home_count = DEVICE_HOME_FIRST;
        return inventory;
}

struct device_change device_inventory_change(const struct device_inventory *inventory,
                                             uint64_t at) {
        uint32_t change = inventory->changes[at % DEVICE_CHANGES_MAX];

        return (struct device_change){ inventory->homes[change & ~DEVICE_CHANGE_OF_SLICES],
                                       change & DEVICE_CHANGE_OF_SLICES };
}

const struct slice_list *device_inventory_own(const struct device_inventory *inventory,
                                              struct slice node) {
        const struct slice_list *own = map_get(inventory->nodes, node);

        return own && own->count ? own : NULL;
}

/* Slices of wide pools that do not name a node: all of them when there is no place for them. */
static size_t list_shared(const struct device_inventory *inventory,
                          const struct inventory_slice **slices) {
        size_t count = 0;

        for (uint32_t i = 0; i < inventory->wide_count; i++) {
                const struct inventory_pool *pool = &inventory->pools[inventory->wide[i]];

                for (uint32_t j = 0; j < pool->slice_count; j++) {
                        if (pool->slices[j].slice->place->node_name.len)
                                continue;
                        if (slices)
                                slices[count] = &pool->slices[j];
                        count++;
                }
        }
        return count;
}

size_t device_inventory_reach(const struct device_inventory *inventory, struct slice node,
                              struct arena *arena, const struct inventory_slice ***ret_slices) {
        const struct slice_list *own = device_inventory_own(inventory, node);
        size_t own_count = own ? own->count : 0, shared_count = list_shared(inventory, NULL);
        const struct inventory_slice **slices =
                ARENA_ARRAY(arena, const struct inventory_slice *, own_count + shared_count);

        for (size_t i = 0; i < own_count; i++)
                slices[i] = &inventory->pools[own->items[i].pool].slices[own->items[i].slice];
        list_shared(inventory, slices + own_count);
        *ret_slices = slices;
        return own_count + shared_count;
}

/* ---- classes and selectors ---- */

void device_inventory_add_class(struct device_inventory *inventory,
                                const struct device_class *class) {
        map_put(inventory->classes, class->meta.name, (void *)(uintptr_t) class);
}

void device_inventory_forget_classes(struct device_inventory *inventory) {
        map_free(inventory->classes);
        inventory->classes = map_new();
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
        struct arena *arena = &inventory->selector_arena;
        selector = ARENA_NEW(arena, struct device_selector);
        if (cel_device_compile(arena, expression, &gates, &selector->program, &why) < 0) {
                selector->program = NULL;
                selector->problem = arena_string(arena, slice_of(why.text));
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

static void need_known(struct device_inventory *inventory, struct device_selector *selector) {
        size_t before = selector->known_count, count = before ? before : 64;

        while (count < inventory->serial_count)
                count *= 2;
        if (count == before)
                return;
        selector->known = xreallocarray(selector->known, count, 1);
        memset(selector->known + before, 0, count - before);
        selector->known_count = count;
        inventory->known_bytes += count - before;
}

int device_selector_matches(struct device_inventory *inventory, struct device_selector *selector,
                            const struct offered_device *offered, struct arena *arena,
                            const char **ret_why) {
        enum { UNKNOWN, NO, YES, FAILED };
        size_t at = offered->device->serial;
        uint8_t known = at < selector->known_count ? selector->known[at] : UNKNOWN;
        const char *why;

        if (known == YES || known == NO)
                return known == YES ? CEL_TRUE : CEL_FALSE;
        if (known == FAILED && !ret_why)
                return CEL_FAILED;
        int result =
                evaluate_selector(inventory, selector, offered, arena, ret_why ? ret_why : &why);
        need_known(inventory, selector);
        selector->known[at] = result == CEL_TRUE ? YES : result == CEL_FALSE ? NO : FAILED;
        return result;
}

void device_inventory_forget_selectors(struct device_inventory *inventory) {
        struct slice key;
        void *value;

        for (size_t at = 0; map_next(inventory->selectors, &at, &key, &value);) {
                struct device_selector *selector = value;

                cel_program_release(selector->program);
                free(selector->known);
        }
        map_free(inventory->selectors);
        inventory->selectors = map_new();
        inventory->known_bytes = 0;
        arena_clear(&inventory->selector_arena);
}

void device_inventory_trim(struct device_inventory *inventory) {
        if (map_count(inventory->selectors) > SELECTORS_MAX ||
            inventory->known_bytes > KNOWN_BYTES_MAX)
                device_inventory_forget_selectors(inventory);
}
