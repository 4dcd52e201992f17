/* Room promised to evicted pods, by node. */
#include "plugins/desched/node_capacity.h"
#include "plugins/desched/node_fit.h"
#include "rules/fit.h"

struct promises { /* of a pass */
        size_t resource_count;
        int64_t *amounts;  /* [node, resource] */
        struct pod_id pod; /* found a node last; promised once it is seen evicted */
        struct node_id node;
};

static struct promises *promises_of(struct desched_run *run) {
        static const char owner;
        struct promises *promises = desched_run_cached(run, &owner, 0);
        if (promises)
                return promises;
        const struct node_table *table = cluster_nodes(desched_run_cluster(run));
        struct arena *arena = desched_run_pass_arena(run);
        promises = ARENA_NEW(arena, struct promises);
        *promises = (struct promises){
                .resource_count = table->resource_count,
                .amounts = ARENA_ARRAY(arena, int64_t, table->count * table->resource_count),
                .pod = POD_NONE,
        };
        memset(promises->amounts, 0,
               table->count * table->resource_count * sizeof(*promises->amounts));
        desched_run_cache_put(run, &owner, 0, promises);
        return promises;
}

static struct fit_requests requests_of(const struct cluster *cluster, struct pod_id pod) {
        return fit_requests_of(cluster_class(cluster, cluster_pod(cluster, pod)->class));
}

/* The pod asked about before: if it was evicted, its like takes that place. */
static void node_capacity_settle(struct desched_run *run, struct promises *promises) {
        if (pod_id_is_none(promises->pod) || !desched_run_is_gone(run, promises->pod))
                return;
        struct fit_requests requests = requests_of(desched_run_cluster(run), promises->pod);
        int64_t *amounts = &promises->amounts[promises->node.index * promises->resource_count];
        for (size_t i = 0; i < requests.count; i++)
                if (__builtin_add_overflow(amounts[requests.items[i].resource.index],
                                           requests.items[i].amount,
                                           &amounts[requests.items[i].resource.index]))
                        amounts[requests.items[i].resource.index] = INT64_MAX;
        amounts[RESOURCE_PODS]++;
        promises->pod = POD_NONE;
}

static bool has_capacity(const struct cluster *cluster, const struct promises *promises,
                         struct fit_requests requests, struct node_id node) {
        const int64_t *amounts = &promises->amounts[node.index * promises->resource_count];
        if (amounts[RESOURCE_PODS] == 0)
                return true; /* nothing promised: it fits as it is */
        if (node_free(cluster, node, (struct resource_id){ RESOURCE_PODS }) <=
            amounts[RESOURCE_PODS])
                return false;
        for (size_t i = 0; i < requests.count; i++)
                if (node_free(cluster, node, requests.items[i].resource) -
                            amounts[requests.items[i].resource.index] <
                    requests.items[i].amount)
                        return false;
        return true;
}

/* Where the search for pods like this one in these nodes begins: promises only grow in a pass, so
 * what had no capacity for one has none for the next.  Pods with anti-affinity are alike within a
 * namespace. */
static uint32_t *start_of(struct desched_run *run, const struct node_search *search) {
        uint64_t key = (uint64_t)search->pod->class.index << 32;
        if (search->spec->affinity.pod_anti.required_count > 0)
                key |= search->pod->ns.index;
        uint32_t *start = desched_run_cached(run, search->nodes, key);
        if (start)
                return start;
        start = ARENA_NEW(desched_run_pass_arena(run), uint32_t);
        desched_run_cache_put(run, search->nodes, key, start);
        return start;
}

/* Nodes that only this pod passes over, its own and those whose pods it avoids, stay. */
static bool is_for_all(const struct node_search *search, uint32_t start, struct node_id node) {
        uint32_t own = search->pod->node.index;
        return search->is_for_all && (own < start || own >= node.index);
}

bool node_capacity_find(struct desched_run *run, struct pod_id pod, const struct bitset *nodes) {
        const struct cluster *cluster = desched_run_cluster(run);
        struct promises *promises = promises_of(run);
        struct fit_requests requests = requests_of(cluster, pod);
        const struct node_search search = node_search_make(run, pod, nodes);
        uint32_t *start = start_of(run, &search);
        struct node_id node = *start > 0 ? (struct node_id){ *start - 1 } : NODE_NONE;
        node_capacity_settle(run, promises);
        promises->pod = POD_NONE;
        while (node_search_next(&search, &node)) {
                if (!has_capacity(cluster, promises, requests, node)) {
                        if (is_for_all(&search, *start, node))
                                *start = node.index + 1;
                        continue;
                }
                promises->pod = pod;
                promises->node = node;
                return true;
        }
        return false;
}
