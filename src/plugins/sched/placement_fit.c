/* NodeResourcesFit of placements: MostAllocated over all nodes of one taken together, whatever the
 * strategy for single pods is. */
#include "plugins/sched/placement_fit.h"

#include "base/saturate.h"
#include "plugin/sched_points.h"

struct placement_fit_totals {
        int64_t allocatable, requested;
};

static int64_t request_of(const struct pod_class *class, struct resource_id resource) {
        if (resource.index == RESOURCE_CPU)
                return class->nonzero_cpu_milli;
        if (resource.index == RESOURCE_MEMORY)
                return class->nonzero_memory_bytes;
        for (size_t i = 0; i < class->request_count; i++)
                if (class->requests[i].resource.index == resource.index)
                        return class->requests[i].amount;
        return 0;
}

static const int64_t *requested_column(const struct node_table *table,
                                       struct resource_id resource) {
        if (resource.index == RESOURCE_CPU)
                return table->nonzero_cpu_milli;
        if (resource.index == RESOURCE_MEMORY)
                return table->nonzero_memory_bytes;
        return table->resources[resource.index].requested;
}

static void add_nodes(const struct node_table *table, struct resource_id resource,
                      const struct group_domain *placement, struct placement_fit_totals *totals) {
        const int64_t *allocatable = table->resources[resource.index].allocatable;
        const int64_t *requested = requested_column(table, resource);
        for (size_t i = 0; i < placement->count; i++) {
                uint32_t node = placement->nodes[i].index;
                if (allocatable[node] == 0)
                        continue; /* a node that does not have it */
                totals->allocatable = sum_saturated(totals->allocatable, allocatable[node]);
                totals->requested = sum_saturated(totals->requested, requested[node]);
        }
}

/* False: the resource does not count. */
static bool add_up(const struct group_view *group, const struct group_domain_use *use,
                   struct slice name, struct placement_fit_totals *ret_totals) {
        const struct cluster *cluster = group->cluster;
        struct resource_id id;
        *ret_totals = (struct placement_fit_totals){ 0 };
        if (!cluster_resource(cluster, name, &id) || id.index == RESOURCE_PODS)
                return false;
        for (size_t i = 0; i < use->pod_count; i++)
                ret_totals->requested = sum_saturated(
                        ret_totals->requested,
                        request_of(
                                cluster_class(cluster, cluster_pod(cluster, use->pods[i])->class),
                                id));
        if (ret_totals->requested == 0 && is_scalar_resource(name))
                return false; /* not requested */
        add_nodes(cluster_nodes(cluster), id, use->placement, ret_totals);
        return ret_totals->allocatable > 0;
}

int64_t placement_fit_score(const struct group_view *group, const struct group_domain_use *use,
                            const struct resource_weights *resources) {
        int64_t sum = 0, weights = 0;
        for (size_t i = 0; i < resources->count; i++) {
                const struct resource_weight *resource = &resources->items[i];
                int64_t weight = resource->weight == 0 ? 1 : resource->weight;
                struct placement_fit_totals totals;
                if (!add_up(group, use, resource->name, &totals))
                        continue;
                if (totals.requested > totals.allocatable)
                        totals.requested = totals.allocatable;
                int64_t score = totals.requested > INT64_MAX / NODE_SCORE_MAX
                                        ? totals.requested / (totals.allocatable / NODE_SCORE_MAX)
                                        : totals.requested * NODE_SCORE_MAX / totals.allocatable;
                sum += score * weight;
                weights += weight;
        }
        return weights == 0 ? 0 : sum / weights;
}
