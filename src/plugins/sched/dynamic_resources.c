/* DynamicResources: claims of devices. Claims that are allocated are honoured, on the nodes where
 * their devices are; others are allocated, on the node that the pod gets. Before the pod is bound
 * its claims are written: what was allocated, and that the pod reserves it. */
#include "base/util.h"
#include "plugin/sched_attempt.h"
#include "plugins/sched/claim_kinds.h"
#include "plugins/sched/device_claims.h"
#include "plugins/sched/extended_claim.h"
#include "plugins/sched/node_devices.h"
#include "plugins/sched/normalize.h"
#include "plugins/sched/pod_device_claims.h"
#include "rules/volumes.h"
#include <stdlib.h>

#define DURATION_FIELD(field_name, member, least, standard, text)                                  \
        {                                                                                          \
                .name = field_name, .type = FIELD_DURATION,                                        \
                .offset = offsetof(struct dynamic_resources_args, member),                         \
                .presence = FIELD_NO_PRESENCE, .is_bounded = true, .min = least, .max = INT64_MAX, \
                .fallback = standard, .help = text                                                 \
        }

struct dynamic_resources_args {
        struct args_head head;
        int64_t filter_timeout_ns, binding_timeout_ns;
};

struct dynamic_resources {
        struct device_gates gates;
        bool has_extended;     /* DRAExtendedResource */
        bool has_node_devices; /* DRANodeAllocatableResources */
        int64_t binding_timeout_ns;
        struct device_view *view;
        struct claim_kinds *kinds;
};

static int dynamic_resources_init(const struct plugin_env *env, const void *args, void **ret_state,
                                  struct err *err) {
        const struct dynamic_resources_args *own = args;
        struct dynamic_resources *resources = xcalloc(1, sizeof(*resources));

        (void)err;
        resources->gates = device_gates_of(env);
        resources->has_extended = !(env->gates & FEATURE_NO_EXTENDED_DEVICES);
        resources->has_node_devices = env->gates & FEATURE_NODE_DEVICES;
        resources->binding_timeout_ns = own->binding_timeout_ns;
        resources->view = device_view_new(&resources->gates);
        resources->kinds = claim_kinds_new();
        *ret_state = resources;
        return 0;
}

static void dynamic_resources_fini(void *state) {
        struct dynamic_resources *resources = state;

        if (resources) {
                claim_kinds_free(resources->kinds);
                device_view_free(resources->view);
        }
        free(resources);
}

/* ---- PreEnqueue ---- */

static enum verdict_code pre_enqueue(const struct sched_cycle *cycle, const void *state,
                                     struct verdict *verdict) {
        struct pod_device_claims claims;

        (void)state;
        if (!cycle->object_cache || cycle->class->spec.claim_count == 0)
                return VERDICT_OK;
        const char *problem = pod_device_claims_find(cycle, &claims);
        if (!problem)
                return VERDICT_OK;
        verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(problem));
        return verdict->code;
}

/* ---- PreFilter ---- */

struct claim_state { /* of one pod, in the scratch arena */
        struct pod_device_claims claims;
        struct device_claims devices; /* of those that are to be allocated */
        struct extended_resources *extended;
        struct arena *arena; /* where all of it lies, and what is remembered of nodes */
};

static bool has_extended(const struct claim_state *pod) {
        return pod->extended->count > 0;
}

/* The cycle with the arena of the pod's state: what is remembered must outlive a trial, whose own
 * scratch ends with it. */
static struct sched_cycle outlasting_cycle(const struct sched_cycle *cycle,
                                           const struct claim_state *pod) {
        struct sched_cycle whole = *cycle;

        whole.scratch = pod->arena;
        return whole;
}

static struct extended_claim *extra_on(const struct sched_cycle *cycle,
                                       const struct claim_state *pod, struct node_id node) {
        if (!has_extended(pod))
                return NULL;
        const struct sched_cycle whole = outlasting_cycle(cycle, pod);
        return extended_claim_on(&whole, pod->extended, node);
}

static const struct device_verdict *devices_on(const struct sched_cycle *cycle,
                                               const struct claim_state *pod, struct node_id node) {
        const struct extended_claim *extra = extra_on(cycle, pod, node);

        if (!pod->devices.wanted_count && !extra)
                return NULL;
        const struct sched_cycle whole = outlasting_cycle(cycle, pod);
        return device_claims_on(&whole, &pod->devices, extra ? &extra->claim : NULL, node);
}

/* How the search for devices ends on the node; found where nothing is sought. */
static enum device_outcome outcome_on(const struct sched_cycle *cycle,
                                      const struct claim_state *pod, struct node_id node) {
        const struct extended_claim *extra = extra_on(cycle, pod, node);

        if (!pod->devices.wanted_count && !extra)
                return DEVICES_FOUND;
        const struct sched_cycle whole = outlasting_cycle(cycle, pod);
        return claim_kinds_outcome(&whole, &pod->devices, extra ? &extra->claim : NULL, node);
}

/* Why a claim cannot be used as it is; NULL: it can, or can be allocated. */
static const char *claim_problem(const struct sched_cycle *cycle,
                                 const struct pod_device_claim *item) {
        const struct resource_claim *claim = item->claim;

        if (item->is_pending)
                return arena_printf(cycle->scratch,
                                    "resource claim " SLICE_FMT "/" SLICE_FMT
                                    " is in the process of being allocated",
                                    SLICE_ARG(claim->meta.ns), SLICE_ARG(claim->meta.name));
        /* Upstream lets the API server refuse it. */
        if (claim->is_allocated && !cycle->is_parity &&
            claim->consumer_count >= CLAIM_CONSUMERS_MAX &&
            !claim_is_reserved_for(claim, pod_uid_of(cycle)))
                return "resourceclaim in use";
        return NULL;
}

static void take_devices(const struct sched_cycle *cycle, const struct dynamic_resources *resources,
                         struct claim_state *pod) {
        struct device_claims *devices = &pod->devices;
        size_t count = pod->claims.count;

        devices->claims = ARENA_ARRAY(cycle->scratch, const struct resource_claim *, count);
        devices->wanted = ARENA_ARRAY(cycle->scratch, const struct resource_claim *, count + 1);
        for (size_t i = 0; i < count; i++) {
                const struct resource_claim *claim = pod->claims.items[i].claim;

                devices->claims[devices->count++] = claim;
                if (!claim->is_allocated)
                        devices->wanted[devices->wanted_count++] = claim;
        }
        if (!devices->wanted_count && !has_extended(pod))
                return;
        devices->inventory = device_view_refresh(resources->view, cycle->object_cache);
        devices->inventory_serial = device_view_serial(resources->view);
        devices->verdicts = ARENA_NEW(cycle->scratch, struct device_verdicts);
        devices->verdicts->items = NULL;
}

static const char *prepare_claims(const struct sched_cycle *cycle,
                                  const struct dynamic_resources *resources,
                                  struct claim_state *pod) {
        const char *problem = pod_device_claims_find(cycle, &pod->claims);

        pod->extended = ARENA_NEW(cycle->scratch, struct extended_resources);
        *pod->extended = (struct extended_resources){ 0 };
        if (resources->has_extended)
                extended_resources_find(cycle, pod->extended);
        for (size_t i = 0; !problem && i < pod->claims.count; i++)
                problem = claim_problem(cycle, &pod->claims.items[i]);
        if (problem)
                return problem;
        take_devices(cycle, resources, pod);
        problem = device_claims_problem(&pod->devices, cycle->scratch);
        if (!problem && pod->devices.wanted_count && !has_extended(pod))
                claim_kinds_find(resources->kinds, cycle, &pod->devices);
        return problem;
}

/* Most pods ask for nothing that devices could be. */
static bool asks_for_devices(const struct sched_cycle *cycle) {
        for (size_t i = 0; i < cycle->class->request_count; i++)
                if (may_be_devices(cluster_resource_name(cycle->cluster,
                                                         cycle->class->requests[i].resource)))
                        return true;
        return false;
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {

        (void)ret_only;
        if (cycle->class->spec.claim_count == 0 && !asks_for_devices(cycle))
                return VERDICT_SKIP;
        struct claim_state *pod = ARENA_NEW(cycle->scratch, struct claim_state);
        *pod = (struct claim_state){ .arena = cycle->scratch };
        const char *problem = prepare_claims(cycle, state, pod);
        if (problem) {
                verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(problem));
                return VERDICT_UNRESOLVABLE;
        }
        if (pod->claims.count == 0 && !has_extended(pod))
                return VERDICT_SKIP;
        *ret_pod_state = pod;
        return VERDICT_OK;
}

/* ---- Filter ---- */

/* Whether an allocated claim cannot be used on the node; one that is not allocated can. */
static bool is_unavailable(const struct sched_cycle *cycle,
                           const struct dynamic_resources *resources,
                           const struct resource_claim *claim, struct node_id node) {
        const struct device_condition *failure;

        if (!claim->is_allocated)
                return false;
        if (claim->has_node_selector && !volume_admits(cycle->cluster, &claim->node_selector, node))
                return true;
        if (!resources->gates.has_binding_conditions || claim_is_ready(claim, &failure))
                return false;
        return failure || claim_is_late(claim, cycle->now, resources->binding_timeout_ns);
}

static bool has_unavailable(const struct sched_cycle *cycle,
                            const struct dynamic_resources *resources,
                            const struct claim_state *pod, struct node_id node) {
        for (size_t i = 0; i < pod->claims.count; i++)
                if (is_unavailable(cycle, resources, pod->claims.items[i].claim, node))
                        return true;
        return false;
}

/* Allocated claims by which pods of the node take resources of it. */
static bool may_share(const struct sched_cycle *cycle, const struct dynamic_resources *resources,
                      const struct claim_state *pod, struct node_id node, struct verdict *verdict) {
        for (size_t i = 0; resources->has_node_devices && i < pod->claims.count; i++) {
                const struct resource_claim *claim = pod->claims.items[i].claim;

                if (!claim->is_allocated ||
                    (claim->has_node_selector &&
                     !volume_admits(cycle->cluster, &claim->node_selector, node)))
                        continue;
                const char *problem = node_devices_sharing(cycle, claim, node);
                if (!problem)
                        continue;
                verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(problem));
                return false;
        }
        return true;
}

static bool fits_with_devices(const struct sched_cycle *cycle,
                              const struct dynamic_resources *resources,
                              const struct claim_state *pod, struct node_id node,
                              struct verdict *verdict) {
        struct node_devices taken;

        if (!resources->has_node_devices)
                return true;
        const struct device_verdict *devices = devices_on(cycle, pod, node);
        if (!devices)
                return true;
        return node_devices_of(cycle, &pod->claims, &pod->devices, devices->allocations, &taken,
                               verdict) == VERDICT_OK &&
               node_devices_fit(cycle, &taken, node, verdict) == VERDICT_OK;
}

#define NOT_AVAILABLE "resourceclaim not available on the node"

static void dynamic_resources_explain(const struct sched_cycle *cycle, const void *state,
                                      const void *pod_state, struct node_id node,
                                      struct verdict *verdict) {
        const struct claim_state *pod = pod_state;

        if (pod->extended->leftover) {
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("cannot schedule extended resource claim"));
                return;
        }
        if (!may_share(cycle, state, pod, node, verdict))
                return;
        enum device_outcome outcome = outcome_on(cycle, pod, node);
        if (outcome == DEVICES_FAILED)
                verdict_no(verdict, VERDICT_ERROR, slice_of(devices_on(cycle, pod, node)->problem));
        else if (outcome == DEVICES_INVALID)
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("invalid resource pools were encountered"));
        else if (outcome == DEVICES_MISSING)
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("cannot allocate all claims"));
        else if (!fits_with_devices(cycle, state, pod, node, verdict))
                return;
        else if (has_unavailable(cycle, state, pod, node))
                verdict_no(verdict, VERDICT_UNRESOLVABLE, SLICE_LITERAL(NOT_AVAILABLE));
}

static void dynamic_resources_describe(const struct sched_cycle *cycle, const void *state,
                                       const void *pod_state, struct node_id node,
                                       void (*say)(void *context,
                                                   const struct refusal_detail *detail),
                                       void *context) {
        const struct claim_state *pod = pod_state;

        (void)state;
        if (pod->extended->leftover)
                return;
        const struct extended_claim *extra = extra_on(cycle, pod, node);
        const struct device_verdict *devices = devices_on(cycle, pod, node);
        if (devices && devices->outcome != DEVICES_FOUND)
                device_claims_describe(
                        cycle, &pod->devices,
                        &(struct device_place_asked){ extra ? &extra->claim : NULL, node }, say,
                        context);
}

/* Whether something stands in the way beside the devices that are sought. */
static bool is_about_more(const struct dynamic_resources *resources,
                          const struct claim_state *pod) {
        return resources->has_node_devices || pod->extended->leftover ||
               pod->devices.wanted_count < pod->claims.count;
}

static void dynamic_resources_filter(const struct sched_cycle *cycle, const void *state,
                                     const void *pod_state, struct bitset *nodes) {
        const struct claim_state *pod = pod_state;

        if (claim_kind_lasts(&pod->devices)) {
                claim_kind_narrow(cycle, &pod->devices, nodes);
                if (!is_about_more(state, pod))
                        return;
        }
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1)) {
                struct verdict verdict = { .code = VERDICT_OK };

                dynamic_resources_explain(cycle, state, pod_state, (struct node_id){ (uint32_t)i },
                                          &verdict);
                if (verdict.code != VERDICT_OK)
                        bitset_remove(nodes, i);
        }
}

/* ---- Reserve ---- */

const struct plugin plugin_dynamic_resources; /* below */

static void add_finalizer(struct json_tree *tree, struct json_node *object) {
        struct json_node *list =
                node_need_array(tree, node_need_object(tree, object, "metadata"), "finalizers");

        for (size_t i = 0; i < node_count(list); i++)
                if (slice_is(node_get_slice(node_at(list, i)), CLAIM_FINALIZER_NAME))
                        return;
        node_append(list, node_string(tree, CLAIM_FINALIZER_NAME));
}

struct claim_change {
        const struct json *claim;
        struct json_tree *tree;
        struct json_node *object;
};

static void add_consumer(const struct sched_cycle *cycle, struct claim_change *change) {
        const struct pod_row *row = cluster_pod(cycle->cluster, cycle->pod);
        struct json_node *consumer = node_object(change->tree);
        struct json_node *status = node_need_object(change->tree, change->object, "status");

        node_put_string(change->tree, consumer, "resource", "pods");
        node_put_string(change->tree, consumer, "name", row->name);
        node_put_string(change->tree, consumer, "uid", row->uid);
        node_append(node_need_array(change->tree, status, "reservedFor"), consumer);
}

static void stamp_allocation(const struct sched_cycle *cycle, struct json_tree *tree,
                             struct json_node *allocation) {
        char text[WALL_TIME_TEXT_MAX];
        struct wall_time now = { cycle->now.ns - cycle->now.ns % NS_PER_S };

        wall_time_format(now, text);
        node_put_string(tree, allocation, "allocationTimestamp", text);
}

/* The devices of the node that were found for a claim; `at`: its place among those wanted. */
static const char *put_allocation(const struct sched_cycle *cycle,
                                  const struct dynamic_resources *resources,
                                  const struct claim_state *pod, struct node_id node, size_t at,
                                  struct claim_change *change) {
        const struct device_claims *claims = &pod->devices;
        const struct device_verdict *devices = devices_on(cycle, pod, node);
        struct err err = { 0 };
        struct rng rng;

        if (devices->outcome != DEVICES_FOUND)
                return "claim allocation not found for node";
        const struct resource_claim *claim =
                at < claims->wanted_count ? claims->wanted[at] : &extra_on(cycle, pod, node)->claim;
        rng_init(&rng, slice_hash(claim->meta.uid));
        const struct device_result_request request = { claims->inventory, claim,
                                                       &devices->allocations[at],
                                                       cluster_node_name(cycle->cluster, node),
                                                       &rng };
        struct json_node *result = device_result_node(change->tree, &request, &err);
        if (!result)
                return arena_string(cycle->scratch, slice_of(err.text));
        if (resources->gates.has_binding_conditions)
                stamp_allocation(cycle, change->tree, result);
        node_put(change->tree, node_need_object(change->tree, change->object, "status"),
                 "allocation", result);
        add_finalizer(change->tree, change->object);
        return NULL;
}

/* Upstream adds the time to allocations that have none, which the API server refuses. */
static void stamp_old(const struct sched_cycle *cycle, const struct dynamic_resources *resources,
                      const struct resource_claim *claim, struct claim_change *change) {
        if (cycle->is_parity && resources->gates.has_binding_conditions &&
            !wall_time_is_set(claim->allocated))
                stamp_allocation(cycle, change->tree,
                                 node_get(node_get(change->object, "status"), "allocation"));
}

/* Whether the pod names a claim under several names. */
static bool is_repeated(const struct pod_device_claims *claims, size_t at) {
        for (size_t i = 0; i < at; i++)
                if (claims->items[i].object == claims->items[at].object)
                        return true;
        return false;
}

/* Makes the changes of all claims; NULL, or what failed. */
static const char *make_changes(const struct sched_cycle *cycle,
                                const struct dynamic_resources *resources,
                                const struct claim_state *pod, struct node_id node,
                                struct claim_change *changes, size_t *count) {
        const char *problem = NULL;

        for (size_t i = 0, wanted = 0; !problem && i < pod->claims.count; i++) {
                const struct pod_device_claim *item = &pod->claims.items[i];
                struct claim_change *change = &changes[*count];
                bool is_wanted = !item->claim->is_allocated;

                if (is_repeated(&pod->claims, i) ||
                    claim_is_reserved_for(item->claim, pod_uid_of(cycle))) {
                        wanted += is_wanted;
                        continue;
                }
                change->claim = item->object;
                change->tree = json_tree_new();
                change->object = node_import(change->tree, item->object);
                (*count)++;
                if (is_wanted)
                        problem = put_allocation(cycle, resources, pod, node, wanted++, change);
                else
                        stamp_old(cycle, resources, item->claim, change);
                add_consumer(cycle, change);
        }
        return problem;
}

/* The special claim is new. */
static const char *make_extra(const struct sched_cycle *cycle,
                              const struct dynamic_resources *resources,
                              const struct claim_state *pod, struct node_id node,
                              struct claim_change *change) {
        const struct extended_claim *extra = extra_on(cycle, pod, node);

        change->tree = json_tree_new();
        change->object = extended_claim_node(cycle, change->tree, extra);
        const char *problem =
                put_allocation(cycle, resources, pod, node, pod->devices.wanted_count, change);
        add_consumer(cycle, change);
        return problem;
}

/* Upstream makes a special claim without requests where the node offers the resources itself, but
 * the pod has claims of its own, and stumbles over it. */
static const char *no_mappings(const struct sched_cycle *cycle) {
        return arena_printf(cycle->scratch,
                            "nil or empty request mappings, no update of pod " SLICE_FMT
                            "/%s ExtendedResourceClaimStatus",
                            SLICE_ARG(cluster_text(cycle->cluster, cycle->ns)), cycle->pod_name);
}

static void patch_pod(const struct sched_cycle *cycle, const struct extended_claim *extra,
                      const struct claim_change *change, const struct reservation *reservation) {
        struct slice name = node_get_text(node_get(change->object, "metadata"), "name");

        reservation_patch_pod(reservation, extended_status_node(cycle, change->tree, extra, name));
}

/* What the pod takes of its node by devices. */
static void patch_node_devices(const struct sched_cycle *cycle, const struct claim_state *pod,
                               struct node_id node, const struct reservation *reservation) {
        struct verdict verdict = { .code = VERDICT_OK };
        const struct device_verdict *devices = devices_on(cycle, pod, node);
        struct node_devices taken;

        if (!devices || devices->outcome != DEVICES_FOUND ||
            node_devices_of(cycle, &pod->claims, &pod->devices, devices->allocations, &taken,
                            &verdict) != VERDICT_OK)
                return;
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_devices_status(cycle, tree, &taken);
        if (patch)
                reservation_patch_pod(reservation, patch);
        json_tree_free(tree);
}

/* What is written of the pod itself. */
static void patch_status(const struct sched_cycle *cycle, const struct dynamic_resources *resources,
                         const struct claim_state *pod, struct node_id node,
                         const struct claim_change *last, const struct reservation *reservation) {
        const struct extended_claim *extra = extra_on(cycle, pod, node);

        if (extra)
                patch_pod(cycle, extra, last, reservation);
        else if (cycle->is_parity && has_extended(pod) && pod->claims.count)
                reservation_fail(reservation, &plugin_dynamic_resources, "PreBind",
                                 slice_of(no_mappings(cycle)));
        if (resources->has_node_devices)
                patch_node_devices(cycle, pod, node, reservation);
}

/* All changes are made before the first one is kept: that ends what the others are made from. */
static void dynamic_resources_reserve(const struct sched_cycle *cycle, const void *state,
                                      const void *pod_state, struct node_id node,
                                      const struct reservation *reservation) {
        const struct claim_state *pod = pod_state;
        size_t count = 0;

        if (!pod)
                return;
        struct claim_change *changes =
                ARENA_ARRAY(cycle->scratch, struct claim_change, pod->claims.count + 1);
        const char *problem = make_changes(cycle, state, pod, node, changes, &count);
        if (!problem && extra_on(cycle, pod, node))
                problem = make_extra(cycle, state, pod, node, &changes[count++]);
        if (problem)
                reservation_fail(reservation, &plugin_dynamic_resources, "Reserve",
                                 slice_of(problem));
        else
                patch_status(cycle, state, pod, node, &changes[count ? count - 1 : 0], reservation);
        for (size_t i = 0; i < count; i++) {
                if (!problem)
                        reservation_change(reservation, CACHED_RESOURCE_CLAIM, changes[i].claim,
                                           changes[i].object);
                json_tree_free(changes[i].tree);
        }
}

/* ---- PreBind ---- */

static enum verdict_code claim_fails(const struct sched_cycle *cycle,
                                     const struct resource_claim *claim,
                                     const struct device_condition *failure,
                                     struct verdict *verdict) {
        const char *text =
                failure ? arena_printf(cycle->scratch,
                                       "device binding failed: claim=" SLICE_FMT
                                       ", reason=" SLICE_FMT ", message=\"" SLICE_FMT "\"",
                                       SLICE_ARG(claim->meta.name), SLICE_ARG(failure->reason),
                                       SLICE_ARG(failure->message))
                        : arena_printf(cycle->scratch, "device binding timeout: claim=" SLICE_FMT,
                                       SLICE_ARG(claim->meta.name));

        verdict_no(verdict, VERDICT_ERROR, slice_of(text));
        return VERDICT_ERROR;
}

/* NULL when all claims are the pod's. */
static const char *written_claims(const struct sched_cycle *cycle,
                                  const struct dynamic_resources *resources,
                                  struct pod_device_claims *ret_claims) {
        const char *problem = pod_device_claims_find(cycle, ret_claims);

        if (!problem && resources->has_extended && asks_for_devices(cycle))
                pod_device_claims_add(cycle, ret_claims, extended_claim_object(cycle));
        for (size_t i = 0; !problem && i < ret_claims->count; i++)
                if (!ret_claims->items[i].claim->is_allocated ||
                    !claim_is_reserved_for(ret_claims->items[i].claim, pod_uid_of(cycle)))
                        problem = "a claim was deallocated elsewhere in the meantime";
        return problem;
}

/* The claims are written; devices may have to become ready on the node. */
static enum verdict_code pre_bind(const struct sched_cycle *cycle, const void *state,
                                  struct node_id node, int64_t waited_ns, struct verdict *verdict) {
        const struct dynamic_resources *resources = state;
        struct pod_device_claims claims;
        bool is_ready = true;

        (void)node;
        (void)waited_ns;
        if (!cycle->object_cache ||
            (cycle->class->spec.claim_count == 0 && !asks_for_devices(cycle)))
                return VERDICT_OK;
        const char *problem = written_claims(cycle, resources, &claims);
        if (problem) {
                verdict_no(verdict, VERDICT_ERROR, slice_of(problem));
                return VERDICT_ERROR;
        }
        for (size_t i = 0; resources->gates.has_binding_conditions && i < claims.count; i++) {
                const struct resource_claim *claim = claims.items[i].claim;
                const struct device_condition *failure;

                if (claim_is_ready(claim, &failure))
                        continue;
                if (failure || claim_is_late(claim, cycle->now, resources->binding_timeout_ns))
                        return claim_fails(cycle, claim, failure, verdict);
                is_ready = false;
        }
        return is_ready ? VERDICT_OK : VERDICT_WAIT;
}

/* ---- Score ---- */

static int64_t score_on(const struct sched_cycle *cycle, const struct claim_state *pod,
                        struct node_id node) {
        const struct extended_claim *extra = extra_on(cycle, pod, node);

        return claim_kinds_score(cycle, &pod->devices, extra ? &extra->claim : NULL, node);
}

static void dynamic_resources_score(const struct sched_cycle *cycle, const void *state,
                                    const void *pod_state, struct node_batch batch,
                                    int64_t *ret_scores) {
        const struct dynamic_resources *resources = state;
        const struct claim_state *pod = resources->gates.has_choices ? pod_state : NULL;

        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = pod ? score_on(cycle, pod, batch.nodes[i]) : 0;
}

/* Which choice is made is not stored with the class. */
static bool has_choices(const void *pod_state) {
        const struct claim_state *pod = pod_state;

        for (size_t i = 0; pod && i < pod->devices.count; i++)
                for (size_t j = 0; j < pod->devices.claims[i]->spec.request_count; j++)
                        if (pod->devices.claims[i]->spec.requests[j].choice_count)
                                return true;
        return false;
}

static void dynamic_resources_normalize(const struct sched_cycle *cycle, const void *state,
                                        const void *pod_state, struct node_batch feasible,
                                        int64_t *scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        normalize_by_max(scores, feasible.count, false);
}

/* ---- PostFilter ---- */

/* By its name: a profile may have a copy of the plugin. */
static bool is_ours(const struct plugin *plugin) {
        return plugin && strcmp(plugin->name, plugin_dynamic_resources.name) == 0;
}

/* Whether the claim kept the pod from a node, where everything else was in order. */
static bool keeps_off(const struct sched_attempt *attempt,
                      const struct dynamic_resources *resources,
                      const struct resource_claim *claim) {
        for (size_t i = 0; i < attempt->refusal_count; i++) {
                const struct node_refusal *refusal = &attempt->refusals[i];

                if (is_ours(refusal->plugin) && refusal->reason_count &&
                    slice_is(refusal->reasons[0], NOT_AVAILABLE) &&
                    is_unavailable(&attempt->cycle, resources, claim, refusal->node))
                        return true;
        }
        return false;
}

static bool is_unused(const struct sched_attempt *attempt, const struct resource_claim *claim) {
        return claim->consumer_count == 0 ||
               (claim->consumer_count == 1 &&
                slice_eq(claim->consumers[0].uid, pod_uid_of(&attempt->cycle)));
}

/* Gives one claim up that nobody else uses, so that it can be allocated anew; of several the first
 * (upstream: any). */
static bool free_claim(struct sched_attempt *attempt, const struct dynamic_resources *resources,
                       const struct claim_state *pod) {
        for (size_t i = 0; i < pod->claims.count; i++) {
                const struct pod_device_claim *item = &pod->claims.items[i];

                if (!is_unused(attempt, item->claim) || !keeps_off(attempt, resources, item->claim))
                        continue;
                attempt->freed_claim = item->object;
                return true;
        }
        return false;
}

static const char *post_filter_text(struct sched_attempt *attempt,
                                    const struct dynamic_resources *resources,
                                    const struct claim_state *pod) {
        if (free_claim(attempt, resources, pod))
                return "deallocation of ResourceClaim completed";
        if (!pod->extended->leftover)
                return "still not schedulable";
        attempt->freed_claim = pod->extended->leftover;
        attempt->deletes_claim = true;
        return "deletion of ResourceClaim completed";
}

/* Upstream fails here, and with it the whole phase, when PreFilter ended before this plugin. */
static enum verdict_code post_filter(struct sched_attempt *attempt, const void *state,
                                     struct verdict *verdict) {
        const struct attempt_plugin *own = NULL;

        for (size_t i = 0; i < attempt->profile->plugin_count; i++)
                if (is_ours(attempt->profile->plugins[i].plugin))
                        own = &attempt->plugins[i];
        const struct claim_state *pod =
                own && own->was_asked && !own->filter_skips ? own->filter_state : NULL;
        if ((!own || !own->was_asked) && attempt->cycle.is_parity)
                verdict_no(verdict, VERDICT_ERROR, SLICE_LITERAL("not found"));
        else if (!pod || is_ours(attempt->pre_filter_plugin))
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           SLICE_LITERAL("no new claims to deallocate"));
        else
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           slice_of(post_filter_text(attempt, state, pod)));
        return verdict->code;
}

/* ---- waking ---- */

/* Its own claims have to be there; what became of the claims of others is another change. */
static bool dynamic_resources_wakes(const struct sched_cycle *cycle, const void *state,
                                    const struct cluster_change *change) {
        (void)state;
        if (!(change->mask & (CLUSTER_RESOURCE_CLAIM | CLUSTER_POD_CLAIMS)) ||
            change->mask & CLUSTER_DEVICES)
                return true;
        return pod_device_claims_are_news(cycle) || change->mask & CLUSTER_POD_CLAIMS;
}

static const struct field fields[] = {
        ARGS_HEAD_FIELDS,
        DURATION_FIELD("filterTimeout", filter_timeout_ns, 0, "\"10s\"",
                       "How long one node may take; 0 means no limit."),
        DURATION_FIELD("bindingTimeout", binding_timeout_ns, NS_PER_S, "\"10m\"",
                       "How long devices may take to become ready."),
        FIELD_END,
};

const struct plugin plugin_dynamic_resources = {
        .name = "DynamicResources",
        .args = fields,
        .args_size = sizeof(struct dynamic_resources_args),
        .init = dynamic_resources_init,
        .fini = dynamic_resources_fini,
        .sched =
                &(const struct sched_points){
                        .pre_enqueue = pre_enqueue,
                        .pre_filter = pre_filter,
                        .filter = dynamic_resources_filter,
                        .explain = dynamic_resources_explain,
                        .describe = dynamic_resources_describe,
                        .score = dynamic_resources_score,
                        .normalize = dynamic_resources_normalize,
                        .post_filter = post_filter,
                        .reserve = dynamic_resources_reserve,
                        .pre_bind = pre_bind,
                        .wakes = dynamic_resources_wakes,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_VOLUMES,
                                                              .score = CACHE_SCOPE_NODE,
                                                              .is_alone = has_choices } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_NODE_ALLOCATABLE |
                    CLUSTER_RESOURCE_CLAIM | CLUSTER_DEVICES | CLUSTER_POD_CLAIMS,
};
