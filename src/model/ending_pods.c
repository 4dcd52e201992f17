/* Pods whose deletion was asked for here: ahead of the API, they are on their way out, and what
 * they cost their budgets is kept until the budgets' status shows it. */
#include "model/cluster_priv.h"

#include <assert.h>

static bool budget_charge(const struct cluster *cluster, const struct pod_row *row,
                          struct budget_row *budget, int change) {
        if (!budget->has_selector || budget->selector_is_invalid ||
            selector_is_empty(&budget->selector) ||
            !cluster_labels_match(cluster, &budget->selector, row->labels) ||
            (change < 0 && budget->unseen == 0))
                return false;
        budget->unseen += (uint32_t)change;
        return true;
}

/* Pods that never started are not among the healthy ones a budget counts. */
static void charge_budgets(struct cluster *cluster, const struct pod_row *row, int change) {
        struct budget_row *budget;
        bool is_changed = false;
        size_t at = 0;
        if (row->labels.index == 0 || !wall_time_is_set(row->started))
                return;
        uint64_t number = ++cluster->tables.charges;
        while ((budget = budget_row_next(cluster, row->ns, &at))) {
                if (!budget_charge(cluster, row, budget, change))
                        continue;
                budget->last_charge = number;
                is_changed = true;
        }
        if (is_changed)
                cluster_log_change(cluster, CLUSTER_BUDGET, NODE_NONE, POD_NONE);
}

void cluster_mark_ending(struct cluster *cluster, struct pod_id pod) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        assert(row->is_live && !cluster_is_what_if(cluster));
        if (!row->is_ending) {
                row->is_ending = true;
                charge_budgets(cluster, row, 1);
        }
}

uint64_t cluster_charges(const struct cluster *cluster) {
        return cluster->tables.charges;
}

void cluster_unmark_ending(struct cluster *cluster, struct pod_id pod) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        assert(row->is_live && !cluster_is_what_if(cluster));
        if (!row->is_ending)
                return;
        row->is_ending = false;
        charge_budgets(cluster, row, -1);
}

void cluster_settle_budgets(struct cluster *cluster, uint64_t charge) {
        assert(!cluster_is_what_if(cluster));
        if (budget_rows_settle(cluster, charge))
                cluster_log_change(cluster, CLUSTER_BUDGET, NODE_NONE, POD_NONE);
}
