/* Naive rules. */
#include "naive_rules.h"
#include "desched_plugins.h"
#include "plugin/desched_points.h"
#include "plugins/desched/priority_order.h"
#include "plugins/desched/registry.h"
#include "rules/fit.h"
#include "rules/node_affinity.h"
#include "rules/taints.h"

#define PODS_MAX 512

static const struct pod_spec *spec_of(const struct cluster *cluster, const struct pod_row *pod) {
        return &cluster_class(cluster, pod->class)->spec;
}

/* ---- the walk ---- */

/* False: the pass is over. */
static bool evict(struct desched_run *run, struct pod_id pod, bool *is_full) {
        if (!desched_run_may_evict(run, pod))
                return true;
        enum evict_outcome outcome = desched_run_evict(run, pod, SLICE_EMPTY);
        *is_full = outcome == EVICT_NODE_LIMIT;
        return outcome != EVICT_TOTAL_LIMIT;
}

static int walk(struct desched_run *run, bool (*wants)(struct desched_run *, struct pod_id)) {
        struct node_batch_list nodes = desched_run_nodes(run);
        for (size_t n = 0; n < nodes.count; n++) {
                const struct pod_id *pods;
                size_t count = desched_run_pods(run, nodes.nodes[n], PODS_ACTIVE, &pods);
                bool is_full = false;
                for (size_t i = 0; i < count && !is_full; i++)
                        if (wants(run, pods[i]) && !evict(run, pods[i], &is_full))
                                return 0;
        }
        return 0;
}

/* ---- terms, and where a pod fits ---- */

static bool speaks_of(const struct cluster *cluster, const struct pod_affinity_term *term,
                      const struct pod_row *owner, const struct pod_row *other) {
        bool is_in = term->namespace_count == 0 && str_id_eq(owner->ns, other->ns);
        for (size_t i = 0; i < term->namespace_count; i++)
                is_in |= slice_eq(term->namespaces[i], cluster_text(cluster, other->ns));
        return is_in && term->has_selector && !pod_row_is_finished(other) &&
               strcmp(other->name, owner->name) != 0 &&
               cluster_labels_match(cluster, &term->selector, other->labels);
}

static bool label_of(const struct cluster *cluster, struct node_id node, struct slice key,
                     struct str_id *ret_value) {
        bool is_known;
        struct str_id id = cluster_str(cluster, key, &is_known);
        return is_known && cluster_label_get(cluster, cluster_nodes(cluster)->labels[node.index],
                                             id, ret_value);
}

static bool is_repelled(const struct cluster *cluster, const struct pod_row *pod,
                        struct node_id node) {
        const struct pod_affinity_terms *terms = &spec_of(cluster, pod)->affinity.pod_anti;
        struct str_id value;
        for (size_t t = 0; t < terms->required_count; t++)
                for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                        const struct pod_row *other = cluster_pod(cluster, (struct pod_id){ i });
                        if (other->is_live && other->node.index == node.index &&
                            label_of(cluster, node, terms->required[t].topology_key, &value) &&
                            speaks_of(cluster, &terms->required[t], pod, other))
                                return true;
                }
        return false;
}

static bool fits(const struct cluster *cluster, struct pod_id id, struct node_id node) {
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct pod_class *class = cluster_class(cluster, pod->class);
        const struct node_table *table = cluster_nodes(cluster);
        return bitset_has(&table->live, node.index) &&
               !bitset_has(&table->unschedulable, node.index) &&
               node_affinity_admits(cluster, &class->spec, node) &&
               !node_untolerated_taint(cluster, node, &class->spec, TAINTS_THAT_BLOCK, true) &&
               (pod->node.index == node.index || fit_node(cluster, fit_requests_of(class), node)) &&
               !is_repelled(cluster, pod, node);
}

static bool fits_any(struct desched_run *run, struct pod_id pod) {
        struct node_batch_list nodes = desched_run_nodes(run);
        for (size_t n = 0; n < nodes.count; n++)
                if (fits(desched_run_cluster(run), pod, nodes.nodes[n]))
                        return true;
        return false;
}

/* ---- DefaultEvictor ---- */

static bool has_fits;

static bool fits_elsewhere(struct desched_run *run, const void *state, struct pod_id id,
                           struct spare_reasons *reasons) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct bitset *ready = &cluster_nodes(cluster)->ready;
        if (!has_fits || !desched_run_is_parity(run))
                return plugin_default_evictor.desched->pre_eviction_filter(run, state, id, reasons);
        for (size_t i = bitset_next(ready, 0); i != SIZE_MAX; i = bitset_next(ready, i + 1))
                if (i != cluster_pod(cluster, id)->node.index &&
                    fits(cluster, id, (struct node_id){ (uint32_t)i }))
                        return true;
        return false;
}

/* ---- RemovePodsViolatingNodeTaints ---- */

static bool wants_by_taint(struct desched_run *run, struct pod_id id) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        return node_untolerated_taint(cluster, pod->node, spec_of(cluster, pod),
                                      TAINT_BIT(TAINT_NO_SCHEDULE), true);
}

static int by_taint(struct desched_run *run, const void *state, struct err *err) {
        (void)state, (void)err;
        return walk(run, wants_by_taint);
}

/* ---- RemovePodsViolatingNodeAffinity, required then preferred ---- */

static bool wants_by_required(struct desched_run *run, struct pod_id id) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct pod_spec *spec = spec_of(cluster, pod);
        return spec->affinity.has_required_node_terms &&
               !node_affinity_admits(cluster, spec, pod->node) && fits_any(run, id);
}

static bool wants_by_preferred(struct desched_run *run, struct pod_id id) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct affinity *affinity = &spec_of(cluster, pod)->affinity;
        struct node_batch_list nodes = desched_run_nodes(run);
        int64_t here = node_affinity_preference(cluster, affinity, pod->node);
        bool is_parity = desched_run_is_parity(run);
        for (size_t n = 0; n < nodes.count; n++)
                if (node_affinity_preference(cluster, affinity, nodes.nodes[n]) > here &&
                    (is_parity ? fits_any(run, id) : fits(cluster, id, nodes.nodes[n])))
                        return true;
        return false;
}

static int by_affinity(struct desched_run *run, const void *state, struct err *err) {
        (void)state, (void)err;
        walk(run, wants_by_required);
        return walk(run, wants_by_preferred);
}

/* ---- RemovePodsViolatingInterPodAntiAffinity ---- */

static bool share_domain(const struct cluster *cluster, struct slice key, struct node_id a,
                         struct node_id b) {
        struct str_id x, y;
        if (a.index == b.index)
                return true;
        return label_of(cluster, a, key, &x) && label_of(cluster, b, key, &y) && str_id_eq(x, y);
}

static bool is_shown(struct desched_run *run, struct pod_id id, const bool *gone) {
        const struct pod_row *pod = cluster_pod(desched_run_cluster(run), id);
        struct node_batch_list nodes = desched_run_nodes(run);
        if (!pod->is_live || gone[id.index])
                return false;
        for (size_t n = 0; n < nodes.count; n++)
                if (nodes.nodes[n].index == pod->node.index)
                        return true;
        return false;
}

static bool is_in_conflict(struct desched_run *run, struct pod_id id, const bool *gone) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct pod_affinity_terms *terms = &spec_of(cluster, pod)->affinity.pod_anti;
        for (size_t t = 0; t < terms->required_count; t++)
                for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                        const struct pod_row *other = cluster_pod(cluster, (struct pod_id){ i });
                        if (is_shown(run, (struct pod_id){ i }, gone) &&
                            speaks_of(cluster, &terms->required[t], pod, other) &&
                            share_domain(cluster, terms->required[t].topology_key, pod->node,
                                         other->node))
                                return true;
                }
        return false;
}

static int by_anti_affinity(struct desched_run *run, const void *state, struct err *err) {
        (void)state, (void)err;
        struct node_batch_list nodes = desched_run_nodes(run);
        bool gone[PODS_MAX] = { false };
        for (uint32_t i = 0; i < cluster_pod_cap(desched_run_cluster(run)); i++)
                gone[i] = desched_run_is_gone(run, (struct pod_id){ i });
        for (size_t n = 0; n < nodes.count; n++) {
                const struct pod_id *shown;
                struct pod_id pods[PODS_MAX];
                size_t count = desched_run_pods(run, nodes.nodes[n], PODS_ACTIVE, &shown);
                bool is_full = false;
                for (size_t i = 0; i < count; i++)
                        pods[i] = shown[i];
                sort_by_priority(run, pods, count);
                for (size_t i = 0; i < count && !is_full; i++) {
                        if (!is_in_conflict(run, pods[i], gone) ||
                            !desched_run_may_evict(run, pods[i]))
                                continue;
                        enum evict_outcome outcome = desched_run_evict(run, pods[i], SLICE_EMPTY);
                        gone[pods[i].index] |= outcome == EVICT_DONE;
                        is_full = outcome == EVICT_NODE_LIMIT;
                        if (outcome == EVICT_TOTAL_LIMIT)
                                return 0;
                }
        }
        return 0;
}

/* ---- the registry ---- */

static struct desched_points evictor_points;
static struct plugin evictor, taints, affinity, anti_affinity, duplicates;
static const struct desched_points taint_points = { .deschedule = by_taint },
                                   affinity_points = { .deschedule = by_affinity },
                                   anti_affinity_points = { .deschedule = by_anti_affinity },
                                   duplicates_points = { .balance = naive_duplicates };

const struct plugin *const naive_registry[] = {
        &evictor,
        &plugin_high_node_utilization,
        &plugin_low_node_utilization,
        &anti_affinity,
        &affinity,
        &taints,
        &plugin_pod_life_time,
        &plugin_pod_lifecycle,
        &duplicates,
        &plugin_remove_failed_pods,
        &plugin_too_many_restarts,
        &plugin_topology_spread,
        NULL,
};

void naive_rules_init(bool fits_nodes) {
        has_fits = fits_nodes;
        evictor_points = *plugin_default_evictor.desched;
        evictor_points.pre_eviction_filter = fits_elsewhere;
        evictor_points.filter_is_by_kind = NULL;
        evictor_points.pre_eviction_filter_is_by_kind = NULL;
        evictor = plugin_default_evictor;
        evictor.desched = &evictor_points;
        taints = plugin_node_taints;
        taints.desched = &taint_points;
        affinity = plugin_node_affinity_strategy;
        affinity.desched = &affinity_points;
        anti_affinity = plugin_inter_pod_anti_affinity;
        anti_affinity.desched = &anti_affinity_points;
        duplicates = plugin_remove_duplicates;
        duplicates.desched = &duplicates_points;
}
