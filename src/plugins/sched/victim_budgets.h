/* What is left of disruption budgets while victims are picked. */
#pragma once

#include "base/arena.h"
#include "model/cluster.h"
#include <stdbool.h>

struct budget_use;
struct victim_budgets {
        const struct cluster *cluster;
        struct arena *arena;
        struct budget_use *uses; /* NULL at first */
        bool is_parity;          /* budgets as their status has them, and nothing else */
};
/* Counts the pod as a victim; true: some budget that covers it is exhausted by then.  Every
 * matching budget is charged, also when another one is exhausted already.  Victims whose deletion
 * was asked for and that the budgets' status does not show yet are charged before; they themselves
 * cost nothing any more. */
bool victim_budgets_charge(struct victim_budgets *budgets, struct pod_id pod);
