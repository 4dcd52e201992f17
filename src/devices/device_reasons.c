/* Devices of a node and requests, one by one. */
#include "devices/device_reasons.h"

#include "devices/device_capacity.h"
#include "devices/device_reach.h"
#include "devices/device_search_priv.h"
#include <string.h>

#define OBSTACLES_MAX 64 /* of one device; further ones are not named */

/* ---- what stands in the way of one device ---- */

struct device_hurdles {
        struct search_state *state;
        const struct search_device *device;
        const struct search_request *request;
        size_t count;
        struct {
                enum device_refusal kind;
                const char *name;
        } items[OBSTACLES_MAX];
};

static void add_obstacle(struct device_hurdles *list, enum device_refusal kind, const char *name) {
        if (list->count == OBSTACLES_MAX)
                return;
        list->items[list->count].kind = kind;
        list->items[list->count++].name = name;
}

/* An error refuses, too; upstream ends the whole search with it. */
static bool is_selected_by(struct device_hurdles *list, struct slice expression) {
        const struct offered_device offered = { list->device->slice->slice, list->device->device };
        struct device_inventory *inventory = list->state->search->inventory;
        struct device_selector *selector = device_inventory_selector(inventory, expression);

        return !selector->problem &&
               device_selector_matches(inventory, selector, &offered, list->state->search->arena,
                                       NULL) == CEL_TRUE;
}

static void add_selectors(struct device_hurdles *list) {
        const struct device_class *class = list->request->class;
        const struct device_request *request = list->request->request;
        struct arena *arena = list->state->search->arena;

        for (size_t i = 0; i < class->selector_count; i++)
                if (!is_selected_by(list, class->selectors[i]))
                        add_obstacle(list, DEVICE_NOT_SELECTED,
                                     arena_printf(arena, "class " SLICE_FMT ": " SLICE_FMT,
                                                  SLICE_ARG(class->meta.name),
                                                  SLICE_ARG(class->selectors[i])));
        for (size_t i = 0; i < request->selector_count; i++)
                if (!is_selected_by(list, request->selectors[i]))
                        add_obstacle(list, DEVICE_NOT_SELECTED,
                                     arena_string(arena, request->selectors[i]));
}

/* Of a slice for several nodes; or a device that is not offered for what the gates say. */
static bool is_elsewhere(const struct device_hurdles *list) {
        const struct device *offered = list->device->device->device;
        const struct device_gates *gates = &list->state->search->inventory->gates;

        return (!gates->has_binding_conditions && offered->traits->condition_count) ||
               (list->device->slice->slice->has_places &&
                !device_place_matches(list->state->node, offered->traits->place));
}

static void add_taints(struct device_hurdles *list) {
        struct device_traits traits = *list->device->device->device->traits;
        const struct device alone = { .traits = &traits };
        struct device_taint *taints = traits.taints;
        size_t count = traits.taint_count;

        traits.taint_count = 1;
        for (size_t i = 0; i < count; i++) {
                traits.taints = &taints[i];
                if (search_is_tolerated(&alone, list->request->request))
                        continue;
                add_obstacle(list, DEVICE_NOT_TOLERATED,
                             arena_printf(list->state->search->arena,
                                          SLICE_FMT "%s" SLICE_FMT ":" SLICE_FMT,
                                          SLICE_ARG(taints[i].key), taints[i].value.len ? "=" : "",
                                          SLICE_ARG(taints[i].value),
                                          SLICE_ARG(taints[i].effect_name)));
        }
}

static bool is_given_away(const struct device_hurdles *list) {
        const struct inventory_device *device = list->device->device;
        const struct device_use *use = &list->state->search->inventory->uses[device->number];

        return !list->request->request->has_admin_access && use->allocated > 0 &&
               !device->device->traits->allows_multiple;
}

/* The same device with one of its counters, or capacities, alone. */
static void add_counters(struct device_hurdles *list) {
        const struct device *offered = list->device->device->device;

        for (size_t i = 0; i < offered->traits->consume_count; i++) {
                for (size_t j = 0; j < offered->traits->consumes[i].counters.count; j++) {
                        struct counter_set set = offered->traits->consumes[i];
                        struct device_traits traits = *offered->traits;
                        struct device alone = *offered;
                        struct inventory_device one = *list->device->device;
                        struct search_device device = *list->device;

                        set.counters = (struct device_amounts){ &set.counters.items[j], 1 };
                        traits.consumes = &set;
                        traits.consume_count = 1;
                        alone.traits = &traits;
                        one.device = &alone;
                        device.device = &one;
                        if (!search_counters_suffice(list->state, &device))
                                add_obstacle(list, DEVICE_WITHOUT_COUNTERS,
                                             arena_printf(list->state->search->arena,
                                                          SLICE_FMT "/" SLICE_FMT,
                                                          SLICE_ARG(set.name),
                                                          SLICE_ARG(set.counters.items[0].name)));
                }
        }
}

static bool has_capacity_named(const struct device *device, struct slice name) {
        for (size_t i = 0; i < device->traits->capacity_count; i++)
                if (slice_eq(device->traits->capacity[i].name, name))
                        return true;
        return false;
}

/* What refuses when the device had only this capacity; DEVICE_REFUSAL_COUNT: nothing. */
static enum device_refusal capacity_refusal(const struct device_hurdles *list,
                                            struct device_capacity *capacity) {
        struct device_traits traits = *list->device->device->device->traits;
        struct device alone = *list->device->device->device;
        struct device_request request = *list->request->request;
        struct inventory_device one = *list->device->device;
        struct search_device device = *list->device;
        struct device_amounts asked = { 0 };

        for (size_t i = 0; i < request.capacity.count; i++)
                if (slice_eq(request.capacity.items[i].name, capacity->name))
                        asked = (struct device_amounts){ &request.capacity.items[i], 1 };
        traits.capacity = capacity;
        traits.capacity_count = 1;
        alone.traits = &traits;
        request.capacity = asked;
        one.device = &alone;
        device.device = &one;
        if (search_has_room(list->state, &device, &request))
                return DEVICE_REFUSAL_COUNT;
        return device_capacity_fits(&alone, &asked, &(const struct device_shares){ 0 },
                                    list->state->search->arena)
                       ? DEVICE_WITHOUT_CAPACITY
                       : DEVICE_TOO_SMALL;
}

static void add_capacities(struct device_hurdles *list) {
        const struct device *offered = list->device->device->device;
        const struct device_amounts *asked = &list->request->request->capacity;
        struct arena *arena = list->state->search->arena;

        for (size_t i = 0; i < asked->count; i++)
                if (!has_capacity_named(offered, asked->items[i].name))
                        add_obstacle(list, DEVICE_TOO_SMALL,
                                     arena_string(arena, asked->items[i].name));
        for (size_t i = 0; i < offered->traits->capacity_count; i++) {
                enum device_refusal kind = capacity_refusal(list, &offered->traits->capacity[i]);

                if (kind != DEVICE_REFUSAL_COUNT)
                        add_obstacle(list, kind,
                                     arena_string(arena, offered->traits->capacity[i].name));
        }
}

static void find_obstacles(struct device_hurdles *list) {
        const struct device_gates *gates = &list->state->search->inventory->gates;

        add_selectors(list);
        if (is_elsewhere(list))
                add_obstacle(list, DEVICE_NOT_SELECTED, "not for this node");
        if (gates->has_taints)
                add_taints(list);
        if (is_given_away(list))
                add_obstacle(list, DEVICE_IN_USE, "");
        if (gates->has_counters && list->device->device->device->traits->consume_count &&
            !search_counters_suffice(list->state, list->device))
                add_counters(list);
        if (gates->has_shares &&
            !search_has_room(list->state, list->device, list->request->request))
                add_capacities(list);
}

/* ---- reports ---- */

static struct device_obstacle *need_obstacle(struct device_request_report *report,
                                             enum device_refusal kind, const char *name,
                                             struct arena *arena) {
        for (size_t i = 0; i < report->obstacle_count; i++)
                if (report->obstacles[i].kind == kind &&
                    strcmp(report->obstacles[i].name, name) == 0)
                        return &report->obstacles[i];
        report->obstacles = arena_grow(arena, report->obstacles, report->obstacle_count,
                                       &report->obstacle_cap, sizeof(*report->obstacles));
        struct device_obstacle *obstacle = &report->obstacles[report->obstacle_count++];
        *obstacle = (struct device_obstacle){ kind, name, 0, 0 };
        return obstacle;
}

static void report_device(struct search_state *state, const struct search_request *request,
                          const struct search_device *device,
                          struct device_request_report *report) {
        struct device_hurdles list = { .state = state, .device = device, .request = request };

        report->offered++;
        find_obstacles(&list);
        if (list.count == 0) {
                report->usable++;
                return;
        }
        report->refused[list.items[0].kind]++;
        for (size_t i = 0; i < list.count; i++) {
                struct device_obstacle *obstacle = need_obstacle(
                        report, list.items[i].kind, list.items[i].name, state->search->arena);

                obstacle->first += i == 0;
                obstacle->alone += list.count == 1;
        }
}

static void report_request(struct search_state *state, struct search_claim *claim,
                           struct search_request *request, struct device_request_report *report) {
        *report = (struct device_request_report){ .claim = claim->claim,
                                                  .request = request->request,
                                                  .parent = request->parent,
                                                  .takes_all = request->takes_all,
                                                  .wanted = request->device_count };
        for (size_t p = 0; p < state->pool_count; p++) {
                struct device_pool *pool = state->pools[p];

                for (size_t s = 0; s < pool->slice_count; s++) {
                        const struct inventory_slice *slice = pool->slices[s];

                        for (size_t d = 0; d < slice->slice->device_count; d++)
                                report_device(state, request,
                                              &(const struct search_device){ pool, slice,
                                                                             &slice->devices[d] },
                                              report);
                }
        }
}

#define BAD_POOLS_MAX 3 /* that are named */

static const char *bad_pools(const struct search_state *state) {
        struct buf text = { 0 };
        size_t count = 0;

        for (size_t p = 0; p < state->pool_count; p++) {
                const struct device_pool *pool = state->pools[p];

                if ((!pool->problem && !pool->is_incomplete) || ++count > BAD_POOLS_MAX)
                        continue;
                buf_printf(&text, "%spool " SLICE_FMT "/" SLICE_FMT " is %s%s",
                           count > 1 ? ", " : "", SLICE_ARG(pool->driver), SLICE_ARG(pool->name),
                           pool->problem ? "invalid: " : "incomplete",
                           pool->problem ? pool->problem : "");
        }
        if (count > BAD_POOLS_MAX)
                buf_printf(&text, ", and %zu others", count - BAD_POOLS_MAX);
        const char *names = count ? arena_string(state->search->arena, buf_view(&text)) : NULL;
        buf_release(&text);
        return names;
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
        const char *bad = bad_pools(&state);
        for (size_t i = 0; i < search->claim_count; i++)
                if (search_prepare_claim(&state, i) < 0)
                        return 0;
        *ret_reports =
                ARENA_ARRAY(search->arena, struct device_request_report, count_requests(&state));
        for (size_t i = 0; i < search->claim_count; i++) {
                struct search_claim *claim = &state.claims[i];

                for (size_t j = 0; j < claim->claim->spec.request_count; j++) {
                        size_t choices = claim->choice_counts[j] ? claim->choice_counts[j] : 1;

                        for (size_t k = 0; k < choices; k++) {
                                report_request(&state, claim, &claim->requests[j][k],
                                               &(*ret_reports)[count]);
                                (*ret_reports)[count++].bad_pools = bad;
                        }
                }
        }
        return count;
}

/* ---- constraints ---- */

/* The claim without one of its constraints; those behind it move up. */
static struct resource_claim *without_constraint(const struct resource_claim *claim, size_t at,
                                                 struct arena *arena) {
        struct resource_claim *less = ARENA_NEW(arena, struct resource_claim);
        struct device_constraint *rest =
                ARENA_ARRAY(arena, struct device_constraint, claim->spec.constraint_count);
        size_t count = 0;

        for (size_t i = 0; i < claim->spec.constraint_count; i++)
                if (i != at)
                        rest[count++] = claim->spec.constraints[i];
        *less = *claim;
        less->spec.constraints = rest;
        less->spec.constraint_count = count;
        return less;
}

const struct device_constraint *device_reasons_constraint(const struct device_search *search,
                                                          const struct device_node *node,
                                                          const struct resource_claim **ret_claim) {
        const struct resource_claim **claims =
                ARENA_ARRAY(search->arena, const struct resource_claim *, search->claim_count);
        struct device_search other = *search;
        struct device_allocation *allocations;
        struct err err = { 0 };

        other.claims = claims;
        for (size_t i = 0; i < search->claim_count; i++)
                claims[i] = search->claims[i];
        for (size_t i = 0; i < search->claim_count; i++) {
                const struct resource_claim *claim = search->claims[i];

                for (size_t j = 0; j < claim->spec.constraint_count; j++) {
                        claims[i] = without_constraint(claim, j, search->arena);
                        if (device_search_run(&other, node, &allocations, &err) != DEVICES_FOUND)
                                continue;
                        *ret_claim = claim;
                        return &claim->spec.constraints[j];
                }
                claims[i] = claim;
        }
        return NULL;
}

bool device_reasons_counters(const struct device_search *search, const struct device_node *node) {
        struct device_search other = *search;
        struct device_allocation *allocations;
        struct err err = { 0 };

        other.memo = NULL;
        other.ignores_counters = true;
        return device_search_run(&other, node, &allocations, &err) == DEVICES_FOUND;
}
