/* NodeFit. */
#include "plugins/desched/node_fit.h"
#include "plugin/kind_index.h"
#include "plugins/desched/affinity_term.h"
#include "rules/fit.h"
#include "rules/node_affinity.h"
#include "rules/taints.h"

/* ---- what repels a pod ---- */

static bool term_meets_pod(struct desched_run *run, const struct pod_affinity_term *term,
                           const struct pod_row *pod, struct node_id node) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_kinds *kinds = desched_run_kinds(run);
        struct pod_id id = cluster_nodes(cluster)->first_pod[node.index];
        for (; !pod_id_is_none(id); id = cluster_pod(cluster, id)->next_on_node) {
                const struct pod_row *other = cluster_pod(cluster, id);
                if (!pod_row_is_finished(other) && strcmp(other->name, pod->name) != 0 &&
                    affinity_term_matches(cluster, term, pod->ns,
                                          &kinds->items[kinds->of[id.index]]))
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

/* Looks at every pod of the node; elsewhere: terms that keep to the pod's own namespace are known
 * not to matter. */
static bool is_repelled(struct desched_run *run, const struct pod_row *pod,
                        const struct pod_spec *spec, struct node_id node, bool elsewhere) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_affinity_terms *terms = &spec->affinity.pod_anti;
        for (size_t i = 0; i < terms->required_count; i++) {
                const struct pod_affinity_term *term = &terms->required[i];
                if (elsewhere && affinity_term_stays_in(cluster, term, pod->ns))
                        continue;
                if (has_node_label(cluster, node, term->topology_key) &&
                    term_meets_pod(run, term, pod, node))
                        return true;
        }
        return false;
}

/* Drops the nodes with a pod of the namespace that the term selects.  A pod is not repelled by one
 * of its own name, which in its own namespace is itself and on its own node. */
static void drop_repelled(struct desched_run *run, const struct pod_affinity_term *term,
                          struct str_id ns, struct bitset *nodes) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_kinds *kinds = desched_run_kinds(run);
        const struct kind_index *index = kind_index_of(run);
        struct kind_range alike = kind_index_namespace(index, ns);
        struct bitset met = bitset_in_arena(desched_run_scratch(run), nodes->bits);
        bool is_known;
        struct str_id key = cluster_str(cluster, term->topology_key, &is_known);
        const struct bitset *labelled = is_known ? cluster_nodes_with_key(cluster, key) : NULL;
        if (!labelled)
                return;
        for (size_t i = 0; i < alike.count; i++) {
                const struct pod_kind *kind = &kinds->items[alike.first[i]];
                if (pod_kind_is_finished(kind) || !affinity_term_matches(cluster, term, ns, kind))
                        continue;
                struct pod_range pods = kind_index_pods(index, alike.first[i]);
                for (size_t j = 0; j < pods.count; j++)
                        bitset_add(&met, cluster_pod(cluster, pods.first[j])->node.index);
        }
        bitset_and(&met, labelled);
        bitset_and_not(nodes, &met);
}

/* ---- nodes that take a pod ---- */

static struct bitset *copy_nodes(struct desched_run *run, const struct bitset *from) {
        struct arena *arena = desched_run_pass_arena(run);
        struct bitset *nodes = ARENA_NEW(arena, struct bitset);
        *nodes = bitset_in_arena(arena, cluster_nodes(desched_run_cluster(run))->count);
        bitset_or(nodes, from);
        return nodes;
}

/* The nodes that would take any pod of the class as far as cordon, affinity, taints and resources
 * go; found once per pass, as the cluster does not change during one. */
static const struct bitset *nodes_for_class(struct desched_run *run, struct class_id id) {
        static const char owner;
        struct bitset *nodes = desched_run_cached(run, &owner, id.index);
        if (nodes)
                return nodes;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct node_table *table = cluster_nodes(cluster);
        const struct pod_class *class = cluster_class(cluster, id);
        nodes = copy_nodes(run, &table->live);
        bitset_and_not(nodes, &table->unschedulable);
        node_affinity_narrow(cluster, &class->spec, desched_run_scratch(run), nodes);
        taints_narrow(cluster, &class->spec, TAINTS_THAT_BLOCK, true, nodes);
        fit_narrow(cluster, fit_requests_of(class), nodes);
        desched_run_cache_put(run, &owner, id.index, nodes);
        return nodes;
}

/* The same without those where its own required anti-affinity stands against a pod of its
 * namespace.  Says nothing of the node a pod is on. */
static const struct bitset *nodes_for(struct desched_run *run, const struct pod_row *pod,
                                      const struct pod_spec *spec) {
        static const char owner;
        const struct pod_affinity_terms *terms = &spec->affinity.pod_anti;
        if (terms->required_count == 0)
                return nodes_for_class(run, pod->class);
        uint64_t key = (uint64_t)pod->class.index << 32 | pod->ns.index;
        struct bitset *nodes = desched_run_cached(run, &owner, key);
        if (nodes)
                return nodes;
        const struct cluster *cluster = desched_run_cluster(run);
        nodes = copy_nodes(run, nodes_for_class(run, pod->class));
        for (size_t i = 0; i < terms->required_count; i++)
                if (affinity_term_stays_in(cluster, &terms->required[i], pod->ns))
                        drop_repelled(run, &terms->required[i], pod->ns, nodes);
        desched_run_cache_put(run, &owner, key, nodes);
        return nodes;
}

/* Those of them on which the pod's claims of devices could be met. */
static const struct bitset *nodes_for_pod(struct desched_run *run, struct pod_id id) {
        static const char owner;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct pod_spec *spec = &cluster_class(cluster, pod->class)->spec;
        const struct bitset *fitting = nodes_for(run, pod, spec);
        if (spec->claim_count == 0)
                return fitting;
        struct bitset *nodes = desched_run_cached(run, &owner, id.index);
        if (nodes)
                return nodes;
        nodes = copy_nodes(run, fitting);
        desched_run_drop_deviceless(run, id, nodes);
        desched_run_cache_put(run, &owner, id.index, nodes);
        return nodes;
}

static bool fits_own_node(struct desched_run *run, const struct pod_row *pod,
                          const struct pod_spec *spec) {
        const struct cluster *cluster = desched_run_cluster(run);
        return !bitset_has(&cluster_nodes(cluster)->unschedulable, pod->node.index) &&
               node_affinity_admits(cluster, spec, pod->node) &&
               !node_untolerated_taint(cluster, pod->node, spec, TAINTS_THAT_BLOCK, true) &&
               !is_repelled(run, pod, spec, pod->node, false);
}

bool node_fits(struct desched_run *run, struct pod_id id, struct node_id node) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct pod_spec *spec = &cluster_class(cluster, pod->class)->spec;
        if (pod->node.index == node.index)
                return fits_own_node(run, pod, spec);
        return bitset_has(nodes_for_pod(run, id), node.index) &&
               !is_repelled(run, pod, spec, node, true);
}

static bool terms_stay_in(const struct cluster *cluster, const struct pod_spec *spec,
                          struct str_id ns) {
        const struct pod_affinity_terms *terms = &spec->affinity.pod_anti;
        for (size_t i = 0; i < terms->required_count; i++)
                if (!affinity_term_stays_in(cluster, &terms->required[i], ns))
                        return false;
        return true;
}

struct node_search node_search_make(struct desched_run *run, struct pod_id id,
                                    const struct bitset *nodes) {
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct pod_spec *spec = &cluster_class(cluster, pod->class)->spec;
        return (struct node_search){ .run = run,
                                     .pod = pod,
                                     .spec = spec,
                                     .fitting = nodes_for_pod(run, id),
                                     .nodes = nodes,
                                     .is_for_all = terms_stay_in(cluster, spec, pod->ns) };
}

bool node_search_next(const struct node_search *search, struct node_id *node) {
        size_t i = node_id_is_none(*node) ? 0 : node->index + 1;
        while ((i = bitset_next_in_both(search->fitting, search->nodes, i)) != SIZE_MAX) {
                *node = (struct node_id){ (uint32_t)i++ };
                if (node->index != search->pod->node.index &&
                    (search->is_for_all ||
                     !is_repelled(search->run, search->pod, search->spec, *node, true)))
                        return true;
        }
        return false;
}

bool node_fits_any_other(struct desched_run *run, struct pod_id id, const struct bitset *nodes) {
        const struct node_search search = node_search_make(run, id, nodes);
        struct node_id node = NODE_NONE;
        return node_search_next(&search, &node);
}

bool node_fits_any(struct desched_run *run, struct pod_id pod) {
        const struct bitset *nodes = desched_run_node_set(run);
        struct node_id own = cluster_pod(desched_run_cluster(run), pod)->node;
        return node_fits_any_other(run, pod, nodes) ||
               (bitset_has(nodes, own.index) && node_fits(run, pod, own));
}
