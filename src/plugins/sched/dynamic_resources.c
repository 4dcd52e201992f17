/* DynamicResources: pods without resource claims pass; claims themselves are not allocated here, so
 * a pod that has some is refused with a reason instead of being placed without its devices. */
#include "plugin/sched_attempt.h"
#include "plugins/sched/registry.h"

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

static bool has_claims(const struct sched_cycle *cycle) {
        return cycle->class->spec.claim_count > 0;
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)state;
        (void)ret_pod_state;
        (void)ret_only;
        if (!has_claims(cycle))
                return VERDICT_SKIP;
        verdict_no(verdict, VERDICT_UNRESOLVABLE,
                   SLICE_LITERAL("resource claims cannot be allocated by this scheduler"));
        return VERDICT_UNRESOLVABLE;
}

static enum verdict_code pre_enqueue(const struct sched_cycle *cycle, const void *state,
                                     struct verdict *verdict) {
        (void)cycle;
        (void)state;
        (void)verdict;
        return VERDICT_OK;
}

static void filter(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                   struct bitset *nodes) {
        (void)state;
        (void)pod_state;
        if (has_claims(cycle))
                bitset_clear(nodes);
}

static void explain(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                    struct node_id node, struct verdict *verdict) {
        (void)state;
        (void)pod_state;
        (void)node;
        if (has_claims(cycle))
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("cannot allocate all claims"));
}

static void score(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                  struct node_batch batch, int64_t *ret_scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        memset(ret_scores, 0, batch.count * sizeof(*ret_scores));
}

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
        .sched = &(const struct sched_points){ .is_local = true,
                                               .pre_enqueue = pre_enqueue,
                                               .pre_filter = pre_filter,
                                               .filter = filter,
                                               .explain = explain,
                                               .score = score,
                                               .post_filter = post_filter,
                                               .silent_points =
                                                       1u << POINT_RESERVE | 1u << POINT_PRE_BIND },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_NODE_ALLOCATABLE,
};
