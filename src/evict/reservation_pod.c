/* Makes the pod of a reservation out of the pod that is evicted. */
#include "evict/reservation_pod.h"

#include "base/util.h"

static struct json_node *reservation_pod_need(struct json_tree *tree, struct json_node *object,
                                              const char *key, bool is_array) {
        struct json_node *found = node_get(object, key);

        if (found)
                return found;
        found = is_array ? node_array(tree) : node_object(tree);
        node_put(tree, object, key, found);
        return found;
}

/* {"key": "metadata.name", "operator": "NotIn", "values": [node]} */
static struct json_node *not_on(struct json_tree *tree, struct slice node) {
        struct json_node *field = node_object(tree), *values = node_array(tree);

        node_append(values, node_text(tree, node));
        node_put(tree, field, "key", node_text(tree, SLICE_LITERAL("metadata.name")));
        node_put(tree, field, "operator", node_text(tree, SLICE_LITERAL("NotIn")));
        node_put(tree, field, "values", values);
        return field;
}

/* Terms are alternatives: each one has to keep away from the node. */
static void keep_away(struct json_tree *tree, struct json_node *spec, struct slice node) {
        struct json_node *affinity = reservation_pod_need(
                tree, reservation_pod_need(tree, spec, "affinity", false), "nodeAffinity", false);
        struct json_node *terms = reservation_pod_need(
                tree,
                reservation_pod_need(tree, affinity,
                                     "requiredDuringSchedulingIgnoredDuringExecution", false),
                "nodeSelectorTerms", true);
        struct json_node *term;

        if (node_count(terms) == 0)
                node_append(terms, node_object(tree));
        struct node_iter iter = node_iter(terms);
        while (node_next(&iter, NULL, &term))
                node_append(reservation_pod_need(tree, term, "matchFields", true),
                            not_on(tree, node));
}

static void reservation_pod_strip(struct json_node *object, const char *const *keys) {
        for (; *keys; keys++)
                node_remove(object, *keys);
}

void reservation_pod_write(struct slice pod_json, struct slice name, struct buf *out) {
        static const char *const of_meta[] = { "labels",
                                               "annotations",
                                               "ownerReferences",
                                               "managedFields",
                                               "finalizers",
                                               "deletionTimestamp",
                                               "deletionGracePeriodSeconds",
                                               "generateName",
                                               NULL };
        struct json_tree *tree = NULL;

        if (json_tree_parse(pod_json, &tree, NULL) < 0)
                return;
        struct json_node *root = json_tree_root(tree);
        struct json_node *meta = reservation_pod_need(tree, root, "metadata", false);
        struct json_node *spec = reservation_pod_need(tree, root, "spec", false);
        struct slice node = node_get_text(spec, "nodeName");
        reservation_pod_strip(meta, of_meta);
        node_put(tree, meta, "name", node_text(tree, name));
        node_put(tree, meta, "uid", node_text(tree, name));
        if (node.len)
                keep_away(tree, spec, node);
        node_remove(spec, "nodeName");
        node_put(tree, spec, "schedulerName",
                 node_text(tree, SLICE_LITERAL(RESERVATION_SCHEDULER)));
        struct json_node *status = node_object(tree);
        node_put(tree, status, "phase", node_text(tree, SLICE_LITERAL("Pending")));
        node_put(tree, root, "status", status);
        node_write(root, out);
        json_tree_free(tree);
}
