/* The loop both utilisation strategies end in: pods leave source nodes while the destination nodes
 * have free capacity. */
#pragma once

#include "plugins/desched/node_usage.h"

struct node_drain {
        struct node_usage *usage;
        size_t source_count;
        size_t *sources;                   /* positions in the pass's nodes, first to go first */
        const struct bitset *destinations; /* by position */
        int64_t *free_amounts;             /* per resource, what destinations can still take */
        const int64_t *quotas; /* [node, resource] a source has to come down to; NULL: drain all */
        bool has_node_limit;
        int64_t node_limit;
        struct name_set excluded; /* namespaces */
        /* Which pods count as removable besides what filters say; NULL = all. */
        bool (*is_removable)(const struct node_drain *drain, const struct pod_row *pod);
        const struct item_list *thresholds;
        /* While running. */
        uint8_t *accepted; /* enum kind_verdict by class: some destination takes it */
        int64_t evicted;   /* from the node at hand */
};
/* Orders sources by what they use in sum: upstream adds up cpu milli, bytes and counts; else by
 * their highest percentage. */
void node_drain_sort(struct node_drain *drain, bool is_descending);
void node_drain_run(struct node_drain *drain);
