/* Evicting from source nodes. */
#include "plugins/desched/node_drain.h"
#include "plugins/desched/priority_order.h"
#include "plugins/desched/sweep.h"
#include "rules/taints.h"
#include <stdlib.h>

/* ---- order of sources ---- */

static double weight_of(const struct node_drain *drain, size_t node) {
        const struct node_usage *usage = drain->usage;
        double sum = 0, most = 0;
        for (size_t r = 0; r < usage->resource_count; r++) {
                double percent = node_usage_percent(usage, node, r);
                sum += (double)usage->used[node_usage_at(usage, node, r)];
                most = percent > most ? percent : most;
        }
        return desched_run_is_parity(usage->run) ? sum : most;
}

struct source {
        double weight;
        size_t node, position; /* position: equal weights stay in order */
};

static int compare_sources(const void *a, const void *b) {
        const struct source *x = a, *y = b;
        if (x->weight < y->weight || x->weight > y->weight)
                return x->weight < y->weight ? -1 : 1;
        return x->position < y->position ? -1 : x->position > y->position;
}

void node_drain_sort(struct node_drain *drain, bool is_descending) {
        struct arena *scratch = desched_run_scratch(drain->usage->run);
        struct source *sources = ARENA_ARRAY(scratch, struct source, drain->source_count);
        for (size_t i = 0; i < drain->source_count; i++) {
                double weight = weight_of(drain, drain->sources[i]);
                sources[i] =
                        (struct source){ is_descending ? -weight : weight, drain->sources[i], i };
        }
        qsort(sources, drain->source_count, sizeof(*sources), compare_sources);
        for (size_t i = 0; i < drain->source_count; i++)
                drain->sources[i] = sources[i].node;
}

/* ---- pods ---- */

/* Upstream compares all taints, whatever their effect, and their number with that of the
 * tolerations. */
static bool accepts_upstream(const struct taint *taints, size_t count,
                             const struct pod_spec *spec) {
        unsigned every = TAINTS_THAT_BLOCK | TAINTS_THAT_REPEL | TAINT_BIT(TAINT_EFFECT_NONE);
        return count <= spec->toleration_count &&
               !taints_find_untolerated(taints, count, spec->tolerations, spec->toleration_count,
                                        every, true);
}

static bool node_drain_accepts(const struct node_drain *drain, const struct pod_spec *spec,
                               struct node_id node) {
        struct desched_run *run = drain->usage->run;
        const struct cluster *cluster = desched_run_cluster(run);
        if (!desched_run_is_parity(run))
                return !node_untolerated_taint(cluster, node, spec, TAINTS_THAT_BLOCK, true);
        const struct taint *taints;
        size_t count = cluster_taints(cluster, cluster_nodes(cluster)->taints[node.index], &taints);
        return accepts_upstream(taints, count, spec);
}

/* Asked once per class. */
static bool is_accepted_somewhere(const struct node_drain *drain, struct class_id id) {
        uint8_t *verdict = &drain->accepted[id.index];
        const struct pod_spec *spec =
                &cluster_class(desched_run_cluster(drain->usage->run), id)->spec;
        struct node_batch_list nodes = desched_run_nodes(drain->usage->run);
        if (*verdict != KIND_NOT_ASKED)
                return *verdict == KIND_YES;
        *verdict = KIND_NO;
        for (size_t n = bitset_next(drain->destinations, 0); n != SIZE_MAX && *verdict == KIND_NO;
             n = bitset_next(drain->destinations, n + 1))
                if (node_drain_accepts(drain, spec, nodes.nodes[n]))
                        *verdict = KIND_YES;
        return *verdict == KIND_YES;
}

static size_t removable_pods(const struct node_drain *drain, struct node_id node,
                             struct pod_id **ret_pods) {
        struct desched_run *run = drain->usage->run;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_id *pods;
        size_t pod_count = desched_run_pods(run, node, PODS_ACTIVE, &pods), count = 0;
        struct pod_id *removable = ARENA_ARRAY(desched_run_scratch(run), struct pod_id, pod_count);
        for (size_t i = 0; i < pod_count; i++)
                if ((!drain->is_removable ||
                     drain->is_removable(drain, cluster_pod(cluster, pods[i]))) &&
                    desched_run_filter(run, pods[i]))
                        removable[count++] = pods[i];
        sort_by_priority(run, removable, count);
        *ret_pods = removable;
        return count;
}

/* ---- when to go on ---- */

static bool has_capacity(const struct node_drain *drain) {
        for (size_t r = 0; r < drain->usage->resource_count; r++)
                if (drain->free_amounts[r] <= 0)
                        return false;
        return true;
}

static bool is_above_quota(const struct node_drain *drain, size_t node) {
        const struct node_usage *usage = drain->usage;
        if (!drain->quotas)
                return true;
        for (size_t r = 0; r < usage->resource_count; r++) {
                size_t at = node_usage_at(usage, node, r);
                if (usage->used[at] > drain->quotas[at])
                        return true;
        }
        return false;
}

static void node_drain_account(struct node_drain *drain, size_t node, const int64_t *amounts) {
        for (size_t r = 0; r < drain->usage->resource_count; r++) {
                drain->usage->used[node_usage_at(drain->usage, node, r)] -= amounts[r];
                drain->free_amounts[r] -= amounts[r];
        }
}

/* ---- evicting ---- */

static bool may_leave(const struct node_drain *drain, struct pod_id id) {
        struct desched_run *run = drain->usage->run;
        const struct pod_row *pod = cluster_pod(desched_run_cluster(run), id);
        return is_accepted_somewhere(drain, pod->class) &&
               !name_set_has(&drain->excluded, pod->ns) && desched_run_pre_eviction_filter(run, id);
}

enum drain_step {
        DRAIN_ON,
        DRAIN_NEXT_NODE,
        DRAIN_OVER, /* nothing more can be evicted in this pass */
};

static enum drain_step drain_pod(struct node_drain *drain, size_t node, struct pod_id pod,
                                 int64_t *amounts) {
        struct desched_run *run = drain->usage->run;
        bool is_measurable = drain->usage->source != USAGE_PROMETHEUS;
        if (is_measurable && !(is_above_quota(drain, node) && has_capacity(drain)))
                return DRAIN_NEXT_NODE;
        if (drain->has_node_limit && drain->evicted >= drain->node_limit)
                return DRAIN_NEXT_NODE;
        if (!may_leave(drain, pod) ||
            (is_measurable && !node_usage_of_pod(drain->usage, pod, amounts)))
                return DRAIN_ON;
        enum evict_outcome outcome =
                desched_run_evict(run, pod, evict_reason(run, "node utilisation"));
        if (outcome == EVICT_NODE_LIMIT)
                return DRAIN_NEXT_NODE;
        if (outcome == EVICT_TOTAL_LIMIT)
                return DRAIN_OVER;
        if (outcome != EVICT_DONE && outcome != EVICT_REPEATED)
                return DRAIN_ON; /* what leaves already frees its amounts as well */
        drain->evicted++;
        if (is_measurable)
                node_drain_account(drain, node, amounts);
        else if (!drain->has_node_limit)
                return DRAIN_NEXT_NODE; /* what one pod frees is not known */
        return DRAIN_ON;
}

static enum drain_step drain_node(struct node_drain *drain, size_t node) {
        struct desched_run *run = drain->usage->run;
        struct pod_id *pods;
        size_t count = removable_pods(drain, desched_run_nodes(run).nodes[node], &pods);
        int64_t *amounts =
                ARENA_ARRAY(desched_run_scratch(run), int64_t, drain->usage->resource_count);
        enum drain_step step = DRAIN_ON;
        drain->evicted = 0;
        for (size_t i = 0; i < count && step == DRAIN_ON; i++)
                step = drain_pod(drain, node, pods[i], amounts);
        return step;
}

void node_drain_run(struct node_drain *drain) {
        struct desched_run *run = drain->usage->run;
        drain->accepted = ARENA_ARRAY(desched_run_scratch(run), uint8_t,
                                      cluster_class_cap(desched_run_cluster(run)));
        for (size_t i = 0; i < drain->source_count; i++) {
                size_t node = drain->sources[i];
                if (!is_above_quota(drain, node) || !has_capacity(drain))
                        continue;
                if (drain_node(drain, node) == DRAIN_OVER)
                        return;
        }
}
