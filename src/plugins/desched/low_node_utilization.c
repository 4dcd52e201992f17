/* LowNodeUtilization: pods leave overutilised nodes while underutilised ones have free capacity
 * (reference descheduler.md 4.9). */
#include "plugins/desched/node_drain.h"

#include "base/saturate.h"

struct node_bounds {         /* percent, [node, resource]; only configured resources count */
        bool *is_configured; /* by resource */
        double *low, *high;
};

/* ---- bounds ---- */

static double low_node_utilization_clamp(double percent) {
        return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

/* Over the nodes that carry the resource, cordoned ones too. */
static double mean_percent(const struct node_usage *usage, size_t resource) {
        double sum = 0;
        size_t count = 0;
        for (size_t n = 0; n < usage->node_count; n++) {
                if (!node_usage_has(usage, n, resource))
                        continue;
                sum += node_usage_percent(usage, n, resource);
                count++;
        }
        return count > 0 ? sum / (double)count : 0;
}

static struct node_bounds make_bounds(const struct node_usage *usage,
                                      const struct low_utilization_args *args) {
        struct arena *scratch = desched_run_scratch(usage->run);
        struct node_bounds bounds = {
                .is_configured = ARENA_ARRAY(scratch, bool, usage->resource_count),
                .low = ARENA_ARRAY(scratch, double, usage->resource_count),
                .high = ARENA_ARRAY(scratch, double, usage->resource_count),
        };
        for (size_t r = 0; r < usage->resource_count; r++) {
                const struct threshold_item *low =
                        threshold_find(&args->thresholds, usage->names[r]);
                const struct threshold_item *high = threshold_find(&args->targets, usage->names[r]);
                if (!low || !high)
                        continue;
                bounds.is_configured[r] = true;
                bounds.low[r] = low->percent;
                bounds.high[r] = high->percent;
                if (!args->is_deviation)
                        continue;
                double mean = mean_percent(usage, r);
                bounds.low[r] = low_node_utilization_clamp(mean - low->percent);
                bounds.high[r] = low_node_utilization_clamp(mean + high->percent);
        }
        return bounds;
}

/* What a node may use before it counts as overutilised; all it has where nothing is configured. */
/* In whole units; upstream's order of operations loses one where the product is a whole number: 29%
 * of 100 is 28. */
static int64_t quota_of(const struct node_usage *usage, double high, int64_t capacity) {
        if (desched_run_is_parity(usage->run))
                return (int64_t)(high * 0.01 * (double)capacity);
        return (int64_t)(high * (double)capacity / 100 + 1e-6);
}

static int64_t *make_quotas(const struct node_usage *usage, const struct node_bounds *bounds) {
        size_t cells = usage->node_count * usage->resource_count;
        int64_t *quotas = ARENA_ARRAY(desched_run_scratch(usage->run), int64_t, cells);
        for (size_t i = 0; i < cells; i++) {
                size_t r = i % usage->resource_count;
                quotas[i] = usage->capacity[i];
                if (bounds->is_configured[r] && usage->capacity[i] > 0)
                        quotas[i] = quota_of(usage, bounds->high[r], usage->capacity[i]);
        }
        return quotas;
}

/* ---- classes of nodes ---- */

static bool is_under(const struct node_usage *usage, const struct node_bounds *bounds, size_t n) {
        const struct cluster *cluster = desched_run_cluster(usage->run);
        if (bitset_has(&cluster_nodes(cluster)->unschedulable,
                       desched_run_nodes(usage->run).nodes[n].index))
                return false;
        for (size_t r = 0; r < usage->resource_count; r++)
                if (bounds->is_configured[r] && node_usage_percent(usage, n, r) > bounds->low[r])
                        return false;
        return true;
}

static bool is_over(const struct node_usage *usage, const struct node_bounds *bounds, size_t n) {
        for (size_t r = 0; r < usage->resource_count; r++)
                if (bounds->is_configured[r] && node_usage_percent(usage, n, r) > bounds->high[r])
                        return true;
        return false;
}

static size_t low_node_utilization_classify(struct node_drain *drain,
                                            const struct node_bounds *bounds,
                                            struct bitset *under) {
        const struct node_usage *usage = drain->usage;
        size_t count = 0;
        drain->sources = ARENA_ARRAY(desched_run_scratch(usage->run), size_t, usage->node_count);
        for (size_t n = 0; n < usage->node_count; n++) {
                if (is_under(usage, bounds, n)) {
                        bitset_add(under, n);
                        count++;
                } else if (is_over(usage, bounds, n)) {
                        drain->sources[drain->source_count++] = n;
                }
        }
        return count;
}

static int64_t *free_capacity(const struct node_usage *usage, const int64_t *quotas,
                              const struct bitset *under) {
        int64_t *free_amounts =
                ARENA_ARRAY(desched_run_scratch(usage->run), int64_t, usage->resource_count);
        for (size_t n = bitset_next(under, 0); n != SIZE_MAX; n = bitset_next(under, n + 1))
                for (size_t r = 0; r < usage->resource_count; r++) {
                        size_t at = node_usage_at(usage, n, r);
                        free_amounts[r] = sum_saturated(
                                free_amounts[r], difference_saturated(quotas[at], usage->used[at]));
                }
        return free_amounts;
}

static int low_node_utilization_balance(struct desched_run *run, const void *state,
                                        struct err *err) {
        const struct low_utilization_args *args = state;
        struct node_usage usage;
        int code = node_usage_init(&usage, run, &args->thresholds, args->metrics, err);
        if (code < 0)
                return code;
        struct node_bounds bounds = make_bounds(&usage, args);
        struct bitset under = bitset_in_arena(desched_run_scratch(run), usage.node_count);
        struct node_drain drain = {
                .usage = &usage,
                .destinations = &under,
                .quotas = make_quotas(&usage, &bounds),
                .has_node_limit = args->limits.has_node,
                .node_limit = args->limits.node,
                .excluded = name_set_make(desched_run_cluster(run), &args->namespaces.exclude,
                                          desched_run_scratch(run)),
                .thresholds = &args->thresholds,
        };
        size_t under_count = low_node_utilization_classify(&drain, &bounds, &under);
        if (under_count == 0 || (int64_t)under_count <= args->node_count ||
            under_count == usage.node_count || drain.source_count == 0) {
                desched_run_note_idle(
                        run, "of %zu nodes %zu are below all thresholds, %zu above a target%s",
                        usage.node_count, under_count, drain.source_count,
                        under_count > 0 && (int64_t)under_count <= args->node_count
                                ? ": no more than numberOfNodes"
                                : "");
                return 0;
        }
        drain.free_amounts = free_capacity(&usage, drain.quotas, &under);
        node_drain_sort(&drain, true);
        node_drain_run(&drain);
        return 0;
}

/* With Prometheus there is one resource only. */
static int low_node_utilization_init(const struct plugin_env *env, const void *data,
                                     void **ret_state, struct err *err) {
        (void)env;
        const struct low_utilization_args *args = data;
        if (args->metrics && slice_is(args->metrics->source, "Prometheus") &&
            (args->thresholds.count != 1 ||
             !threshold_find(&args->thresholds, SLICE_LITERAL(METRIC_RESOURCE))))
                return err_set(err, BERTH_ERR_INVALID,
                               "with source Prometheus thresholds must name just " METRIC_RESOURCE);
        *ret_state = (void *)args;
        return 0;
}

const struct plugin plugin_low_node_utilization = {
        .name = "LowNodeUtilization",
        .args = low_utilization_fields,
        .args_size = sizeof(struct low_utilization_args),
        .check = low_utilization_check,
        .init = low_node_utilization_init,
        .desched = &(const struct desched_points){ .balance = low_node_utilization_balance,
                                                   .is_mover = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_CONDITION | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS | CLUSTER_NODE_ALLOCATABLE,
};
