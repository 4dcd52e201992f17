/* Every node of an explanation: scores of those that fit, obstacles of the others. */
#include "ask/explanation_priv.h"

#include "ask/obstacles.h"
#include "rules/fit.h"
#include <string.h>

static void put_free(struct explainer *explainer, struct json_node *object, struct node_id node) {
        const struct node_table *nodes = cluster_nodes(explainer->cluster);
        struct json_node *list = node_array(explainer->tree);

        for (size_t i = 0; i < explainer->class->request_count; i++) {
                const struct resource_request *request = &explainer->class->requests[i];
                struct json_node *entry = node_object(explainer->tree);
                int64_t all = nodes->resources[request->resource.index].allocatable[node.index];

                node_put_text(explainer->tree, entry, "resource",
                              cluster_resource_name(explainer->cluster, request->resource));
                node_put_text(explainer->tree, entry, "requested",
                              resource_text(&explainer->arena, request->resource, request->amount));
                node_put_text(
                        explainer->tree, entry, "free",
                        resource_text(&explainer->arena, request->resource,
                                      node_free(explainer->cluster, node, request->resource)));
                node_put_text(explainer->tree, entry, "allocatable",
                              resource_text(&explainer->arena, request->resource, all));
                node_append(list, entry);
        }
        node_put(explainer->tree, object, "resources", list);
}

static void put_obstacles(struct explainer *explainer, struct json_node *object,
                          const struct obstacle_list *obstacles) {
        struct json_tree *tree = explainer->tree;
        struct json_node *list = node_array(tree);

        for (size_t i = 0; i < obstacles->count; i++) {
                const struct obstacle *obstacle = &obstacles->items[i];
                struct json_node *entry = node_object(tree), *changes = node_array(tree);

                if (obstacle->plugin)
                        node_put_string(tree, entry, "plugin", obstacle->plugin->name);
                node_put_string(tree, entry, "verdict", verdict_code_name(obstacle->code));
                explainer_put_reasons(explainer, entry, obstacle->reasons, obstacle->reason_count);
                for (size_t j = 0; j < obstacle->change_count; j++) {
                        const struct obstacle_change *change = &obstacle->changes[j];
                        struct json_node *item = node_object(tree);

                        if (change->on_node.len)
                                node_put_text(tree, item, "onNode", change->on_node);
                        if (change->on_pod.len)
                                node_put_text(tree, item, "onPod", change->on_pod);
                        if (node_count(item))
                                node_append(changes, item);
                }
                node_put(tree, entry, "changes", changes);
                node_append(list, entry);
        }
        node_put(tree, object, "obstacles", list);
}

static struct json_node *refused_node(struct explainer *explainer,
                                      const struct node_refusal *refusal, int64_t *ret_cost) {
        struct json_tree *tree = explainer->tree;
        struct json_node *object = node_object(tree);
        struct obstacle_list obstacles = { 0 };

        node_put_text(tree, object, "node", explainer_node_name(explainer, refusal->node));
        node_put_bool(tree, object, "fits", false);
        if (refusal->plugin)
                node_put_string(tree, object, "plugin", refusal->plugin->name);
        node_put_string(tree, object, "verdict", verdict_code_name(refusal->code));
        explainer_put_reasons(explainer, object, refusal->reasons, refusal->reason_count);
        put_free(explainer, object, refusal->node);
        if (explainer->has_obstacles)
                obstacles_find(&explainer->attempt, refusal->node, &obstacles);
        put_obstacles(explainer, object, &obstacles);
        *ret_cost = obstacles.count ? obstacles.cost : INT64_MAX;
        return object;
}

static void put_scores(struct explainer *explainer, struct json_node *object, size_t at) {
        const struct decision *decision = &explainer->decision;
        struct json_node *list = node_array(explainer->tree);

        for (size_t i = 0; i < decision->column_count; i++) {
                const struct score_column *column = &decision->columns[i];
                struct json_node *entry = node_object(explainer->tree);

                node_put_string(explainer->tree, entry, "plugin", column->plugin->name);
                node_put_i64(explainer->tree, entry, "weight", column->weight);
                node_put_i64(explainer->tree, entry, "raw", column->raw[at]);
                node_put_i64(explainer->tree, entry, "score", column->weighted[at]);
                node_append(list, entry);
        }
        node_put(explainer->tree, object, "scores", list);
        if (decision->totals)
                node_put_i64(explainer->tree, object, "total", decision->totals[at]);
}

static struct json_node *feasible_node(struct explainer *explainer, size_t at) {
        struct json_node *object = node_object(explainer->tree);
        struct node_id node = explainer->decision.feasible[at];

        node_put_text(explainer->tree, object, "node", explainer_node_name(explainer, node));
        node_put_bool(explainer->tree, object, "fits", true);
        put_scores(explainer, object, at);
        put_free(explainer, object, node);
        return object;
}

/* ---- near misses ---- */

struct miss {
        struct json_node *node;
        int64_t cost;
};

static void keep_miss(struct miss *nearest, struct json_node *node, int64_t cost) {
        size_t at = EXPLANATION_NEAREST;

        while (at > 0 && (!nearest[at - 1].node || cost < nearest[at - 1].cost))
                at--;
        if (at == EXPLANATION_NEAREST)
                return;
        memmove(&nearest[at + 1], &nearest[at],
                (EXPLANATION_NEAREST - at - 1) * sizeof(nearest[0]));
        nearest[at] = (struct miss){ node, cost };
}

/* The changes of all obstacles of a node in a row; false when some obstacle knows none. */
static bool join_changes(const struct json_node *node, const char *key, struct buf *text) {
        struct node_iter obstacles = node_iter(node_get(node, "obstacles"));
        struct json_node *obstacle, *change;

        while (node_next(&obstacles, NULL, &obstacle)) {
                struct node_iter changes = node_iter(node_get(obstacle, "changes"));

                if (node_count(node_get(obstacle, "changes")) == 0)
                        return false;
                while (node_next(&changes, NULL, &change)) {
                        struct slice one = node_get_text(change, key);

                        if (!one.len)
                                return false;
                        if (slice_contains(buf_view(text), one)) /* two obstacles, one cause */
                                continue;
                        buf_printf(text, "%s" SLICE_FMT, text->len ? "; " : "", SLICE_ARG(one));
                }
        }
        return text->len > 0;
}

static void put_misses(struct explainer *explainer, const struct miss *nearest) {
        struct json_node *list = node_array(explainer->tree);

        for (size_t i = 0; i < EXPLANATION_NEAREST && nearest[i].node; i++) {
                CLEANUP(buf_release) struct buf node = { 0 };
                CLEANUP(buf_release) struct buf pod = { 0 };
                struct json_node *entry = node_object(explainer->tree);

                node_put_text(explainer->tree, entry, "node",
                              node_get_text(nearest[i].node, "node"));
                if (join_changes(nearest[i].node, "onNode", &node))
                        node_put_text(explainer->tree, entry, "onNode", buf_view(&node));
                if (join_changes(nearest[i].node, "onPod", &pod))
                        node_put_text(explainer->tree, entry, "onPod", buf_view(&pod));
                if (node_count(entry) > 1)
                        node_append(list, entry);
        }
        node_put(explainer->tree, explainer->out, "nearest", list);
}

void explainer_put_nodes(struct explainer *explainer) {
        const struct decision *decision = &explainer->decision;
        struct json_node *list = node_array(explainer->tree);
        struct miss nearest[EXPLANATION_NEAREST + 1] = { 0 };

        for (size_t i = 0; decision->feasible && i < decision->feasible_count; i++)
                node_append(list, feasible_node(explainer, i));
        for (size_t i = 0; i < decision->refusal_count; i++) {
                int64_t cost;
                struct json_node *node = refused_node(explainer, &decision->refusals[i], &cost);

                node_append(list, node);
                if (cost < INT64_MAX)
                        keep_miss(nearest, node, cost);
        }
        node_put(explainer->tree, explainer->out, "nodes", list);
        if (decision->outcome == DECISION_UNSCHEDULABLE)
                put_misses(explainer, nearest);
}
