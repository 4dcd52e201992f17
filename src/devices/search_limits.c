/* What a device has left: counters, capacity; and what keeps requests off it: taints. */
#include "devices/device_search_priv.h"

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
        for (size_t i = 0; i < device->traits->taint_count; i++) {
                const struct device_taint *taint = &device->traits->taints[i];
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

static void search_limits_subtract(struct search_state *state, const struct device_pool *pool,
                                   const struct device *device) {
        for (size_t i = 0; i < device->traits->consume_count; i++) {
                const struct counter_set *set = &device->traits->consumes[i];

                for (size_t j = 0; j < set->counters.count; j++) {
                        size_t at = 0;

                        while (at < pool->counter_count &&
                               !(slice_eq(pool->counters[at].name, set->counters.items[j].name) &&
                                 slice_eq(pool->counters[at].set, set->name)))
                                at++;
                        if (at < pool->counter_count)
                                device_sum_subtract(&state->rest[at], set->counters.items[j].value,
                                                    state->search->arena);
                }
        }
}

/* Upstream looks for what shares consume: of a device without capacities it finds nothing. */
bool search_is_shared_before(const struct search_state *state, size_t number) {
        const struct device_use *use = &state->search->inventory->uses[number];

        return state->search->inventory->gates.is_parity ? use->consumed_count : use->shared;
}

/* Shares of a device take its counters once; with shares of earlier claims, not at all. */
static bool takes_counters(const struct search_state *state, size_t claim, size_t at) {
        const struct device_pick *pick = &state->allocations[claim].picks[at];

        if (!pick->is_share)
                return true;
        if (search_is_shared_before(state, pick->device->number))
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

/* What allocated claims and this search leave of the counters of the pool. */
static void find_rest(struct search_state *state, struct device_pool *pool) {
        device_pool_settle(state->search->inventory, pool);
        if (pool->counter_count > state->rest_count) {
                state->rest_count = pool->counter_count;
                state->rest =
                        ARENA_ARRAY(state->search->arena, struct device_sum, state->rest_count);
        }
        for (size_t i = 0; i < pool->counter_count; i++)
                state->rest[i] = pool->counters[i].left;
        for (size_t i = 0; i < state->search->claim_count; i++) {
                const struct device_allocation *allocation = &state->allocations[i];

                for (size_t j = 0; j < allocation->pick_count; j++)
                        if (allocation->picks[j].pool == pool->at && takes_counters(state, i, j))
                                search_limits_subtract(state, pool,
                                                       allocation->picks[j].device->device);
        }
        for (const struct search_leak *leak = state->leaks; leak; leak = leak->next)
                if (leak->pool == pool)
                        search_limits_subtract(state, pool, leak->device);
}

bool search_counters_suffice(struct search_state *state, const struct search_device *device) {
        if (state->search->ignores_counters)
                return true;
        find_rest(state, device->pool);
        search_limits_subtract(state, device->pool, device->device->device);
        for (size_t i = 0; i < device->pool->counter_count; i++)
                if (device_sum_is_negative(&state->rest[i]))
                        return false;
        return true;
}

/* ---- capacity ---- */

static size_t count_shares(const struct search_state *state, const struct search_device *device) {
        size_t count = 0;

        for (size_t i = 0; i < state->search->claim_count; i++)
                for (size_t j = 0; j < state->allocations[i].pick_count; j++)
                        count += state->allocations[i].picks[j].is_share &&
                                 state->allocations[i].picks[j].device->number ==
                                         device->device->number;
        return count;
}

bool search_has_room(const struct search_state *state, const struct search_device *device,
                     const struct device_request *request) {
        const struct device_use *use = &state->search->inventory->uses[device->device->number];
        struct arena *arena = state->search->arena;
        bool is_shared = device->device->device->traits->allows_multiple;
        struct device_amounts alone;
        struct device_shares shares = { &alone, 0 };
        struct device_amounts *taken = &alone;
        size_t picks = is_shared ? count_shares(state, device) : 0;

        if (picks)
                shares.items = taken = ARENA_ARRAY(arena, struct device_amounts, picks + 1);

        taken[shares.count++] = (struct device_amounts){ use->consumed, use->consumed_count };
        for (size_t i = 0; picks && i < state->search->claim_count; i++) {
                const struct device_allocation *allocation = &state->allocations[i];

                for (size_t j = 0; j < allocation->pick_count; j++) {
                        if (allocation->picks[j].is_share &&
                            allocation->picks[j].device->number == device->device->number)
                                taken[shares.count++] = allocation->picks[j].consumed;
                }
        }
        return device_capacity_fits(device->device->device, &request->capacity, &shares, arena);
}
