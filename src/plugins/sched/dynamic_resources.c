/* DynamicResources: claims that are allocated are honoured, on the nodes where their devices are,
 * and reserved for the pod; claims that are not are not allocated here, so a pod that has one is
 * refused with a reason instead of being placed without its devices. */
#include "plugin/sched_attempt.h"
#include "rules/volumes.h"

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
static const char *claim_problem(const struct sched_cycle *cycle, const struct json *claim) {
        const char *uid =
                pod_id_is_none(cycle->pod) ? "" : cluster_pod(cycle->cluster, cycle->pod)->uid;
        if (!claim)
                return "resourceclaim not found";
        if (object_is_terminating(claim))
                return "resourceclaim is being deleted";
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
};

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)state;
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
                const char *problem = claim_problem(cycle, claim);
                if (problem) {
                        verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(problem));
                        return VERDICT_UNRESOLVABLE;
                }
                selector = json_get(allocation_of(claim), "nodeSelector");
                if (json_type(selector) == JSON_OBJECT &&
                    node_selector_decode(selector, cycle->scratch, affinity, NULL) == 0)
                        places->selectors[places->count++] = affinity;
        }
        *ret_pod_state = places;
        return VERDICT_OK;
}

static bool dynamic_resources_admits(const struct sched_cycle *cycle,
                                     const struct claim_places *places, struct node_id node) {
        for (size_t i = 0; i < places->count; i++)
                if (!volume_admits(cycle->cluster, places->selectors[i], node))
                        return false;
        return true;
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
        (void)state;
        if (!dynamic_resources_admits(cycle, pod_state, node))
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("resourceclaim not available on the node"));
}

/* ---- Reserve, PreBind ---- */

/* The claim's status names the pod as one of those that use it. */
static void reserve_claim(const struct sched_cycle *cycle, const struct json *claim,
                          const struct reservation *reservation) {
        const struct pod_row *row = cluster_pod(cycle->cluster, cycle->pod);
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_import(tree, claim), *consumer = node_object(tree);
        struct json_node *status = node_need_object(tree, object, "status");
        node_put_string(tree, consumer, "resource", "pods");
        node_put_string(tree, consumer, "name", row->name);
        node_put_string(tree, consumer, "uid", row->uid);
        node_append(node_need_array(tree, status, "reservedFor"), consumer);
        reservation_change(reservation, CACHED_RESOURCE_CLAIM, claim, object);
        json_tree_free(tree);
}

static void dynamic_resources_reserve(const struct sched_cycle *cycle, const void *state,
                                      const void *pod_state, struct node_id node,
                                      const struct reservation *reservation) {
        (void)state;
        (void)pod_state;
        (void)node;
        for (size_t i = 0; i < cycle->class->spec.claim_count; i++) {
                const struct json *claim = claim_at(cycle, i);
                if (claim && !is_reserved_for(claim, cluster_pod(cycle->cluster, cycle->pod)->uid))
                        reserve_claim(cycle, claim, reservation);
        }
}

static enum verdict_code pre_bind(const struct sched_cycle *cycle, const void *state,
                                  struct node_id node, int64_t waited_ns, struct verdict *verdict) {
        (void)state;
        (void)node;
        (void)waited_ns;
        for (size_t i = 0; cycle->object_cache && i < cycle->class->spec.claim_count; i++) {
                const char *problem = claim_problem(cycle, claim_at(cycle, i));
                if (problem) {
                        verdict_no(verdict, VERDICT_ERROR, slice_of(problem));
                        return VERDICT_ERROR;
                }
        }
        return VERDICT_OK;
}

/* ---- the rest ---- */

static void dynamic_resources_score(const struct sched_cycle *cycle, const void *state,
                                    const void *pod_state, struct node_batch batch,
                                    int64_t *ret_scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        memset(ret_scores, 0, batch.count * sizeof(*ret_scores));
}

const struct plugin plugin_dynamic_resources; /* below */

/* Upstream fails here, and with it the whole phase, when PreFilter ended before this plugin. */
static enum verdict_code post_filter(struct sched_attempt *attempt, const void *state,
                                     struct verdict *verdict) {
        (void)state;
        bool was_asked = false;
        for (size_t i = 0; i < attempt->profile->plugin_count; i++)
                if (attempt->profile->plugins[i].plugin == &plugin_dynamic_resources)
                        was_asked = attempt->plugins[i].was_asked;
        if (!was_asked && attempt->cycle.is_parity)
                verdict_no(verdict, VERDICT_ERROR, SLICE_LITERAL("not found"));
        else
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           SLICE_LITERAL("no new claims to deallocate"));
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
        .sched =
                &(const struct sched_points){
                        .pre_enqueue = pre_enqueue,
                        .pre_filter = pre_filter,
                        .filter = dynamic_resources_filter,
                        .explain = dynamic_resources_explain,
                        .score = dynamic_resources_score,
                        .post_filter = post_filter,
                        .reserve = dynamic_resources_reserve,
                        .pre_bind = pre_bind,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_VOLUMES,
                                                              .score = CACHE_SCOPE_NODE } },
        .wakes_on =
                CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_NODE_ALLOCATABLE | CLUSTER_CLAIM,
};
