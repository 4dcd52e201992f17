/* InterPodAffinity: pods that want to be near others, or away from them, and pods that want this of
 * the newcomer; reference scheduler.md 4.5. */
#include "plugins/sched/affinity_priv.h"
#include "plugins/sched/registry.h"

/* ---- waking ---- */

static bool mentions(const struct sched_cycle *cycle, const struct pod_affinity_terms *terms,
                     const struct pod_row *row) {
        for (size_t i = 0; i < terms->required_count; i++)
                if (term_selects(cycle->cluster, &terms->required[i], cycle->ns, row->ns,
                                 row->labels))
                        return true;
        return false;
}

/* A pod that came helps when the newcomer wants to be near it; one that went is gone from the
 * model, so any may have stood in the way. */
static bool wakes(const struct sched_cycle *cycle, const void *plugin,
                  const struct cluster_change *change) {
        (void)plugin;
        const uint32_t always =
                CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_POD_REMOVED | CLUSTER_POD_LABELS;
        if ((change->mask & always) != 0 || pod_id_is_none(change->pod))
                return true;
        const struct pod_row *row = cluster_pod(cycle->cluster, change->pod);
        return row->is_live && mentions(cycle, &cycle->class->spec.affinity.pod, row);
}

static const struct field fields[] = {
        ARGS_HEAD_FIELDS,
        { .name = "hardPodAffinityWeight",
          .type = FIELD_I32,
          .offset = offsetof(struct affinity_args, hard_weight),
          .presence = FIELD_NO_PRESENCE,
          .is_bounded = true,
          .min = 0,
          .max = 100,
          .fallback = "1",
          .help = "What required affinity of running pods adds to a node's score." },
        { .name = "ignorePreferredTermsOfExistingPods",
          .type = FIELD_BOOL,
          .offset = offsetof(struct affinity_args, ignores_existing),
          .presence = FIELD_NO_PRESENCE,
          .help = "Leave out what running pods prefer when the new one prefers nothing." },
        FIELD_END,
};

const struct plugin plugin_inter_pod_affinity = {
        .name = "InterPodAffinity",
        .args = fields,
        .args_size = sizeof(struct affinity_args),
        .sched = &(const struct sched_points){ .pre_filter = affinity_pre_filter,
                                               .filter = affinity_filter,
                                               .explain = affinity_explain,
                                               .pre_score = affinity_pre_score,
                                               .score = affinity_score,
                                               .normalize = affinity_normalize,
                                               .wakes = wakes,
                                               .counts_pods = true,
                                               .filter_follow = &affinity_filter_follow,
                                               .score_follow = &affinity_score_follow },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_POD_ADDED |
                    CLUSTER_POD_REMOVED | CLUSTER_POD_LABELS,
};
