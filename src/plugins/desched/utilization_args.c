/* Arguments of LowNodeUtilization and HighNodeUtilization. */
#include "plugins/desched/utilization_args.h"

const struct field threshold_fields[] = {
        { .name = "",
          .type = FIELD_F64,
          .offset = offsetof(struct threshold_item, percent),
          .presence = FIELD_NO_PRESENCE,
          .help = "Percent." },
        FIELD_END,
};

const struct threshold_item *threshold_find(const struct item_list *thresholds, struct slice name) {
        const struct threshold_item *items = thresholds->items;
        for (size_t i = 0; i < thresholds->count; i++)
                if (slice_eq(items[i].name, name))
                        return &items[i];
        return NULL;
}

void thresholds_check(struct field_reader *reader, const struct json *value, const char *path,
                      const struct item_list *thresholds) {
        const struct threshold_item *items = thresholds->items;
        if (thresholds->count == 0)
                field_problem(reader, value, path, "no resource threshold is configured");
        for (size_t i = 0; i < thresholds->count; i++)
                if (!(items[i].percent >= 0 && items[i].percent <= 100))
                        field_problem(reader, value, path,
                                      SLICE_FMT " must be between 0 and 100, is %g",
                                      SLICE_ARG(items[i].name), items[i].percent);
}

static void check_namespaces(struct field_reader *reader, const struct json *value,
                             const struct namespaces_arg *namespaces) {
        if (namespaces->include.count > 0)
                field_problem(reader, value, "evictableNamespaces.include",
                              "only exclude can be set here");
}

#define MEMBER(type, member) offsetof(struct type, member), .presence = FIELD_NO_PRESENCE
#define THRESHOLDS(struct_name, key, member_name, text)                                            \
        {                                                                                          \
                .name = key, .type = FIELD_MAP, .offset = MEMBER(struct_name, member_name),        \
                .fields = threshold_fields, .item_size = sizeof(struct threshold_item),            \
                .help = text                                                                       \
        }

static const struct field prometheus_fields[] = {
        { .name = "query",
          .type = FIELD_TEXT,
          .offset = MEMBER(prometheus_arg, query),
          .help = "Instant query; label instance is the node, values are 0 to 1." },
        FIELD_END,
};
static const struct field metrics_fields[] = {
        { .name = "metricsServer",
          .type = FIELD_BOOL,
          .offset = MEMBER(metrics_arg, uses_server),
          .flags = FIELD_DEPRECATED,
          .help = "Same as source: KubernetesMetrics." },
        { .name = "source",
          .type = FIELD_TEXT,
          .offset = MEMBER(metrics_arg, source),
          .help = "KubernetesMetrics or Prometheus." },
        { .name = "prometheus",
          .type = FIELD_POINTER,
          .offset = MEMBER(metrics_arg, prometheus),
          .fields = prometheus_fields,
          .item_size = sizeof(struct prometheus_arg),
          .help = "What to ask Prometheus." },
        FIELD_END,
};
static const struct field limits_fields[] = {
        { .name = "node",
          .type = FIELD_I64,
          .offset = offsetof(struct eviction_limits_arg, node),
          .presence = offsetof(struct eviction_limits_arg, has_node),
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .help = "Evictions per node and pass." },
        FIELD_END,
};

const struct field low_utilization_fields[] = {
        THRESHOLDS(low_utilization_args, "thresholds", thresholds,
                   "Nodes at or below all of these are underutilised."),
        THRESHOLDS(low_utilization_args, "targetThresholds", targets,
                   "Nodes above any of these are overutilised."),
        { .name = "useDeviationThresholds",
          .type = FIELD_BOOL,
          .offset = MEMBER(low_utilization_args, is_deviation),
          .help = "Thresholds are distances from the mean." },
        { .name = "numberOfNodes",
          .type = FIELD_I64,
          .offset = MEMBER(low_utilization_args, node_count),
          .help = "Act only when more nodes than this are underutilised." },
        { .name = "evictableNamespaces",
          .type = FIELD_STRUCT,
          .offset = MEMBER(low_utilization_args, namespaces),
          .fields = namespaces_arg_fields,
          .help = "Namespaces whose pods stay (exclude)." },
        { .name = "evictionLimits",
          .type = FIELD_STRUCT,
          .offset = MEMBER(low_utilization_args, limits),
          .fields = limits_fields,
          .help = "Limits of this strategy." },
        { .name = "metricsUtilization",
          .type = FIELD_POINTER,
          .offset = MEMBER(low_utilization_args, metrics),
          .fields = metrics_fields,
          .item_size = sizeof(struct metrics_arg),
          .help = "Measured usage instead of requests." },
        FIELD_END,
};

const struct field high_utilization_fields[] = {
        THRESHOLDS(high_utilization_args, "thresholds", thresholds,
                   "Nodes at or below all of these are underutilised."),
        { .name = "numberOfNodes",
          .type = FIELD_I64,
          .offset = MEMBER(high_utilization_args, node_count),
          .help = "Act only when more nodes than this are underutilised." },
        { .name = "evictionModes",
          .type = FIELD_TEXTS,
          .offset = MEMBER(high_utilization_args, modes),
          .help = "OnlyThresholdingResources: only pods that request a resource of thresholds." },
        { .name = "evictableNamespaces",
          .type = FIELD_STRUCT,
          .offset = MEMBER(high_utilization_args, namespaces),
          .fields = namespaces_arg_fields,
          .help = "Namespaces whose pods stay (exclude)." },
        FIELD_END,
};

static void check_targets(struct field_reader *reader, const struct json *value,
                          const struct low_utilization_args *args) {
        const struct threshold_item *items = args->thresholds.items;
        if (args->thresholds.count != args->targets.count)
                field_problem(reader, value, "targetThresholds",
                              "must name the same resources as thresholds");
        for (size_t i = 0; i < args->thresholds.count; i++) {
                const struct threshold_item *target = threshold_find(&args->targets, items[i].name);
                if (!target)
                        field_problem(reader, value, "targetThresholds",
                                      SLICE_FMT " of thresholds is missing",
                                      SLICE_ARG(items[i].name));
                else if (!args->is_deviation && items[i].percent > target->percent)
                        field_problem(reader, value, "thresholds",
                                      SLICE_FMT " must not be above its target, %g > %g",
                                      SLICE_ARG(items[i].name), items[i].percent, target->percent);
        }
}

static void check_metrics(struct field_reader *reader, const struct json *value,
                          const struct metrics_arg *metrics) {
        if (slice_is(metrics->source, "KubernetesMetrics")) {
                if (metrics->uses_server)
                        field_problem(reader, value, "metricsUtilization.metricsServer",
                                      "cannot be set together with source KubernetesMetrics");
                if (metrics->prometheus)
                        field_problem(reader, value, "metricsUtilization.prometheus",
                                      "cannot be set together with source KubernetesMetrics");
        } else if (slice_is(metrics->source, "Prometheus")) {
                if (!metrics->prometheus || metrics->prometheus->query.len == 0)
                        field_problem(reader, value, "metricsUtilization.prometheus.query",
                                      "source Prometheus needs a query");
        }
}

void low_utilization_check(struct field_reader *reader, const struct json *value,
                           const void *data) {
        const struct low_utilization_args *args = data;
        check_namespaces(reader, value, &args->namespaces);
        thresholds_check(reader, value, "thresholds", &args->thresholds);
        thresholds_check(reader, value, "targetThresholds", &args->targets);
        check_targets(reader, value, args);
        if (args->metrics)
                check_metrics(reader, value, args->metrics);
}

void high_utilization_check(struct field_reader *reader, const struct json *value,
                            const void *data) {
        const struct high_utilization_args *args = data;
        check_namespaces(reader, value, &args->namespaces);
        thresholds_check(reader, value, "thresholds", &args->thresholds);
        for (size_t i = 0; i < args->modes.count; i++)
                if (!slice_is(args->modes.items[i], "OnlyThresholdingResources"))
                        field_problem(reader, value, "evictionModes",
                                      "expected OnlyThresholdingResources, found \"" SLICE_FMT "\"",
                                      SLICE_ARG(args->modes.items[i]));
}
