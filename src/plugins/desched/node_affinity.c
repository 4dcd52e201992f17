/* RemovePodsViolatingNodeAffinity: pods whose node no longer satisfies their node affinity, or
 * satisfies it less than another would (reference descheduler.md 4.5). */
#include "rules/node_affinity.h"
#include "base/map.h"
#include "plugin/desched_args.h"
#include "plugins/desched/node_fit.h"
#include "plugins/desched/sweep.h"

struct desched_node_affinity_args {
        struct namespaces_arg namespaces;
        struct selector_arg labels;
        struct text_list types;
};

#define MEMBER(member)                                                                             \
        offsetof(struct desched_node_affinity_args, member), .presence = FIELD_NO_PRESENCE
#define TYPE_REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define TYPE_PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static const struct field fields[] = {
        NAMESPACES_FIELD(MEMBER(namespaces)),
        LABELS_FIELD(MEMBER(labels)),
        { .name = "nodeAffinityType",
          .type = FIELD_TEXTS,
          .offset = MEMBER(types),
          .help = TYPE_REQUIRED ", " TYPE_PREFERRED ", or both." },
        FIELD_END,
};

static void node_affinity_check(struct field_reader *reader, const struct json *value,
                                const void *data) {
        const struct desched_node_affinity_args *args = data;
        if (args->types.count == 0)
                field_problem(reader, value, "nodeAffinityType", "needs to be set");
        for (size_t i = 0; i < args->types.count && !args_want_parity(reader); i++)
                if (!slice_is(args->types.items[i], TYPE_REQUIRED) &&
                    !slice_is(args->types.items[i], TYPE_PREFERRED))
                        field_problem(reader, value, "nodeAffinityType",
                                      "expected " TYPE_REQUIRED " or " TYPE_PREFERRED
                                      ", found \"" SLICE_FMT "\"",
                                      SLICE_ARG(args->types.items[i]));
}

struct affinity_rule {
        struct pod_scope scope;
        struct map_u64 *preferences; /* class -> struct preferences */
};
/* Nodes of the pass that a class likes better than one it likes that much. */
struct better_nodes {
        int64_t than;
        struct bitset nodes;
        struct better_nodes *next;
};
/* Of a class. */
struct preferences {
        int64_t *sums; /* by node index; of nodes of the pass */
        struct better_nodes *better;
};

static void add_preference(struct desched_run *run, const struct preferred_node_term *preferred,
                           int64_t *sums) {
        const struct bitset *listed = desched_run_node_set(run);
        struct bitset nodes = bitset_in_arena(desched_run_scratch(run), listed->bits);
        bitset_copy(&nodes, listed);
        node_term_narrow(desched_run_cluster(run), &preferred->term, desched_run_scratch(run),
                         &nodes);
        for (size_t i = bitset_next(&nodes, 0); i != SIZE_MAX; i = bitset_next(&nodes, i + 1))
                sums[i] += preferred->weight;
}

static struct preferences *preferences_of(struct desched_run *run, const struct affinity_rule *rule,
                                          struct class_id class) {
        const struct cluster *cluster = desched_run_cluster(run);
        struct preferences *found = map_u64_get(rule->preferences, class.index);
        if (found)
                return found;
        const struct affinity *affinity = &cluster_class(cluster, class)->spec.affinity;
        found = ARENA_NEW(desched_run_scratch(run), struct preferences);
        found->sums = ARENA_ARRAY(desched_run_scratch(run), int64_t, cluster_nodes(cluster)->count);
        for (size_t i = 0; i < affinity->preferred_node_count; i++)
                add_preference(run, &affinity->preferred_node[i], found->sums);
        map_u64_put(rule->preferences, class.index, found);
        return found;
}

static const struct bitset *better_than(struct desched_run *run, struct preferences *preferences,
                                        int64_t than) {
        for (struct better_nodes *known = preferences->better; known; known = known->next)
                if (known->than == than)
                        return &known->nodes;
        struct node_batch_list nodes = desched_run_nodes(run);
        struct better_nodes *better = ARENA_NEW(desched_run_scratch(run), struct better_nodes);
        *better = (struct better_nodes){
                .than = than,
                .nodes = bitset_in_arena(desched_run_scratch(run), desched_run_node_set(run)->bits),
                .next = preferences->better,
        };
        for (size_t i = 0; i < nodes.count; i++)
                if (preferences->sums[nodes.nodes[i].index] > than)
                        bitset_add(&better->nodes, nodes.nodes[i].index);
        preferences->better = better;
        return &better->nodes;
}

static bool looks_at_required(struct desched_run *run, const void *context,
                              const struct pod_kind *kind) {
        const struct affinity_rule *rule = context;
        const struct pod_class *class = cluster_class(desched_run_cluster(run), kind->class);
        return class->spec.affinity.has_required_node_terms &&
               pod_scope_has_kind(run, &rule->scope, kind);
}

static bool looks_at_preferred(struct desched_run *run, const void *context,
                               const struct pod_kind *kind) {
        const struct affinity_rule *rule = context;
        const struct pod_class *class = cluster_class(desched_run_cluster(run), kind->class);
        return class->spec.affinity.preferred_node_count > 0 &&
               pod_scope_has_kind(run, &rule->scope, kind);
}

static bool wants_required(struct desched_run *run, const void *context, struct pod_id id,
                           struct slice *ret_reason) {
        const struct pod_row *pod = cluster_pod(desched_run_cluster(run), id);
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_spec *spec = &cluster_class(cluster, pod->class)->spec;
        (void)context;
        if (node_affinity_admits(cluster, spec, pod->node) || !node_fits_any(run, id))
                return false;
        *ret_reason = evict_reason(run, "the node no longer meets the required node affinity");
        return true;
}

/* Upstream compares with the best node whether or not the pod could run there, and asks for a fit
 * anywhere; here the better node must take the pod. */
static bool has_better_node(struct desched_run *run, const struct affinity_rule *rule,
                            struct pod_id id) {
        const struct pod_row *pod = cluster_pod(desched_run_cluster(run), id);
        struct preferences *preferences = preferences_of(run, rule, pod->class);
        const struct bitset *better =
                better_than(run, preferences, preferences->sums[pod->node.index]);
        if (desched_run_is_parity(run))
                return !bitset_is_empty(better) && node_fits_any(run, id);
        return node_fits_any_other(run, id, better);
}

static bool wants_preferred(struct desched_run *run, const void *context, struct pod_id id,
                            struct slice *ret_reason) {
        if (!has_better_node(run, context, id))
                return false;
        *ret_reason = evict_reason(run, "another node meets the preferred node affinity better");
        return true;
}

static int node_affinity_deschedule(struct desched_run *run, const void *state, struct err *err) {
        const struct desched_node_affinity_args *args = state;
        const struct affinity_rule rule = {
                .scope = pod_scope_make(run, &args->namespaces, &args->labels),
                .preferences = map_u64_new(),
        };
        int code = 0;
        for (size_t i = 0; i < args->types.count; i++) {
                struct slice type = args->types.items[i];
                struct sweep sweep = { .context = &rule };
                if (slice_is(type, TYPE_REQUIRED)) {
                        sweep.looks_at_kind = looks_at_required;
                        sweep.wants = wants_required;
                } else if (slice_is(type, TYPE_PREFERRED)) {
                        sweep.looks_at_kind = looks_at_preferred;
                        sweep.wants = wants_preferred;
                }
                if (sweep.wants)
                        sweep_nodes(run, &sweep);
                else
                        code = err_set(err, BERTH_ERR_INVALID,
                                       "invalid nodeAffinityType: " SLICE_FMT, SLICE_ARG(type));
        }
        map_u64_free(rule.preferences);
        return code;
}

const struct plugin plugin_node_affinity_strategy = {
        .name = "RemovePodsViolatingNodeAffinity",
        .args = fields,
        .args_size = sizeof(struct desched_node_affinity_args),
        .check = node_affinity_check,
        .desched = &(const struct desched_points){ .deschedule = node_affinity_deschedule,
                                                   .is_mover = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_CONDITION | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS | CLUSTER_POD_ADDED,
};
