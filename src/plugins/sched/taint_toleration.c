/* TaintToleration: taints that block must be tolerated; of the others, the fewer left untolerated
 * the better. */
#include "base/util.h"
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
#include "plugins/sched/normalize.h"
#include "rules/taints.h"
#include <stdlib.h>

static bool allows_order(const void *state) {
        return *(const bool *)state;
}

static int taint_toleration_init(const struct plugin_env *env, const void *args, void **ret_state,
                                 struct err *err) {
        bool *allows = xcalloc(1, sizeof(*allows));
        (void)args;
        (void)err;
        *allows = (env->gates & FEATURE_TAINT_ORDER) != 0;
        *ret_state = allows;
        return 0;
}

static void taint_toleration_filter(const struct sched_cycle *cycle, const void *state,
                                    const void *pod_state, struct bitset *nodes) {
        (void)pod_state;
        taints_narrow(cycle->cluster, &cycle->class->spec, TAINTS_THAT_BLOCK, allows_order(state),
                      nodes);
}

static void taint_toleration_explain(const struct sched_cycle *cycle, const void *state,
                                     const void *pod_state, struct node_id node,
                                     struct verdict *verdict) {
        (void)pod_state;
        if (node_untolerated_taint(cycle->cluster, node, &cycle->class->spec, TAINTS_THAT_BLOCK,
                                   allows_order(state)))
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("node(s) had untolerated taint(s)"));
}

/* Untolerated taints per taint set, -1 where the set carries no nodes. */
static enum verdict_code pre_score(const struct sched_cycle *cycle, const void *state,
                                   struct node_batch feasible, void **ret_pod_state,
                                   struct verdict *verdict) {
        (void)feasible;
        (void)verdict;
        const struct pod_spec *spec = &cycle->class->spec;
        size_t cap = cluster_taint_set_cap(cycle->cluster);
        int64_t *counts = ARENA_ARRAY(cycle->scratch, int64_t, cap + 1);
        for (uint32_t i = 1; i < cap; i++) {
                struct taint_set_id set = { i };
                const struct taint *taints;
                if (!cluster_nodes_with_taints(cycle->cluster, set))
                        continue;
                size_t count = cluster_taints(cycle->cluster, set, &taints);
                counts[i] = taints_count_repelling(taints, count, spec->tolerations,
                                                   spec->toleration_count, allows_order(state));
        }
        *ret_pod_state = counts;
        return VERDICT_OK;
}

static void taint_toleration_score(const struct sched_cycle *cycle, const void *state,
                                   const void *pod_state, struct node_batch batch,
                                   int64_t *ret_scores) {
        (void)state;
        const struct taint_set_id *sets = cluster_nodes(cycle->cluster)->taints;
        const int64_t *counts = pod_state;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = counts[sets[batch.nodes[i].index].index];
}

static void taint_toleration_normalize(const struct sched_cycle *cycle, const void *state,
                                       const void *pod_state, struct node_batch feasible,
                                       int64_t *scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        normalize_by_max(scores, feasible.count, true);
}

static bool taint_toleration_wakes(const struct sched_cycle *cycle, const void *state,
                                   const struct cluster_change *change) {
        if (node_id_is_none(change->node))
                return change->pod.index == cycle->pod.index;
        return !node_untolerated_taint(cycle->cluster, change->node, &cycle->class->spec,
                                       TAINTS_THAT_BLOCK, allows_order(state));
}

const struct plugin plugin_taint_toleration = {
        .name = "TaintToleration",
        .init = taint_toleration_init,
        .fini = free,
        .sched =
                &(const struct sched_points){
                        .filter = taint_toleration_filter,
                        .explain = taint_toleration_explain,
                        .pre_score = pre_score,
                        .score = taint_toleration_score,
                        .normalize = taint_toleration_normalize,
                        .wakes = taint_toleration_wakes,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_NODE,
                                                              .score = CACHE_SCOPE_NODE } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_TAINTS | CLUSTER_POD_TOLERATIONS,
};
