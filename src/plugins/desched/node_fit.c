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

/* The nodes that would take any pod of the class as far as cordon, affinity, taints and resources
 * go; found once per pass, as the cluster does not change during one. */
static const struct bitset *nodes_for_class(struct desched_run *run, struct class_id id) {
        static const char owner;
        struct bitset *nodes = desched_run_memo(run, &owner, id.index);
        if (nodes)
                return nodes;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct node_table *table = cluster_nodes(cluster);
        const struct pod_class *class = cluster_class(cluster, id);
        nodes = ARENA_NEW(desched_run_pass_arena(run), struct bitset);
        *nodes = bitset_in_arena(desched_run_pass_arena(run), table->count);
        bitset_or(nodes, &table->live);
        bitset_and_not(nodes, &table->unschedulable);
        node_affinity_narrow(cluster, &class->spec, desched_run_scratch(run), nodes);
        taints_narrow(cluster, &class->spec, TAINTS_THAT_BLOCK, true, nodes);
        fit_narrow(cluster, fit_requests_of(class), nodes);
        desched_run_memo_put(run, &owner, id.index, nodes);
        return nodes;
}

static bool fits_own_node(const struct cluster *cluster, const struct pod_row *pod,
                          const struct pod_spec *spec) {
        return !bitset_has(&cluster_nodes(cluster)->unschedulable, pod->node.index) &&
               node_affinity_admits(cluster, spec, pod->node) &&
               !node_untolerated_taint(cluster, pod->node, spec, TAINTS_THAT_BLOCK, true);
}

bool node_fits(struct desched_run *run, struct pod_id id, struct node_id node) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct pod_spec *spec = &cluster_class(cluster, pod->class)->spec;
        bool fits = pod->node.index == node.index
                            ? fits_own_node(cluster, pod, spec)
                            : bitset_has(nodes_for_class(run, pod->class), node.index);
        return fits && !is_repelled(cluster, pod, spec, node);
}

bool node_fit_next(struct desched_run *run, struct pod_id id, const struct bitset *nodes,
                   struct node_id *node) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct pod_spec *spec = &cluster_class(cluster, pod->class)->spec;
        const struct bitset *fitting = nodes_for_class(run, pod->class);
        size_t i = node_id_is_none(*node) ? 0 : node->index + 1;
        for (i = bitset_next(fitting, i); i != SIZE_MAX; i = bitset_next(fitting, i + 1)) {
                *node = (struct node_id){ (uint32_t)i };
                if (i != pod->node.index && bitset_has(nodes, i) &&
                    !is_repelled(cluster, pod, spec, *node))
                        return true;
        }
        return false;
}

bool node_fits_any_other(struct desched_run *run, struct pod_id id, const struct bitset *nodes) {
        struct node_id node = NODE_NONE;
        return node_fit_next(run, id, nodes, &node);
}

bool node_fits_any(struct desched_run *run, struct pod_id pod) {
        struct node_batch_list nodes = desched_run_nodes(run);
        for (size_t i = 0; i < nodes.count; i++)
                if (node_fits(run, pod, nodes.nodes[i]))
                        return true;
        return false;
}
