/* Evicting from source nodes. */
#include "plugins/desched/node_drain.h"
#include "plugins/desched/priority_order.h"
#include "plugins/desched/sweep.h"
#include "rules/taints.h"

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

/* Insertion sort is enough for what it costs: sources are few next to pods.  Stable. */
void node_drain_sort(struct node_drain *drain, bool is_descending) {
        struct arena *scratch = desched_run_scratch(drain->usage->run);
        double *weights = ARENA_ARRAY(scratch, double, drain->source_count);
        for (size_t i = 0; i < drain->source_count; i++) {
                size_t node = drain->sources[i], at = i;
                double weight = weight_of(drain, node);
                while (at > 0 &&
                       (is_descending ? weights[at - 1] < weight : weights[at - 1] > weight)) {
                        weights[at] = weights[at - 1];
                        drain->sources[at] = drain->sources[at - 1];
                        at--;
                }
                weights[at] = weight;
                drain->sources[at] = node;
        }
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

static bool is_accepted_somewhere(const struct node_drain *drain, const struct pod_row *pod) {
        struct desched_run *run = drain->usage->run;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_spec *spec = &cluster_class(cluster, pod->class)->spec;
        struct node_batch_list nodes = desched_run_nodes(run);
        for (size_t n = bitset_next(drain->destinations, 0); n != SIZE_MAX;
             n = bitset_next(drain->destinations, n + 1)) {
                const struct taint *taints;
                size_t count = cluster_taints(
                        cluster, cluster_nodes(cluster)->taints[nodes.nodes[n].index], &taints);
                bool accepts = desched_run_is_parity(run)
                                       ? accepts_upstream(taints, count, spec)
                                       : !node_untolerated_taint(cluster, nodes.nodes[n], spec,
                                                                 TAINTS_THAT_BLOCK, true);
                if (accepts)
                        return true;
        }
        return false;
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

static bool has_room(const struct node_drain *drain) {
        for (size_t r = 0; r < drain->usage->resource_count; r++)
                if (drain->room[r] <= 0)
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

static void account(struct node_drain *drain, size_t node, const int64_t *amounts) {
        for (size_t r = 0; r < drain->usage->resource_count; r++) {
                drain->usage->used[node_usage_at(drain->usage, node, r)] -= amounts[r];
                drain->room[r] -= amounts[r];
        }
}

/* ---- evicting ---- */

static bool may_leave(const struct node_drain *drain, struct pod_id id) {
        struct desched_run *run = drain->usage->run;
        const struct pod_row *pod = cluster_pod(desched_run_cluster(run), id);
        return is_accepted_somewhere(drain, pod) && !name_set_has(&drain->excluded, pod->ns) &&
               desched_run_pre_eviction_filter(run, id);
}

/* False when nothing more can be evicted in this pass. */
static bool drain_node(struct node_drain *drain, size_t node) {
        struct desched_run *run = drain->usage->run;
        struct pod_id *pods;
        size_t count = removable_pods(drain, desched_run_nodes(run).nodes[node], &pods);
        int64_t *amounts =
                ARENA_ARRAY(desched_run_scratch(run), int64_t, drain->usage->resource_count);
        int64_t evicted = 0;
        bool is_measurable = drain->usage->source != USAGE_PROMETHEUS;
        for (size_t i = 0; i < count; i++) {
                if (is_measurable && !(is_above_quota(drain, node) && has_room(drain)))
                        return true;
                if (drain->has_node_limit && evicted >= drain->node_limit)
                        return true;
                if (!may_leave(drain, pods[i]) ||
                    (is_measurable && !node_usage_of_pod(drain->usage, pods[i], amounts)))
                        continue;
                enum evict_outcome outcome =
                        desched_run_evict(run, pods[i], evict_reason(run, "node utilisation"));
                if (outcome == EVICT_NODE_LIMIT)
                        return true;
                if (outcome == EVICT_TOTAL_LIMIT)
                        return false;
                if (outcome != EVICT_DONE && outcome != EVICT_REPEATED)
                        continue; /* what leaves already frees its room as well */
                evicted++;
                if (is_measurable)
                        account(drain, node, amounts);
                else if (!drain->has_node_limit)
                        return true; /* what one pod frees is not known */
        }
        return true;
}

void node_drain_run(struct node_drain *drain) {
        for (size_t i = 0; i < drain->source_count; i++) {
                size_t node = drain->sources[i];
                if (!is_above_quota(drain, node) || !has_room(drain))
                        continue;
                if (!drain_node(drain, node))
                        return;
        }
}
