/* Pools of devices as one node sees them. */
#include "devices/device_pools.h"

#include "api/quantity.h"
#include "base/text_set.h"
#include "base/util.h"

/* The slices of one pool. */
struct gathering {
        const struct device_inventory *inventory;
        struct arena *arena;
        struct inventory_slice **slices; /* that reach the node, of the newest generation */
        size_t count;
        size_t first, end; /* all slices of the pool, in the inventory */
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
                if (device_place_matches(node, slice->devices[i].place))
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
                        (struct pool_counter){ set->name, set->counters.items[i].name,
                                               set->counters.items[i].value };
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
        for (size_t i = 0; i < device->consume_count; i++) {
                const struct counter_set *set = &device->consumes[i];

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

/* ---- counters ---- */

static void take_counters(struct arena *arena, struct device_pool *pool,
                          const struct device *device) {
        for (size_t i = 0; i < device->consume_count; i++) {
                const struct counter_set *set = &device->consumes[i];

                for (size_t j = 0; j < set->counters.count; j++) {
                        const struct device_amount *amount = &set->counters.items[j];
                        struct pool_counter *counter = find_counter(pool, set->name, amount->name);
                        struct buf rest = { 0 };

                        if (counter &&
                            quantity_sum(counter->available, amount->value, true, &rest, NULL) == 0)
                                counter->available = arena_slice(arena, buf_view(&rest));
                        buf_release(&rest);
                }
        }
}

/* Sets of counters reach every node, so that mistakes in them are the same for all. */
static const char *check_consumption(const struct gathering *gathering,
                                     const struct device_pool *pool) {
        const struct device_inventory *inventory = gathering->inventory;
        struct inventory_slice *first = &inventory->slices[gathering->first];
        int64_t generation = gathering->slices[0]->slice->generation;
        const char *problem = NULL;

        if (first->is_sound && first->sound_generation == generation)
                return NULL;
        for (size_t i = gathering->first; !problem && i < gathering->end; i++) {
                const struct inventory_slice *entry = &inventory->slices[i];

                if (entry->slice->generation != generation)
                        continue;
                for (size_t j = 0; !problem && j < entry->slice->device_count; j++)
                        problem =
                                wrong_consumption(gathering->arena, pool, entry->devices[j].device);
        }
        first->is_sound = !problem;
        first->sound_generation = generation;
        return problem;
}

static bool offers_devices(const struct gathering *gathering) {
        for (size_t i = 0; i < gathering->count; i++) {
                if (gathering->slices[i]->slice->device_count)
                        return true;
        }
        return false;
}

/* All slices of the generation count, those for other nodes too. */
static const char *settle_counters(const struct gathering *gathering, struct device_pool *pool) {
        const struct device_inventory *inventory = gathering->inventory;
        const struct inventory_slice *first = &inventory->slices[gathering->first];
        int64_t generation = gathering->slices[0]->slice->generation;

        if (!offers_devices(gathering) && first->is_sound && first->sound_generation == generation)
                return NULL;
        const char *problem = collect_counters(gathering, pool);
        if (!problem)
                problem = check_consumption(gathering, pool);
        for (size_t i = gathering->first; !problem && i < gathering->end; i++) {
                const struct inventory_slice *entry = &inventory->slices[i];

                for (size_t j = 0; j < entry->slice->device_count; j++) {
                        const struct device_use *use = &inventory->uses[entry->devices[j].number];

                        if (entry->slice->generation == generation && !device_use_is_none(use))
                                take_counters(gathering->arena, pool, entry->devices[j].device);
                }
        }
        return problem;
}

/* ---- pools ---- */

static void build_pool(const struct gathering *gathering, struct device_pool *pool) {
        bool has_counters = gathering->inventory->gates.has_counters;

        pool->problem = repeated_device(gathering);
        if (!pool->problem && has_counters)
                pool->problem = settle_counters(gathering, pool);
        pool->slices =
                ARENA_ARRAY(gathering->arena, const struct inventory_slice *, gathering->count);
        for (size_t i = 0; !pool->problem && i < gathering->count; i++) {
                if (!has_counters || !gathering->slices[i]->slice->counter_count)
                        pool->slices[pool->slice_count++] = gathering->slices[i];
        }
}

/* False: the pool is being replaced, by a generation that does not reach this node. */
static bool take_pool(const struct gathering *gathering, struct device_pool *pool) {
        const struct resource_slice *sample = gathering->slices[0]->slice;
        size_t all = 0;

        *pool = (struct device_pool){ .driver = sample->driver, .name = sample->pool };
        if ((int64_t)gathering->count != sample->slice_count) {
                for (size_t i = gathering->first; i < gathering->end; i++) {
                        int64_t other = gathering->inventory->slices[i].slice->generation;

                        if (other > sample->generation)
                                return false;
                        all += other == sample->generation;
                }
                pool->is_incomplete = (int64_t)all != sample->slice_count;
        }
        if (!pool->is_incomplete)
                build_pool(gathering, pool);
        return true;
}

static bool waits_for_conditions(const struct device_pool *pool) {
        for (size_t i = 0; i < pool->slice_count; i++) {
                const struct resource_slice *slice = pool->slices[i]->slice;

                for (size_t j = 0; j < slice->device_count; j++) {
                        if (slice->devices[j].condition_count)
                                return true;
                }
        }
        return false;
}

static bool is_same_pool(const struct resource_slice *a, const struct resource_slice *b) {
        return slice_eq(a->driver, b->driver) && slice_eq(a->pool, b->pool);
}

/* Takes the slices of one pool from the list; returns how many of the list were read. */
static size_t gather_pool(struct gathering *gathering, const struct device_node *node,
                          const size_t *reach, size_t count) {
        const struct device_inventory *inventory = gathering->inventory;
        const struct resource_slice *sample = inventory->slices[reach[0]].slice;
        size_t used = 0;

        gathering->count = 0;
        for (; used < count; used++) {
                struct inventory_slice *entry = &inventory->slices[reach[used]];

                if (!is_same_pool(entry->slice, sample))
                        break;
                if (!reaches_node(inventory, node, entry->slice))
                        continue;
                if (gathering->count &&
                    entry->slice->generation < gathering->slices[0]->slice->generation)
                        continue;
                if (gathering->count &&
                    entry->slice->generation > gathering->slices[0]->slice->generation)
                        gathering->count = 0;
                gathering->slices[gathering->count++] = entry;
        }
        gathering->first = gathering->end = reach[0];
        while (gathering->first > 0 &&
               is_same_pool(inventory->slices[gathering->first - 1].slice, sample))
                gathering->first--;
        while (gathering->end < inventory->slice_count &&
               is_same_pool(inventory->slices[gathering->end].slice, sample))
                gathering->end++;
        return used;
}

size_t device_pools_gather(const struct device_inventory *inventory, const struct device_node *node,
                           struct arena *arena, struct device_pool **ret_pools) {
        size_t *reach, late_count = 0, pool_count = 0;
        size_t count = device_inventory_reach(inventory, node->name, arena, &reach);
        struct device_pool *pools = ARENA_ARRAY(arena, struct device_pool, count);
        struct device_pool *late = ARENA_ARRAY(arena, struct device_pool, count);
        struct gathering gathering = { .inventory = inventory,
                                       .arena = arena,
                                       .slices = ARENA_ARRAY(arena, struct inventory_slice *,
                                                             count) };

        for (size_t at = 0; at < count;) {
                struct device_pool pool;

                at += gather_pool(&gathering, node, reach + at, count - at);
                if (gathering.count == 0 || !take_pool(&gathering, &pool))
                        continue;
                if (waits_for_conditions(&pool))
                        late[late_count++] = pool;
                else
                        pools[pool_count++] = pool;
        }
        for (size_t i = 0; i < late_count; i++)
                pools[pool_count++] = late[i];
        *ret_pools = pools;
        return pool_count;
}
