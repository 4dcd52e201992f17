/* How full the nodes of a cluster are, and how evenly: to be compared before and after a plan. */
#pragma once

#include "base/arena.h"
#include "base/slice.h"
#include "model/cluster.h"

enum load_kind { LOAD_CPU, LOAD_MEMORY, LOAD_PODS, LOAD_KIND_COUNT };
extern const char *const load_kind_names[LOAD_KIND_COUNT]; /* "cpu" ... */

struct node_load {
        struct slice name;
        double percent[LOAD_KIND_COUNT]; /* requested of allocatable */
};
struct load_spread { /* over the nodes, in percent */
        double mean, deviation, least, most;
};
struct cluster_balance {
        size_t node_count;
        const struct node_load *nodes; /* ready ones, by name */
        struct load_spread spread[LOAD_KIND_COUNT];
};

/* Memory comes from the arena, names belong to the cluster. */
void cluster_balance_measure(const struct cluster *cluster, struct arena *arena,
                             struct cluster_balance *ret_balance);
