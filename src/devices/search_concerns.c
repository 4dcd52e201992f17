/* Which pools matter for what is searched, and which nodes are alike in what they have. */
#include "devices/device_search_priv.h"

#include "base/util.h"

static bool suits_claim(struct search_state *state, const struct search_claim *claim,
                        const struct search_device *device) {
        for (size_t i = 0; i < claim->claim->spec.request_count; i++)
                for (size_t j = 0; j < claim->choice_counts[i]; j++)
                        if (search_selects_anywhere(state, claim, &claim->requests[i][j], device))
                                return true;
        return false;
}

static bool suits_any(struct search_state *state, const struct inventory_slice *slice) {
        for (size_t i = 0; i < slice->slice->device_count; i++) {
                const struct search_device device = { NULL, slice, &slice->devices[i] };

                for (size_t j = 0; j < state->search->claim_count; j++)
                        if (suits_claim(state, &state->claims[j], &device))
                                return true;
        }
        return false;
}

/* False: something about the claims is an error. */
static bool prepare_claims(struct search_state *state) {
        size_t count = state->search->claim_count;

        state->claims = ARENA_ARRAY(state->search->arena, struct search_claim, count);
        state->allocations = ARENA_ARRAY(state->search->arena, struct device_allocation, count);
        for (size_t i = 0; i < count; i++)
                if (search_prepare_claim(state, i) < 0)
                        return false;
        return true;
}

bool device_search_concerns(const struct device_search *search, uint32_t pool) {
        struct err ignored = { 0 };
        struct search_state state = { .search = search, .err = &ignored };
        const struct inventory_pool *slices = &search->inventory->pools[pool];

        if (!prepare_claims(&state))
                return true;
        for (uint32_t i = 0; i < slices->slice_count; i++)
                if (suits_any(&state, &slices->slices[i]))
                        return true;
        return false;
}

bool device_search_concerns_own(const struct device_search *search,
                                const struct device_node *node) {
        struct err ignored = { 0 };
        struct search_state state = { .search = search, .node = node, .err = &ignored };
        const struct slice_list *own = device_inventory_own(search->inventory, node->name);

        if (!own)
                return false;
        state.pools = ARENA_ARRAY(search->arena, struct device_pool *, own->count);
        size_t count = device_pools_gather_own(search->inventory, node, search->arena, state.pools);
        if (!prepare_claims(&state))
                return true;
        for (size_t i = 0; i < count; i++) {
                const struct device_pool *pool = state.pools[i];

                if (pool->is_incomplete || pool->problem)
                        return true;
                for (size_t j = 0; j < pool->slice_count; j++)
                        if (suits_any(&state, pool->slices[j]))
                                return true;
        }
        return false;
}

/* ---- nodes that are alike ---- */

/* Whether the attributes that constraints compare are the same: equal ones are one. */
static void add_compared(const struct search_claim *claim, const struct search_device *device,
                         struct buf *key) {
        const struct device_claim_spec *spec = &claim->claim->spec;

        for (size_t i = 0; i < spec->constraint_count; i++) {
                const struct slice names[] = { spec->constraints[i].match_attribute,
                                               spec->constraints[i].distinct_attribute };

                for (size_t j = 0; j < ARRAY_LEN(names); j++) {
                        const struct device_attribute *attribute =
                                names[j].len
                                        ? search_attribute(device->device->device,
                                                           device->slice->slice->driver, names[j])
                                        : NULL;

                        buf_append(key, &attribute, sizeof(attribute));
                }
        }
}

/* Places of the requests that select the device; negative for errors. */
static int add_suited(struct search_state *state, struct search_claim *claim,
                      const struct search_device *device, struct buf *key) {
        const struct device *offered = device->device->device;
        int count = 0;

        for (size_t i = 0; i < claim->claim->spec.request_count; i++)
                for (size_t j = 0; j < claim->choice_counts[i]; j++) {
                        struct search_request *request = &claim->requests[i][j];
                        int selects = search_selects_quietly(state, claim, request, device);

                        if (selects < 0)
                                return -1;
                        if (!selects)
                                continue;
                        uint32_t said[] = { (uint32_t)request->place,
                                            search_is_tolerated(offered, request->request) };
                        buf_append(key, said, sizeof(said));
                        if (request->request->capacity.count)
                                buf_append(key, &offered->traits, sizeof(offered->traits));
                        count++;
                }
        return count;
}

/* Devices that suit no request are left out. */
static bool add_device(struct search_state *state, const struct search_device *device,
                       struct buf *key) {
        const struct device_use *use = &state->search->inventory->uses[device->device->number];
        size_t before = key->len;
        int suited = 0;

        for (size_t i = 0; i < state->search->claim_count; i++) {
                int count = add_suited(state, &state->claims[i], device, key);

                if (count < 0)
                        return false;
                if (count)
                        add_compared(&state->claims[i], device, key);
                suited += count;
        }
        if (!suited) {
                key->len = before;
                return true;
        }
        const uint32_t end[] = { UINT32_MAX, use->allocated > 0 };
        buf_append(key, end, sizeof(end));
        return !device->device->device->traits->allows_multiple && use->shared == 0;
}

static bool add_pool(struct search_state *state, struct device_pool *pool, struct buf *key) {
        if (pool->is_incomplete || pool->problem || pool->counter_count)
                return false;
        for (size_t i = 0; i < pool->slice_count; i++) {
                const struct inventory_slice *slice = pool->slices[i];

                for (size_t j = 0; j < slice->slice->device_count; j++)
                        if (!add_device(state,
                                        &(struct search_device){ pool, slice, &slice->devices[j] },
                                        key))
                                return false;
        }
        return true;
}

/* With parity the order of devices plays a part; counters and shares are left to the search. */
bool device_search_own_key(const struct device_search *search, const struct device_node *node,
                           struct buf *key) {
        struct err ignored = { 0 };
        struct search_state state = { .search = search, .node = node, .err = &ignored };
        const struct slice_list *own = device_inventory_own(search->inventory, node->name);
        size_t count = own ? own->count : 0;

        if (search->inventory->gates.is_parity)
                return false;
        state.pools = ARENA_ARRAY(search->arena, struct device_pool *, count);
        count = own ? device_pools_gather_own(search->inventory, node, search->arena, state.pools)
                    : 0;
        if (!prepare_claims(&state))
                return false;
        for (size_t i = 0; i < count; i++)
                if (!add_pool(&state, state.pools[i], key))
                        return false;
        return true;
}
