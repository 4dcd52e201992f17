/* Budgets and their victims. */
#include "plugins/sched/victim_budgets.h"

struct budget_use {
        const struct budget_row *budget;
        int64_t left;
        struct budget_use *next;
};

static struct budget_use *use_of(struct victim_budgets *budgets, const struct budget_row *budget) {
        for (struct budget_use *use = budgets->uses; use; use = use->next)
                if (use->budget == budget)
                        return use;
        struct budget_use *use = ARENA_NEW(budgets->arena, struct budget_use);
        int64_t left = budget->disruptions_allowed;
        if (!budgets->is_parity)
                left -= budget->unseen;
        *use = (struct budget_use){ budget, left, budgets->uses };
        budgets->uses = use;
        return use;
}

static bool is_being_disrupted(const struct budget_row *budget, const char *name) {
        for (size_t i = 0; i < budget->disrupted_count; i++)
                if (slice_is(budget->disrupted[i], name))
                        return true;
        return false;
}

bool victim_budgets_charge(struct victim_budgets *budgets, struct pod_id pod) {
        const struct cluster *cluster = budgets->cluster;
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct budget_row *budget;
        bool breaks = false;
        size_t at = 0;
        if (row->labels.index == 0 || (row->is_ending && !budgets->is_parity))
                return false;
        while ((budget = cluster_budget_next(cluster, row->ns, &at))) {
                if (!budget->has_selector || budget->selector_is_invalid ||
                    selector_is_empty(&budget->selector) ||
                    !cluster_labels_match(cluster, &budget->selector, row->labels) ||
                    is_being_disrupted(budget, row->name))
                        continue;
                if (--use_of(budgets, budget)->left < 0)
                        breaks = true;
        }
        return breaks;
}
