/* HighNodeUtilization: pods leave underutilised nodes for the others, so that whole nodes become
 * free (reference descheduler.md 4.10). */
#include "plugins/desched/node_drain.h"

#include "base/saturate.h"

static bool is_under(const struct node_usage *usage, const struct item_list *thresholds,
                     size_t node) {
        for (size_t r = 0; r < usage->resource_count; r++) {
                const struct threshold_item *item = threshold_find(thresholds, usage->names[r]);
                if (item && node_usage_percent(usage, node, r) > item->percent)
                        return false;
        }
        return true;
}

/* Cordoned nodes can be emptied, but take nothing. */
static void high_node_utilization_classify(struct node_drain *drain, struct bitset *destinations) {
        const struct node_usage *usage = drain->usage;
        const struct cluster *cluster = desched_run_cluster(usage->run);
        struct node_batch_list nodes = desched_run_nodes(usage->run);
        drain->sources = ARENA_ARRAY(desched_run_scratch(usage->run), size_t, usage->node_count);
        for (size_t n = 0; n < usage->node_count; n++) {
                if (is_under(usage, drain->thresholds, n))
                        drain->sources[drain->source_count++] = n;
                else if (!bitset_has(&cluster_nodes(cluster)->unschedulable, nodes.nodes[n].index))
                        bitset_add(destinations, n);
        }
}

static int64_t *free_capacity(const struct node_usage *usage, const struct bitset *destinations) {
        int64_t *free_amounts =
                ARENA_ARRAY(desched_run_scratch(usage->run), int64_t, usage->resource_count);
        for (size_t n = bitset_next(destinations, 0); n != SIZE_MAX;
             n = bitset_next(destinations, n + 1))
                for (size_t r = 0; r < usage->resource_count; r++) {
                        size_t at = node_usage_at(usage, n, r);
                        free_amounts[r] = sum_saturated(
                                free_amounts[r],
                                difference_saturated(usage->capacity[at], usage->used[at]));
                }
        return free_amounts;
}

static bool names_resource(const struct container *containers, size_t count,
                           const struct item_list *thresholds) {
        for (size_t i = 0; i < count; i++)
                for (size_t j = 0; j < containers[i].requests.count; j++)
                        if (threshold_find(thresholds, containers[i].requests.items[j].name))
                                return true;
        return false;
}

/* Any container names a request for a configured resource; zero counts. */
static bool requests_configured(const struct node_drain *drain, const struct pod_row *pod) {
        const struct pod_spec *spec =
                &cluster_class(desched_run_cluster(drain->usage->run), pod->class)->spec;
        return names_resource(spec->containers, spec->container_count, drain->thresholds) ||
               names_resource(spec->init, spec->init_count, drain->thresholds);
}

static int high_node_utilization_balance(struct desched_run *run, const void *state,
                                         struct err *err) {
        const struct high_utilization_args *args = state;
        struct node_usage usage;
        int code = node_usage_init(&usage, run, &args->thresholds, NULL, err);
        if (code < 0)
                return code;
        struct bitset destinations = bitset_in_arena(desched_run_scratch(run), usage.node_count);
        struct node_drain drain = {
                .usage = &usage,
                .destinations = &destinations,
                .excluded = name_set_make(desched_run_cluster(run), &args->namespaces.exclude,
                                          desched_run_scratch(run)),
                .is_removable = args->modes.count > 0 ? requests_configured : NULL,
                .thresholds = &args->thresholds,
        };
        high_node_utilization_classify(&drain, &destinations);
        if (drain.source_count == 0 || (int64_t)drain.source_count <= args->node_count ||
            drain.source_count == usage.node_count || bitset_is_empty(&destinations)) {
                desched_run_note_idle(
                        run, "of %zu nodes %zu are below all thresholds, %zu can take their pods%s",
                        usage.node_count, drain.source_count, bitset_count(&destinations),
                        drain.source_count > 0 && (int64_t)drain.source_count <= args->node_count
                                ? ": no more than numberOfNodes"
                                : "");
                return 0;
        }
        drain.free_amounts = free_capacity(&usage, &destinations);
        node_drain_sort(&drain, false);
        node_drain_run(&drain);
        return 0;
}

const struct plugin plugin_high_node_utilization = {
        .name = "HighNodeUtilization",
        .args = high_utilization_fields,
        .args_size = sizeof(struct high_utilization_args),
        .check = high_utilization_check,
        .desched = &(const struct desched_points){ .balance = high_node_utilization_balance,
                                                   .is_mover = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_CONDITION | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS | CLUSTER_NODE_ALLOCATABLE,
};
