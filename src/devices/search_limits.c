/* What a device has left: counters, capacity; and what keeps requests off it: taints. */
#include "devices/device_search_priv.h"

#include "api/quantity.h"
#include "base/util.h"
#include "devices/device_capacity.h"

/* ---- taints ---- */

static bool search_limits_tolerate(const struct device_toleration *toleration,
                                   const struct device_taint *taint) {
        if (toleration->effect.len && !slice_eq(toleration->effect, taint->effect_name))
                return false;
        if (toleration->key.len && !slice_eq(toleration->key, taint->key))
                return false;
        if (toleration->op.len == 0 || slice_is(toleration->op, "Equal"))
                return slice_eq(toleration->value, taint->value);
        return slice_is(toleration->op, "Exists");
}

bool search_is_tolerated(const struct device *device, const struct device_request *request) {
        for (size_t i = 0; i < device->taint_count; i++) {
                const struct device_taint *taint = &device->taints[i];
                bool is_tolerated =
                        taint->effect != TAINT_NO_SCHEDULE && taint->effect != TAINT_NO_EXECUTE;

                for (size_t j = 0; !is_tolerated && j < request->toleration_count; j++)
                        is_tolerated = search_limits_tolerate(&request->tolerations[j], taint);
                if (!is_tolerated)
                        return false;
        }
        return true;
}

/* ---- picks ---- */

bool search_is_picked_by(const struct search_state *state, size_t claim, size_t number) {
        const struct device_allocation *allocation = &state->allocations[claim];

        for (size_t i = 0; i < allocation->pick_count; i++) {
                if (allocation->picks[i].device->number == number && !allocation->picks[i].is_share)
                        return true;
        }
        return false;
}

bool search_is_picked(const struct search_state *state, size_t number) {
        for (size_t i = 0; i < state->search->claim_count; i++) {
                if (search_is_picked_by(state, i, number))
                        return true;
        }
        return false;
}

/* ---- counters ---- */

static void search_limits_subtract(struct slice *rest, const struct device *device,
                                   const struct pool_counter *counter, struct arena *arena) {
        for (size_t i = 0; i < device->consume_count; i++) {
                const struct counter_set *set = &device->consumes[i];

                for (size_t j = 0; slice_eq(set->name, counter->set) && j < set->counters.count;
                     j++) {
                        struct buf out = { 0 };

                        if (!slice_eq(set->counters.items[j].name, counter->name))
                                continue;
                        if (quantity_sum(*rest, set->counters.items[j].value, true, &out, NULL) ==
                            0)
                                *rest = arena_slice(arena, buf_view(&out));
                        buf_release(&out);
                }
        }
}

/* Shares of a device take its counters once; with shares of earlier claims, not at all. */
static bool takes_counters(const struct search_state *state, size_t claim, size_t at) {
        const struct device_pick *pick = &state->allocations[claim].picks[at];

        if (!pick->is_share)
                return true;
        if (state->search->inventory->uses[pick->device->number].shared)
                return false;
        for (size_t i = 0; i <= claim; i++) {
                const struct device_allocation *allocation = &state->allocations[i];
                size_t end = i == claim ? at : allocation->pick_count;

                for (size_t j = 0; j < end; j++) {
                        if (allocation->picks[j].device->number == pick->device->number)
                                return false;
                }
        }
        return true;
}

static struct slice left_of(const struct search_state *state, const struct device_pool *pool,
                            const struct pool_counter *counter) {
        struct arena *arena = state->search->arena;
        struct slice rest = counter->available;

        for (size_t i = 0; i < state->search->claim_count; i++) {
                const struct device_allocation *allocation = &state->allocations[i];

                for (size_t j = 0; j < allocation->pick_count; j++) {
                        const struct device_pick *pick = &allocation->picks[j];

                        if (slice_eq(pick->slice->pool, pool->name) &&
                            slice_eq(pick->slice->driver, pool->driver) &&
                            takes_counters(state, i, j))
                                search_limits_subtract(&rest, pick->device->device, counter, arena);
                }
        }
        for (const struct search_leak *leak = state->leaks; leak; leak = leak->next) {
                if (leak->pool == pool)
                        search_limits_subtract(&rest, leak->device, counter, arena);
        }
        return rest;
}

bool search_counters_suffice(const struct search_state *state, const struct search_device *device) {
        for (size_t i = 0; i < device->pool->counter_count; i++) {
                const struct pool_counter *counter = &device->pool->counters[i];
                struct slice rest = left_of(state, device->pool, counter);
                int order = 0;

                search_limits_subtract(&rest, device->device->device, counter,
                                       state->search->arena);
                (void)quantity_compare(rest, SLICE_LITERAL("0"), &order, NULL);
                if (order < 0)
                        return false;
        }
        return true;
}

/* ---- capacity ---- */

bool search_has_room(const struct search_state *state, const struct search_device *device,
                     const struct device_request *request) {
        const struct device_use *use = &state->search->inventory->uses[device->device->number];
        struct arena *arena = state->search->arena;
        /* Devices that are not shared have no shares. */
        size_t max = 1;
        if (device->device->device->allows_multiple)
                max += state->search->claim_count * DEVICE_RESULTS_MAX;
        struct device_amounts *taken = ARENA_ARRAY(arena, struct device_amounts, max);
        struct device_shares shares = { taken, 0 };

        taken[shares.count++] = (struct device_amounts){ use->consumed, use->consumed_count };
        for (size_t i = 0; max > 1 && i < state->search->claim_count; i++) {
                const struct device_allocation *allocation = &state->allocations[i];

                for (size_t j = 0; j < allocation->pick_count; j++) {
                        if (allocation->picks[j].is_share &&
                            allocation->picks[j].device->number == device->device->number)
                                taken[shares.count++] = allocation->picks[j].consumed;
                }
        }
        return device_capacity_fits(device->device->device, &request->capacity, &shares, arena);
}
