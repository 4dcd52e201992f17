/* VolumeRestrictions. */
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

const struct plugin plugin_volume_restrictions = {
        .name = "VolumeRestrictions",
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = filter,
                        .explain = explain,
                },
};
