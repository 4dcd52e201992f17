/* NodeDeclaredFeatures: what the pod's spec needs of the kubelet must be among the features its
 * node declares. */
#include "base/util.h"
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"

static bool any_restarts_all(const struct container *containers, size_t count) {
        for (size_t i = 0; i < count; i++)
                if (containers[i].restarts_all)
                        return true;
        return false;
}

static bool needs_restart_all(const struct pod_spec *spec) {
        return any_restarts_all(spec->containers, spec->container_count) ||
               any_restarts_all(spec->init, spec->init_count);
}

static bool needs_host_network_users(const struct pod_spec *spec) {
        return spec->uses_host_network && spec->has_own_users;
}

/* Features a spec can need, each with its test. */
static const struct feature {
        const char *name;
        bool (*is_needed)(const struct pod_spec *spec);
} features[] = {
        { "RestartAllContainersOnContainerExits", needs_restart_all },
        { "UserNamespacesHostNetwork", needs_host_network_users },
};

static bool node_declared_features_declares(const struct cluster *cluster, struct node_id node,
                                            const char *feature) {
        bool is_known;
        struct str_id key = cluster_str(cluster, slice_of(feature), &is_known), value;
        return is_known &&
               cluster_label_get(cluster, cluster_node_features(cluster, node), key, &value);
}

static bool node_declared_features_admits(const struct sched_cycle *cycle, struct node_id node) {
        for (size_t i = 0; i < ARRAY_LEN(features); i++)
                if (features[i].is_needed(&cycle->class->spec) &&
                    !node_declared_features_declares(cycle->cluster, node, features[i].name))
                        return false;
        return true;
}

static bool needs_any(const struct pod_spec *spec) {
        for (size_t i = 0; i < ARRAY_LEN(features); i++)
                if (features[i].is_needed(spec))
                        return true;
        return false;
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)state;
        (void)ret_pod_state;
        (void)ret_only;
        (void)verdict;
        return needs_any(&cycle->class->spec) ? VERDICT_OK : VERDICT_SKIP;
}

static void node_declared_features_filter(const struct sched_cycle *cycle, const void *state,
                                          const void *pod_state, struct bitset *nodes) {
        (void)state;
        (void)pod_state;
        if (!needs_any(&cycle->class->spec))
                return;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (!node_declared_features_admits(cycle, (struct node_id){ (uint32_t)i }))
                        bitset_remove(nodes, i);
}

static void node_declared_features_explain(const struct sched_cycle *cycle, const void *state,
                                           const void *pod_state, struct node_id node,
                                           struct verdict *verdict) {
        (void)state;
        (void)pod_state;
        if (!node_declared_features_admits(cycle, node))
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("node(s) didn't match Pod's required features"));
}

const struct plugin plugin_node_declared_features = {
        .name = "NodeDeclaredFeatures",
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = node_declared_features_filter,
                        .explain = node_declared_features_explain,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_NODE } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_FEATURES | CLUSTER_POD_SPEC,
};
