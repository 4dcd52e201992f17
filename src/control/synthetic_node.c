/* Nodes made up for a sandbox. */
#include "api/json.h"
#include "base/util.h"
#include "control/control_priv.h"
#include "server/api_server.h"
#include <stdio.h>

#define NODES_PATH "/api/v1/nodes"

static const char *or_default(const char *text, const char *otherwise) {
        return text ? text : otherwise;
}

static void put_labels(struct json_tree *tree, struct json_node *labels, const char *name,
                       unsigned number, const struct control_node *node) {
        char zone[32];

        node_put_string(tree, labels, "kubernetes.io/hostname", name);
        node_put_string(tree, labels, "kubernetes.io/os", "linux");
        node_put_string(tree, labels, "kubernetes.io/arch", "amd64");
        if (node->zones) {
                snprintf(zone, sizeof(zone), "zone-%u", number % node->zones);
                node_put_string(tree, labels, "topology.kubernetes.io/zone", zone);
        }
        for (size_t i = 0; node->labels && node->labels[i] && node->labels[i + 1]; i += 2)
                node_put_string(tree, labels, node->labels[i], node->labels[i + 1]);
}

static void write_node(const char *name, unsigned number, const struct control_node *node,
                       struct buf *out) {
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_object(tree), *metadata, *capacity;

        metadata = node_need_object(tree, object, "metadata");
        node_put_string(tree, metadata, "name", name);
        put_labels(tree, node_need_object(tree, metadata, "labels"), name, number, node);
        capacity = node_need_object(tree, node_need_object(tree, object, "status"), "capacity");
        node_put_string(tree, capacity, "cpu", or_default(node->cpu, "8"));
        node_put_string(tree, capacity, "memory", or_default(node->memory, "32Gi"));
        node_put_string(tree, capacity, "ephemeral-storage", "100Gi");
        node_put_string(tree, capacity, "pods", or_default(node->pods, "110"));
        node_write(object, out);
        json_tree_free(tree);
}

static int synthetic_node_create(struct control *control, const char *name, unsigned number,
                                 const struct control_node *node, struct err *err) {
        struct http_response response;
        struct buf body = { 0 };
        int r = 0;

        write_node(name, number, node, &body);
        api_server_call(control->server, &api_user_admin, "POST", SLICE_LITERAL(NODES_PATH),
                        buf_view(&body), &response);
        if (response.status >= 400)
                r = err_set(err, BERTH_ERR_INVALID, "node %s: " SLICE_FMT, name,
                            SLICE_ARG(buf_view(&response.body)));
        http_response_release(&response);
        buf_release(&body);
        return r;
}

int control_add_nodes(struct control *control, unsigned count, const struct control_node *node,
                      struct err *err) {
        static const struct control_node plain;
        const char *prefix;
        unsigned number = 0;

        node = node ? node : &plain;
        prefix = or_default(node->prefix, "node-");
        while (count > 0) {
                char name[254];

                snprintf(name, sizeof(name), "%s%u", prefix, number);
                if (!store_get(control->store, control->resource.nodes, SLICE_EMPTY,
                               slice_of(name))) {
                        int r = synthetic_node_create(control, name, number, node, err);

                        if (r < 0)
                                return r;
                        count--;
                }
                number++;
        }
        return 0;
}
