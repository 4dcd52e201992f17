/* DynamicResources: claims of devices. Claims that are allocated are honoured, on the nodes where
 * their devices are; others are allocated, on the node that the pod gets. Before the pod is bound
 * its claims are written: what was allocated, and that the pod reserves it. */
#include "base/util.h"
#include "plugins/sched/claim_kinds.h"
#include "plugins/sched/dynamic_resources_priv.h"
#include "plugins/sched/normalize.h"
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

/* The search has no clock: so many devices may it look at. */
static size_t steps_of(const struct plugin_env *env, int64_t timeout_ns) {
        const int64_t step_ns = NS_PER_S / DEVICE_STEPS_PER_S;

        if (env->gates & FEATURE_NO_DEVICE_TIMEOUT || timeout_ns == 0)
                return SIZE_MAX;
        return timeout_ns < step_ns ? 1 : (size_t)(timeout_ns / step_ns);
}

const struct plugin plugin_dynamic_resources; /* below */

static int dynamic_resources_init(const struct plugin_env *env, const void *args, void **ret_state,
                                  struct err *err) {
        const struct dynamic_resources_args *own = args;
        struct dynamic_resources *resources = xcalloc(1, sizeof(*resources));

        (void)err;
        resources->plugin = &plugin_dynamic_resources;
        resources->gates = device_gates_of(env);
        resources->has_extended = !(env->gates & FEATURE_NO_EXTENDED_DEVICES);
        resources->has_node_devices = env->gates & FEATURE_NODE_DEVICES;
        resources->has_groups = env->gates & FEATURE_GROUP_DEVICES;
        resources->binding_timeout_ns = own->binding_timeout_ns;
        resources->steps_max = steps_of(env, own->filter_timeout_ns);
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
        const struct dynamic_resources *resources = state;
        struct pod_device_claims claims;

        if (!cycle->object_cache || cycle->class->spec.claim_count == 0)
                return VERDICT_OK;
        const char *problem = pod_device_claims_find(cycle, resources->has_groups, &claims);
        if (!problem)
                return VERDICT_OK;
        verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(problem));
        return verdict->code;
}

/* ---- PreFilter ---- */

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {

        (void)ret_only;
        if (cycle->class->spec.claim_count == 0 && !asks_for_devices(cycle))
                return VERDICT_SKIP;
        struct claim_state *pod = ARENA_NEW(cycle->scratch, struct claim_state);
        *pod = (struct claim_state){ .arena = cycle->scratch };
        const char *problem = claim_state_prepare(cycle, state, pod);
        if (problem) {
                verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(problem));
                return VERDICT_UNRESOLVABLE;
        }
        if (pod->claims.count == 0 && !claim_state_is_extended(pod))
                return VERDICT_SKIP;
        *ret_pod_state = pod;
        return VERDICT_OK;
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
        const char *problem = pod_device_claims_find(cycle, resources->has_groups, ret_claims);

        if (!problem && resources->has_extended && asks_for_devices(cycle))
                pod_device_claims_add(cycle, ret_claims, extended_claim_object(cycle));
        for (size_t i = 0; !problem && i < ret_claims->count; i++)
                if (!ret_claims->items[i].claim->is_allocated ||
                    !claim_is_reserved(cycle, resources->has_groups, ret_claims->items[i].claim))
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
        const struct extended_claim *extra = claim_state_extra(cycle, pod, node);

        return claim_kinds_score(cycle, &pod->devices, extra ? &extra->claim : NULL, node);
}

/* Whether what a node is worth follows from claims; nothing is scored where none is sought. */
static bool has_choices(const struct claim_state *pod) {
        for (size_t i = 0; pod && i < pod->devices.count; i++)
                for (size_t j = 0; j < pod->devices.claims[i]->spec.request_count; j++)
                        if (pod->devices.claims[i]->spec.requests[j].choice_count)
                                return true;
        return false;
}

static void dynamic_resources_score(const struct sched_cycle *cycle, const void *state,
                                    const void *pod_state, struct node_batch batch,
                                    int64_t *ret_scores) {
        const struct dynamic_resources *resources = state;
        bool is_scored = resources->gates.has_choices && has_choices(pod_state);

        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = is_scored ? score_on(cycle, pod_state, batch.nodes[i]) : 0;
}

/* Allocated claims score only where other claims are sought beside them. */
static bool is_sought(const struct claim_state *pod) {
        return has_choices(pod) && (pod->devices.wanted_count || claim_state_is_extended(pod));
}

static bool is_followed(const struct claim_state *pod) {
        return is_sought(pod) && claim_kind_lasts(&pod->devices);
}

static bool is_alone(const void *pod_state) {
        return is_sought(pod_state) && !is_followed(pod_state);
}

static uint64_t variant_of(const void *pod_state) {
        const struct claim_state *pod = pod_state;

        if (!is_followed(pod))
                return 0;
        uint64_t parts[] = { claim_kind_hash(&pod->devices),
                             (uint64_t)device_claims_score_allocated(&pod->devices) };
        return hash_bytes(parts, sizeof(parts), 0) | 1;
}

static const struct count_entry *score_entry(const void *pod_state) {
        const struct claim_state *pod = pod_state;

        return is_followed(pod) ? claim_kind_news(&pod->devices) : NULL;
}

static void dynamic_resources_normalize(const struct sched_cycle *cycle, const void *state,
                                        const void *pod_state, struct node_batch feasible,
                                        int64_t *scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        normalize_by_max(scores, feasible.count, false);
}

static const struct count_hints score_counts = { .entry = score_entry };

static const struct field fields[] = {
        ARGS_HEAD_FIELDS,
        DURATION_FIELD("filterTimeout", filter_timeout_ns, 0, "\"10s\"",
                       "How long one node may take, as 1,000,000 devices looked at for each "
                       "second; 0 means no limit."),
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
                        .post_filter = dynamic_resources_post_filter,
                        .reserve = dynamic_resources_reserve,
                        .pre_bind = pre_bind,
                        .wakes = dynamic_resources_wakes,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_VOLUMES,
                                                              .score = CACHE_SCOPE_VOLUMES,
                                                              .score_counts = &score_counts,
                                                              .variant = variant_of,
                                                              .is_alone = is_alone } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_NODE_ALLOCATABLE |
                    CLUSTER_RESOURCE_CLAIM | CLUSTER_DEVICES | CLUSTER_POD_CLAIMS,
};
