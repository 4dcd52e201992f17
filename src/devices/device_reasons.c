/* Devices of a node and requests, one by one. */
#include "devices/device_reasons.h"

#include "devices/device_search_priv.h"

static const char *taint_text(const struct device *device, struct arena *arena) {
        const struct device_taint *taint = &device->taints[0];

        return arena_printf(arena, SLICE_FMT "%s" SLICE_FMT ":" SLICE_FMT, SLICE_ARG(taint->key),
                            taint->value.len ? "=" : "", SLICE_ARG(taint->value),
                            SLICE_ARG(taint->effect_name));
}

static bool is_given_away(const struct search_state *state, const struct search_device *device,
                          const struct device_request *request) {
        const struct device_use *use = &state->search->inventory->uses[device->device->number];

        if (request->has_admin_access)
                return false;
        return use->allocated > 0 && !device->device->device->allows_multiple;
}

static void report_device(struct search_state *state, struct search_claim *claim,
                          struct search_request *request, const struct search_device *device,
                          struct device_request_report *report) {
        const struct device_gates *gates = &state->search->inventory->gates;
        const struct device *offered = device->device->device;

        report->offered++;
        if (search_selects(state, claim, request, device) <= 0)
                report->refused[DEVICE_NOT_SELECTED]++;
        else if (gates->has_taints && !search_is_tolerated(offered, request->request)) {
                report->refused[DEVICE_NOT_TOLERATED]++;
                if (!report->taint)
                        report->taint = taint_text(offered, state->search->arena);
        } else if (is_given_away(state, device, request->request))
                report->refused[DEVICE_IN_USE]++;
        else if (gates->has_counters && !search_counters_suffice(state, device))
                report->refused[DEVICE_WITHOUT_COUNTERS]++;
        else if (gates->has_shares && !search_has_room(state, device, request->request))
                report->refused[DEVICE_WITHOUT_CAPACITY]++;
        else
                report->usable++;
}

static void report_request(struct search_state *state, struct search_claim *claim,
                           struct search_request *request, struct device_request_report *report) {
        *report = (struct device_request_report){ .claim = claim->claim,
                                                  .request = request->request,
                                                  .parent = request->parent,
                                                  .takes_all = request->takes_all,
                                                  .wanted = request->device_count };
        for (size_t p = 0; p < state->pool_count; p++) {
                const struct device_pool *pool = &state->pools[p];

                if (pool->problem)
                        report->pool_problem = pool->problem;
                for (size_t s = 0; s < pool->slice_count; s++) {
                        const struct inventory_slice *slice = pool->slices[s];

                        for (size_t d = 0; d < slice->slice->device_count; d++)
                                report_device(state, claim, request,
                                              &(const struct search_device){ pool, slice,
                                                                             &slice->devices[d] },
                                              report);
                }
        }
}

static size_t count_requests(const struct search_state *state) {
        size_t count = 0;

        for (size_t i = 0; i < state->search->claim_count; i++)
                for (size_t j = 0; j < state->claims[i].claim->spec.request_count; j++)
                        count += state->claims[i].choice_counts[j] + 1;
        return count;
}

size_t device_reasons_find(const struct device_search *search, const struct device_node *node,
                           struct device_request_report **ret_reports) {
        struct err err = { 0 };
        struct search_state state = { .search = search, .node = node, .err = &err };
        size_t count = 0;

        state.claims = ARENA_ARRAY(search->arena, struct search_claim, search->claim_count);
        state.allocations =
                ARENA_ARRAY(search->arena, struct device_allocation, search->claim_count);
        state.pool_count =
                device_pools_gather(search->inventory, node, search->arena, &state.pools);
        for (size_t i = 0; i < search->claim_count; i++)
                if (search_prepare_claim(&state, i) < 0)
                        return 0;
        *ret_reports =
                ARENA_ARRAY(search->arena, struct device_request_report, count_requests(&state));
        for (size_t i = 0; i < search->claim_count; i++) {
                struct search_claim *claim = &state.claims[i];

                for (size_t j = 0; j < claim->claim->spec.request_count; j++) {
                        size_t choices = claim->choice_counts[j] ? claim->choice_counts[j] : 1;

                        for (size_t k = 0; k < choices; k++)
                                report_request(&state, claim, &claim->requests[j][k],
                                               &(*ret_reports)[count++]);
                }
        }
        return count;
}
