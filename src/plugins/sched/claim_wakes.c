/* Which changes wake pods that wait for claims. */
#include "plugins/sched/dynamic_resources_priv.h"

/* All claims are there, and one has changed lately.  Needs no scratch arena. */
static bool are_news(const struct sched_cycle *cycle) {
        const struct pod_spec *spec = &cycle->class->spec;
        struct slice ns = cluster_text(cycle->cluster, cycle->ns);
        bool is_news = false;
        for (size_t i = 0; i < spec->claim_count; i++) {
                struct slice name = spec->claims[i].claim_name;
                if (!name.len && !pod_device_claims_made(cycle, spec->claims[i].name, &name))
                        return false;
                if (!name.len)
                        continue;
                if (!object_cache_get(cycle->object_cache, CACHED_RESOURCE_CLAIM, ns, name))
                        return false;
                is_news |=
                        object_cache_is_news(cycle->object_cache, CACHED_RESOURCE_CLAIM, ns, name);
        }
        return is_news;
}

/* Its own claims have to be there; what became of the claims of others is another change. */
bool dynamic_resources_wakes(const struct sched_cycle *cycle, const void *state,
                             const struct cluster_change *change) {
        (void)state;
        if (!(change->mask & (CLUSTER_RESOURCE_CLAIM | CLUSTER_POD_CLAIMS)) ||
            change->mask & CLUSTER_DEVICES)
                return true;
        return are_news(cycle) || change->mask & CLUSTER_POD_CLAIMS;
}
