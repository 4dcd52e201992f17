/* Numbers per domain of a topology label. */
#include "rules/domain_sums.h"

void domain_news_add(struct domain_news *news, const struct topology *topology, uint32_t domain) {
        if (news->count == news->cap)
                news->is_incomplete = true;
        else
                news->items[news->count++] =
                        (struct domain_change){ topology, domain, news->version };
}

void domain_sums_init(struct domain_sums *sums, const struct topology *topology,
                      struct arena *arena) {
        size_t count = topology->node_count;
        *sums = (struct domain_sums){ .topology = topology };
        sums->parts = ARENA_ARRAY(arena, int64_t, count);
        sums->settled = ARENA_ARRAY(arena, int64_t, count);
        sums->hits = ARENA_ARRAY(arena, uint32_t, count);
        sums->sums = ARENA_ARRAY(arena, int64_t, topology->domain_count);
}

void domain_sums_add(struct domain_sums *sums, struct node_id node, int64_t amount) {
        if (!domain_sums_has(sums, node))
                return;
        sums->parts[node.index] += amount;
        sums->hits[node.index]++;
        sums->hit_count++;
}

void domain_sums_take_back(struct domain_sums *sums, struct node_id node) {
        sums->hit_count -= sums->hits[node.index];
        sums->parts[node.index] = 0;
        sums->hits[node.index] = 0;
}

void domain_sums_settle(struct domain_sums *sums, struct node_id node, bool signs_only,
                        struct domain_news *news) {
        uint32_t domain = sums->topology->domain[node.index];
        int64_t change = sums->parts[node.index] - sums->settled[node.index];
        if (change == 0)
                return;
        bool was_positive = sums->sums[domain] > 0;
        sums->sums[domain] += change;
        sums->settled[node.index] = sums->parts[node.index];
        if (news && (!signs_only || was_positive != (sums->sums[domain] > 0)))
                domain_news_add(news, sums->topology, domain);
}
