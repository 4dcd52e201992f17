/* Measured usage for a plan of a live cluster: the providers of a policy asked once, in the way the
 * descheduler asks them before a pass. */
#pragma once

#include "base/err.h"
#include "plugin/desched_points.h"

struct role_config;
struct snapshot_source;
struct usage_live;

/* NULL when the policy names no provider; config must outlive what is returned.  A provider that
 * does not answer is no error here: the strategies that need it fail. */
int usage_live_ask(const struct snapshot_source *source, const struct role_config *config,
                   struct usage_live **ret_usage, struct err *err);
void usage_live_free(struct usage_live *usage); /* accepts NULL */
const struct desched_usage *usage_live_source(const struct usage_live *usage);
