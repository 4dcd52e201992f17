/* Counts nodes, pods and resources of the model. */
#include "dashboard/headline.h"

#include "base/arena.h"
#include "base/util.h"
#include "dashboard/json_list.h"

static const char *const state_names[POD_STATE_COUNT] = {
        [POD_STATE_GATED] = "gated",         [POD_STATE_WAITING] = "waiting",
        [POD_STATE_BINDING] = "binding",     [POD_STATE_STARTING] = "starting",
        [POD_STATE_RUNNING] = "running",     [POD_STATE_LEAVING] = "leaving",
        [POD_STATE_SUCCEEDED] = "succeeded", [POD_STATE_FAILED] = "failed",
        [POD_STATE_UNKNOWN] = "unknown",
};

const char *pod_state_name(enum pod_activity state) {
        return state_names[state];
}

enum pod_activity pod_state_of(const struct cluster *cluster, const struct pod_row *row) {
        static const enum pod_activity of_phase[] = {
                [POD_PENDING] = POD_STATE_STARTING,    [POD_RUNNING] = POD_STATE_RUNNING,
                [POD_SUCCEEDED] = POD_STATE_SUCCEEDED, [POD_FAILED] = POD_STATE_FAILED,
                [POD_UNKNOWN] = POD_STATE_UNKNOWN,
        };

        if (pod_row_is_finished(row))
                return of_phase[row->phase];
        if (pod_row_is_leaving(row))
                return POD_STATE_LEAVING;
        if (!node_id_is_none(row->node))
                return row->flags & POD_ASSUMED ? POD_STATE_BINDING : of_phase[row->phase];
        return cluster_class(cluster, row->class)->spec.gate_count ? POD_STATE_GATED
                                                                   : POD_STATE_WAITING;
}

/* ---- counting ---- */

/* What pods on nodes ask for, together. */
struct pod_demand {
        int64_t cpu, memory;
        size_t pods;
};

/* It lets nobody go; what its status does not show yet counts as open. */
static bool is_closed(const struct budget_row *budget) {
        return budget->has_selector && !budget->selector_is_invalid &&
               budget->disruptions_allowed <= 0 && budget->expected_pods > 0 &&
               budget->observed_generation >= budget->generation;
}

static bool is_guarded(const struct cluster *cluster, const struct pod_row *row) {
        const struct budget_row *budget;
        size_t at = 0;

        while ((budget = cluster_budget_next(cluster, row->ns, &at)))
                if (is_closed(budget) &&
                    cluster_labels_match(cluster, &budget->selector, row->labels))
                        return true;
        return false;
}

static void count_pods(const struct cluster *cluster, struct headline *headline) {
        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ i });

                if (!row->is_live)
                        continue;
                enum pod_activity state = pod_state_of(cluster, row);
                headline->pods++;
                headline->states[state]++;
                bool is_placed = !node_id_is_none(row->node) && !pod_row_is_finished(row);
                headline->placed += is_placed;
                headline->guarded += is_placed && is_guarded(cluster, row);
                headline->unplaceable += state == POD_STATE_WAITING && row->failure_hash;
        }
}

static void count_node(const struct cluster *cluster, size_t node, struct headline *headline,
                       struct pod_demand *demand) {
        const struct node_table *nodes = cluster_nodes(cluster);
        bool is_over = false;

        headline->nodes++;
        headline->not_ready += !bitset_has(&nodes->ready, node);
        headline->cordoned += bitset_has(&nodes->unschedulable, node);
        for (size_t r = 0; r < nodes->resource_count; r++) {
                int64_t allocatable = nodes->resources[r].allocatable[node];
                int64_t requested = r == RESOURCE_PODS ? (int64_t)nodes->pod_count[node]
                                                       : nodes->resources[r].requested[node];

                headline->resources[r].allocatable += allocatable;
                headline->resources[r].requested += requested;
                is_over |= requested > allocatable;
        }
        headline->overcommitted += is_over;
        demand->cpu += nodes->resources[RESOURCE_CPU].requested[node];
        demand->memory += nodes->resources[RESOURCE_MEMORY].requested[node];
        demand->pods += nodes->pod_count[node];
}

static int64_t free_of(const struct node_table *nodes, size_t resource, size_t node) {
        const struct resource_column *column = &nodes->resources[resource];
        int64_t left = column->allocatable[node] - column->requested[node];

        return left > 0 ? left : 0;
}

static void count_free(const struct cluster *cluster, const struct pod_demand *demand,
                       struct headline *headline) {
        const struct node_table *nodes = cluster_nodes(cluster);
        int64_t pods = demand->pods ? (int64_t)demand->pods : 1;

        for (size_t n = bitset_next(&nodes->live, 0); n != SIZE_MAX;
             n = bitset_next(&nodes->live, n + 1)) {
                int64_t cpu = free_of(nodes, RESOURCE_CPU, n);
                bool has_place = cpu >= demand->cpu / pods &&
                                 free_of(nodes, RESOURCE_MEMORY, n) >= demand->memory / pods &&
                                 nodes->resources[RESOURCE_PODS].allocatable[n] >
                                         (int64_t)nodes->pod_count[n];

                if (bitset_has(&nodes->unschedulable, n) || !bitset_has(&nodes->ready, n))
                        continue;
                headline->free_cpu += cpu;
                headline->stranded_cpu += has_place ? 0 : cpu;
        }
}

void headline_count(const struct cluster *cluster, struct arena *arena,
                    struct headline *ret_headline) {
        const struct node_table *nodes = cluster_nodes(cluster);
        struct pod_demand demand = { 0 };

        *ret_headline = (struct headline){ .resource_count = nodes->resource_count };
        ret_headline->resources =
                arena_alloc(arena, nodes->resource_count * sizeof(*ret_headline->resources));
        for (size_t n = bitset_next(&nodes->live, 0); n != SIZE_MAX;
             n = bitset_next(&nodes->live, n + 1))
                count_node(cluster, n, ret_headline, &demand);
        count_free(cluster, &demand, ret_headline);
        count_pods(cluster, ret_headline);
}

/* ---- writing ---- */

void headline_write(const struct headline *headline, struct buf *out) {
        const struct json_count counts[] = {
                { "nodes", (int64_t)headline->nodes },
                { "notReady", (int64_t)headline->not_ready },
                { "cordoned", (int64_t)headline->cordoned },
                { "overcommitted", (int64_t)headline->overcommitted },
                { "pods", (int64_t)headline->pods },
                { "placed", (int64_t)headline->placed },
                { "unplaceable", (int64_t)headline->unplaceable },
                { "guarded", (int64_t)headline->guarded },
                { "freeCpu", headline->free_cpu },
                { "strandedCpu", headline->stranded_cpu },
        };

        buf_char(out, '{');
        json_counts(out, counts, ARRAY_LEN(counts));
        buf_text(out, ",\"states\":{");
        for (int i = 0; i < POD_STATE_COUNT; i++)
                buf_printf(out, "%s\"%s\":%zu", i ? "," : "", state_names[i], headline->states[i]);
        buf_text(out, "},\"requested\":[");
        for (size_t r = 0; r < headline->resource_count; r++)
                json_item(out, r, headline->resources[r].requested);
        buf_text(out, "],\"allocatable\":[");
        for (size_t r = 0; r < headline->resource_count; r++)
                json_item(out, r, headline->resources[r].allocatable);
        buf_text(out, "]}");
}

static const char *unit_of(size_t resource) {
        return resource == RESOURCE_CPU                 ? "millicores"
               : resource == RESOURCE_MEMORY            ? "bytes"
               : resource == RESOURCE_EPHEMERAL_STORAGE ? "bytes"
                                                        : "count";
}

void resources_write(const struct cluster *cluster, struct buf *out) {
        size_t count = cluster_nodes(cluster)->resource_count;

        buf_char(out, '[');
        for (size_t r = 0; r < count; r++) {
                struct slice name =
                        cluster_resource_name(cluster, (struct resource_id){ (uint32_t)r });

                buf_text(out, r ? ",{\"name\":" : "{\"name\":");
                buf_json_string(out, name);
                buf_printf(out, ",\"unit\":\"%s\"}",
                           slice_has_prefix(name, SLICE_LITERAL("hugepages-")) ? "bytes"
                                                                               : unit_of(r));
        }
        buf_char(out, ']');
}
