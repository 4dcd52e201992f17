/* Devices in the place of extended resources, for scores. */
#include "plugins/sched/extended_score.h"

#include "base/util.h"
#include "plugins/sched/device_tally.h"
#include "plugins/sched/extended_claim.h"
#include <stdlib.h>

struct extended_score {
        struct device_tally *tally;
};

struct extended_score *extended_score_new(const struct plugin_env *env,
                                          const struct resource_weights *resources) {
        const struct device_gates gates = device_gates_of(env);
        bool may_be = false;
        for (size_t i = 0; i < resources->count; i++)
                may_be |= may_be_devices(resources->items[i].name);
        if (!may_be || env->gates & FEATURE_NO_EXTENDED_DEVICES)
                return NULL;
        struct extended_score *score = xcalloc(1, sizeof(*score));
        score->tally = device_tally_new(&gates);
        return score;
}

void extended_score_free(struct extended_score *score) {
        if (!score)
                return;
        device_tally_free(score->tally);
        free(score);
}

bool extended_score_apply(const struct extended_score *score, const struct sched_cycle *cycle,
                          struct slice resource, struct scored_resource *ret_resource) {
        if (!score || !may_be_devices(resource) || ret_resource->amount == 0)
                return false;
        struct slice class_name = device_class_of_resource(cycle->object_cache, resource);
        if (!class_name.len)
                return false;
        struct tally_row *row = device_tally_row(score->tally, cycle, class_name);
        size_t count = cluster_nodes(cycle->cluster)->count;
        int64_t *allocatable = ARENA_ARRAY(cycle->scratch, int64_t, count);
        int64_t *requested = ARENA_ARRAY(cycle->scratch, int64_t, count);
        for (size_t i = 0; i < count; i++) {
                struct node_id node = { (uint32_t)i };
                allocatable[i] = ret_resource->allocatable[i];
                requested[i] = ret_resource->requested[i];
                if (allocatable[i] == 0 && bitset_has(&cluster_nodes(cycle->cluster)->live, i))
                        device_tally_of(score->tally, cycle, row, node, &allocatable[i],
                                        &requested[i]);
        }
        ret_resource->allocatable = allocatable;
        ret_resource->requested = requested;
        return true;
}
