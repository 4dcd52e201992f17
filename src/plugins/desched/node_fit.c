/* NodeFit. */
#include "plugins/desched/node_fit.h"
#include "plugins/desched/affinity_term.h"
#include "rules/fit.h"
#include "rules/node_affinity.h"
#include "rules/taints.h"

static bool term_meets_pod(const struct cluster *cluster, const struct pod_affinity_term *term,
                           const struct pod_row *pod, struct node_id node) {
        struct pod_id id = cluster_nodes(cluster)->first_pod[node.index];
        for (; !pod_id_is_none(id); id = cluster_pod(cluster, id)->next_on_node) {
                const struct pod_row *other = cluster_pod(cluster, id);
                if (pod_row_is_finished(other) || strcmp(other->name, pod->name) == 0)
                        continue;
                if (affinity_term_matches(cluster, term, pod, other))
                        return true;
        }
        return false;
}

static bool has_node_label(const struct cluster *cluster, struct node_id node, struct slice key) {
        bool is_known;
        struct str_id value, id = cluster_str(cluster, key, &is_known);
        return is_known &&
               cluster_label_get(cluster, cluster_nodes(cluster)->labels[node.index], id, &value);
}

static bool is_repelled(const struct cluster *cluster, const struct pod_row *pod,
                        const struct pod_spec *spec, struct node_id node) {
        const struct pod_affinity_terms *terms = &spec->affinity.pod_anti;
        for (size_t i = 0; i < terms->required_count; i++) {
                const struct pod_affinity_term *term = &terms->required[i];
                if (has_node_label(cluster, node, term->topology_key) &&
                    term_meets_pod(cluster, term, pod, node))
                        return true;
        }
        return false;
}

bool node_fits(const struct cluster *cluster, struct pod_id id, struct node_id node) {
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct pod_class *class = cluster_class(cluster, pod->class);
        if (bitset_has(&cluster_nodes(cluster)->unschedulable, node.index) ||
            !node_affinity_admits(cluster, &class->spec, node) ||
            node_untolerated_taint(cluster, node, &class->spec, TAINTS_THAT_BLOCK, true) ||
            is_repelled(cluster, pod, &class->spec, node))
                return false;
        return pod->node.index == node.index || fit_node(cluster, fit_requests_of(class), node);
}

bool node_fits_any_other(struct desched_run *run, struct pod_id id, const struct bitset *nodes) {
        const struct cluster *cluster = desched_run_cluster(run);
        uint32_t own = cluster_pod(cluster, id)->node.index;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (i != own && node_fits(cluster, id, (struct node_id){ (uint32_t)i }))
                        return true;
        return false;
}

bool node_fits_any(struct desched_run *run, struct pod_id pod) {
        struct node_batch_list nodes = desched_run_nodes(run);
        for (size_t i = 0; i < nodes.count; i++)
                if (node_fits(desched_run_cluster(run), pod, nodes.nodes[i]))
                        return true;
        return false;
}
