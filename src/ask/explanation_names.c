/* How every part of an explanation writes reasons and names. */
#include "ask/explanation_priv.h"

void explainer_put_reasons(struct explainer *explainer, struct json_node *object,
                           const struct slice *reasons, size_t count) {
        struct json_node *list = node_array(explainer->tree);

        for (size_t i = 0; i < count; i++)
                node_append(list, node_text(explainer->tree, reasons[i]));
        node_put(explainer->tree, object, "reasons", list);
}

struct slice explainer_node_name(const struct explainer *explainer, struct node_id node) {
        return cluster_node_name(explainer->cluster, node);
}

void explainer_put_pod_name(struct explainer *explainer, struct json_node *object, const char *key,
                            struct pod_id pod) {
        const struct pod_row *row = cluster_pod(explainer->cluster, pod);

        node_put_string(explainer->tree, object, key,
                        arena_printf(&explainer->arena, SLICE_FMT "/%s",
                                     SLICE_ARG(cluster_text(explainer->cluster, row->ns)),
                                     row->name));
}
