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
        struct arena arena;
        struct map_u64 *classes; /* by hash */
        uint32_t class_count;
        const struct device_place **selectors; /* of slices and devices, each once */
        size_t selector_count, selector_cap;
        struct map *names; /* of nodes, in slices and devices of pools for several */
        uint8_t *matches;  /* of the node that is asked for */
        struct device_pool **broken;
        size_t broken_count, broken_cap;
};

/* ---- what tells nodes apart ---- */

static void add_place(struct device_reaches *reaches, struct map_u64 *known,
                      const struct device_place *place) {
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
                arena_grow(&reaches->arena, reaches->selectors, reaches->selector_count,
                           &reaches->selector_cap, sizeof(*reaches->selectors));
        reaches->selectors[reaches->selector_count++] = place;
}

static void list_places(struct device_reaches *reaches, const struct device_inventory *inventory) {
        struct map_u64 *known = map_u64_new();

        for (uint32_t i = 0; i < inventory->wide_count; i++) {
                const struct inventory_pool *pool = &inventory->pools[inventory->wide[i]];

                for (uint32_t j = 0; j < pool->slice_count; j++) {
                        const struct resource_slice *slice = pool->slices[j].slice;

                        add_place(reaches, known, slice->place);
                        for (size_t k = 0; slice->has_places && k < slice->device_count; k++)
                                add_place(reaches, known, slice->devices[k].traits->place);
                }
        }
        map_u64_free(known);
        reaches->matches = ARENA_ARRAY(&reaches->arena, uint8_t, reaches->selector_count);
}

/* ---- pools that do not work ---- */

static bool matches_nothing(const void *context, const struct affinity *terms) {
        (void)context;
        (void)terms;
        return false;
}

/* Of nodes by name, with counters. */
static struct device_pool *broken_view(struct device_inventory *inventory, uint32_t at) {
        const struct device_node nobody = { .matches = matches_nothing };
        struct inventory_pool *pool = &inventory->pools[at];

        if (pool->is_wide || !pool->has_counters)
                return NULL;
        struct device_pool *view = device_pool_view(inventory, &nobody, at);
        if (view && (view->problem || view->is_incomplete))
                return view;
        device_pool_free_views(pool);
        return NULL;
}

static void list_broken(struct device_reaches *reaches, struct device_inventory *inventory) {
        for (uint32_t i = 0; i < inventory->pool_count; i++) {
                struct device_pool *view = broken_view(inventory, i);

                if (!view)
                        continue;
                reaches->broken =
                        arena_grow(&reaches->arena, reaches->broken, reaches->broken_count,
                                   &reaches->broken_cap, sizeof(*reaches->broken));
                reaches->broken[reaches->broken_count++] = view;
        }
}

bool device_reach_breaks(struct device_inventory *inventory, uint32_t at) {
        bool is_broken = broken_view(inventory, at);

        device_pool_free_views(&inventory->pools[at]);
        return is_broken;
}

bool device_reach_is_broken(const struct device_inventory *inventory, uint32_t at) {
        const struct device_reaches *reaches = inventory->reaches;

        for (size_t i = 0; reaches && i < reaches->broken_count; i++)
                if (reaches->broken[i]->at == at)
                        return true;
        return false;
}

static struct device_reaches *need_reaches(struct device_inventory *inventory) {
        struct device_reaches *reaches = inventory->reaches;

        if (reaches)
                return reaches;
        reaches = inventory->reaches = xcalloc(1, sizeof(*reaches));
        arena_init(&reaches->arena, 4096);
        reaches->classes = map_u64_new();
        reaches->names = map_new();
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
static void list_pools(struct device_reaches *reaches, struct device_reach *reach,
                       struct device_inventory *inventory, const struct device_node *node) {
        reach->pools = ARENA_ARRAY(&reaches->arena, struct device_pool *, inventory->wide_count);
        for (uint32_t i = 0; i < inventory->wide_count; i++) {
                struct device_pool *view = device_pool_view(inventory, node, inventory->wide[i]);

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
        struct reach_class *class = arena_alloc(&reaches->arena, sizeof(*class) + count);
        *class = (struct reach_class){ .reach = { .number = reaches->class_count++ },
                                       .next = first,
                                       .name = name };
        for (size_t i = 0; i < count; i++)
                class->matches[i] = reaches->matches[i];
        map_u64_put(reaches->classes, hash, class);
        list_pools(reaches, &class->reach, inventory, node);
        return &class->reach;
}

/* ---- all pools of a node ---- */

/* Whether slices of the pool name the node. */
static bool is_own(const struct slice_list *own, uint32_t pool) {
        for (size_t i = 0; own && i < own->count; i++)
                if (own->items[i].pool == pool)
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
                if (!is_own(own, broken[i]->at))
                        few[count++] = broken[i];
        device_pools_sort(few, count);
        *ret_pools = ARENA_ARRAY(arena, struct device_pool *, reach->pool_count + count);
        return merge_pools(reach, few, count, *ret_pools);
}

void device_reaches_drop(struct device_inventory *inventory) {
        struct device_reaches *reaches = inventory->reaches;

        if (!reaches)
                return;
        for (uint32_t i = 0; i < inventory->wide_count; i++)
                device_pool_free_views(&inventory->pools[inventory->wide[i]]);
        for (size_t i = 0; i < reaches->broken_count; i++)
                device_pool_free_views(&inventory->pools[reaches->broken[i]->at]);
        map_u64_free(reaches->classes);
        map_free(reaches->names);
        arena_release(&reaches->arena);
        free(reaches);
        inventory->reaches = NULL;
        inventory->view_count = 0;
}
