/* The search itself: depth first, in the order of claims, requests and devices. */
#include "devices/device_search_priv.h"

#include "base/util.h"
#include "devices/device_capacity.h"
#include "devices/device_reach.h"

#define GLANCE_STEPS 256 /* devices */

enum search_step {
        SEARCH_DONE,
        SEARCH_NOTHING,
        SEARCH_TOO_MANY, /* more devices than a claim may have */
        SEARCH_ERROR
};
/* Which device is wanted next, and where to begin to look. */
struct search_place {
        size_t claim, request, choice, device;
        bool is_chosen; /* the choice is settled: its devices are looked for */
        size_t pool, slice, first;
};

static enum search_step search_one(struct search_state *state, const struct search_place *place);

/* ---- one device ---- */

static bool is_shareable(const struct search_state *state, const struct search_device *device) {
        return state->search->inventory->gates.has_shares &&
               device->device->device->traits->allows_multiple;
}

static bool is_in_use(const struct search_state *state, size_t claim,
                      const struct device_request *request, size_t number) {
        if (request->has_admin_access)
                return search_is_picked_by(state, claim, number);
        return state->search->inventory->uses[number].allocated || search_is_picked(state, number);
}

static bool is_shared_already(const struct search_state *state, size_t number) {
        if (search_is_shared_before(state, number))
                return true;
        for (size_t i = 0; i < state->search->claim_count; i++) {
                const struct device_allocation *allocation = &state->allocations[i];

                for (size_t j = 0; j < allocation->pick_count; j++) {
                        if (allocation->picks[j].is_share &&
                            allocation->picks[j].device->number == number)
                                return true;
                }
        }
        return false;
}

/* With parity, counters that were taken for a device stay taken when it is refused. */
static void leak_counters(struct search_state *state, const struct search_device *device) {
        if (!state->search->inventory->gates.is_parity ||
            !device->device->device->traits->consume_count)
                return;
        state->is_passing = true;
        struct search_leak *leak = ARENA_NEW(state->search->arena, struct search_leak);
        *leak = (struct search_leak){ state->leaks, device->pool, device->device->device };
        state->leaks = leak;
}

static void add_pick(struct search_state *state, size_t claim, const struct search_request *request,
                     const struct search_device *device) {
        struct device_allocation *allocation = &state->allocations[claim];
        struct device_pick *pick = &allocation->picks[allocation->pick_count++];

        *pick = (struct device_pick){ .slice = device->slice->slice,
                                      .device = device->device,
                                      .request = request->request,
                                      .parent = request->parent,
                                      .pool = device->pool->at,
                                      .is_share = is_shareable(state, device) };
        if (pick->is_share)
                pick->consumed = device_capacity_share(
                        device->device->device, &request->request->capacity, state->search->arena);
}

static enum search_step fail_constraint(struct search_state *state, size_t claim,
                                        const struct search_request *request,
                                        const struct search_device *device) {
        const struct object_meta *meta = &state->claims[claim].claim->meta;

        err_set(state->err, BERTH_ERR_INVALID,
                "claim " SLICE_FMT "/" SLICE_FMT ", request " SLICE_FMT
                ": cannot add device " SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT
                " because a claim constraint would not be satisfied",
                SLICE_ARG(meta->ns), SLICE_ARG(meta->name), SLICE_ARG(request->request->name),
                SLICE_ARG(device->pool->driver), SLICE_ARG(device->pool->name),
                SLICE_ARG(device->device->device->name));
        return SEARCH_ERROR;
}

/* Taints, constraints and capacity. When all devices are taken there is no other, so that a
 * constraint in the way is an error. */
static enum search_step check_device(struct search_state *state, size_t claim,
                                     const struct search_request *request,
                                     const struct search_device *device) {
        const struct device_gates *gates = &state->search->inventory->gates;

        if (gates->has_taints && !search_is_tolerated(device->device->device, request->request))
                return SEARCH_NOTHING;
        if (!search_constraints_add(state, claim, request, device)) {
                state->is_passing = true;
                return request->takes_all ? fail_constraint(state, claim, request, device)
                                          : SEARCH_NOTHING;
        }
        if (!gates->has_shares || search_has_room(state, device, request->request))
                return SEARCH_DONE;
        search_constraints_remove(state, claim, request);
        return SEARCH_NOTHING;
}

/* Picks a device that is selected, when everything else admits it: SEARCH_DONE. */
static enum search_step pick_device(struct search_state *state, size_t claim,
                                    const struct search_request *request,
                                    const struct search_device *device) {
        const struct device_gates *gates = &state->search->inventory->gates;
        const struct device *offered = device->device->device;
        bool is_share = is_shareable(state, device);
        bool counts = offered->traits->consume_count &&
                      !(is_share && is_shared_already(state, device->device->number));

        if (!(is_share && request->request->has_admin_access) &&
            is_in_use(state, claim, request->request, device->device->number))
                return SEARCH_NOTHING;
        if (!gates->has_counters && offered->traits->consume_count)
                return SEARCH_NOTHING;
        if (counts && !search_counters_suffice(state, device))
                return SEARCH_NOTHING;
        enum search_step step = check_device(state, claim, request, device);
        if (step == SEARCH_DONE)
                add_pick(state, claim, request, device);
        else if (counts)
                leak_counters(state, device);
        return step;
}

static void drop_pick(struct search_state *state, size_t claim,
                      const struct search_request *request, const struct search_device *device) {
        struct device_allocation *allocation = &state->allocations[claim];
        const struct device_pick *pick = &allocation->picks[--allocation->pick_count];
        bool is_share = pick->is_share;

        search_constraints_remove(state, claim, request);
        if (is_share && !is_shared_already(state, device->device->number))
                leak_counters(state, device);
}

/* Picks the device and goes on with the next one, from `next`; takes it back when that fails. */
static enum search_step try_device(struct search_state *state, const struct search_place *next,
                                   const struct search_request *request,
                                   const struct search_device *device) {
        enum search_step step = pick_device(state, next->claim, request, device);

        if (step != SEARCH_DONE)
                return step;
        step = search_one(state, next);
        if (step != SEARCH_DONE)
                drop_pick(state, next->claim, request, device);
        state->is_passing = true;
        return step;
}

/* ---- devices of a request ---- */

static enum search_step search_all(struct search_state *state, const struct search_place *place,
                                   const struct search_request *request) {
        struct search_place next = *place;

        next.device++;
        return try_device(state, &next, request, &request->all[place->device]);
}

static size_t steps_max(const struct search_state *state) {
        const struct device_search *search = state->search;
        size_t max = search->steps_max ? search->steps_max : DEVICE_STEPS_MAX;
        size_t glance = search->glance_max ? search->glance_max : GLANCE_STEPS;

        return state->is_glance && max > glance ? glance : max;
}

/* SEARCH_NOTHING: another device may do. */
static enum search_step look_at(struct search_state *state, const struct search_place *place,
                                struct search_request *request,
                                const struct search_device *device) {
        const struct device_gates *gates = &state->search->inventory->gates;

        state->is_passing = false;
        if (++state->steps > steps_max(state)) {
                if (state->is_glance)
                        return SEARCH_ERROR;
                err_set(state->err, BERTH_ERR_TOO_LARGE,
                        "node " SLICE_FMT ": timed out trying to allocate devices",
                        SLICE_ARG(state->node->name));
                return SEARCH_ERROR;
        }
        if (is_in_use(state, place->claim, request->request, device->device->number))
                return SEARCH_NOTHING;
        int selects = search_selects(state, &state->claims[place->claim], request, device);
        if (selects < 0)
                return SEARCH_ERROR;
        if (!selects || (gates->has_shares && !search_has_room(state, device, request->request)))
                return SEARCH_NOTHING;
        return try_device(state, place, request, device);
}

/* Looks at the devices of one pool, from the place on when it is in there.  *ret_is_empty: nothing
 * in there would do even if this search had picked nothing. */
static enum search_step search_pool(struct search_state *state, const struct search_place *place,
                                    struct search_request *request, size_t at, bool *ret_is_empty) {
        struct device_pool *pool = state->pools[at];
        bool is_within = at == place->pool;

        for (size_t s = is_within ? place->slice : 0; s < pool->slice_count; s++) {
                const struct inventory_slice *slice = pool->slices[s];
                bool is_start = is_within && s == place->slice;

                for (size_t d = is_start ? place->first : 0; d < slice->slice->device_count; d++) {
                        const struct search_device device = { pool, slice, &slice->devices[d] };
                        struct search_place next = *place;

                        next.device++;
                        next.pool = at;
                        next.slice = s;
                        next.first = d + 1;
                        enum search_step step = look_at(state, &next, request, &device);
                        if (step != SEARCH_NOTHING)
                                return step;
                        *ret_is_empty &= !state->is_passing;
                }
        }
        return SEARCH_NOTHING;
}

static bool has_picked_in(const struct search_state *state, const struct device_pool *pool) {
        for (size_t i = 0; i < state->search->claim_count; i++)
                for (size_t j = 0; j < state->allocations[i].pick_count; j++)
                        if (state->allocations[i].picks[j].pool == pool->at)
                                return true;
        return state->leaks;
}

static enum search_step search_some(struct search_state *state, const struct search_place *place,
                                    struct search_request *request) {
        struct device_memo *memo = state->search->memo;
        const struct device_inventory *inventory = state->search->inventory;

        for (size_t p = place->pool; p < state->pool_count; p++) {
                struct device_pool *pool = state->pools[p];
                bool is_whole = p != place->pool || (place->slice == 0 && place->first == 0);

                if (memo && is_whole &&
                    (device_memo_has(memo, inventory, request->place, pool) ||
                     search_constraints_exclude(state, place->claim, request, pool)))
                        continue;
                bool is_empty = memo && is_whole && !has_picked_in(state, pool);
                enum search_step step = search_pool(state, place, request, p, &is_empty);
                if (step != SEARCH_NOTHING)
                        return step;
                if (is_empty)
                        device_memo_add(memo, inventory, request->place, pool);
        }
        return SEARCH_NOTHING;
}

/* ---- requests and claims ---- */

/* The choices of a request one after the other. */
static enum search_step search_choices(struct search_state *state,
                                       const struct search_place *place) {
        size_t count = state->claims[place->claim].choice_counts[place->request];
        bool are_too_many = true;

        for (size_t i = 0; i < count; i++) {
                struct search_place next = *place;

                next.choice = i;
                next.is_chosen = true;
                enum search_step step = search_one(state, &next);
                if (step == SEARCH_DONE)
                        state->allocations[place->claim].chosen[place->request] = i;
                if (step == SEARCH_DONE || step == SEARCH_ERROR)
                        return step;
                are_too_many &= step == SEARCH_TOO_MANY;
        }
        return are_too_many ? SEARCH_TOO_MANY : SEARCH_NOTHING;
}

static enum search_step search_next_claim(struct search_state *state, size_t claim) {
        enum search_step step = search_one(state, &(struct search_place){ .claim = claim + 1 });

        /* Another allocation of this claim may leave the next one with a smaller choice. */
        return step == SEARCH_TOO_MANY ? SEARCH_NOTHING : step;
}

static enum search_step search_one(struct search_state *state, const struct search_place *place) {
        if (place->claim >= state->search->claim_count)
                return SEARCH_DONE;
        const struct search_claim *claim = &state->claims[place->claim];
        if (place->request >= claim->claim->spec.request_count)
                return search_next_claim(state, place->claim);
        struct search_request *request = &claim->requests[place->request][place->choice];
        if (!place->is_chosen && request->parent)
                return search_choices(state, place);
        if (request->takes_all && request->device_count == 0)
                return SEARCH_NOTHING;
        if (place->device >= request->device_count)
                return search_one(state, &(struct search_place){ .claim = place->claim,
                                                                 .request = place->request + 1 });
        size_t after =
                state->allocations[place->claim].pick_count + request->device_count - place->device;
        if (after > DEVICE_RESULTS_MAX)
                return SEARCH_TOO_MANY;
        return request->takes_all ? search_all(state, place, request)
                                  : search_some(state, place, request);
}

/* From the start, with nothing picked. */
static enum search_step start_search(struct search_state *state) {
        const struct device_search *search = state->search;

        state->claims = ARENA_ARRAY(search->arena, struct search_claim, search->claim_count);
        state->allocations =
                ARENA_ARRAY(search->arena, struct device_allocation, search->claim_count);
        state->place_count = state->steps = 0;
        for (size_t i = 0; i < search->claim_count; i++)
                if (search_prepare_claim(state, i) < 0)
                        return SEARCH_ERROR;
        return SEARCH_NOTHING;
}

/* Most searches end soon.  For one that does not it is worth asking whether it can succeed. */
static enum search_step search_claims(struct search_state *state) {
        const struct device_search *search = state->search;
        const struct search_place start = { 0 };

        if (start_search(state) == SEARCH_ERROR)
                return SEARCH_ERROR;
        if (search->tries_all || search->inventory->gates.is_parity)
                return search_one(state, &start);
        state->is_glance = true;
        enum search_step step = search_one(state, &start);
        bool is_cut = step == SEARCH_ERROR && state->steps > steps_max(state);
        state->is_glance = false;
        if (!is_cut)
                return step;
        if (start_search(state) == SEARCH_ERROR)
                return SEARCH_ERROR;
        return search_has_devices(state) ? search_one(state, &start) : SEARCH_NOTHING;
}

enum device_outcome device_search_run(const struct device_search *search,
                                      const struct device_node *node,
                                      struct device_allocation **ret_allocations, struct err *err) {
        struct search_state state = { .search = search, .node = node, .err = err };

        state.pool_count =
                device_pools_gather(search->inventory, node, search->arena, &state.pools);
        enum search_step step = search_claims(&state);
        if (step == SEARCH_ERROR)
                return DEVICES_FAILED;
        if (step == SEARCH_DONE) {
                *ret_allocations = state.allocations;
                return DEVICES_FOUND;
        }
        for (size_t i = 0; i < state.pool_count; i++) {
                if (state.pools[i]->problem)
                        return DEVICES_INVALID;
        }
        return DEVICES_MISSING;
}
