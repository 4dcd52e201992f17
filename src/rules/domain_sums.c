/* Numbers per domain of a topology label. */
#include "rules/domain_sums.h"

void domain_sums_init_empty(struct domain_sums *sums, const struct cluster *cluster,
                            struct arena *arena) {
        size_t count = cluster_nodes(cluster)->count;
        *sums = (struct domain_sums){ .node_count = count };
        sums->domain = ARENA_ARRAY(arena, uint32_t, count);
        sums->parts = ARENA_ARRAY(arena, int64_t, count);
        sums->hits = ARENA_ARRAY(arena, uint32_t, count);
        for (size_t i = 0; i < count; i++)
                sums->domain[i] = DOMAIN_NONE;
}

void domain_sums_init(struct domain_sums *sums, const struct cluster *cluster, struct str_id key,
                      struct arena *arena) {
        const struct node_table *nodes = cluster_nodes(cluster);
        domain_sums_init_empty(sums, cluster, arena);
        sums->key = key;
        for (size_t i = 0; i < nodes->count; i++) {
                struct str_id value;
                if (!bitset_has(&nodes->live, i) ||
                    !cluster_label_get(cluster, nodes->labels[i], key, &value))
                        continue;
                sums->domain[i] = value.index;
                if (value.index >= sums->cap)
                        sums->cap = (size_t)value.index + 1;
        }
        sums->sums = ARENA_ARRAY(arena, int64_t, sums->cap);
}

void domain_sums_add(struct domain_sums *sums, struct node_id node, int64_t amount) {
        if (!domain_sums_has(sums, node))
                return;
        sums->parts[node.index] += amount;
        sums->hits[node.index]++;
        sums->hit_count++;
        sums->sums[sums->domain[node.index]] += amount;
}

void domain_sums_take_back(struct domain_sums *sums, struct node_id node) {
        if (!domain_sums_has(sums, node))
                return;
        sums->sums[sums->domain[node.index]] -= sums->parts[node.index];
        sums->hit_count -= sums->hits[node.index];
        sums->parts[node.index] = 0;
        sums->hits[node.index] = 0;
}
