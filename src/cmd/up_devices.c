/* Counts what is used of the devices of each node. */
#include "cmd/up_devices.h"

#include "devices/device_reach.h"
#include "model/cluster.h"
#include "plugins/sched/device_claims.h"
#include "rules/node_affinity.h"

struct up_place {
        const struct cluster *cluster;
        struct node_id node;
};

static bool up_place_matches(const void *context, const struct affinity *terms) {
        const struct up_place *place = context;

        return node_terms_match(place->cluster, terms->required_node, terms->required_node_count,
                                place->node);
}

static bool is_short(const struct device_pool *pool, struct slice set,
                     const struct device_amount *amount) {
        for (size_t i = 0; i < pool->counter_count; i++) {
                const struct pool_counter *counter = &pool->counters[i];

                if (slice_eq(counter->set, set) && slice_eq(counter->name, amount->name))
                        return device_sum_compare(&counter->left, amount->value) < 0;
        }
        return false;
}

static bool is_fragmented(const struct device_pool *pool, const struct device *device) {
        for (size_t i = 0; i < device->traits->consume_count; i++) {
                const struct counter_set *set = &device->traits->consumes[i];

                for (size_t j = 0; j < set->counters.count; j++)
                        if (is_short(pool, set->name, &set->counters.items[j]))
                                return true;
        }
        return false;
}

static void count_device(const struct device_inventory *inventory, const struct device_pool *pool,
                         const struct inventory_device *device, struct up_devices *devices) {
        const struct device_use *use = &inventory->uses[device->number];

        devices->all++;
        devices->used += !device_use_is_none(use);
        devices->shared += use->shared > 0;
        devices->fragmented += device_use_is_none(use) && is_fragmented(pool, device->device);
}

static void count_pool(const struct device_inventory *inventory, const struct device_pool *pool,
                       struct up_devices *devices) {
        for (size_t i = 0; i < pool->slice_count; i++) {
                const struct resource_slice *slice = pool->slices[i]->slice;

                for (size_t j = 0; j < slice->device_count; j++) {
                        const struct device_place *place =
                                slice->has_places ? slice->devices[j].traits->place : slice->place;

                        if (slice_eq(place->node_name, devices->node))
                                count_device(inventory, pool, &pool->slices[i]->devices[j],
                                             devices);
                }
        }
}

size_t up_devices_gather(const struct cluster *cluster, const struct object_cache *object_cache,
                         struct arena *arena, struct up_devices **ret_devices) {
        const struct bitset *live = &cluster_nodes(cluster)->live;
        const struct device_gates gates = device_gates_standard();
        struct device_view *view = device_view_new(&gates);
        struct device_inventory *inventory = device_view_refresh(view, object_cache);
        size_t count = 0;

        *ret_devices = ARENA_ARRAY(arena, struct up_devices, bitset_count(live));
        for (size_t n = bitset_next(live, 0); n != SIZE_MAX; n = bitset_next(live, n + 1)) {
                const struct up_place place = { cluster, { (uint32_t)n } };
                const struct device_node node = { cluster_node_name(cluster, place.node),
                                                  up_place_matches, &place };
                struct up_devices devices = { .node = node.name };
                struct device_pool **pools;
                size_t pool_count = device_pools_gather(inventory, &node, arena, &pools);

                for (size_t i = 0; i < pool_count; i++) {
                        device_pool_settle(inventory, pools[i]);
                        count_pool(inventory, pools[i], &devices);
                }
                if (devices.all)
                        (*ret_devices)[count++] = devices;
        }
        device_view_free(view);
        return count;
}
