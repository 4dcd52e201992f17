/* Which pools matter for what is searched. */
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
        for (size_t i = slices->first; i < slices->end; i++)
                if (suits_any(&state, &search->inventory->slices[i]))
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
