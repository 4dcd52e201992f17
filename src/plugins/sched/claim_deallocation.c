/* PostFilter of DynamicResources: claims that keep the pod off all nodes are given up. */
#include "plugin/pod_group.h"
#include "plugins/sched/dynamic_resources_priv.h"

/* By its name: a profile may have a copy of the plugin. */
static bool is_ours(const struct dynamic_resources *resources, const struct plugin *plugin) {
        return plugin && strcmp(plugin->name, resources->plugin->name) == 0;
}

/* Whether the claim kept the pod from a node, where everything else was in order. */
static bool keeps_off(const struct sched_attempt *attempt,
                      const struct dynamic_resources *resources,
                      const struct resource_claim *claim) {
        for (size_t i = 0; i < attempt->refusal_count; i++) {
                const struct node_refusal *refusal = &attempt->refusals[i];

                if (is_ours(resources, refusal->plugin) && refusal->reason_count &&
                    slice_is(refusal->reasons[0], CLAIM_NOT_AVAILABLE) &&
                    claim_is_unavailable(&attempt->cycle, resources, claim, refusal->node))
                        return true;
        }
        return false;
}

static bool is_unused(const struct sched_attempt *attempt, const struct resource_claim *claim) {
        return claim->consumer_count == 0 ||
               (claim->consumer_count == 1 &&
                slice_eq(claim->consumers[0].uid, pod_uid_of(&attempt->cycle)));
}

/* Gives one claim up that nobody else uses, so that it can be allocated anew; of several the first
 * (upstream: any). */
static bool free_claim(struct sched_attempt *attempt, const struct dynamic_resources *resources,
                       const struct claim_state *pod) {
        for (size_t i = 0; i < pod->claims.count; i++) {
                const struct pod_device_claim *item = &pod->claims.items[i];

                if (!is_unused(attempt, item->claim) || !keeps_off(attempt, resources, item->claim))
                        continue;
                attempt->freed.object = item->object;
                return true;
        }
        return false;
}

/* Not all of the group fits with what its claims have, and none of it runs: the group lets go of
 * one claim, which can then be allocated anew. */
static const char *free_group(struct sched_attempt *attempt) {
        struct sched_cycle *cycle = &attempt->cycle;
        const char *problem = NULL;
        const struct json *claim =
                attempt->is_of_idle_group ? group_claims_idle(cycle, &problem) : NULL;

        if (problem)
                return problem;
        if (!claim)
                return "still not schedulable";
        const struct json *group =
                pod_group_find(cycle->object_cache, cluster_text(cycle->cluster, cycle->ns),
                               cycle->class->spec.scheduling_group);
        attempt->freed = (struct freed_claim){
                .object = claim, .consumer = json_get_text(json_get(group, "metadata"), "uid")
        };
        return "ResourceClaim unreserved for PodGroup";
}

static const char *post_filter_text(struct sched_attempt *attempt,
                                    const struct dynamic_resources *resources,
                                    const struct claim_state *pod) {
        if (free_claim(attempt, resources, pod))
                return "deallocation of ResourceClaim completed";
        if (!pod->extended->leftover)
                return resources->has_groups ? free_group(attempt) : "still not schedulable";
        attempt->freed = (struct freed_claim){ .object = pod->extended->leftover, .deletes = true };
        return "deletion of ResourceClaim completed";
}

/* Upstream fails here, and with it the whole phase, when PreFilter ended before this plugin. */
enum verdict_code dynamic_resources_post_filter(struct sched_attempt *attempt, const void *state,
                                                struct verdict *verdict) {
        const struct dynamic_resources *resources = state;
        const struct attempt_plugin *own = NULL;

        for (size_t i = 0; i < attempt->profile->plugin_count; i++)
                if (is_ours(resources, attempt->profile->plugins[i].plugin))
                        own = &attempt->plugins[i];
        const struct claim_state *pod =
                own && own->was_asked && !own->filter_skips ? own->filter_state : NULL;
        if ((!own || !own->was_asked) && attempt->cycle.is_parity)
                verdict_no(verdict, VERDICT_ERROR, SLICE_LITERAL("not found"));
        else if (!pod || is_ours(resources, attempt->pre_filter_plugin))
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           SLICE_LITERAL("no new claims to deallocate"));
        else
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           slice_of(post_filter_text(attempt, resources, pod)));
        return verdict->code;
}
