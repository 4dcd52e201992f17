/* Usage of nodes: requests from the model, or measured values handed to the pass. */
#include "plugins/desched/node_usage.h"

/* ---- columns ---- */

static void add_resource(struct node_usage *usage, struct slice name) {
        for (size_t i = 0; i < usage->resource_count; i++)
                if (slice_eq(usage->names[i], name))
                        return;
        size_t at = usage->resource_count++;
        usage->names[at] = name;
        usage->has_column[at] =
                cluster_resource(desched_run_cluster(usage->run), name, &usage->columns[at]);
}

static void add_resources(struct node_usage *usage, const struct item_list *thresholds) {
        struct arena *scratch = desched_run_scratch(usage->run);
        const struct threshold_item *items = thresholds->items;
        size_t most = thresholds->count + 3;
        usage->names = ARENA_ARRAY(scratch, struct slice, most);
        usage->has_column = ARENA_ARRAY(scratch, bool, most);
        usage->columns = ARENA_ARRAY(scratch, struct resource_id, most);
        for (size_t i = 0; i < thresholds->count; i++)
                add_resource(usage, items[i].name);
        if (usage->source == USAGE_PROMETHEUS)
                return;
        add_resource(usage, SLICE_LITERAL("cpu"));
        add_resource(usage, SLICE_LITERAL("memory"));
        add_resource(usage, SLICE_LITERAL("pods"));
}

/* ---- rows ---- */

static void fill_requested(struct node_usage *usage) {
        const struct node_table *table = cluster_nodes(desched_run_cluster(usage->run));
        struct node_batch_list nodes = desched_run_nodes(usage->run);
        for (size_t n = 0; n < usage->node_count; n++)
                for (size_t r = 0; r < usage->resource_count; r++) {
                        if (!usage->has_column[r])
                                continue;
                        const struct resource_column *column =
                                &table->resources[usage->columns[r].index];
                        size_t at = node_usage_at(usage, n, r);
                        usage->capacity[at] = column->allocatable[nodes.nodes[n].index];
                        usage->used[at] = column->requested[nodes.nodes[n].index];
                }
}

static int fill_measured(struct node_usage *usage, struct err *err) {
        const struct desched_usage *source = desched_run_usage(usage->run);
        const struct cluster *cluster = desched_run_cluster(usage->run);
        struct node_batch_list nodes = desched_run_nodes(usage->run);
        if (!source || !source->has_kubernetes)
                return err_set(err, BERTH_ERR_UNAVAILABLE,
                               "metrics provider KubernetesMetrics is not configured");
        for (size_t n = 0; n < usage->node_count; n++)
                for (size_t r = 0; r < usage->resource_count; r++) {
                        struct slice name = cluster_node_name(cluster, nodes.nodes[n]);
                        if (slice_is(usage->names[r], "pods"))
                                continue; /* counted as in requests */
                        if (!slice_is(usage->names[r], "cpu") &&
                            !slice_is(usage->names[r], "memory"))
                                return err_set(err, BERTH_ERR_INVALID,
                                               "resource " SLICE_FMT " has no metrics",
                                               SLICE_ARG(usage->names[r]));
                        if (!source->node(source->context, name, usage->names[r],
                                          &usage->used[node_usage_at(usage, n, r)]))
                                return err_set(err, BERTH_ERR_UNAVAILABLE,
                                               "no metrics of node " SLICE_FMT, SLICE_ARG(name));
                }
        return 0;
}

static const struct usage_sample *find_sample(const struct usage_sample *samples, size_t count,
                                              struct slice instance) {
        for (size_t i = 0; i < count; i++)
                if (slice_eq(samples[i].instance, instance))
                        return &samples[i];
        return NULL;
}

/* Usage in whole percent of a capacity of 100. */
static int fill_sampled(struct node_usage *usage, const struct metrics_arg *metrics,
                        struct err *err) {
        /* Upstream cuts to whole percents: 0.29 is 28. */
        bool is_parity = desched_run_is_parity(usage->run);
        int64_t scale = is_parity ? 100 : 1000000;
        double rounding = is_parity ? 0 : 0.5;
        const struct desched_usage *source = desched_run_usage(usage->run);
        struct node_batch_list nodes = desched_run_nodes(usage->run);
        const struct usage_sample *samples;
        size_t count;
        if (!source || !source->has_prometheus)
                return err_set(err, BERTH_ERR_UNAVAILABLE,
                               "metrics provider Prometheus is not configured");
        int code =
                source->query(source->context, metrics->prometheus->query, &samples, &count, err);
        if (code < 0)
                return code;
        for (size_t i = 0; i < count; i++)
                if (!(samples[i].value >= 0 && samples[i].value <= 1))
                        return err_set(err, BERTH_ERR_INVALID,
                                       "sample of " SLICE_FMT " is %g, expected 0 to 1",
                                       SLICE_ARG(samples[i].instance), samples[i].value);
        for (size_t n = 0; n < usage->node_count; n++) {
                struct slice name =
                        cluster_node_name(desched_run_cluster(usage->run), nodes.nodes[n]);
                const struct usage_sample *sample = find_sample(samples, count, name);
                if (!sample)
                        return err_set(err, BERTH_ERR_UNAVAILABLE, "no sample of node " SLICE_FMT,
                                       SLICE_ARG(name));
                usage->capacity[n] = scale;
                usage->used[n] = (int64_t)(sample->value * (double)scale + rounding);
        }
        return 0;
}

static int choose_source(struct node_usage *usage, const struct metrics_arg *metrics,
                         struct err *err) {
        usage->source = USAGE_REQUESTED;
        if (!metrics)
                return 0;
        if (metrics->uses_server || slice_is(metrics->source, "KubernetesMetrics"))
                usage->source = USAGE_KUBERNETES;
        else if (slice_is(metrics->source, "Prometheus"))
                usage->source = USAGE_PROMETHEUS;
        else
                return err_set(err, BERTH_ERR_INVALID, "metricsUtilization names no source");
        return 0;
}

int node_usage_init(struct node_usage *usage, struct desched_run *run,
                    const struct item_list *thresholds, const struct metrics_arg *metrics,
                    struct err *err) {
        struct arena *scratch = desched_run_scratch(run);
        *usage = (struct node_usage){ .run = run, .node_count = desched_run_nodes(run).count };
        int code = choose_source(usage, metrics, err);
        if (code < 0)
                return code;
        add_resources(usage, thresholds);
        size_t cells = usage->node_count * usage->resource_count;
        usage->used = ARENA_ARRAY(scratch, int64_t, cells);
        usage->capacity = ARENA_ARRAY(scratch, int64_t, cells);
        if (usage->source == USAGE_PROMETHEUS)
                return fill_sampled(usage, metrics, err);
        fill_requested(usage);
        return usage->source == USAGE_KUBERNETES ? fill_measured(usage, err) : 0;
}

/* ---- asking ---- */

double node_usage_percent(const struct node_usage *usage, size_t node, size_t resource) {
        size_t at = node_usage_at(usage, node, resource);
        if (usage->capacity[at] <= 0)
                return 0;
        if (!desched_run_is_parity(usage->run))
                return (double)usage->used[at] * 100 / (double)usage->capacity[at];
        return (double)usage->used[at] / (double)usage->capacity[at] * 100;
}

bool node_usage_has(const struct node_usage *usage, size_t node, size_t resource) {
        return usage->capacity[node_usage_at(usage, node, resource)] > 0;
}

static int64_t node_usage_requested(const struct node_usage *usage, const struct pod_class *class,
                                    size_t resource) {
        if (!usage->has_column[resource])
                return 0;
        if (usage->columns[resource].index == RESOURCE_PODS)
                return 1;
        for (size_t i = 0; i < class->request_count; i++)
                if (class->requests[i].resource.index == usage->columns[resource].index)
                        return class->requests[i].amount;
        return 0;
}

bool node_usage_of_pod(const struct node_usage *usage, struct pod_id id, int64_t *ret_amounts) {
        const struct cluster *cluster = desched_run_cluster(usage->run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        const struct pod_class *class = cluster_class(cluster, pod->class);
        const struct desched_usage *source = desched_run_usage(usage->run);
        if (usage->source == USAGE_PROMETHEUS)
                return false;
        for (size_t r = 0; r < usage->resource_count; r++) {
                bool is_counted =
                        usage->source == USAGE_REQUESTED || slice_is(usage->names[r], "pods");
                if (is_counted)
                        ret_amounts[r] = node_usage_requested(usage, class, r);
                else if (!source->pod(source->context, cluster_text(cluster, pod->ns),
                                      slice_of(pod->name), usage->names[r], &ret_amounts[r]))
                        return false;
        }
        return true;
}
