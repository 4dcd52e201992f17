/* Arguments of the two utilisation strategies. */
#pragma once

#include "plugin/desched_args.h"

/* The only resource there is when usage comes from Prometheus. */
#define METRIC_RESOURCE "MetricResource"

struct threshold_item { /* of a map from resource to percent */
        struct slice name;
        double percent;
};
extern const struct field threshold_fields[];
/* The item of that name; NULL when there is none. */
const struct threshold_item *threshold_find(const struct item_list *thresholds, struct slice name);
/* Not empty, every value a percentage. */
void thresholds_check(struct field_reader *reader, const struct json *value, const char *path,
                      const struct item_list *thresholds);

struct prometheus_arg {
        struct slice query;
};
struct metrics_arg {
        bool uses_server; /* deprecated */
        struct slice source;
        struct prometheus_arg *prometheus;
};
struct eviction_limits_arg {
        int64_t node;
        bool has_node;
};

struct low_utilization_args {
        struct item_list thresholds, targets; /* struct threshold_item */
        struct namespaces_arg namespaces;
        struct eviction_limits_arg limits;
        struct metrics_arg *metrics;
        int64_t node_count;
        bool is_deviation;
};
extern const struct field low_utilization_fields[];
void low_utilization_check(struct field_reader *reader, const struct json *value, const void *args);

struct high_utilization_args {
        struct item_list thresholds; /* struct threshold_item */
        struct namespaces_arg namespaces;
        struct text_list modes;
        int64_t node_count;
};
extern const struct field high_utilization_fields[];
void high_utilization_check(struct field_reader *reader, const struct json *value,
                            const void *args);
