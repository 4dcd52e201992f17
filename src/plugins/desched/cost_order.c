/* What evictions are expected to take, within runs of equal pods. */
#include "plugins/desched/cost_order.h"

#include <stdlib.h>

struct priced_pod {
        int64_t cost_ns; /* negated where the dear ones go first */
        size_t group, position;
        struct pod_id pod;
};

static int cost_order_compare(const void *a, const void *b) {
        const struct priced_pod *x = a, *y = b;
        if (x->group != y->group)
                return x->group < y->group ? -1 : 1;
        if (x->cost_ns != y->cost_ns)
                return x->cost_ns < y->cost_ns ? -1 : 1;
        return x->position < y->position ? -1 : x->position > y->position;
}

static bool has_costs(const struct desched_run *run, const struct pod_id *pods, size_t count) {
        for (size_t i = 0; i < count; i++)
                if (desched_run_expected_ns(run, pods[i]) > 0)
                        return true;
        return false;
}

void sort_equals_by_cost(struct desched_run *run, const struct cost_order *order,
                         struct pod_id *pods, size_t count) {
        const struct cluster *cluster = desched_run_cluster(run);
        if (!has_costs(run, pods, count))
                return;
        struct priced_pod *priced = ARENA_ARRAY(desched_run_scratch(run), struct priced_pod, count);
        size_t group = 0;
        for (size_t i = 0; i < count; i++) {
                int64_t cost_ns = desched_run_expected_ns(run, pods[i]);
                if (i > 0 && !order->are_equal(cluster, pods[i - 1], pods[i]))
                        group++;
                priced[i] = (struct priced_pod){ order->is_dear_first ? -cost_ns : cost_ns, group,
                                                 i, pods[i] };
        }
        qsort(priced, count, sizeof(*priced), cost_order_compare);
        for (size_t i = 0; i < count; i++)
                pods[i] = priced[i].pod;
}
