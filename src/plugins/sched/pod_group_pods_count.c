/* PodGroupPodsCount: of the placements of a group those are better that take more of it,
 * the members that run already included. */
#include "plugin/pod_group.h"
#include "plugin/sched_points.h"

static int64_t pod_group_pods_count_score(const struct group_view *group, const void *state,
                                          const struct group_domain_use *use) {
        (void)state;
        return (int64_t)(group->placed_count + use->pod_count);
}

static void pod_group_pods_count_normalize(int64_t *scores, size_t count) {
        int64_t top = 0;
        for (size_t i = 0; i < count; i++)
                if (scores[i] > top)
                        top = scores[i];
        for (size_t i = 0; i < count && top > 0; i++)
                scores[i] = scores[i] * NODE_SCORE_MAX / top;
}

const struct plugin plugin_pod_group_pods_count = {
        .name = "PodGroupPodsCount",
        .sched =
                &(const struct sched_points){
                        .groups =
                                &(const struct group_points){
                                        .score_placement = pod_group_pods_count_score,
                                        .normalize_placements = pod_group_pods_count_normalize } },
};
