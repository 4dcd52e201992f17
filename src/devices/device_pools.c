/* Pools of devices as one node sees them. */
#include "devices/device_pools.h"

#include "base/text_set.h"
#include "base/util.h"
#include <stdlib.h>

/* The slices of one pool. */
struct gathering {
        struct device_inventory *inventory;
        struct inventory_pool *pool;
        struct arena *arena;
        const struct inventory_slice **slices; /* that reach the node, of the newest generation */
        size_t count;
};

bool device_place_matches(const struct device_node *node, const struct device_place *place) {
        if (place->node_name.len)
                return slice_eq(place->node_name, node->name);
        if (place->is_everywhere)
                return true;
        return place->has_selector && node->matches(node->context, &place->selector);
}

static bool is_placed(const struct device_place *place) {
        return place->node_name.len || place->is_everywhere || place->has_selector;
}

static bool reaches_node(const struct device_inventory *inventory, const struct device_node *node,
                         const struct resource_slice *slice) {
        if (!inventory->gates.has_counters && (slice->has_places || slice->counter_count))
                return false;
        if (slice->counter_count)
                return true;
        if (is_placed(slice->place))
                return device_place_matches(node, slice->place);
        for (size_t i = 0; slice->has_places && i < slice->device_count; i++) {
                if (device_place_matches(node, slice->devices[i].traits->place))
                        return true;
        }
        return false;
}

/* ---- validity ---- */

static const char *repeated_device(const struct gathering *gathering) {
        struct text_set names = { 0 };
        const char *problem = NULL;

        for (size_t i = 0; i < gathering->count; i++) {
                const struct resource_slice *slice = gathering->slices[i]->slice;

                if (gathering->inventory->gates.has_counters && slice->counter_count)
                        continue;
                for (size_t j = 0; !problem && j < slice->device_count; j++) {
                        if (!text_set_add(&names, slice->devices[j].name))
                                problem = arena_printf(gathering->arena,
                                                       "duplicate device name " SLICE_FMT,
                                                       SLICE_ARG(slice->devices[j].name));
                }
        }
        text_set_release(&names);
        return problem;
}

static struct pool_counter *find_counter(const struct device_pool *pool, struct slice set,
                                         struct slice name) {
        for (size_t i = 0; i < pool->counter_count; i++) {
                if (slice_eq(pool->counters[i].set, set) && slice_eq(pool->counters[i].name, name))
                        return &pool->counters[i];
        }
        return NULL;
}

static bool has_set(const struct device_pool *pool, struct slice set) {
        for (size_t i = 0; i < pool->counter_count; i++) {
                if (slice_eq(pool->counters[i].set, set))
                        return true;
        }
        return false;
}

/* A set without counters cannot be consumed from, so it leaves no trace. */
static const char *add_counters(const struct gathering *gathering, struct device_pool *pool,
                                const struct counter_set *set, size_t *cap) {
        if (has_set(pool, set->name))
                return arena_printf(gathering->arena, "duplicate counter set name " SLICE_FMT,
                                    SLICE_ARG(set->name));
        for (size_t i = 0; i < set->counters.count; i++) {
                pool->counters = arena_grow(gathering->arena, pool->counters, pool->counter_count,
                                            cap, sizeof(*pool->counters));
                pool->counters[pool->counter_count++] =
                        (struct pool_counter){ .set = set->name,
                                               .name = set->counters.items[i].name,
                                               .all = device_sum_of(set->counters.items[i].value) };
        }
        return NULL;
}

static const char *collect_counters(const struct gathering *gathering, struct device_pool *pool) {
        const char *problem = NULL;
        size_t cap = 0;

        for (size_t i = 0; i < gathering->count; i++) {
                const struct resource_slice *slice = gathering->slices[i]->slice;

                for (size_t j = 0; !problem && j < slice->counter_count; j++)
                        problem = add_counters(gathering, pool, &slice->counters[j], &cap);
        }
        return problem;
}

static const char *wrong_consumption(struct arena *arena, const struct device_pool *pool,
                                     const struct device *device) {
        for (size_t i = 0; i < device->traits->consume_count; i++) {
                const struct counter_set *set = &device->traits->consumes[i];

                if (!has_set(pool, set->name))
                        return arena_printf(arena, "counter set " SLICE_FMT " not found",
                                            SLICE_ARG(set->name));
                for (size_t j = 0; j < set->counters.count; j++) {
                        struct slice name = set->counters.items[j].name;

                        if (!find_counter(pool, set->name, name))
                                return arena_printf(arena,
                                                    "counter " SLICE_FMT
                                                    " not found in counter set " SLICE_FMT,
                                                    SLICE_ARG(name), SLICE_ARG(set->name));
                }
        }
        return NULL;
}

static const char *wrong_slice(const struct gathering *gathering, const struct device_pool *pool,
                               const struct inventory_slice *entry) {
        const char *problem = NULL;

        for (size_t i = 0; !problem && i < entry->slice->device_count; i++)
                problem = wrong_consumption(gathering->arena, pool, entry->devices[i].device);
        return problem;
}

/* Sets of counters reach every node, so that mistakes in them are the same for all. */
static const char *wrong_somewhere(const struct gathering *gathering,
                                   const struct device_pool *pool) {
        struct inventory_pool *own = gathering->pool;
        int64_t generation = gathering->slices[0]->slice->generation;
        const char *problem = NULL;

        if (own->is_sound && own->sound_generation == generation)
                return NULL;
        for (uint32_t i = 0; !problem && i < own->slice_count; i++)
                if (own->slices[i].slice->generation == generation)
                        problem = wrong_slice(gathering, pool, &own->slices[i]);
        own->is_sound = !problem;
        own->sound_generation = generation;
        return problem;
}

/* Where the slices that reach the node are as many as the pool should have, upstream looks no
 * further. */
static const char *check_consumption(const struct gathering *gathering,
                                     const struct device_pool *pool) {
        const char *problem = wrong_somewhere(gathering, pool);

        if (!problem || !pool->is_whole)
                return problem;
        problem = NULL;
        for (size_t i = 0; !problem && i < gathering->count; i++)
                problem = wrong_slice(gathering, pool, gathering->slices[i]);
        return problem;
}

/* ---- counters ---- */

static void take_counters(struct device_pool *pool, const struct device *device) {
        for (size_t i = 0; i < device->traits->consume_count; i++) {
                const struct counter_set *set = &device->traits->consumes[i];

                for (size_t j = 0; j < set->counters.count; j++) {
                        const struct device_amount *amount = &set->counters.items[j];
                        struct pool_counter *counter = find_counter(pool, set->name, amount->name);

                        if (counter)
                                device_sum_subtract(&counter->left, amount->value, pool->arena);
                }
        }
}

static void take_used(const struct device_inventory *inventory, struct device_pool *pool,
                      const struct inventory_slice *entry) {
        for (size_t i = 0; i < entry->slice->device_count; i++)
                if (!device_use_is_none(&inventory->uses[entry->devices[i].number]))
                        take_counters(pool, entry->devices[i].device);
}

/* All slices of the generation count, those for other nodes too, unless the pool is whole without
 * them. */
void device_pool_settle(const struct device_inventory *inventory, struct device_pool *pool) {
        const struct inventory_pool *own = &inventory->pools[pool->at];

        if (pool->counter_count == 0 || (pool->is_settled && pool->version == own->version))
                return;
        if (pool->serial)
                arena_clear(pool->arena);
        for (size_t i = 0; i < pool->counter_count; i++)
                pool->counters[i].left = pool->counters[i].all;
        for (size_t i = 0; pool->is_whole && i < pool->slice_count; i++)
                take_used(inventory, pool, pool->slices[i]);
        for (uint32_t i = 0; !pool->is_whole && i < own->slice_count; i++)
                if (own->slices[i].slice->generation == pool->generation)
                        take_used(inventory, pool, &own->slices[i]);
        pool->is_settled = true;
        pool->version = own->version;
}

/* ---- pools ---- */

static bool waits_for_conditions(const struct device_pool *pool) {
        for (size_t i = 0; i < pool->slice_count; i++) {
                const struct resource_slice *slice = pool->slices[i]->slice;

                for (size_t j = 0; j < slice->device_count; j++) {
                        if (slice->devices[j].traits->condition_count)
                                return true;
                }
        }
        return false;
}

static void build_pool(const struct gathering *gathering, struct device_pool *pool) {
        bool has_counters = gathering->inventory->gates.has_counters;

        pool->problem = repeated_device(gathering);
        if (!pool->problem && has_counters)
                pool->problem = collect_counters(gathering, pool);
        if (!pool->problem && has_counters)
                pool->problem = check_consumption(gathering, pool);
        pool->slices =
                ARENA_ARRAY(gathering->arena, const struct inventory_slice *, gathering->count);
        for (size_t i = 0; !pool->problem && i < gathering->count; i++) {
                const struct inventory_slice *entry = gathering->slices[i];

                if (has_counters && entry->slice->counter_count)
                        continue;
                pool->slices[pool->slice_count++] = entry;
                pool->has_places |= entry->slice->has_places;
        }
        pool->is_late = waits_for_conditions(pool);
}

/* NULL: nothing of the pool reaches the node, or it is being replaced, by a generation that does
 * not. */
static struct device_pool *take_pool(const struct gathering *gathering) {
        const struct inventory_pool *own = gathering->pool;

        if (gathering->count == 0)
                return NULL;
        const struct resource_slice *sample = gathering->slices[0]->slice;
        bool is_whole = (int64_t)gathering->count == sample->slice_count;
        if (!is_whole && own->newest > sample->generation)
                return NULL;
        struct device_pool *pool = ARENA_NEW(gathering->arena, struct device_pool);
        *pool = (struct device_pool){ .driver = sample->driver,
                                      .name = sample->pool,
                                      .generation = sample->generation,
                                      .at = (uint32_t)(own - gathering->inventory->pools),
                                      .arena = gathering->arena,
                                      .is_whole = is_whole,
                                      .is_incomplete = !is_whole && (int64_t)own->newest_count !=
                                                                            sample->slice_count };
        if (!pool->is_incomplete)
                build_pool(gathering, pool);
        return pool;
}

/* ---- slices ---- */

static void gather_slice(struct gathering *gathering, const struct device_node *node, uint32_t at) {
        const struct inventory_slice *entry = &gathering->pool->slices[at];
        int64_t newest = gathering->count ? gathering->slices[0]->slice->generation : INT64_MIN;

        if (!reaches_node(gathering->inventory, node, entry->slice) ||
            entry->slice->generation < newest)
                return;
        if (entry->slice->generation > newest)
                gathering->count = 0;
        gathering->slices[gathering->count++] = entry;
}

static void gather_all(struct gathering *gathering, const struct device_node *node) {
        gathering->count = 0;
        for (uint32_t i = 0; i < gathering->pool->slice_count; i++)
                gather_slice(gathering, node, i);
}

/* ---- pools that many nodes see ---- */

static bool is_view(const struct device_pool *view, const struct gathering *gathering) {
        if (view->reached_count != gathering->count)
                return false;
        for (size_t i = 0; i < gathering->count; i++)
                if (view->reached[i] != gathering->slices[i])
                        return false;
        return true;
}

/* The view has memory of its own, so that it can go when the pool changes. */
static struct device_pool *keep_view(const struct gathering *gathering) {
        struct device_inventory *inventory = gathering->inventory;
        struct arena *memory = xcalloc(1, sizeof(*memory));
        struct gathering lasting = *gathering;

        arena_init(memory, 1024);
        lasting.arena = memory;
        struct device_pool *view = take_pool(&lasting);
        if (!view) {
                arena_release(memory);
                free(memory);
                return NULL;
        }
        view->reached = arena_copy(memory, gathering->slices,
                                   gathering->count * sizeof(*gathering->slices));
        view->reached_count = gathering->count;
        view->serial = ++inventory->view_count;
        view->memory = memory;
        view->arena = ARENA_NEW(memory, struct arena);
        arena_init(view->arena, 1024);
        view->next = gathering->pool->views;
        gathering->pool->views = view;
        return view;
}

struct device_pool *device_pool_view(struct device_inventory *inventory,
                                     const struct device_node *node, uint32_t at) {
        struct inventory_pool *pool = &inventory->pools[at];
        struct gathering gathering = { inventory, pool, NULL, NULL, 0 };

        gathering.slices = xcalloc(pool->slice_count + 1, sizeof(*gathering.slices));
        gather_all(&gathering, node);
        struct device_pool *view = pool->views;
        while (view && !is_view(view, &gathering))
                view = view->next;
        if (!view)
                view = keep_view(&gathering);
        free(gathering.slices);
        return view;
}

void device_pool_free_views(struct inventory_pool *pool) {
        struct device_pool *next;

        for (struct device_pool *view = pool->views; view; view = next) {
                struct arena *memory = view->memory;

                next = view->next;
                arena_release(view->arena);
                arena_release(memory);
                free(memory);
        }
        pool->views = NULL;
}

/* ---- all pools of a node ---- */

/* What the node sees of pools whose slices name their nodes, in the order of the inventory. */
size_t device_pools_gather_own(struct device_inventory *inventory, const struct device_node *node,
                               struct arena *arena, struct device_pool **pools) {
        const struct slice_list *own = device_inventory_own(inventory, node->name);
        struct gathering gathering = { .inventory = inventory, .arena = arena };
        size_t count = 0;

        for (size_t i = 0, end; own && i < own->count; i = end) {
                uint32_t at = own->items[i].pool;

                end = i + 1;
                while (end < own->count && own->items[end].pool == at)
                        end++;
                gathering.pool = &inventory->pools[at];
                if (gathering.pool->is_wide)
                        continue;
                gathering.count = 0;
                gathering.slices = ARENA_ARRAY(
                        arena, const struct inventory_slice *,
                        gathering.pool->has_counters ? gathering.pool->slice_count : end - i);
                if (gathering.pool->has_counters)
                        gather_all(&gathering, node);
                for (size_t j = i; !gathering.pool->has_counters && j < end; j++)
                        gather_slice(&gathering, node, own->items[j].slice);
                pools[count] = take_pool(&gathering);
                count += !!pools[count];
        }
        return count;
}

int device_pools_compare(const void *a, const void *b) {
        const struct device_pool *left = *(struct device_pool *const *)a;
        const struct device_pool *right = *(struct device_pool *const *)b;

        if (left->is_late != right->is_late)
                return left->is_late ? 1 : -1;
        int order = slice_compare(left->driver, right->driver);
        return order ? order : slice_compare(left->name, right->name);
}

void device_pools_sort(struct device_pool **pools, size_t count) {
        if (count > 1)
                qsort(pools, count, sizeof(struct device_pool *), device_pools_compare);
}
