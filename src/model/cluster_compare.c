/* The model against the objects it was fed from. */
#include "model/cluster_priv.h"

static int node_differs(const struct node *node, const char *what, struct err *err) {
        return err_set(err, BERTH_ERR_INTERNAL, "node " SLICE_FMT ": %s differs",
                       SLICE_ARG(node->meta.name), what);
}

static int pod_differs(const struct pod *pod, const char *what, struct err *err) {
        return err_set(err, BERTH_ERR_INTERNAL, "pod " SLICE_FMT "/" SLICE_FMT ": %s differs",
                       SLICE_ARG(pod->meta.ns), SLICE_ARG(pod->meta.name), what);
}

static bool labels_agree(const struct cluster *cluster, struct label_set_id set,
                         struct label_list labels) {
        if (label_set_at(cluster, set)->count != labels.count)
                return false;
        for (size_t i = 0; i < labels.count; i++) {
                bool is_known;
                struct str_id value;
                struct str_id key = interner_find(cluster->strings, labels.items[i].key, &is_known);
                if (!is_known || !cluster_label_get(cluster, set, key, &value) ||
                    !slice_eq(interner_text(cluster->strings, value), labels.items[i].value))
                        return false;
        }
        return true;
}

/* ---- nodes ---- */

static bool taints_agree(const struct cluster *cluster, struct node_id id,
                         const struct node *node) {
        const struct taint *taints;
        size_t count = cluster_taints(cluster, cluster->nodes.taints[id.index], &taints);
        if (count != node->taint_count)
                return false;
        for (size_t i = 0; i < count; i++) {
                if (taints[i].effect != node->taints[i].effect ||
                    !slice_eq(taints[i].key, node->taints[i].key) ||
                    !slice_eq(taints[i].value, node->taints[i].value))
                        return false;
        }
        return true;
}

static bool amounts_agree(const struct cluster *cluster, struct node_id id,
                          const struct node *node) {
        const struct resource_list *list =
                node->allocatable.count > 0 ? &node->allocatable : &node->capacity;
        for (size_t i = 0; i < list->count; i++) {
                struct resource_id resource;
                if (!cluster_resource(cluster, list->items[i].name, &resource))
                        return cluster->resources.shared > 0;
                if (cluster->nodes.resources[resource.index].allocatable[id.index] !=
                    list->items[i].amount)
                        return false;
        }
        return true;
}

static int compare_node(const struct cluster *cluster, const struct node *node, struct err *err) {
        struct node_id id = cluster_find_node(cluster, node->meta.name);
        if (node_id_is_none(id))
                return err_set(err, BERTH_ERR_INTERNAL, "node " SLICE_FMT " is missing",
                               SLICE_ARG(node->meta.name));
        if (!labels_agree(cluster, cluster->nodes.labels[id.index], node->meta.labels))
                return node_differs(node, "labels", err);
        if (!taints_agree(cluster, id, node))
                return node_differs(node, "taints", err);
        if (!amounts_agree(cluster, id, node))
                return node_differs(node, "allocatable", err);
        if (!!(cluster->nodes.flags[id.index] & NODE_UNSCHEDULABLE) != node->is_unschedulable)
                return node_differs(node, "unschedulable", err);
        return 0;
}

/* ---- pods ---- */

static bool is_finished(const struct pod *pod) {
        return pod->status.phase == POD_SUCCEEDED || pod->status.phase == POD_FAILED;
}

static bool nodes_agree(const struct cluster *cluster, const struct pod_row *row,
                        const struct pod *pod) {
        if (node_id_is_none(row->node))
                return pod->spec.node_name.len == 0;
        if ((row->flags & POD_ASSUMED) && pod->spec.node_name.len == 0)
                return true;
        return slice_eq(cluster_node_name(cluster, row->node), pod->spec.node_name);
}

static bool requests_agree(const struct cluster *cluster, const struct pod_row *row,
                           const struct pod *pod) {
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 4096);
        const struct pod_class *class = cluster_class(cluster, row->class);
        struct resource_list list = pod_spec_requests(&pod->spec, false, &arena);
        size_t at = 0;
        for (size_t i = 0; i < list.count; i++) {
                if (list.items[i].amount <= 0 || slice_is(list.items[i].name, "pods"))
                        continue;
                if (at == class->request_count ||
                    class->requests[at++].amount != list.items[i].amount)
                        return false;
        }
        return at == class->request_count;
}

static int compare_pod(const struct cluster *cluster, const struct pod *pod, struct err *err) {
        struct pod_id id = cluster_find_pod(cluster, pod->meta.ns, pod->meta.name);
        if (pod_id_is_none(id))
                return err_set(err, BERTH_ERR_INTERNAL,
                               "pod " SLICE_FMT "/" SLICE_FMT " is missing",
                               SLICE_ARG(pod->meta.ns), SLICE_ARG(pod->meta.name));
        const struct pod_row *row = cluster_pod(cluster, id);
        if (!slice_eq(slice_of(row->uid), pod->meta.uid))
                return pod_differs(pod, "uid", err);
        if (!nodes_agree(cluster, row, pod))
                return pod_differs(pod, "node", err);
        if (!labels_agree(cluster, row->labels, pod->meta.labels))
                return pod_differs(pod, "labels", err);
        if (!requests_agree(cluster, row, pod))
                return pod_differs(pod, "requests", err);
        if (row->phase != pod->status.phase)
                return pod_differs(pod, "phase", err);
        if (row->priority != pod->spec.priority)
                return pod_differs(pod, "priority", err);
        return 0;
}

/* Everything in the source is in the model; equal numbers then make it the other way round too. */
int cluster_compare(const struct cluster *cluster, const struct cluster_source *source,
                    struct err *err) {
        size_t pods = 0;
        for (size_t i = 0; i < source->node_count; i++) {
                int r = compare_node(cluster, &source->nodes[i], err);
                if (r < 0)
                        return r;
        }
        for (size_t i = 0; i < source->pod_count; i++) {
                if (is_finished(&source->pods[i]) && !cluster->config.keeps_finished)
                        continue;
                int r = compare_pod(cluster, &source->pods[i], err);
                if (r < 0)
                        return r;
                pods++;
        }
        if (source->node_count != cluster_node_count(cluster))
                return err_set(err, BERTH_ERR_INTERNAL, "%zu nodes, the source has %zu",
                               cluster_node_count(cluster), source->node_count);
        if (pods != cluster_pod_count(cluster))
                return err_set(err, BERTH_ERR_INTERNAL, "%zu pods, the source has %zu",
                               cluster_pod_count(cluster), pods);
        return 0;
}
