/* What the listed nodes have and use, by resource, for the utilisation strategies. */
#pragma once

#include "plugins/desched/utilization_args.h"

enum usage_source { USAGE_REQUESTED, USAGE_KUBERNETES, USAGE_PROMETHEUS };

/* Rows are the pass's nodes in order, columns the configured resources and, unless usage comes from
 * Prometheus, cpu, memory and pods. */
struct node_usage {
        struct desched_run *run;
        enum usage_source source;
        size_t node_count, resource_count;
        struct slice *names;
        bool *has_column;
        struct resource_id *columns; /* valid where has_column */
        int64_t *used, *capacity;    /* [node * resource_count + resource]; cpu in millicores */
};
/* Fails when measured usage is wanted and missing. */
int node_usage_init(struct node_usage *usage, struct desched_run *run,
                    const struct item_list *thresholds, const struct metrics_arg *metrics,
                    struct err *err);
static inline size_t node_usage_at(const struct node_usage *usage, size_t node, size_t resource) {
        return node * usage->resource_count + resource;
}
/* Percent of capacity; 0 where there is none. */
double node_usage_percent(const struct node_usage *usage, size_t node, size_t resource);
/* The node carries the resource at all. */
bool node_usage_has(const struct node_usage *usage, size_t node, size_t resource);
/* What a pod adds to each resource (array of resource_count); false when that is not known now. */
bool node_usage_of_pod(const struct node_usage *usage, struct pod_id pod, int64_t *ret_amounts);
