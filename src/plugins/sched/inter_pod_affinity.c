/* InterPodAffinity: pods that want to be near others, or away from them, and pods that want this of
 * the newcomer; reference scheduler.md 4.5. */
#include "plugins/sched/affinity_priv.h"

/* ---- waking ---- */

/* Whether a strict term of the newcomer selects such a pod. */
static bool inter_pod_affinity_selects(const struct sched_cycle *cycle,
                                       const struct pod_affinity_term *term, struct str_id ns,
                                       struct label_set_id labels) {
        return term_selects(cycle->cluster, term, cycle->ns, ns, labels) ||
               (cycle->is_parity && term->has_namespace_selector);
}

static bool inter_pod_affinity_mentions(const struct sched_cycle *cycle,
                                        const struct pod_affinity_terms *terms, struct str_id ns,
                                        struct label_set_id labels) {
        for (size_t i = 0; i < terms->required_count; i++)
                if (inter_pod_affinity_selects(cycle, &terms->required[i], ns, labels))
                        return true;
        return false;
}

/* A deleted pod may have been avoided by anti-affinity, have repelled this pod itself, or be why
 * this pod cannot be the first of its kind. */
static bool gave_way(const struct sched_cycle *cycle, const struct old_pod *past) {
        const struct affinity *own = &cycle->class->spec.affinity;
        const struct pod_class *class = cluster_class(cycle->cluster, past->class);
        return class->spec.affinity.pod_anti.required_count > 0 ||
               inter_pod_affinity_mentions(cycle, &own->pod, past->ns, past->labels) ||
               inter_pod_affinity_mentions(cycle, &own->pod_anti, past->ns, past->labels);
}

static bool is_selected_otherwise(const struct sched_cycle *cycle,
                                  const struct pod_affinity_terms *terms,
                                  const struct old_pod *past, struct label_set_id labels) {
        for (size_t i = 0; i < terms->required_count; i++)
                if (inter_pod_affinity_selects(cycle, &terms->required[i], past->ns,
                                               past->labels) !=
                    inter_pod_affinity_selects(cycle, &terms->required[i], past->ns, labels))
                        return true;
        return false;
}

static bool was_relabelled(const struct sched_cycle *cycle, const struct old_pod *past,
                           const struct pod_row *row) {
        const struct affinity *own = &cycle->class->spec.affinity;
        return is_selected_otherwise(cycle, &own->pod, past, row->labels) ||
               is_selected_otherwise(cycle, &own->pod_anti, past, row->labels);
}

/* Whether a pod that came, went or got other labels makes a difference to the newcomer. */
static bool inter_pod_affinity_wakes(const struct sched_cycle *cycle, const void *plugin,
                                     const struct cluster_change *change) {
        (void)plugin;
        const uint32_t past_reports = CLUSTER_POD_REMOVED | CLUSTER_POD_LABELS;
        if ((change->mask & (CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS)) != 0 ||
            pod_id_is_none(change->pod))
                return true;
        const struct pod_row *row = cluster_pod(cycle->cluster, change->pod);
        const struct old_pod *past = cluster_old_pod(cycle->cluster, change->generation);
        if ((change->mask & past_reports) != 0 && (!past || change->pod.index == cycle->pod.index))
                return true;
        if ((change->mask & CLUSTER_POD_REMOVED) != 0 && gave_way(cycle, past))
                return true;
        if (!row->is_live)
                return false; /* its deletion is an event of its own */
        if ((change->mask & CLUSTER_POD_LABELS) != 0 && was_relabelled(cycle, past, row))
                return true;
        return (change->mask & CLUSTER_POD_ADDED) != 0 &&
               inter_pod_affinity_mentions(cycle, &cycle->class->spec.affinity.pod, row->ns,
                                           row->labels);
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
        .sched =
                &(const struct sched_points){
                        .pre_filter = affinity_pre_filter,
                        .filter = affinity_filter,
                        .explain = affinity_explain,
                        .pre_score = affinity_pre_score,
                        .score = affinity_score,
                        .normalize = affinity_normalize,
                        .wakes = inter_pod_affinity_wakes,
                        .hints =
                                &(const struct cache_hints){
                                        .filter = CACHE_SCOPE_COUNTS,
                                        .score = CACHE_SCOPE_COUNTS,
                                        .filter_counts = &affinity_filter_counts,
                                        .score_counts = &affinity_score_counts } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_POD_ADDED |
                    CLUSTER_POD_REMOVED | CLUSTER_POD_LABELS,
};
