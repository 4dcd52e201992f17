/* Scores of resources that devices stand for: where a node does not offer the resource itself, the
 * devices of the class count, and those of them that are allocated. */
#pragma once

#include "plugins/sched/resource_args.h"

struct extended_score;
/* NULL: none of the resources may be devices. */
struct extended_score *extended_score_new(const struct plugin_env *env,
                                          const struct resource_weights *resources);
void extended_score_free(struct extended_score *score); /* accepts NULL */
/* Replaces the columns of a resource that a class stands for, in the scratch arena; false: none
 * does.  Accepts NULL. */
bool extended_score_apply(const struct extended_score *score, const struct sched_cycle *cycle,
                          struct slice resource, struct scored_resource *ret_resource);
