/* Preparation of pod writes: the state a pod starts in, its quality of service. */
#include "kinds/prepare.h"

#include "api/quantity.h"
#include "base/util.h"
#include "kinds/defaults.h"

/* ---- quality of service ---- */

enum { QOS_CPU, QOS_MEMORY, QOS_RESOURCES };
static const char *const qos_names[QOS_RESOURCES] = { "cpu", "memory" };

struct pod_prepare_qos_sums {
        int64_t requests[QOS_RESOURCES], limits[QOS_RESOURCES];
        bool has_gap; /* some container lacks one of the limits */
};

static int64_t amount_of(const struct json_node *list, const char *name) {
        int64_t milli = 0;

        if (node_get(list, name))
                quantity_milli(node_get_text(list, name), &milli, NULL);
        return milli;
}

static void qos_add(struct pod_prepare_qos_sums *sums, const struct json_node *resources) {
        for (int i = 0; i < QOS_RESOURCES; i++) {
                int64_t limit = amount_of(node_get(resources, "limits"), qos_names[i]);

                sums->requests[i] += amount_of(node_get(resources, "requests"), qos_names[i]);
                sums->limits[i] += limit;
                if (limit == 0)
                        sums->has_gap = true;
        }
}

const char *pod_qos_class(const struct json_node *spec) {
        static const char *const lists[] = { "containers", "initContainers" };
        struct json_node *own = object_at(spec, "resources"), *container;
        struct pod_prepare_qos_sums sums = { 0 };
        bool has_any = false, is_guaranteed;

        if (node_count(own) > 0) {
                qos_add(&sums, own);
        } else {
                for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                        struct node_iter iter = node_iter(node_get(spec, lists[i]));

                        while (node_next(&iter, NULL, &container))
                                qos_add(&sums, object_at(container, "resources"));
                }
        }
        is_guaranteed = !sums.has_gap;
        for (int i = 0; i < QOS_RESOURCES; i++) {
                has_any |= sums.requests[i] != 0 || sums.limits[i] != 0;
                is_guaranteed &= sums.requests[i] == sums.limits[i];
        }
        if (!has_any)
                return "BestEffort";
        return is_guaranteed ? "Guaranteed" : "Burstable";
}

/* ---- pods ---- */

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
