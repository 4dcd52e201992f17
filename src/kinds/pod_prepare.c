/* Preparation of pod writes: the state a pod starts in. */
#include "kinds/prepare.h"

#include "kinds/defaults.h"

static void gate_condition(struct kind_context *context, struct json_tree *tree,
                           struct json_node *status) {
        struct json_node *condition = node_object(tree);
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format(context->now, now);
        node_put_string(tree, condition, "type", "PodScheduled");
        node_put_string(tree, condition, "status", "False");
        node_put_string(tree, condition, "lastTransitionTime", now);
        node_put_string(tree, condition, "reason", "SchedulingGated");
        node_put_string(tree, condition, "message",
                        "Scheduling is blocked due to non-empty scheduling gates");
        node_append(node_need_array(tree, status, "conditions"), condition);
}

PREPARE_HOOK(pod_prepare) {
        struct json_node *spec = node_need_object(tree, object, "spec"), *status;

        status_prepare(context, operation, tree, object, old);
        if (operation == KIND_UPDATE && is_pod_part(context->subresource)) {
                pod_subresource_prepare(context->subresource, tree, object, old);
                return;
        }
        status = node_need_object(tree, object, "status");
        if (operation == KIND_CREATE) {
                if (!context->has_eviction_responders)
                        node_remove(spec, "evictionResponders");
                node_put_string(tree, status, "phase", "Pending");
                if (node_count(node_get(spec, "schedulingGates")) > 0)
                        gate_condition(context, tree, status);
                node_put_string(tree, status, "qosClass", pod_qos_class(spec));
        } else if (node_get_text(status, "qosClass").len == 0) {
                keep_member(tree, status, json_get(old, "status"), "qosClass");
        }
}
