/* Low priority first. */
#include "plugins/desched/priority_order.h"

#include "plugins/desched/cost_order.h"

/* Age left aside. */
static int compare_rank(const struct cluster *cluster, struct pod_id a, struct pod_id b) {
        const struct pod_row *x = cluster_pod(cluster, a), *y = cluster_pod(cluster, b);
        if (x->has_priority != y->has_priority)
                return x->has_priority ? 1 : -1;
        if (x->has_priority && x->priority != y->priority)
                return x->priority < y->priority ? -1 : 1;
        if (x->qos != y->qos)
                return x->qos < y->qos ? -1 : 1;
        int x_stays = (x->flags & POD_PREFERS_STAY) != 0,
            y_stays = (y->flags & POD_PREFERS_STAY) != 0;
        return x_stays - y_stays;
}

int pod_priority_order(const struct cluster *cluster, struct pod_id a, struct pod_id b) {
        int order = compare_rank(cluster, a, b);
        return order != 0 ? order : desched_pod_order(cluster, a, b);
}

static bool are_equal(const struct cluster *cluster, struct pod_id a, struct pod_id b) {
        return compare_rank(cluster, a, b) == 0;
}

void sort_by_priority(struct desched_run *run, struct pod_id *pods, size_t count) {
        const struct pod_order order = { desched_run_cluster(run), pod_priority_order };
        desched_sort_pods(&order, pods, count, desched_run_scratch(run));
        sort_equals_by_cost(run, &(const struct cost_order){ .are_equal = are_equal }, pods, count);
}
