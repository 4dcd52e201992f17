/* Conversions between the versions of a kind that share one store. */
#include "kinds/views.h"

#include "base/util.h"
#include "kinds/defaults.h"

/* ---- events ---- */

static const char *const event_members[][2] = {
        /* core, events.k8s.io */
        { "involvedObject", "regarding" },
        { "message", "note" },
        { "source", "deprecatedSource" },
        { "firstTimestamp", "deprecatedFirstTimestamp" },
        { "lastTimestamp", "deprecatedLastTimestamp" },
        { "count", "deprecatedCount" },
        { "reportingComponent", "reportingController" },
};

static void rename_member(struct json_tree *tree, struct json_node *object, const char *from,
                          const char *to) {
        struct json_node *value = node_get(object, from);

        if (!value)
                return;
        node_put(tree, object, to, node_clone(tree, value));
        node_remove(object, from);
}

void event_to_core(struct json_tree *tree, struct json_node *object) {
        for (size_t i = 0; i < ARRAY_LEN(event_members); i++)
                rename_member(tree, object, event_members[i][1], event_members[i][0]);
        node_put_string(tree, object, "apiVersion", "v1");
}

void event_from_core(struct json_tree *tree, struct json_node *object) {
        for (size_t i = 0; i < ARRAY_LEN(event_members); i++)
                rename_member(tree, object, event_members[i][0], event_members[i][1]);
        node_put_string(tree, object, "apiVersion", "events.k8s.io/v1");
}

/* ---- autoscalers ---- */

#define CPU_PERCENT "targetCPUUtilizationPercentage"
#define DEFAULT_CPU_PERCENT 80

void autoscaler_v1_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");

        default_absent_i64(tree, spec, "minReplicas", 1);
        default_absent_i64(tree, spec, CPU_PERCENT, DEFAULT_CPU_PERCENT);
}

static struct json_node *cpu_metric(struct json_tree *tree, const char *type, const char *inner,
                                    int64_t percent) {
        struct json_node *metric = node_object(tree), *resource, *value;

        node_put_string(tree, metric, "type", "Resource");
        resource = node_need_object(tree, metric, "resource");
        node_put_string(tree, resource, "name", "cpu");
        value = node_need_object(tree, resource, inner);
        if (type)
                node_put_string(tree, value, "type", type);
        node_put_i64(tree, value, "averageUtilization", percent);
        return metric;
}

void autoscaler_to_v2(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *status = object_at(object, "status");
        int64_t percent;

        if (node_as_i64(node_get(spec, CPU_PERCENT), &percent))
                node_append(node_need_array(tree, spec, "metrics"),
                            cpu_metric(tree, "Utilization", "target", percent));
        node_remove(spec, CPU_PERCENT);
        if (status && node_as_i64(node_get(status, "currentCPUUtilizationPercentage"), &percent)) {
                node_append(node_need_array(tree, status, "currentMetrics"),
                            cpu_metric(tree, NULL, "current", percent));
                node_remove(status, "currentCPUUtilizationPercentage");
        }
        node_put_string(tree, object, "apiVersion", "autoscaling/v2");
}

/* Utilisation of the first metric about the processor. */
static bool find_cpu_percent(const struct json_node *metrics, const char *inner,
                             int64_t *ret_percent) {
        struct node_iter iter = node_iter(metrics);
        struct json_node *metric;

        while (node_next(&iter, NULL, &metric)) {
                struct json_node *resource = object_at(metric, "resource");

                if (slice_is(node_get_text(resource, "name"), "cpu") &&
                    node_as_i64(node_get(object_at(resource, inner), "averageUtilization"),
                                ret_percent))
                        return true;
        }
        return false;
}

void autoscaler_from_v2(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *status = object_at(object, "status");
        int64_t percent;

        if (find_cpu_percent(node_get(spec, "metrics"), "target", &percent))
                node_put_i64(tree, spec, CPU_PERCENT, percent);
        node_remove(spec, "metrics");
        if (status && find_cpu_percent(node_get(status, "currentMetrics"), "current", &percent))
                node_put_i64(tree, status, "currentCPUUtilizationPercentage", percent);
        if (status) {
                node_remove(status, "currentMetrics");
                node_remove(status, "conditions");
        }
        node_put_string(tree, object, "apiVersion", "autoscaling/v1");
}
