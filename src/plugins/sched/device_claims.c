/* Claims of one pod against the devices of the cluster. */
#include "plugins/sched/device_claims.h"

#include "base/util.h"
#include "plugins/sched/device_refusals.h"
#include "rules/node_affinity.h"
#include <stdlib.h>

#define CHOICES_MAX 8 /* of one request; upstream's FirstAvailableDeviceRequestMaxSize */

struct device_gates device_gates_of(const struct plugin_env *env) {
        uint32_t no_conditions = FEATURE_NO_DEVICE_CONDITIONS | FEATURE_NO_DEVICE_STATUS;

        return (struct device_gates){
                .has_admin_access = !(env->gates & FEATURE_NO_DEVICE_ADMIN),
                .has_choices = !(env->gates & FEATURE_NO_DEVICE_CHOICES),
                .has_counters = !(env->gates & FEATURE_NO_DEVICE_COUNTERS),
                .has_taints = !(env->gates & FEATURE_NO_DEVICE_TAINTS),
                .has_binding_conditions = !(env->gates & no_conditions),
                .has_shares = !(env->gates & FEATURE_NO_DEVICE_SHARES),
                .has_lists = env->gates & FEATURE_DEVICE_LISTS,
                .has_taint_rules = env->gates & FEATURE_DEVICE_TAINT_RULES,
                .is_parity = env->is_parity,
        };
}

/* ---- what there is ---- */

struct device_view {
        struct device_gates gates;
        uint64_t slices, classes, rules, claims; /* versions of the kinds, as read */
        uint64_t moves;                          /* of slices */
        struct arena arena;                      /* slices with taints of rules */
        struct arena class_arena;
        struct arena scratch;               /* one claim, or changes of slices */
        struct device_inventory *inventory; /* NULL: nothing is read yet */
        uint64_t serial;                    /* of what it shows of several nodes */
        /* By node; NULL: not known. As the cluster was at that generation. */
        const struct device_reach **reaches;
        size_t reach_count;
        uint64_t generation;
};

struct device_view *device_view_new(const struct device_gates *gates) {
        struct device_view *view = xcalloc(1, sizeof(*view));

        view->gates = *gates;
        arena_init(&view->arena, 0);
        arena_init(&view->class_arena, 0);
        arena_init(&view->scratch, 0);
        return view;
}

void device_view_free(struct device_view *view) {
        if (!view)
                return;
        device_inventory_free(view->inventory);
        arena_release(&view->arena);
        arena_release(&view->class_arena);
        arena_release(&view->scratch);
        free(view->reaches);
        free(view);
}

uint64_t device_view_serial(const struct device_view *view) {
        return view->serial;
}

/* ---- taint rules ---- */

static bool rule_selects(const struct device_taint_rule *rule, const struct resource_slice *slice,
                         const struct device *device) {
        return (!rule->has_driver || slice_eq(rule->driver, slice->driver)) &&
               (!rule->has_pool || slice_eq(rule->pool, slice->pool)) &&
               (!rule->has_device || slice_eq(rule->device, device->name));
}

static bool selects_any(const struct device_taint_rule *rule, const struct resource_slice *slice) {
        for (size_t i = 0; i < slice->device_count; i++)
                if (rule_selects(rule, slice, &slice->devices[i]))
                        return true;
        return false;
}

static void add_taint(struct device_view *view, struct device *device,
                      const struct device_taint *taint) {
        struct device_traits *traits = ARENA_NEW(&view->arena, struct device_traits);
        size_t count = device->traits->taint_count;
        struct device_taint *taints = ARENA_ARRAY(&view->arena, struct device_taint, count + 1);

        for (size_t i = 0; i < count; i++)
                taints[i] = device->traits->taints[i];
        taints[count] = *taint;
        *traits = *device->traits;
        traits->taints = taints;
        traits->taint_count = count + 1;
        device->traits = traits;
}

/* The slice with taints behind those that the driver says: a copy where there are any. */
static const struct resource_slice *taint_devices(struct device_view *view,
                                                  const struct resource_slice *slice,
                                                  const struct device_taint_rule *rule) {
        if (!selects_any(rule, slice))
                return slice;
        struct resource_slice *copy = ARENA_NEW(&view->arena, struct resource_slice);
        *copy = *slice;
        copy->devices = ARENA_ARRAY(&view->arena, struct device, slice->device_count);
        for (size_t i = 0; i < slice->device_count; i++) {
                copy->devices[i] = slice->devices[i];
                if (rule_selects(rule, slice, &copy->devices[i]))
                        add_taint(view, &copy->devices[i], &rule->taint);
        }
        return copy;
}

static void apply_rules(struct device_view *view, const struct object_cache *object_cache,
                        const struct resource_slice **slices, size_t count) {
        const struct json *object;
        size_t at = 0;

        while (view->gates.has_taint_rules &&
               (object = object_cache_next(object_cache, CACHED_DEVICE_TAINT_RULE, &at))) {
                struct device_taint_rule rule;

                if (device_taint_rule_decode(object, &view->arena, &rule, NULL) < 0)
                        continue;
                for (size_t i = 0; i < count; i++)
                        slices[i] = taint_devices(view, slices[i], &rule);
        }
}

/* ---- reading ---- */

static bool has_rules(const struct device_view *view, const struct object_cache *object_cache) {
        return view->gates.has_taint_rules &&
               object_cache_count(object_cache, CACHED_DEVICE_TAINT_RULE) > 0;
}

static void read_slices(struct device_view *view, const struct object_cache *object_cache) {
        size_t max = object_cache_count(object_cache, CACHED_RESOURCE_SLICE), count = 0, at = 0;
        const struct resource_slice *slice,
                **slices = ARENA_ARRAY(&view->scratch, const struct resource_slice *, max);
        struct slice_change *changes = ARENA_ARRAY(&view->scratch, struct slice_change, max);

        while (count < max && (slice = object_cache_next_slice(object_cache, &at)))
                slices[count++] = slice;
        apply_rules(view, object_cache, slices, count);
        for (size_t i = 0; i < count; i++)
                changes[i] = (struct slice_change){ slices[i]->name, slices[i] };
        (void)device_inventory_update(view->inventory, changes, count);
        arena_clear(&view->scratch);
}

/* An object that cannot be decoded is left out. */
static void read_classes(struct device_view *view, const struct object_cache *object_cache) {
        const struct json *object;
        size_t at = 0;

        device_inventory_forget_classes(view->inventory);
        arena_clear(&view->class_arena);
        while ((object = object_cache_next(object_cache, CACHED_DEVICE_CLASS, &at))) {
                struct device_class *class = ARENA_NEW(&view->class_arena, struct device_class);

                if (device_class_decode(object, &view->class_arena, class, NULL) == 0)
                        device_inventory_add_class(view->inventory, class);
        }
        view->classes = object_cache_version(object_cache, CACHED_DEVICE_CLASS);
}

static void take_claim(struct device_view *view, struct slice key, const struct json *object) {
        struct resource_claim claim;

        bool is_readable =
                object && resource_claim_decode(object, &view->scratch, &claim, NULL) == 0;
        device_inventory_take(view->inventory, key, is_readable ? &claim : NULL);
        arena_clear(&view->scratch);
}

static void read_claims(struct device_view *view, const struct object_cache *object_cache) {
        struct object_change change;
        const void *at = NULL;

        while (object_cache_next_change(object_cache, CACHED_RESOURCE_CLAIM, view->claims, &at,
                                        &change))
                take_claim(view, change.key, change.object);
        view->claims = object_cache_version(object_cache, CACHED_RESOURCE_CLAIM);
}

static void read_all(struct device_view *view, const struct object_cache *object_cache) {
        device_inventory_free(view->inventory);
        arena_clear(&view->arena);
        view->inventory = device_inventory_new(&view->gates);
        read_slices(view, object_cache);
        read_classes(view, object_cache);
        view->reach_count = 0;
        view->serial++;
        view->claims = 0;
}

/* False: the slices have to be read anew. */
static bool follow_slices(struct device_view *view, const struct object_cache *object_cache) {
        uint64_t shape = view->inventory->shape;
        struct slice_change *changes = NULL;
        size_t count = 0, cap = 0;
        struct object_change change;
        const void *at = NULL;

        while (object_cache_next_change(object_cache, CACHED_RESOURCE_SLICE, view->slices, &at,
                                        &change)) {
                struct slice name = change.key;

                (void)slice_split(&name, '/', &(struct slice){ 0 });
                changes = arena_grow(&view->scratch, changes, count, &cap, sizeof(*changes));
                changes[count++] = (struct slice_change){ name, change.row };
        }
        bool is_followed = device_inventory_update(view->inventory, changes, count);
        arena_clear(&view->scratch);
        if (shape != view->inventory->shape) {
                view->reach_count = 0;
                view->serial++;
        }
        return is_followed;
}

static bool can_follow(const struct device_view *view, const struct object_cache *object_cache) {
        return view->inventory && view->moves == object_cache_slice_moves(object_cache) &&
               object_cache_remembers(object_cache, CACHED_RESOURCE_SLICE, view->slices) &&
               object_cache_remembers(object_cache, CACHED_RESOURCE_CLAIM, view->claims);
}

struct device_inventory *device_view_refresh(struct device_view *view,
                                             const struct object_cache *object_cache) {
        uint64_t slices = object_cache_version(object_cache, CACHED_RESOURCE_SLICE);
        uint64_t rules = object_cache_version(object_cache, CACHED_DEVICE_TAINT_RULE);
        bool follows = can_follow(view, object_cache) && rules == view->rules;

        if (follows && slices != view->slices)
                follows = !has_rules(view, object_cache) && follow_slices(view, object_cache);
        if (!follows) {
                read_all(view, object_cache);
        } else if (view->classes != object_cache_version(object_cache, CACHED_DEVICE_CLASS)) {
                read_classes(view, object_cache);
                view->serial++;
        }
        view->slices = slices;
        view->rules = rules;
        view->moves = object_cache_slice_moves(object_cache);
        device_inventory_trim(view->inventory);
        read_claims(view, object_cache);
        return view->inventory;
}

/* ---- the pod's claims ---- */

static const char *class_problem(const struct device_claims *claims,
                                 const struct device_request *request,
                                 const struct device_request *parent, struct arena *scratch) {
        const char *name = arena_printf(scratch, SLICE_FMT "%s" SLICE_FMT,
                                        SLICE_ARG(parent ? parent->name : SLICE_EMPTY),
                                        parent ? "/" : "", SLICE_ARG(request->name));

        if (device_inventory_class(claims->inventory, request->class_name))
                return NULL;
        return arena_printf(scratch, "request %s: device class " SLICE_FMT " does not exist", name,
                            SLICE_ARG(request->class_name));
}

static const char *request_problem(const struct device_claims *claims,
                                   const struct resource_claim *claim,
                                   const struct device_request *request, struct arena *scratch) {
        const char *problem = NULL;
        const char *about = arena_printf(
                scratch, "resource claim " SLICE_FMT "/" SLICE_FMT ", request " SLICE_FMT ": ",
                SLICE_ARG(claim->meta.ns), SLICE_ARG(claim->meta.name), SLICE_ARG(request->name));

        if (request->has_exactly)
                return class_problem(claims, request, NULL, scratch);
        if (!request->choice_count)
                return arena_printf(scratch, "%sunknown request type", about);
        if (!claims->inventory->gates.has_choices)
                return arena_printf(scratch,
                                    "%shas subrequests, but the DRAPrioritizedList feature is "
                                    "disabled",
                                    about);
        for (size_t i = 0; !problem && i < request->choice_count; i++)
                problem = class_problem(claims, &request->choices[i], request, scratch);
        return problem;
}

const char *device_claims_problem(const struct device_claims *claims, struct arena *scratch) {
        const char *problem = NULL;

        for (size_t i = 0; i < claims->wanted_count; i++) {
                const struct resource_claim *claim = claims->wanted[i];

                for (size_t j = 0; !problem && j < claim->spec.request_count; j++)
                        problem = request_problem(claims, claim, &claim->spec.requests[j], scratch);
        }
        return problem;
}

/* ---- nodes ---- */

struct node_context {
        const struct cluster *cluster;
        struct node_id node;
};

static bool matches_node(const void *context, const struct affinity *terms) {
        const struct node_context *place = context;

        return node_terms_match(place->cluster, terms->required_node, terms->required_node_count,
                                place->node);
}

static void forget_reaches(struct device_view *view, const struct cluster_change *changes,
                           size_t count) {
        for (size_t i = 0; i < count; i++)
                if ((changes[i].mask & DEVICE_NODE_CHANGES) &&
                    changes[i].node.index < view->reach_count)
                        view->reaches[changes[i].node.index] = NULL;
}

static void catch_up_reaches(struct device_view *view, const struct cluster *cluster) {
        size_t count = cluster_nodes(cluster)->count;
        struct change_range range;

        if (view->reach_count == count && view->generation == cluster_generation(cluster))
                return;
        if (view->reach_count == count &&
            cluster_changes_since(cluster, view->generation, &range)) {
                forget_reaches(view, range.first, range.first_count);
                forget_reaches(view, range.second, range.second_count);
        } else {
                view->reaches = xreallocarray(view->reaches, count + 1, sizeof(*view->reaches));
                view->reach_count = count;
                for (size_t i = 0; i < count; i++)
                        view->reaches[i] = NULL;
        }
        view->generation = cluster_generation(cluster);
}

const struct device_reach *device_view_reach(struct device_view *view,
                                             const struct sched_cycle *cycle, struct node_id node) {
        catch_up_reaches(view, cycle->cluster);
        if (!view->reaches[node.index]) {
                const struct node_context context = { cycle->cluster, node };
                const struct device_node place = { .name = cluster_node_name(cycle->cluster, node),
                                                   .matches = matches_node,
                                                   .context = &context };

                view->reaches[node.index] = device_reach_of(view->inventory, &place);
        }
        return view->reaches[node.index];
}

static enum device_outcome search_node(const struct sched_cycle *cycle,
                                       const struct device_claims *claims,
                                       const struct device_search *search, struct node_id node,
                                       struct device_allocation **ret_allocations,
                                       struct err *err) {
        const struct node_context context = { cycle->cluster, node };
        const struct device_node place = { cluster_node_name(cycle->cluster, node), matches_node,
                                           &context, device_view_reach(claims->view, cycle, node) };

        return device_search_run(search, &place, ret_allocations, err);
}

/* extra: one more claim, NULL = none. */
static struct device_search search_of(const struct device_claims *claims,
                                      const struct resource_claim *extra, struct arena *arena) {
        claims->wanted[claims->wanted_count] = extra;
        bool is_known =
                claims->memo && !extra && device_memo_owner(claims->memo) == claims->kind_serial;
        return (struct device_search){ .inventory = claims->inventory,
                                       .claims = claims->wanted,
                                       .claim_count = claims->wanted_count + !!extra,
                                       .arena = arena,
                                       .steps_max = claims->steps_max,
                                       .memo = is_known ? claims->memo : NULL };
}

enum device_outcome device_claims_search(const struct sched_cycle *cycle,
                                         const struct device_claims *claims,
                                         const struct device_place_asked *asked,
                                         struct arena *arena,
                                         struct device_allocation **ret_allocations) {
        const struct device_search search = search_of(claims, asked->extra, arena);
        struct err err = { 0 };

        return search_node(cycle, claims, &search, asked->node, ret_allocations, &err);
}

bool device_claims_concern(const struct device_claims *claims, uint32_t pool, struct arena *arena) {
        const struct device_search search = search_of(claims, NULL, arena);

        return device_search_concerns(&search, pool);
}

bool device_claims_concern_own(const struct sched_cycle *cycle, const struct device_claims *claims,
                               const struct device_place_asked *asked, struct arena *arena) {
        const struct device_search search = search_of(claims, asked->extra, arena);
        const struct node_context context = { cycle->cluster, asked->node };
        const struct device_node place = { .name = cluster_node_name(cycle->cluster, asked->node),
                                           .matches = matches_node,
                                           .context = &context };

        return device_search_concerns_own(&search, &place);
}

bool device_claims_own_key(const struct sched_cycle *cycle, const struct device_claims *claims,
                           const struct device_place_asked *asked, struct arena *arena,
                           struct buf *key) {
        const struct device_search search = search_of(claims, asked->extra, arena);
        const struct node_context context = { cycle->cluster, asked->node };
        const struct device_node place = { .name = cluster_node_name(cycle->cluster, asked->node),
                                           .matches = matches_node,
                                           .context = &context };

        return device_search_own_key(&search, &place, key);
}

const struct device_verdict *device_claims_on(const struct sched_cycle *cycle,
                                              const struct device_claims *claims,
                                              const struct resource_claim *extra,
                                              struct node_id node) {
        const struct device_search search = search_of(claims, extra, cycle->scratch);
        struct err err = { 0 };

        if (!claims->verdicts->items)
                claims->verdicts->items = ARENA_ARRAY(cycle->scratch, struct device_verdict *,
                                                      cluster_nodes(cycle->cluster)->count);
        struct device_verdict *verdict = claims->verdicts->items[node.index];
        if (verdict)
                return verdict;
        verdict = claims->verdicts->items[node.index] =
                ARENA_NEW(cycle->scratch, struct device_verdict);
        verdict->outcome = search_node(cycle, claims, &search, node, &verdict->allocations, &err);
        if (verdict->outcome == DEVICES_FAILED)
                verdict->problem = arena_string(cycle->scratch, slice_of(err.text));
        return verdict;
}

/* ---- counts ---- */

void device_view_count(struct device_inventory *inventory, const struct sched_cycle *cycle,
                       struct slice class_name, struct node_id node, int64_t *ret_count,
                       int64_t *ret_allocated) {
        const struct node_context context = { cycle->cluster, node };
        const struct device_node place = { cluster_node_name(cycle->cluster, node), matches_node,
                                           &context };
        size_t count, allocated;

        if (device_count_class(inventory, &place, class_name, cycle->scratch, &count, &allocated) <
                    0 ||
            count == 0)
                return;
        *ret_count = (int64_t)count;
        *ret_allocated = (int64_t)allocated;
}

void device_claims_describe(const struct sched_cycle *cycle, const struct device_claims *claims,
                            const struct device_place_asked *asked,
                            void (*say)(void *context, const struct refusal_detail *detail),
                            void *context) {
        const struct node_context place = { cycle->cluster, asked->node };
        const struct device_node node = { cluster_node_name(cycle->cluster, asked->node),
                                          matches_node, &place };
        const struct device_search search = search_of(claims, asked->extra, cycle->scratch);

        device_refusals_say(&search, &node, say, context);
}

/* ---- scores ---- */

static int64_t score_of_results(const struct resource_claim *claim) {
        int64_t score = 0;

        for (size_t i = 0; i < claim->spec.request_count; i++) {
                const struct device_request *request = &claim->spec.requests[i];

                for (size_t j = 0; j < request->choice_count; j++) {
                        bool is_allocated = false;

                        for (size_t k = 0; k < claim->result_count; k++) {
                                struct slice name = claim->results[k].request, base;

                                is_allocated |= slice_split(&name, '/', &base) &&
                                                slice_eq(base, request->name) &&
                                                slice_eq(name, request->choices[j].name);
                        }
                        score += is_allocated ? CHOICES_MAX - (int64_t)j : 0;
                }
        }
        return score;
}

static int64_t score_of_choices(const struct resource_claim *claim,
                                const struct device_allocation *allocation) {
        int64_t score = 0;

        for (size_t i = 0; i < claim->spec.request_count; i++) {
                const struct device_request *request = &claim->spec.requests[i];
                bool has_devices = false;

                for (size_t j = 0; j < allocation->pick_count; j++)
                        has_devices |= allocation->picks[j].parent == request;
                if (has_devices)
                        score += CHOICES_MAX - (int64_t)allocation->chosen[i];
        }
        return score;
}

int64_t device_claims_score_found(const struct device_claims *claims,
                                  const struct device_allocation *allocations) {
        int64_t score = 0;

        for (size_t i = 0; i < claims->wanted_count; i++)
                score += score_of_choices(claims->wanted[i], &allocations[i]);
        return score;
}

int64_t device_claims_score_allocated(const struct device_claims *claims) {
        int64_t score = 0;

        for (size_t i = 0; i < claims->count; i++)
                if (claims->claims[i]->is_allocated)
                        score += score_of_results(claims->claims[i]);
        return score;
}
