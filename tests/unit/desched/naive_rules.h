/* Rules of the descheduler written down as the reference has them: every pod, every node, every
 * pair, nothing remembered.  What the plugins do must come to the same. */
#pragma once

#include "plugin/plugin.h"

/* DefaultEvictor asked about every pod, without namespaceLabelSelector and nodeSelector; taints,
 * affinity, anti-affinity and duplicates naive, with default arguments; the other plugins as they
 * are. */
extern const struct plugin *const naive_registry[];
/* fits_nodes: the policy sets nodeFit; then it is naive under parity, where every pod may be
 * promised the last free place. */
void naive_rules_init(bool fits_nodes);
struct desched_run;
int naive_duplicates(struct desched_run *run, const void *state, struct err *err);
