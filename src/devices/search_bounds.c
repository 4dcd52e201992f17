/* What can be said before the search: whether there are devices enough for all requests together.
 * Constraints, counters and capacity are left out of account, so that "no" is certain and "yes" is
 * not. */
#include "devices/device_search_priv.h"

#include "base/util.h"

/* A request, or the choices of one, and devices that it could have. */
struct bound_request {
        size_t count;    /* that it takes at least */
        size_t *devices; /* their numbers, as many as may be needed */
        size_t device_count;
};
struct search_bounds {
        struct search_state *state;
        struct bound_request *requests;
        size_t request_count, total; /* of their counts */
};
/* Slots are devices that requests take; which of the numbers each has, if any. */
struct bound_match {
        const struct bound_request **slots;
        size_t *has;
        size_t slot_count;
        size_t *tried; /* numbers of this round */
        size_t tried_count;
};

/* ---- what is asked for ---- */

/* 0: the request takes nothing that others could not have as well. */
static size_t least_count(const struct search_claim *claim, size_t at) {
        size_t least = SIZE_MAX;

        for (size_t i = 0; i < claim->choice_counts[at]; i++) {
                const struct search_request *choice = &claim->requests[at][i];

                if (choice->takes_all || choice->request->has_admin_access)
                        return 0;
                if (choice->device_count < least)
                        least = choice->device_count;
        }
        return least;
}

static size_t total_of(const struct search_state *state) {
        size_t total = 0;

        for (size_t i = 0; i < state->search->claim_count; i++)
                for (size_t j = 0; j < state->claims[i].claim->spec.request_count; j++)
                        total += least_count(&state->claims[i], j);
        return total;
}

/* ---- which devices would do ---- */

enum bound_answer { BOUND_NO, BOUND_YES, BOUND_SHARED, BOUND_FAILED };

static enum bound_answer suits_request(const struct search_bounds *bounds,
                                       const struct search_claim *claim, size_t at,
                                       const struct search_device *device) {
        struct search_state *state = bounds->state;
        const struct device_gates *gates = &state->search->inventory->gates;
        enum bound_answer answer = BOUND_NO;

        for (size_t i = 0; i < claim->choice_counts[at]; i++) {
                struct search_request *choice = &claim->requests[at][i];
                int selects = search_selects_quietly(state, claim, choice, device);

                if (selects < 0)
                        return BOUND_FAILED;
                if (selects && gates->has_shares && device->device->device->traits->allows_multiple)
                        answer = BOUND_SHARED;
                if (selects && answer == BOUND_NO &&
                    (!gates->has_taints ||
                     search_is_tolerated(device->device->device, choice->request)))
                        answer = BOUND_YES;
        }
        return answer;
}

/* Calls for each device that is free, until it says so. */
static bool each_device(const struct search_bounds *bounds,
                        bool (*look)(const struct search_device *device, void *context),
                        void *context) {
        const struct search_state *state = bounds->state;

        for (size_t p = 0; p < state->pool_count; p++) {
                struct device_pool *pool = state->pools[p];

                for (size_t s = 0; s < pool->slice_count; s++)
                        for (size_t d = 0; d < pool->slices[s]->slice->device_count; d++) {
                                const struct search_device device = {
                                        pool, pool->slices[s], &pool->slices[s]->devices[d]
                                };
                                size_t number = device.device->number;

                                if (!state->search->inventory->uses[number].allocated &&
                                    look(&device, context))
                                        return true;
                        }
        }
        return false;
}

struct bound_listing {
        const struct search_bounds *bounds;
        const struct search_claim *claim;
        size_t at; /* of the request */
        struct bound_request *request;
};

/* True: the request can have what it likes, whatever the others take. */
static bool list_device(const struct search_device *device, void *context) {
        struct bound_listing *listing = context;
        struct bound_request *request = listing->request;
        enum bound_answer answer =
                suits_request(listing->bounds, listing->claim, listing->at, device);

        if (answer == BOUND_YES)
                request->devices[request->device_count++] = device->device->number;
        return answer == BOUND_SHARED || request->device_count == listing->bounds->total;
}

static bool fails_on(const struct search_device *device, void *context) {
        const struct bound_listing *listing = context;

        return suits_request(listing->bounds, listing->claim, listing->at, device) == BOUND_FAILED;
}

/* A constraint in the way of all devices is an error. */
static bool takes_all_alike(const struct search_claim *claim, size_t at) {
        for (size_t i = 0; claim->claim->spec.constraint_count && i < claim->choice_counts[at]; i++)
                if (claim->requests[at][i].takes_all)
                        return true;
        return false;
}

/* An expression that fails on a device ends the search with an error; so nothing is said. */
static bool may_fail(const struct search_bounds *bounds) {
        const struct search_state *state = bounds->state;

        for (size_t i = 0; i < state->search->claim_count; i++)
                for (size_t j = 0; j < state->claims[i].claim->spec.request_count; j++) {
                        struct bound_listing listing = { bounds, &state->claims[i], j, NULL };

                        if (takes_all_alike(&state->claims[i], j) ||
                            each_device(bounds, fails_on, &listing))
                                return true;
                }
        return false;
}

static void list_requests(struct search_bounds *bounds) {
        const struct search_state *state = bounds->state;
        struct arena *arena = state->search->arena;
        size_t *devices = NULL;

        for (size_t i = 0; i < state->search->claim_count; i++) {
                const struct search_claim *claim = &state->claims[i];

                for (size_t j = 0; j < claim->claim->spec.request_count; j++) {
                        struct bound_request *request = &bounds->requests[bounds->request_count];
                        struct bound_listing listing = { bounds, claim, j, request };

                        if (!devices)
                                devices = ARENA_ARRAY(arena, size_t, bounds->total);
                        *request = (struct bound_request){ .count = least_count(claim, j),
                                                           .devices = devices };
                        if (request->count == 0 || each_device(bounds, list_device, &listing))
                                continue;
                        bounds->request_count++;
                        devices = NULL;
                }
        }
}

/* ---- whether all can have theirs ---- */

static bool is_tried(const struct bound_match *match, size_t number) {
        for (size_t i = 0; i < match->tried_count; i++)
                if (match->tried[i] == number)
                        return true;
        return false;
}

static size_t holder_of(const struct bound_match *match, size_t number) {
        size_t slot = 0;

        while (slot < match->slot_count && match->has[slot] != number)
                slot++;
        return slot;
}

/* Gives the slot a device, moving others to another one of theirs where it has to. */
static bool give_device(struct bound_match *match, size_t slot) {
        const struct bound_request *request = match->slots[slot];

        for (size_t i = 0; i < request->device_count; i++) {
                size_t number = request->devices[i];

                if (is_tried(match, number))
                        continue;
                match->tried[match->tried_count++] = number;
                size_t holder = holder_of(match, number);
                if (holder < match->slot_count && !give_device(match, holder))
                        continue;
                match->has[slot] = number;
                return true;
        }
        return false;
}

static bool all_have_some(const struct search_bounds *bounds) {
        struct arena *arena = bounds->state->search->arena;
        struct bound_match match = { .slots = ARENA_ARRAY(arena, const struct bound_request *,
                                                          bounds->total),
                                     .has = ARENA_ARRAY(arena, size_t, bounds->total) };
        size_t devices = 0;

        for (size_t i = 0; i < bounds->request_count; i++) {
                const struct bound_request *request = &bounds->requests[i];

                if (request->count > request->device_count)
                        return false;
                devices += request->device_count;
                for (size_t j = 0; j < request->count; j++)
                        match.slots[match.slot_count++] = request;
        }
        match.tried = ARENA_ARRAY(arena, size_t, devices);
        for (size_t i = 0; i < match.slot_count; i++)
                match.has[i] = SIZE_MAX;
        for (size_t i = 0; i < match.slot_count; i++) {
                match.tried_count = 0;
                if (!give_device(&match, i))
                        return false;
        }
        return true;
}

bool search_has_devices(struct search_state *state) {
        struct search_bounds bounds = { .state = state, .total = total_of(state) };
        size_t count = 0;

        if (bounds.total < 2) /* the search itself does not take longer */
                return true;
        for (size_t i = 0; i < state->search->claim_count; i++)
                count += state->claims[i].claim->spec.request_count;
        bounds.requests = ARENA_ARRAY(state->search->arena, struct bound_request, count);
        list_requests(&bounds);
        return all_have_some(&bounds) || may_fail(&bounds);
}
