/* PodTopologySpread. */
#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"
#include "plugins/sched/registry.h"

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)cycle;
        (void)state;
        (void)ret_pod_state;
        (void)ret_only;
        (void)verdict;
        return VERDICT_SKIP;
}

static void filter(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                   struct bitset *nodes) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        (void)nodes;
}

static void explain(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                    struct node_id node, struct verdict *verdict) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        (void)node;
        (void)verdict;
}

static enum verdict_code pre_score(const struct sched_cycle *cycle, const void *state,
                                   struct node_batch feasible, void **ret_pod_state,
                                   struct verdict *verdict) {
        (void)cycle;
        (void)state;
        (void)feasible;
        (void)ret_pod_state;
        (void)verdict;
        return VERDICT_SKIP;
}

static void score(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                  struct node_batch batch, int64_t *ret_scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        memset(ret_scores, 0, batch.count * sizeof(*ret_scores));
}

const struct plugin plugin_pod_topology_spread = {
        .name = "PodTopologySpread",
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = filter,
                        .explain = explain,
                        .pre_score = pre_score,
                        .score = score,
                },
};
