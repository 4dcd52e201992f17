/* DynamicResources: claims that are allocated are honoured, on the nodes where their devices are,
 * and reserved for the pod; claims that are not are not allocated here, so a pod that has one is
 * refused with a reason instead of being placed without its devices. */
#include "base/util.h"
#include "plugin/sched_attempt.h"
#include "plugins/sched/device_claims.h"
#include "plugins/sched/normalize.h"
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

/* view: NULL as long as slices and classes are not known; then nothing is allocated. */
struct dynamic_resources {
        struct device_view *view;
};

static int dynamic_resources_init(const struct plugin_env *env, const void *args, void **ret_state,
                                  struct err *err) {
        struct dynamic_resources *resources = xcalloc(1, sizeof(*resources));
        struct device_gates gates;

        (void)args;
        (void)err;
        gates = (struct device_gates){
                .has_admin_access = !(env->gates & FEATURE_NO_DEVICE_ADMIN),
                .has_choices = !(env->gates & FEATURE_NO_DEVICE_CHOICES),
                .has_counters = !(env->gates & FEATURE_NO_DEVICE_COUNTERS),
                .has_taints = !(env->gates & FEATURE_NO_DEVICE_TAINTS),
                .has_binding_conditions = !(env->gates & FEATURE_NO_DEVICE_CONDITIONS),
                .has_shares = !(env->gates & FEATURE_NO_DEVICE_SHARES),
                .has_lists = env->gates & FEATURE_DEVICE_LISTS,
                .is_parity = env->is_parity,
        };
        if (env->gates & FEATURE_DEVICES)
                resources->view = device_view_new(&gates);
        *ret_state = resources;
        return 0;
}

static void dynamic_resources_fini(void *state) {
        struct dynamic_resources *resources = state;

        if (resources)
                device_view_free(resources->view);
        free(resources);
}

/* ---- claims ---- */

#define RESERVED_MAX                                                                               \
        256 /* pods that may share a claim; upstream's ResourceClaimReservedForMaxSize */

static const struct json *status_of(const struct json *claim) {
        return json_get(claim, "status");
}

static const struct json *allocation_of(const struct json *claim) {
        const struct json *allocation = json_get(status_of(claim), "allocation");
        return json_type(allocation) == JSON_OBJECT ? allocation : NULL;
}

/* Made from the pod's template: the pod controls it, and an annotation names it. */
static const struct json *made_claim(const struct sched_cycle *cycle, struct slice name) {
        const struct pod_row *row =
                pod_id_is_none(cycle->pod) ? NULL : cluster_pod(cycle->cluster, cycle->pod);
        const struct json *claim;
        size_t at = 0;
        while (row &&
               (claim = object_cache_next(cycle->object_cache, CACHED_RESOURCE_CLAIM, &at))) {
                const struct json *annotations =
                        json_get(json_get(claim, "metadata"), "annotations");
                if (slice_eq(json_get_text(annotations, "resource.kubernetes.io/pod-claim-name"),
                             name) &&
                    claim_is_of_pod(claim, slice_of(row->uid)))
                        return claim;
        }
        return NULL;
}

static const struct json *claim_at(const struct sched_cycle *cycle, size_t index) {
        const struct pod_resource_claim *claim = &cycle->class->spec.claims[index];
        if (slice_is_empty(claim->claim_name))
                return made_claim(cycle, claim->name);
        return object_cache_get(cycle->object_cache, CACHED_RESOURCE_CLAIM,
                                cluster_text(cycle->cluster, cycle->ns), claim->claim_name);
}

static bool is_reserved_for(const struct json *claim, const char *uid) {
        struct json_iter iter = json_iter(json_get(status_of(claim), "reservedFor"));
        const struct json *consumer;
        while (json_next(&iter, NULL, &consumer))
                if (slice_is(json_get_text(consumer, "uid"), uid))
                        return true;
        return false;
}

/* ---- PreEnqueue, PreFilter, Filter ---- */

static enum verdict_code pre_enqueue(const struct sched_cycle *cycle, const void *state,
                                     struct verdict *verdict) {
        (void)state;
        for (size_t i = 0; cycle->object_cache && i < cycle->class->spec.claim_count; i++) {
                const struct pod_resource_claim *claim = &cycle->class->spec.claims[i];
                if (claim_at(cycle, i))
                        continue;
                bool is_made = slice_is_empty(claim->claim_name);
                struct slice name = is_made ? claim->name : claim->claim_name;
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           slice_of(arena_printf(cycle->scratch,
                                                 is_made ? "waiting for the resource claim "
                                                           "\"%.*s\" to be made"
                                                         : "resourceclaim \"%.*s\" not found",
                                                 SLICE_ARG(name))));
                return verdict->code;
        }
        return VERDICT_OK;
}

/* Why a claim cannot be used as it is; NULL: it can. */
static const char *claim_problem(const struct sched_cycle *cycle, const struct json *claim,
                                 bool may_allocate) {
        const char *uid =
                pod_id_is_none(cycle->pod) ? "" : cluster_pod(cycle->cluster, cycle->pod)->uid;
        if (!claim)
                return "resourceclaim not found";
        if (object_is_terminating(claim))
                return arena_printf(cycle->scratch,
                                    "resourceclaim \"" SLICE_FMT "\" is being deleted",
                                    SLICE_ARG(cached_object_name(claim)));
        if (!allocation_of(claim) && may_allocate)
                return NULL;
        if (!allocation_of(claim))
                return "resource claims cannot be allocated by this scheduler";
        if (!is_reserved_for(claim, uid) &&
            json_count(json_get(status_of(claim), "reservedFor")) >= RESERVED_MAX)
                return "resourceclaim in use";
        return NULL;
}

/* The node selectors of the pod's claims; a claim without one may be used anywhere. */
struct claim_places {
        size_t count;
        const struct affinity **selectors;
        struct device_claims devices; /* with slices and classes known */
};

/* The pod's claims, decoded, and those of them that are to be allocated. */
static const char *take_claims(const struct sched_cycle *cycle,
                               const struct dynamic_resources *resources,
                               struct device_claims *claims) {
        size_t count = cycle->class->spec.claim_count;

        claims->claims = ARENA_ARRAY(cycle->scratch, const struct resource_claim *, count);
        claims->wanted = ARENA_ARRAY(cycle->scratch, const struct resource_claim *, count);
        for (size_t i = 0; i < count; i++) {
                struct resource_claim *claim = ARENA_NEW(cycle->scratch, struct resource_claim);
                struct err err = { 0 };

                if (resource_claim_decode(claim_at(cycle, i), cycle->scratch, claim, &err) < 0)
                        return arena_printf(cycle->scratch, "resourceclaim: %s", err.text);
                claims->claims[claims->count++] = claim;
                if (!claim->is_allocated)
                        claims->wanted[claims->wanted_count++] = claim;
        }
        claims->inventory = device_view_refresh(resources->view, cycle->object_cache);
        claims->verdicts = ARENA_ARRAY(cycle->scratch, struct device_verdict,
                                       cluster_nodes(cycle->cluster)->count);
        return device_claims_problem(claims, cycle->scratch);
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        const struct dynamic_resources *resources = state;
        (void)ret_only;
        size_t count = cycle->class->spec.claim_count;
        if (count == 0)
                return VERDICT_SKIP;
        struct claim_places *places = ARENA_NEW(cycle->scratch, struct claim_places);
        *places = (struct claim_places){ .selectors = ARENA_ARRAY(cycle->scratch,
                                                                  const struct affinity *, count) };
        for (size_t i = 0; i < count; i++) {
                const struct json *claim = claim_at(cycle, i), *selector;
                struct affinity *affinity = ARENA_NEW(cycle->scratch, struct affinity);
                const char *problem = claim_problem(cycle, claim, resources->view);
                if (problem) {
                        verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(problem));
                        return VERDICT_UNRESOLVABLE;
                }
                selector = json_get(allocation_of(claim), "nodeSelector");
                if (json_type(selector) == JSON_OBJECT &&
                    node_selector_decode(selector, cycle->scratch, affinity, NULL) == 0)
                        places->selectors[places->count++] = affinity;
        }
        const char *refusal =
                resources->view ? take_claims(cycle, resources, &places->devices) : NULL;
        if (refusal) {
                verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(refusal));
                return VERDICT_UNRESOLVABLE;
        }
        *ret_pod_state = places;
        return VERDICT_OK;
}

static bool dynamic_resources_admits(const struct sched_cycle *cycle,
                                     const struct claim_places *places, struct node_id node) {
        for (size_t i = 0; i < places->count; i++)
                if (!volume_admits(cycle->cluster, places->selectors[i], node))
                        return false;
        return !places->devices.wanted_count ||
               device_claims_on(cycle, &places->devices, node)->outcome == DEVICES_FOUND;
}

static void dynamic_resources_filter(const struct sched_cycle *cycle, const void *state,
                                     const void *pod_state, struct bitset *nodes) {
        (void)state;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (!dynamic_resources_admits(cycle, pod_state, (struct node_id){ (uint32_t)i }))
                        bitset_remove(nodes, i);
}

static void dynamic_resources_explain(const struct sched_cycle *cycle, const void *state,
                                      const void *pod_state, struct node_id node,
                                      struct verdict *verdict) {
        const struct claim_places *places = pod_state;
        const struct device_verdict *devices;

        (void)state;
        if (dynamic_resources_admits(cycle, pod_state, node))
                return;
        devices = places->devices.wanted_count ? device_claims_on(cycle, &places->devices, node)
                                               : NULL;
        if (devices && devices->outcome == DEVICES_FAILED)
                verdict_no(verdict, VERDICT_ERROR, slice_of(devices->problem));
        else if (devices && devices->outcome == DEVICES_INVALID)
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("invalid resource pools were encountered"));
        else if (devices && devices->outcome == DEVICES_MISSING)
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("cannot allocate all claims"));
        else
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("resourceclaim not available on the node"));
}

/* ---- Reserve, PreBind ---- */

static void add_finalizer(struct json_tree *tree, struct json_node *object) {
        static const char name[] = "resource.kubernetes.io/delete-protection";
        struct json_node *list =
                node_need_array(tree, node_need_object(tree, object, "metadata"), "finalizers");

        for (size_t i = 0; i < node_count(list); i++) {
                if (slice_is(node_get_slice(node_at(list, i)), name))
                        return;
        }
        node_append(list, node_string(tree, name));
}

/* Devices of the node for a claim that is not allocated; no change where there are none. */
static void put_allocation(const struct sched_cycle *cycle, const struct claim_places *places,
                           struct node_id node, const struct json *claim, struct json_tree *tree,
                           struct json_node *object) {
        const struct device_claims *claims = &places->devices;
        const struct device_verdict *devices = device_claims_on(cycle, claims, node);
        struct rng rng;

        rng_init(&rng, slice_hash(json_get_text(json_get(claim, "metadata"), "uid")));
        for (size_t i = 0; i < claims->wanted_count && devices->outcome == DEVICES_FOUND; i++) {
                const struct device_result_request request = {
                        claims->inventory, claims->wanted[i], &devices->allocations[i],
                        cluster_node_name(cycle->cluster, node), &rng
                };

                if (!slice_eq(claims->wanted[i]->meta.name, cached_object_name(claim)))
                        continue;
                struct json_node *result = device_result_node(tree, &request, NULL);
                if (result)
                        node_put(tree, node_need_object(tree, object, "status"), "allocation",
                                 result);
                add_finalizer(tree, object);
        }
}

struct claim_change {
        const struct json *claim;
        struct json_tree *tree;
        struct json_node *object;
};

/* The claim's status names the pod as one of those that use it. */
static struct claim_change reserve_claim(const struct sched_cycle *cycle,
                                         const struct claim_places *places, struct node_id node,
                                         const struct json *claim) {
        const struct pod_row *row = cluster_pod(cycle->cluster, cycle->pod);
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_import(tree, claim), *consumer = node_object(tree);
        struct json_node *status = node_need_object(tree, object, "status");
        if (places && !allocation_of(claim))
                put_allocation(cycle, places, node, claim, tree, object);
        node_put_string(tree, consumer, "resource", "pods");
        node_put_string(tree, consumer, "name", row->name);
        node_put_string(tree, consumer, "uid", row->uid);
        node_append(node_need_array(tree, status, "reservedFor"), consumer);
        return (struct claim_change){ claim, tree, object };
}

/* Whether the pod names a claim under several names. */
static bool is_changed(const struct claim_change *changes, size_t count, const struct json *claim) {
        for (size_t i = 0; i < count; i++)
                if (changes[i].claim == claim)
                        return true;
        return false;
}

/* All changes are made before the first one is kept: that ends what the others are made from. */
static void dynamic_resources_reserve(const struct sched_cycle *cycle, const void *state,
                                      const void *pod_state, struct node_id node,
                                      const struct reservation *reservation) {
        size_t claims = cycle->class->spec.claim_count, count = 0;
        struct claim_change *changes = xcalloc(claims + 1, sizeof(*changes));
        const char *uid = cluster_pod(cycle->cluster, cycle->pod)->uid;

        (void)state;
        for (size_t i = 0; i < claims; i++) {
                const struct json *claim = claim_at(cycle, i);

                if (claim && !is_reserved_for(claim, uid) && !is_changed(changes, count, claim))
                        changes[count++] = reserve_claim(cycle, pod_state, node, claim);
        }
        for (size_t i = 0; i < count; i++) {
                reservation_change(reservation, CACHED_RESOURCE_CLAIM, changes[i].claim,
                                   changes[i].object);
                json_tree_free(changes[i].tree);
        }
        free(changes);
}

static enum verdict_code pre_bind(const struct sched_cycle *cycle, const void *state,
                                  struct node_id node, int64_t waited_ns, struct verdict *verdict) {
        (void)state;
        (void)node;
        (void)waited_ns;
        for (size_t i = 0; cycle->object_cache && i < cycle->class->spec.claim_count; i++) {
                const char *problem = claim_problem(cycle, claim_at(cycle, i), false);
                if (problem) {
                        verdict_no(verdict, VERDICT_ERROR, slice_of(problem));
                        return VERDICT_ERROR;
                }
        }
        return VERDICT_OK;
}

/* ---- the rest ---- */

/* The search is made again for the nodes that are left. */
static void dynamic_resources_score(const struct sched_cycle *cycle, const void *state,
                                    const void *pod_state, struct node_batch batch,
                                    int64_t *ret_scores) {
        const struct dynamic_resources *resources = state;
        struct device_claims claims = { 0 };

        (void)pod_state;
        if (resources->view && cycle->class->spec.claim_count)
                take_claims(cycle, resources, &claims);
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = device_claims_score(cycle, &claims, batch.nodes[i]);
}

static void dynamic_resources_normalize(const struct sched_cycle *cycle, const void *state,
                                        const void *pod_state, struct node_batch feasible,
                                        int64_t *scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        normalize_by_max(scores, feasible.count, false);
}

const struct plugin plugin_dynamic_resources; /* below */

/* Upstream fails here, and with it the whole phase, when PreFilter ended before this plugin. */
static enum verdict_code post_filter(struct sched_attempt *attempt, const void *state,
                                     struct verdict *verdict) {
        const struct dynamic_resources *resources = state;
        bool has_claims = resources->view && attempt->cycle.class->spec.claim_count &&
                          attempt->pre_filter.code != VERDICT_UNRESOLVABLE;
        bool was_asked = false;
        for (size_t i = 0; i < attempt->profile->plugin_count; i++)
                if (attempt->profile->plugins[i].plugin == &plugin_dynamic_resources)
                        was_asked = attempt->plugins[i].was_asked;
        if (!was_asked && attempt->cycle.is_parity)
                verdict_no(verdict, VERDICT_ERROR, SLICE_LITERAL("not found"));
        else
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           has_claims ? SLICE_LITERAL("still not schedulable")
                                      : SLICE_LITERAL("no new claims to deallocate"));
        return verdict->code;
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
                        .score = dynamic_resources_score,
                        .normalize = dynamic_resources_normalize,
                        .post_filter = post_filter,
                        .reserve = dynamic_resources_reserve,
                        .pre_bind = pre_bind,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_VOLUMES,
                                                              .score = CACHE_SCOPE_NODE } },
        .wakes_on =
                CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_NODE_ALLOCATABLE | CLUSTER_CLAIM,
};
