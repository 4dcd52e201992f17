/* Arguments shared by the plugins that score resources. */
#pragma once

#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"

struct resource_weight {
        struct slice name;
        int64_t weight; /* 0 = 1 */
};
extern const struct field resource_weight_fields[];
/* Lists of cpu and memory, each of weight 1, unless something was given. */
struct resource_weights {
        size_t count;
        const struct resource_weight *items;
};
struct resource_weights resource_weights_of(const struct item_list *given);
/* Whether a name follows the rules of extended resources: a domain of its own. */
bool is_extended_resource(struct slice name);
/* What upstream treats as neither cpu, memory nor ephemeral-storage when scoring. */
bool is_scalar_resource(struct slice name);

/* A scored resource resolved against the cluster for one pod. */
struct scored_resource {
        const int64_t *allocatable, *requested; /* columns by node */
        int64_t amount;                         /* what the pod adds */
        int64_t weight;
};
