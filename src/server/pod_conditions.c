/* Conditions inside editable objects. */
#include "server/pod_conditions.h"

static struct json_node *pod_conditions_find(const struct json_node *conditions, const char *type,
                                             size_t *ret_index) {
        struct node_iter iter = node_iter(conditions);
        struct json_node *condition;

        for (*ret_index = 0; node_next(&iter, NULL, &condition); (*ret_index)++) {
                if (slice_is(node_get_text(condition, "type"), type))
                        return condition;
        }
        return NULL;
}

void condition_set(struct json_tree *tree, struct json_node *status,
                   const struct condition_value *value, struct wall_time now) {
        struct json_node *conditions = node_need_array(tree, status, "conditions");
        struct json_node *fresh = node_object(tree), *old;
        char text[WALL_TIME_TEXT_MAX];
        size_t index;

        if (!conditions)
                return;
        old = pod_conditions_find(conditions, value->type, &index);
        wall_time_format(now, text);
        node_put_string(tree, fresh, "type", value->type);
        node_put_string(tree, fresh, "status", value->status);
        if (value->observed_generation)
                node_put_i64(tree, fresh, "observedGeneration", value->observed_generation);
        if (value->is_pod)
                node_put(tree, fresh, "lastProbeTime", node_null(tree));
        const struct json_node *since = node_get(old, "lastTransitionTime");
        if (since && slice_is(node_get_text(old, "status"), value->status))
                node_put(tree, fresh, "lastTransitionTime", node_clone(tree, since));
        else
                node_put_string(tree, fresh, "lastTransitionTime", text);
        if (value->reason || !value->is_pod)
                node_put_string(tree, fresh, "reason", value->reason ? value->reason : "");
        if (value->message || !value->is_pod)
                node_put_string(tree, fresh, "message", value->message ? value->message : "");
        if (old)
                node_replace_at(conditions, index, fresh);
        else
                node_append(conditions, fresh);
}
