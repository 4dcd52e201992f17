/* How every part of an explanation writes reasons and names. */
#include "ask/explanation_priv.h"

void telling_put_reasons(struct telling *telling, struct json_node *object,
                         const struct slice *reasons, size_t count) {
        struct json_node *list = node_array(telling->tree);

        for (size_t i = 0; i < count; i++)
                node_append(list, node_text(telling->tree, reasons[i]));
        node_put(telling->tree, object, "reasons", list);
}

struct slice telling_node_name(const struct telling *telling, struct node_id node) {
        return cluster_node_name(telling->cluster, node);
}

void telling_put_pod_name(struct telling *telling, struct json_node *object, const char *key,
                          struct pod_id pod) {
        const struct pod_row *row = cluster_pod(telling->cluster, pod);

        node_put_string(telling->tree, object, key,
                        arena_printf(&telling->arena, SLICE_FMT "/%s",
                                     SLICE_ARG(cluster_text(telling->cluster, row->ns)),
                                     row->name));
}
