/* Requests against what is left of nodes. */
#include "rules/fit.h"
#include <stdlib.h>

int64_t node_free(const struct cluster *cluster, struct node_id node, struct resource_id resource) {
        const struct resource_column *column = &cluster_nodes(cluster)->resources[resource.index];
        return column->allocatable[node.index] - column->requested[node.index];
}

bool node_has_pod_slot(const struct cluster *cluster, struct node_id node) {
        return node_free(cluster, node, (struct resource_id){ RESOURCE_PODS }) >= 1;
}

/* Whether the node, and no device, has to provide what is requested. */
static bool fit_counts(const struct cluster *cluster, struct fit_requests requests, size_t at,
                       struct node_id node) {
        return at >= 64 || (requests.devices >> at & 1) == 0 ||
               cluster_nodes(cluster)
                               ->resources[requests.items[at].resource.index]
                               .allocatable[node.index] > 0;
}

bool fit_node(const struct cluster *cluster, struct fit_requests requests, struct node_id node) {
        if (!node_has_pod_slot(cluster, node))
                return false;
        for (size_t i = 0; i < requests.count; i++)
                if (requests.items[i].amount >
                            node_free(cluster, node, requests.items[i].resource) &&
                    fit_counts(cluster, requests, i, node))
                        return false;
        return true;
}

bool fit_empty_node(const struct cluster *cluster, struct fit_requests requests,
                    struct node_id node) {
        const struct node_table *nodes = cluster_nodes(cluster);
        if (nodes->resources[RESOURCE_PODS].allocatable[node.index] < 1)
                return false;
        for (size_t i = 0; i < requests.count; i++) {
                const struct resource_request *request = &requests.items[i];
                if (request->amount >
                            nodes->resources[request->resource.index].allocatable[node.index] &&
                    fit_counts(cluster, requests, i, node))
                        return false;
        }
        return true;
}

/* The bits of one word whose nodes have room for amount. */
static uint64_t roomy_bits(const int64_t *allocatable, const int64_t *requested, size_t count,
                           int64_t amount) {
        uint64_t bits = 0;
        for (size_t i = 0; i < count; i++)
                bits |= (uint64_t)(allocatable[i] - requested[i] >= amount) << i;
        return bits;
}

static void narrow_by(const struct resource_column *column, size_t node_count, int64_t amount,
                      struct bitset *nodes) {
        for (size_t at = 0; at < nodes->bits && at < node_count; at += 64) {
                uint64_t *word = &nodes->words[at / 64];
                if (*word == 0)
                        continue;
                size_t count = node_count - at < 64 ? node_count - at : 64;
                *word &=
                        roomy_bits(column->allocatable + at, column->requested + at, count, amount);
        }
}

static void narrow_by_devices(const struct cluster *cluster, struct fit_requests requests,
                              size_t at, struct bitset *nodes) {
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1)) {
                struct node_id node = { (uint32_t)i };
                if (fit_counts(cluster, requests, at, node) &&
                    requests.items[at].amount >
                            node_free(cluster, node, requests.items[at].resource))
                        bitset_remove(nodes, i);
        }
}

void fit_narrow(const struct cluster *cluster, struct fit_requests requests, struct bitset *nodes) {
        const struct node_table *table = cluster_nodes(cluster);
        narrow_by(&table->resources[RESOURCE_PODS], table->count, 1, nodes);
        for (size_t i = 0; i < requests.count; i++) {
                if (i < 64 && requests.devices >> i & 1)
                        narrow_by_devices(cluster, requests, i, nodes);
                else
                        narrow_by(&table->resources[requests.items[i].resource.index], table->count,
                                  requests.items[i].amount, nodes);
        }
}

struct shortage_order {
        struct fit_shortage shortage;
        struct slice name;
};

static int compare_shortages(const void *a, const void *b) {
        const struct shortage_order *x = a, *y = b;
        uint32_t i = x->shortage.resource.index, j = y->shortage.resource.index;
        if (i < RESOURCE_FIXED_COUNT || j < RESOURCE_FIXED_COUNT)
                return i < j ? -1 : i > j;
        return slice_compare(x->name, y->name);
}

size_t fit_shortages(const struct cluster *cluster, struct fit_requests requests,
                     struct node_id node, struct fit_shortage *ret_shortages) {
        const struct node_table *table = cluster_nodes(cluster);
        struct shortage_order found[FIT_SHORTAGES_MAX];
        size_t count = 0, leading = 0;
        if (!node_has_pod_slot(cluster, node)) {
                struct resource_id pods = { RESOURCE_PODS };
                ret_shortages[leading++] = (struct fit_shortage){
                        .resource = pods, .requested = 1, .free = node_free(cluster, node, pods)
                };
        }
        for (size_t i = 0; i < requests.count && leading + count < FIT_SHORTAGES_MAX; i++) {
                const struct resource_request *request = &requests.items[i];
                int64_t free = node_free(cluster, node, request->resource);
                if (request->amount <= free || !fit_counts(cluster, requests, i, node))
                        continue;
                int64_t allocatable =
                        table->resources[request->resource.index].allocatable[node.index];
                found[count++] = (struct shortage_order){
                        .shortage = { .resource = request->resource,
                                      .requested = request->amount,
                                      .free = free,
                                      .exceeds_allocatable = request->amount > allocatable },
                        .name = cluster_resource_name(cluster, request->resource),
                };
        }
        qsort(found, count, sizeof(found[0]), compare_shortages);
        for (size_t i = 0; i < count; i++)
                ret_shortages[leading + i] = found[i].shortage;
        return leading + count;
}
