/* RemovePodsViolatingNodeTaints: running pods that do not tolerate a taint of their node (reference
 * descheduler.md 4.4). */
#include "base/util.h"
#include "plugin/desched_args.h"
#include "plugins/desched/sweep.h"
#include "rules/taints.h"

struct node_taints_args {
        struct namespaces_arg namespaces;
        struct selector_arg labels;
        bool with_prefer, has_included;
        struct text_list excluded, included; /* "key" or "key=value" */
};

#define MEMBER(member) offsetof(struct node_taints_args, member), .presence = FIELD_NO_PRESENCE

static const struct field fields[] = {
        NAMESPACES_FIELD(MEMBER(namespaces)),
        LABELS_FIELD(MEMBER(labels)),
        { .name = "includePreferNoSchedule",
          .type = FIELD_BOOL,
          .offset = MEMBER(with_prefer),
          .help = "Look at PreferNoSchedule taints as well." },
        { .name = "excludedTaints",
          .type = FIELD_TEXTS,
          .offset = MEMBER(excluded),
          .help = "Taints to overlook, as key or key=value." },
        { .name = "includedTaints",
          .type = FIELD_TEXTS,
          .offset = offsetof(struct node_taints_args, included),
          .presence = offsetof(struct node_taints_args, has_included),
          .help = "Look at these taints only, as key or key=value." },
        FIELD_END,
};

static void node_taints_check(struct field_reader *reader, const struct json *value,
                              const void *data) {
        const struct node_taints_args *args = data;
        if (args->excluded.count > 0 && args->included.count > 0)
                field_problem(reader, value, NULL,
                              "only one of includedTaints and excludedTaints can be set");
}

/* key=value matches only taints that have a value. */
static bool is_listed(const struct text_list *list, const struct taint *taint) {
        for (size_t i = 0; i < list->count; i++) {
                struct slice item = list->items[i];
                if (slice_eq(item, taint->key))
                        return true;
                if (taint->value.len > 0 && item.len == taint->key.len + 1 + taint->value.len &&
                    slice_has_prefix(item, taint->key) && item.ptr[taint->key.len] == '=' &&
                    slice_has_suffix(item, taint->value))
                        return true;
        }
        return false;
}

/* Upstream takes an empty list of included taints for "none" when it is written out. */
static bool is_relevant(const struct node_taints_args *args, const struct taint *taint,
                        bool is_parity) {
        if (taint->effect != TAINT_NO_SCHEDULE &&
            (taint->effect != TAINT_PREFER_NO_SCHEDULE || !args->with_prefer))
                return false;
        if (is_listed(&args->excluded, taint))
                return false;
        bool is_restricted = is_parity ? args->has_included : args->included.count > 0;
        return !is_restricted || is_listed(&args->included, taint);
}

struct taint_rule {
        const struct node_taints_args *args;
        struct pod_scope scope;
};

static const struct taint *find_violated(struct desched_run *run, const struct taint_rule *rule,
                                         const struct pod_row *pod) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_spec *spec = &cluster_class(cluster, pod->class)->spec;
        const struct taint *taints;
        size_t count =
                cluster_taints(cluster, cluster_nodes(cluster)->taints[pod->node.index], &taints);
        for (size_t i = 0; i < count; i++)
                if (is_relevant(rule->args, &taints[i], desched_run_is_parity(run)) &&
                    taints_find_untolerated(&taints[i], 1, spec->tolerations,
                                            spec->toleration_count, TAINT_BIT(taints[i].effect),
                                            true))
                        return &taints[i];
        return NULL;
}

/* Some taint counts. */
static bool looks_at_node(struct desched_run *run, const void *context, struct node_id node) {
        const struct taint_rule *rule = context;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct taint *taints;
        size_t count = cluster_taints(cluster, cluster_nodes(cluster)->taints[node.index], &taints);
        for (size_t i = 0; i < count; i++)
                if (is_relevant(rule->args, &taints[i], desched_run_is_parity(run)))
                        return true;
        return false;
}

static bool looks_at_kind(struct desched_run *run, const void *context,
                          const struct pod_kind *kind) {
        const struct taint_rule *rule = context;
        return pod_scope_has_kind(run, &rule->scope, kind);
}

static bool node_taints_wants(struct desched_run *run, const void *context, struct pod_id id,
                              struct slice *ret_reason) {
        const struct pod_row *pod = cluster_pod(desched_run_cluster(run), id);
        const struct taint_rule *rule = context;
        const struct taint *taint = find_violated(run, rule, pod);
        if (!taint)
                return false;
        *ret_reason = evict_reason(run, "taint " SLICE_FMT "%s" SLICE_FMT ":%s is not tolerated",
                                   SLICE_ARG(taint->key), taint->value.len > 0 ? "=" : "",
                                   SLICE_ARG(taint->value), taint_effect_name(taint->effect));
        return true;
}

static int node_taints_deschedule(struct desched_run *run, const void *state, struct err *err) {
        (void)err;
        const struct node_taints_args *args = state;
        const struct taint_rule rule = { args,
                                         pod_scope_make(run, &args->namespaces, &args->labels) };
        const struct sweep sweep = { .looks_at_node = looks_at_node,
                                     .looks_at_kind = looks_at_kind,
                                     .wants = node_taints_wants,
                                     .context = &rule };
        sweep_nodes(run, &sweep);
        return 0;
}

const struct plugin plugin_node_taints = {
        .name = "RemovePodsViolatingNodeTaints",
        .args = fields,
        .args_size = sizeof(struct node_taints_args),
        .check = node_taints_check,
        .desched = &(const struct desched_points){ .deschedule = node_taints_deschedule,
                                                   .is_mover = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_CONDITION | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS | CLUSTER_POD_ADDED | CLUSTER_POD_TOLERATIONS,
};
