/* Horizontal pod autoscalers of version 1: what it has no members for is kept in annotations. */
#include "kinds/views.h"

#include "base/arena.h"
#include "base/util.h"
#include "kinds/annotation_json.h"
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/prepare.h"
#include "kinds/resource_rules.h"
#include "schema/internal_form.h"

#define CPU_PERCENT "targetCPUUtilizationPercentage"
#define CPU_NOW "currentCPUUtilizationPercentage"
#define DEFAULT_CPU_PERCENT 80

#define PREFIX "autoscaling.alpha.kubernetes.io/"
#define METRICS PREFIX "metrics"
#define CURRENT_METRICS PREFIX "current-metrics"
#define CONDITIONS PREFIX "conditions"
#define BEHAVIOR PREFIX "behavior"

static const char *const view_annotations[] = {
        METRICS,
        CURRENT_METRICS,
        CONDITIONS,
        BEHAVIOR,
        PREFIX "scale-down-tolerance",
        PREFIX "scale-up-tolerance",
};
static const char *const spec_annotations[] = { METRICS, BEHAVIOR };
static const char *const status_annotations[] = { CURRENT_METRICS, CONDITIONS };

/* ---- annotations ---- */

static struct slice annotation_get(const struct json_node *object, const char *name) {
        return node_get_text(node_get(node_get(object, "metadata"), "annotations"), name);
}

static void annotation_put(struct json_tree *tree, struct json_node *object, const char *name,
                           struct slice text) {
        struct json_node *metadata = node_need_object(tree, object, "metadata");

        node_put_text(tree, node_need_object(tree, metadata, "annotations"), name, text);
}

static void annotations_drop(struct json_node *object, const char *const *names, size_t count) {
        struct json_node *metadata = node_get(object, "metadata");
        struct json_node *annotations = node_get(metadata, "annotations");

        for (size_t i = 0; annotations && i < count; i++)
                node_remove(annotations, names[i]);
        if (annotations && node_count(annotations) == 0)
                node_remove(metadata, "annotations");
}

void autoscaler_drop_annotations(struct json_node *object) {
        annotations_drop(object, view_annotations, ARRAY_LEN(view_annotations));
}

static void annotations_keep(struct json_tree *tree, struct json_node *object,
                             const struct json *old, const char *const *names, size_t count) {
        const struct json *before = json_get(json_get(old, "metadata"), "annotations");

        annotations_drop(object, names, count);
        for (size_t i = 0; i < count; i++)
                if (json_get(before, names[i]))
                        annotation_put(tree, object, names[i], json_get_text(before, names[i]));
}

/* ---- metrics ---- */

/* The aim of a metric in a spec, and its value in a status: "target" and "current" in version 2. */
#define AMOUNT NULL

/* Where a member of a source of version 1 is in version 2. */
struct member_place {
        const char *source, *spec, *status; /* its names in version 1 */
        const char *outer, *inner;          /* inner: NULL = outer is the member itself */
};
static const struct member_place places[] = {
        { "object", "target", "target", "describedObject", NULL },
        { "object", "metricName", "metricName", "metric", "name" },
        { "object", "targetValue", "currentValue", AMOUNT, "value" },
        { "object", "selector", "selector", "metric", "selector" },
        { "object", "averageValue", "averageValue", AMOUNT, "averageValue" },
        { "pods", "metricName", "metricName", "metric", "name" },
        { "pods", "targetAverageValue", "currentAverageValue", AMOUNT, "averageValue" },
        { "pods", "selector", "selector", "metric", "selector" },
        { "resource", "name", "name", "name", NULL },
        { "resource", "targetAverageUtilization", "currentAverageUtilization", AMOUNT,
          "averageUtilization" },
        { "resource", "targetAverageValue", "currentAverageValue", AMOUNT, "averageValue" },
        { "containerResource", "name", "name", "name", NULL },
        { "containerResource", "targetAverageUtilization", "currentAverageUtilization", AMOUNT,
          "averageUtilization" },
        { "containerResource", "targetAverageValue", "currentAverageValue", AMOUNT,
          "averageValue" },
        { "containerResource", "container", "container", "container", NULL },
        { "external", "metricName", "metricName", "metric", "name" },
        { "external", "metricSelector", "metricSelector", "metric", "selector" },
        { "external", "targetValue", "currentValue", AMOUNT, "value" },
        { "external", "targetAverageValue", "currentAverageValue", AMOUNT, "averageValue" },
};
/* What is in the spec, and what is in the status. */
struct metric_part {
        const char *type, *annotation; /* of version 1 */
        const char *amount;            /* of version 2 */
};
static const struct metric_part spec_part = { "autoscaling.v1.MetricSpec", METRICS, "target" };
static const struct metric_part status_part = { "autoscaling.v1.MetricStatus", CURRENT_METRICS,
                                                "current" };

static const char *old_name(const struct metric_part *part, const struct member_place *place) {
        return part == &spec_part ? place->spec : place->status;
}

static const char *outer_name(const struct metric_part *part, const struct member_place *place) {
        return place->outer ? place->outer : part->amount;
}

static struct json_node *metric_to_v1(struct json_tree *tree, const struct metric_part *part,
                                      const struct json_node *metric) {
        struct json_node *converted = node_object(tree);

        node_put_text(tree, converted, "type", node_get_text(metric, "type"));
        for (size_t i = 0; i < ARRAY_LEN(places); i++) {
                const struct member_place *place = &places[i];
                const struct json_node *source = node_get(metric, place->source);
                const struct json_node *value = node_get(source, outer_name(part, place));

                if (!source)
                        continue;
                struct json_node *to = node_need_object(tree, converted, place->source);
                value = place->inner ? node_get(value, place->inner) : value;
                if (value)
                        node_put(tree, to, old_name(part, place), node_clone(tree, value));
        }
        return converted;
}

/* Version 1 tells kinds of targets by which of them is set. */
static void target_type(struct json_tree *tree, struct slice source, struct json_node *target) {
        bool is_average = node_get(target, "averageValue");
        const char *type = "AverageValue";

        if ((slice_is(source, "object") && !is_average) ||
            (slice_is(source, "external") && node_get(target, "value")))
                type = "Value";
        else if (node_get(target, "averageUtilization"))
                type = "Utilization";
        if (slice_is(source, "object") && is_average &&
            quantity_sign(node_get_text(target, "value")) == 0)
                node_remove(target, "value");
        node_put_string(tree, target, "type", type);
}

static struct json_node *metric_from_v1(struct json_tree *tree, const struct metric_part *part,
                                        const struct json_node *metric) {
        struct json_node *converted = node_object(tree);
        struct json_node *source;
        struct slice name;

        node_put_text(tree, converted, "type", node_get_text(metric, "type"));
        for (size_t i = 0; i < ARRAY_LEN(places); i++) {
                const struct member_place *place = &places[i];
                const struct json_node *value =
                        node_get(node_get(metric, place->source), old_name(part, place));

                if (!node_get(metric, place->source))
                        continue;
                struct json_node *to = node_need_object(tree, converted, place->source);
                to = place->inner ? node_need_object(tree, to, outer_name(part, place)) : to;
                if (value)
                        node_put(tree, to, place->inner ? place->inner : outer_name(part, place),
                                 node_clone(tree, value));
        }
        struct node_iter iter = node_iter(converted);
        while (part == &spec_part && node_next(&iter, &name, &source))
                if (node_get(source, "target"))
                        target_type(tree, name, node_get(source, "target"));
        return converted;
}

static bool is_cpu(const struct json_node *metric, const char *inner, int64_t *ret_percent) {
        const struct json_node *resource = node_get(metric, "resource");

        return slice_is(node_get_text(metric, "type"), "Resource") &&
               slice_is(node_get_text(resource, "name"), "cpu") &&
               node_as_i64(node_get(node_get(resource, inner), "averageUtilization"), ret_percent);
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

/* Metrics of an annotation in version 2; NULL when it cannot be read. */
static struct json_node *metrics_read(struct json_tree *tree, const struct metric_part *part,
                                      const struct json_node *object) {
        struct json_node *list = annotation_read_list(tree, schema_named(part->type),
                                                      annotation_get(object, part->annotation));
        struct json_node *metrics = list ? node_array(tree) : NULL;

        for (size_t i = 0; i < node_count(list); i++)
                node_append(metrics, metric_from_v1(tree, part, node_at(list, i)));
        return metrics;
}

static void list_write(struct json_tree *tree, struct json_node *object, const char *annotation,
                       const char *type, struct json_node *list) {
        CLEANUP(buf_release) struct buf text = { 0 };

        annotation_write_list(tree, schema_named(type), list, &text);
        annotation_put(tree, object, annotation, buf_view(&text));
}

/* ---- from version 1 to version 2 ---- */

#define BEHAVIOR_TYPE "autoscaling.v2.HorizontalPodAutoscalerBehavior"
#define CONDITION_TYPE "autoscaling.v2.HorizontalPodAutoscalerCondition"

static void spec_to_v2(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *metrics = metrics_read(tree, &spec_part, object);
        struct json_node *behavior = annotation_read_object(tree, schema_named(BEHAVIOR_TYPE),
                                                            annotation_get(object, BEHAVIOR));
        int64_t percent = DEFAULT_CPU_PERCENT;
        bool has_percent = node_as_i64(node_get(spec, CPU_PERCENT), &percent);

        if (!metrics)
                metrics = node_array(tree);
        if (has_percent || node_count(metrics) == 0)
                node_append(metrics, cpu_metric(tree, "Utilization", "target", percent));
        node_remove(spec, CPU_PERCENT);
        node_put(tree, spec, "metrics", metrics);
        if (node_count(behavior))
                node_put(tree, spec, "behavior", behavior);
}

static void status_to_v2(struct json_tree *tree, struct json_node *object) {
        struct json_node *metrics = metrics_read(tree, &status_part, object);
        struct json_node *conditions = annotation_read_list(tree, schema_named(CONDITION_TYPE),
                                                            annotation_get(object, CONDITIONS));
        struct json_node *status = object_at(object, "status");
        int64_t percent;

        if (node_count(metrics) || node_count(conditions))
                status = node_need_object(tree, object, "status");
        if (!status)
                return;
        if (!metrics && node_as_i64(node_get(status, CPU_NOW), &percent)) {
                metrics = node_array(tree);
                node_append(metrics, cpu_metric(tree, NULL, "current", percent));
        }
        node_remove(status, CPU_NOW);
        if (node_count(metrics))
                node_put(tree, status, "currentMetrics", metrics);
        if (node_count(conditions))
                node_put(tree, status, "conditions", conditions);
}

void autoscaler_to_v2(struct json_tree *tree, struct json_node *object) {
        spec_to_v2(tree, object);
        status_to_v2(tree, object);
        autoscaler_drop_annotations(object);
        node_put_string(tree, object, "apiVersion", "autoscaling/v2");
}

/* ---- and back ---- */

static void spec_from_v2(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct node_iter iter = node_iter(node_get(spec, "metrics"));
        struct json_node *others = node_array(tree), *metric;
        CLEANUP(buf_release) struct buf text = { 0 };
        int64_t percent;

        while (node_next(&iter, NULL, &metric)) {
                if (!is_cpu(metric, "target", &percent))
                        node_append(others, metric_to_v1(tree, &spec_part, metric));
                else if (!node_get(spec, CPU_PERCENT)) /* the first of them */
                        node_put_i64(tree, spec, CPU_PERCENT, percent);
        }
        if (node_count(others))
                list_write(tree, object, METRICS, spec_part.type, others);
        if (node_get(spec, "behavior")) {
                internal_form_write(schema_named(BEHAVIOR_TYPE), node_get(spec, "behavior"), &text);
                annotation_put(tree, object, BEHAVIOR, buf_view(&text));
        }
        node_remove(spec, "metrics");
        node_remove(spec, "behavior");
}

static void status_from_v2(struct json_tree *tree, struct json_node *object) {
        struct json_node *status = object_at(object, "status");
        struct node_iter iter = node_iter(node_get(status, "currentMetrics"));
        struct json_node *metrics = node_array(tree), *metric;
        int64_t percent;

        while (node_next(&iter, NULL, &metric)) {
                node_append(metrics, metric_to_v1(tree, &status_part, metric));
                if (is_cpu(metric, "current", &percent)) /* the last of them */
                        node_put_i64(tree, status, CPU_NOW, percent);
        }
        if (node_count(metrics))
                list_write(tree, object, CURRENT_METRICS, status_part.type, metrics);
        if (node_count(node_get(status, "conditions")))
                list_write(tree, object, CONDITIONS, CONDITION_TYPE,
                           node_clone(tree, node_get(status, "conditions")));
        if (!status)
                return;
        node_remove(status, "currentMetrics");
        node_remove(status, "conditions");
}

void autoscaler_from_v2(struct json_tree *tree, struct json_node *object) {
        autoscaler_drop_annotations(object);
        spec_from_v2(tree, object);
        status_from_v2(tree, object);
        node_put_string(tree, object, "apiVersion", "autoscaling/v1");
}

/* ---- hooks of version 1 ---- */

/* The object becomes what it is once it has been through version 2: annotations say the same in
 * upstream's words, and without any metric there is one. */
void autoscaler_v1_defaults(struct json_tree *tree, struct json_node *object) {
        default_absent_i64(tree, node_need_object(tree, object, "spec"), "minReplicas", 1);
        autoscaler_to_v2(tree, object);
        autoscaler_from_v2(tree, object);
}

PREPARE_HOOK(autoscaler_v1_prepare) {
        status_prepare(context, operation, tree, object, old);
        if (operation == KIND_UPDATE_STATUS)
                annotations_keep(tree, object, old, spec_annotations, ARRAY_LEN(spec_annotations));
        else
                annotations_keep(tree, object, old, status_annotations,
                                 ARRAY_LEN(status_annotations));
}

VALIDATE_HOOK(autoscaler_v1_validate) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *converted = node_clone(tree, object);

        autoscaler_to_v2(tree, converted);
        horizontal_pod_autoscaler_validate(context, operation, converted, old, errors);
}
