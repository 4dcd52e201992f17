/* Loads of nodes from the model's columns. */
#include "ask/plan_balance.h"

#include <math.h>
#include <stdlib.h>

const char *const load_kind_names[LOAD_KIND_COUNT] = { "cpu", "memory", "pods" };

static double percent_of(int64_t part, int64_t whole) {
        return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static struct node_load load_of(const struct cluster *cluster, struct node_id node) {
        const struct node_table *table = cluster_nodes(cluster);
        const struct resource_column *cpu = &table->resources[RESOURCE_CPU];
        const struct resource_column *memory = &table->resources[RESOURCE_MEMORY];
        const struct resource_column *pods = &table->resources[RESOURCE_PODS];
        size_t i = node.index;

        return (struct node_load){
                .name = cluster_node_name(cluster, node),
                .percent = { percent_of(cpu->requested[i], cpu->allocatable[i]),
                             percent_of(memory->requested[i], memory->allocatable[i]),
                             percent_of(pods->requested[i], pods->allocatable[i]) },
        };
}

static int plan_balance_compare(const void *a, const void *b) {
        const struct node_load *x = a, *y = b;

        return slice_compare(x->name, y->name);
}

static struct load_spread spread_of(const struct node_load *loads, size_t count, size_t kind) {
        struct load_spread spread = { 0 };
        double squares = 0;

        for (size_t i = 0; i < count; i++) {
                double percent = loads[i].percent[kind];

                spread.mean += percent / (double)count;
                spread.least = i == 0 || percent < spread.least ? percent : spread.least;
                spread.most = i == 0 || percent > spread.most ? percent : spread.most;
        }
        for (size_t i = 0; i < count; i++)
                squares += (loads[i].percent[kind] - spread.mean) *
                           (loads[i].percent[kind] - spread.mean);
        spread.deviation = count > 0 ? sqrt(squares / (double)count) : 0;
        return spread;
}

void cluster_balance_measure(const struct cluster *cluster, struct arena *arena,
                             struct cluster_balance *ret_balance) {
        const struct bitset *ready = &cluster_nodes(cluster)->ready;
        struct node_load *loads = ARENA_ARRAY(arena, struct node_load, bitset_count(ready));
        size_t count = 0;

        for (size_t i = bitset_next(ready, 0); i != SIZE_MAX; i = bitset_next(ready, i + 1))
                loads[count++] = load_of(cluster, (struct node_id){ (uint32_t)i });
        qsort(loads, count, sizeof(*loads), plan_balance_compare);
        *ret_balance = (struct cluster_balance){ .node_count = count, .nodes = loads };
        for (size_t kind = 0; kind < LOAD_KIND_COUNT; kind++)
                ret_balance->spread[kind] = spread_of(loads, count, kind);
}
