/* Requests of claims, resolved before the search: their classes, how many devices they take, which
 * devices they select. Errors are in upstream's words. */
#include "devices/device_search_priv.h"

#include "base/util.h"

/* ---- selectors ---- */

static int search_requests_fail(struct search_state *state, const struct search_claim *claim,
                                const char *text) {
        return err_set(state->err, BERTH_ERR_INVALID, "claim " SLICE_FMT "/" SLICE_FMT "%s",
                       SLICE_ARG(claim->claim->meta.ns), SLICE_ARG(claim->claim->meta.name), text);
}

/* `whose`: the class, or NULL for selectors of the claim. */
static int selectors_match(struct search_state *state, const struct search_claim *claim,
                           const struct device_class *whose, struct device_selector *selector,
                           size_t at, const struct offered_device *device) {
        struct arena *arena = state->search->arena;
        const char *why = selector->problem, *kind = "compile";

        if (!why) {
                kind = "runtime";
                switch (device_selector_matches(state->search->inventory, selector, device, arena,
                                                state->err ? &why : NULL)) {
                case CEL_TRUE:
                        return 1;
                case CEL_FALSE:
                        return 0;
                default:
                        break;
                }
        }
        if (!state->err)
                return -1;
        const char *text = arena_printf(arena, ": selector #%zu: CEL %s error: %s", at, kind, why);
        if (!whose)
                return search_requests_fail(state, claim, text);
        return err_set(state->err, BERTH_ERR_INVALID, "class " SLICE_FMT "%s",
                       SLICE_ARG(whose->meta.name), text);
}

static int all_selectors_match(struct search_state *state, const struct search_claim *claim,
                               const struct search_request *request,
                               const struct offered_device *device) {
        size_t count = request->class->selector_count;
        int matches = 1;

        for (size_t i = 0; matches > 0 && i < count; i++)
                matches = selectors_match(state, claim, request->class, request->selectors[i], i,
                                          device);
        for (size_t i = 0; matches > 0 && i < request->request->selector_count; i++)
                matches = selectors_match(state, claim, NULL, request->selectors[count + i], i,
                                          device);
        return matches;
}

int search_selects(struct search_state *state, const struct search_claim *claim,
                   struct search_request *request, const struct search_device *device) {
        const struct device *offered = device->device->device;

        if (!state->search->inventory->gates.has_binding_conditions &&
            offered->traits->condition_count)
                return 0;
        int matches = all_selectors_match(
                state, claim, request,
                &(struct offered_device){ device->slice->slice, device->device });
        if (matches < 0)
                return -1;
        if (matches && device->slice->slice->has_places)
                matches = device_place_matches(state->node, offered->traits->place);
        return matches;
}

int search_selects_quietly(struct search_state *state, const struct search_claim *claim,
                           struct search_request *request, const struct search_device *device) {
        struct err *err = state->err;

        state->err = NULL;
        int selects = search_selects(state, claim, request, device);
        state->err = err;
        return selects;
}

bool search_selects_anywhere(struct search_state *state, const struct search_claim *claim,
                             struct search_request *request, const struct search_device *device) {
        struct err *err = state->err;

        state->err = NULL;
        int matches = all_selectors_match(
                state, claim, request,
                &(struct offered_device){ device->slice->slice, device->device });
        state->err = err;
        return matches != 0;
}

/* ---- all devices ---- */

static int take_all_of(struct search_state *state, const struct search_claim *claim,
                       struct search_request *request, struct device_pool *pool, size_t *cap) {
        bool has_shares = state->search->inventory->gates.has_shares;
        size_t count = request->device_count;

        for (size_t i = 0; i < pool->slice_count; i++) {
                const struct inventory_slice *slice = pool->slices[i];

                for (size_t j = 0; j < slice->slice->device_count; j++) {
                        const struct search_device device = { pool, slice, &slice->devices[j] };
                        int selects = search_selects(state, claim, request, &device);

                        if (selects < 0)
                                return -1;
                        if (!selects ||
                            (has_shares && !search_has_room(state, &device, request->request)))
                                continue;
                        request->all = arena_grow(state->search->arena, request->all, count, cap,
                                                  sizeof(*request->all));
                        request->all[count++] = device;
                }
        }
        request->device_count = count;
        return 0;
}

static int take_all(struct search_state *state, const struct search_claim *claim,
                    struct search_request *request) {
        size_t cap = 0;

        for (size_t i = 0; i < state->pool_count; i++) {
                struct device_pool *pool = state->pools[i];
                const char *why = pool->is_incomplete ? "being updated"
                                  : pool->problem     ? "invalid"
                                                      : NULL;

                if (why)
                        return search_requests_fail(
                                state, claim,
                                arena_printf(state->search->arena,
                                             ", request " SLICE_FMT
                                             ": asks for all devices, but resource pool " SLICE_FMT
                                             "/" SLICE_FMT " is currently %s",
                                             SLICE_ARG(request->request->name),
                                             SLICE_ARG(pool->driver), SLICE_ARG(pool->name), why));
                if (take_all_of(state, claim, request, pool, &cap) < 0)
                        return -1;
        }
        return 0;
}

/* ---- requests ---- */

static int search_requests_refuse(struct search_state *state, const struct search_claim *claim,
                                  const struct search_request *request, const char *text) {
        return search_requests_fail(state, claim,
                                    arena_printf(state->search->arena,
                                                 ", request " SLICE_FMT ": %s",
                                                 SLICE_ARG(request->request->name), text));
}

static void resolve_selectors(struct search_state *state, struct search_request *request) {
        size_t count = request->class->selector_count;

        request->selectors = ARENA_ARRAY(state->search->arena, struct device_selector *,
                                         count + request->request->selector_count);
        for (size_t i = 0; i < count; i++)
                request->selectors[i] = device_inventory_selector(state->search->inventory,
                                                                  request->class->selectors[i]);
        for (size_t i = 0; i < request->request->selector_count; i++)
                request->selectors[count + i] = device_inventory_selector(
                        state->search->inventory, request->request->selectors[i]);
}

static int resolve_request(struct search_state *state, const struct search_claim *claim,
                           struct search_request *request) {
        const struct device_request *wanted = request->request;
        const struct device_gates *gates = &state->search->inventory->gates;
        struct arena *arena = state->search->arena;

        if (!gates->has_shares && wanted->capacity.items)
                return search_requests_refuse(
                        state, claim, request,
                        "has capacity requests, but the DRAConsumableCapacity feature is "
                        "disabled");
        if (!gates->has_admin_access && wanted->has_admin_access)
                return search_requests_refuse(
                        state, claim, request,
                        "admin access is requested, but the feature is disabled");
        if (wanted->class_name.len == 0)
                return search_requests_refuse(
                        state, claim, request,
                        "missing device class name (unsupported request type?)");
        request->class = device_inventory_class(state->search->inventory, wanted->class_name);
        if (!request->class)
                return search_requests_refuse(
                        state, claim, request,
                        arena_printf(arena, "could not retrieve device class " SLICE_FMT,
                                     SLICE_ARG(wanted->class_name)));
        resolve_selectors(state, request);
        request->takes_all = slice_is(wanted->mode, "All");
        if (request->takes_all)
                return take_all(state, claim, request);
        if (!slice_is(wanted->mode, "ExactCount"))
                return search_requests_refuse(state, claim, request,
                                              arena_printf(arena,
                                                           "unsupported count mode " SLICE_FMT,
                                                           SLICE_ARG(wanted->mode)));
        request->device_count = wanted->count > 0 ? (size_t)wanted->count : 0;
        return 0;
}

/* The request itself, or its choices. *ret_min: devices that it takes at least. */
static int prepare_request(struct search_state *state, struct search_claim *claim, size_t at,
                           size_t *ret_min) {
        const struct device_request *written = &claim->claim->spec.requests[at];
        size_t count = written->choice_count ? written->choice_count : 1;
        struct search_request *requests =
                ARENA_ARRAY(state->search->arena, struct search_request, count);

        if (written->choice_count && !state->search->inventory->gates.has_choices)
                return search_requests_fail(state, claim,
                                            arena_printf(state->search->arena,
                                                         ", request " SLICE_FMT
                                                         ": has subrequests, but the "
                                                         "DRAPrioritizedList feature is disabled",
                                                         SLICE_ARG(written->name)));
        *ret_min = SIZE_MAX;
        for (size_t i = 0; i < count; i++) {
                requests[i].request = written->choice_count ? &written->choices[i] : written;
                requests[i].parent = written->choice_count ? written : NULL;
                requests[i].index = at;
                requests[i].place = state->place_count++;
                if (resolve_request(state, claim, &requests[i]) < 0)
                        return -1;
                if (requests[i].device_count < *ret_min)
                        *ret_min = requests[i].device_count;
        }
        claim->requests[at] = requests;
        claim->choice_counts[at] = count;
        return 0;
}

static int prepare_constraints(struct search_state *state, struct search_claim *claim) {
        const struct device_claim_spec *spec = &claim->claim->spec;
        struct arena *arena = state->search->arena;

        claim->distinct = ARENA_ARRAY(arena, struct search_distinct, spec->constraint_count);
        for (size_t i = 0; i < spec->constraint_count; i++) {
                claim->distinct[i].values =
                        ARENA_ARRAY(arena, const struct device_attribute *, spec->request_count);
                if (!spec->constraints[i].match_attribute.len &&
                    !spec->constraints[i].distinct_attribute.len)
                        return search_requests_fail(
                                state, claim,
                                arena_printf(arena,
                                             ", constraint #%zu: empty constraint (unsupported "
                                             "constraint type?)",
                                             i));
        }
        return 0;
}

int search_prepare_claim(struct search_state *state, size_t index) {
        struct search_claim *claim = &state->claims[index];
        struct arena *arena = state->search->arena;
        size_t total = 0, min = 0;

        claim->claim = state->search->claims[index];
        size_t count = claim->claim->spec.request_count;
        claim->requests = ARENA_ARRAY(arena, struct search_request *, count);
        claim->choice_counts = ARENA_ARRAY(arena, size_t, count);
        state->allocations[index].chosen = ARENA_ARRAY(arena, size_t, count);
        for (size_t i = 0; i < count; i++) {
                if (prepare_request(state, claim, i, &min) < 0)
                        return -1;
                total += min < SIZE_MAX - total ? min : SIZE_MAX - total;
        }
        if (total > DEVICE_RESULTS_MAX)
                return search_requests_fail(
                        state, claim,
                        arena_printf(arena,
                                     ": number of requested devices %zu exceeds the claim limit of "
                                     "%d",
                                     total, DEVICE_RESULTS_MAX));
        return prepare_constraints(state, claim);
}
