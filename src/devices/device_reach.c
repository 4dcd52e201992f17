/* Classes of nodes that see the same of the pools for several nodes. */
#include "devices/device_reach.h"

#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

struct reach_class {
        struct device_reach reach;
        struct reach_class *next; /* with the same hash */
        uintptr_t name;           /* which of the names, 0 = none of them */
        uint8_t matches[];        /* by selector */
};
struct device_reaches {
        struct map_u64 *classes; /* by hash */
        uint32_t class_count;
        const struct device_place **selectors; /* of slices and devices, each once */
        size_t selector_count, selector_cap;
        struct map *names; /* of nodes, in slices and devices of pools for several */
        uint8_t *matches;  /* of the node that is asked for */
        struct device_pool **broken;
        size_t broken_count;
};

/* ---- what tells nodes apart ---- */

static void add_place(struct device_reaches *reaches, struct device_inventory *inventory,
                      struct map_u64 *known, const struct device_place *place) {
        if (place->node_name.len) {
                if (!map_get(reaches->names, place->node_name))
                        map_put(reaches->names, place->node_name,
                                (void *)(map_count(reaches->names) + 1));
                return;
        }
        if (place->is_everywhere || !place->has_selector ||
            map_u64_put(known, (uintptr_t)place, reaches))
                return;
        reaches->selectors =
                arena_grow(&inventory->arena, reaches->selectors, reaches->selector_count,
                           &reaches->selector_cap, sizeof(*reaches->selectors));
        reaches->selectors[reaches->selector_count++] = place;
}

static void list_places(struct device_reaches *reaches, struct device_inventory *inventory) {
        struct map_u64 *known = map_u64_new();

        for (size_t i = 0; i < inventory->slice_count; i++) {
                const struct inventory_slice *entry = &inventory->slices[i];

                if (!inventory->pools[entry->pool].is_wide)
                        continue;
                add_place(reaches, inventory, known, entry->slice->place);
                for (size_t j = 0; entry->slice->has_places && j < entry->slice->device_count; j++)
                        add_place(reaches, inventory, known,
                                  entry->slice->devices[j].traits->place);
        }
        map_u64_free(known);
        reaches->matches = ARENA_ARRAY(&inventory->arena, uint8_t, reaches->selector_count);
}

/* ---- pools that do not work ---- */

static bool matches_nothing(const void *context, const struct affinity *terms) {
        (void)context;
        (void)terms;
        return false;
}

static void list_broken(struct device_reaches *reaches, struct device_inventory *inventory) {
        const struct device_node nobody = { .matches = matches_nothing };

        reaches->broken =
                ARENA_ARRAY(&inventory->arena, struct device_pool *, inventory->pool_count);
        for (uint32_t i = 0; i < inventory->pool_count; i++) {
                const struct inventory_pool *pool = &inventory->pools[i];

                if (pool->is_wide || !pool->has_counters)
                        continue;
                struct device_pool *view = device_pool_view(inventory, &nobody, i);
                if (view && (view->problem || view->is_incomplete))
                        reaches->broken[reaches->broken_count++] = view;
        }
}

static struct device_reaches *need_reaches(struct device_inventory *inventory) {
        struct device_reaches *reaches = inventory->reaches;

        if (reaches)
                return reaches;
        reaches = inventory->reaches = ARENA_NEW(&inventory->arena, struct device_reaches);
        *reaches = (struct device_reaches){ .classes = map_u64_new(), .names = map_new() };
        list_places(reaches, inventory);
        list_broken(reaches, inventory);
        return reaches;
}

struct device_pool **device_reach_broken(struct device_inventory *inventory, size_t *ret_count) {
        const struct device_reaches *reaches = need_reaches(inventory);

        *ret_count = reaches->broken_count;
        return reaches->broken;
}

/* ---- classes ---- */

static bool offers_devices(const struct device_pool *pool) {
        for (size_t i = 0; i < pool->slice_count; i++)
                if (pool->slices[i]->slice->device_count)
                        return true;
        return false;
}

/* Pools with binding conditions come last. */
static void list_pools(struct device_reach *reach, struct device_inventory *inventory,
                       const struct device_node *node) {
        reach->pools =
                ARENA_ARRAY(&inventory->arena, struct device_pool *, inventory->shared_count);
        for (uint32_t i = 0; i < inventory->pool_count; i++) {
                struct device_pool *view =
                        inventory->pools[i].is_wide ? device_pool_view(inventory, node, i) : NULL;

                if (view && (view->problem || view->is_incomplete || offers_devices(view)))
                        reach->pools[reach->pool_count++] = view;
        }
        device_pools_sort(reach->pools, reach->pool_count);
}

const struct device_reach *device_reach_of(struct device_inventory *inventory,
                                           const struct device_node *node) {
        struct device_reaches *reaches = need_reaches(inventory);
        size_t count = reaches->selector_count;
        uintptr_t name = (uintptr_t)map_get(reaches->names, node->name);

        for (size_t i = 0; i < count; i++)
                reaches->matches[i] = device_place_matches(node, reaches->selectors[i]);
        uint64_t hash = hash_bytes(reaches->matches, count, name);
        struct reach_class *first = map_u64_get(reaches->classes, hash);
        for (struct reach_class *class = first; class; class = class->next)
                if (class->name == name &&
                    (count == 0 || memcmp(class->matches, reaches->matches, count) == 0))
                        return &class->reach;
        struct reach_class *class = arena_alloc(&inventory->arena, sizeof(*class) + count);
        *class = (struct reach_class){ .reach = { .number = reaches->class_count++ },
                                       .next = first,
                                       .name = name };
        for (size_t i = 0; i < count; i++)
                class->matches[i] = reaches->matches[i];
        map_u64_put(reaches->classes, hash, class);
        list_pools(&class->reach, inventory, node);
        return &class->reach;
}

/* ---- all pools of a node ---- */

/* Whether slices of the pool name the node. */
static bool is_own(const struct device_inventory *inventory, const struct slice_list *own,
                   uint32_t pool) {
        for (size_t i = 0; own && i < own->count; i++)
                if (inventory->slices[own->items[i]].pool == pool)
                        return true;
        return false;
}

static size_t merge_pools(const struct device_reach *reach, struct device_pool **few,
                          size_t few_count, struct device_pool **pools) {
        size_t count = 0, taken = 0;

        for (size_t i = 0; i < few_count; i++) {
                while (taken < reach->pool_count &&
                       device_pools_compare(&reach->pools[taken], &few[i]) < 0)
                        pools[count++] = reach->pools[taken++];
                pools[count++] = few[i];
        }
        while (taken < reach->pool_count)
                pools[count++] = reach->pools[taken++];
        return count;
}

size_t device_pools_gather(struct device_inventory *inventory, const struct device_node *node,
                           struct arena *arena, struct device_pool ***ret_pools) {
        const struct device_reach *reach =
                node->reach ? node->reach : device_reach_of(inventory, node);
        const struct slice_list *own = device_inventory_own(inventory, node->name);
        size_t broken_count, count = 0;
        struct device_pool **broken = device_reach_broken(inventory, &broken_count);

        *ret_pools = reach->pools;
        if (!own && broken_count == 0)
                return reach->pool_count;
        struct device_pool **few =
                ARENA_ARRAY(arena, struct device_pool *, (own ? own->count : 0) + broken_count);
        count = device_pools_gather_own(inventory, node, arena, few);
        for (size_t i = 0; i < broken_count; i++)
                if (!is_own(inventory, own, broken[i]->at))
                        few[count++] = broken[i];
        device_pools_sort(few, count);
        *ret_pools = ARENA_ARRAY(arena, struct device_pool *, reach->pool_count + count);
        return merge_pools(reach, few, count, *ret_pools);
}

void device_reaches_free(struct device_reaches *reaches) {
        if (!reaches)
                return;
        map_u64_free(reaches->classes);
        map_free(reaches->names);
}
