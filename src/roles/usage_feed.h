/* Measured usage for the descheduler, from the metrics API and from Prometheus, as the policy's
 * metricsProviders say.  Asked for before a pass, without holding up the loop; the pass then reads
 * values. */
#pragma once

#include "base/time.h"
#include "plugin/desched_points.h"
#include "port/loop.h"
#include "port/transport.h"
#include <stdbool.h>

struct descheduler_policy;
struct usage_feed;

#define USAGE_TIMEOUT_NS (10 * NS_PER_S) /* of a call */
#define USAGE_NODES_PERIOD_NS                                                                      \
        (5 * NS_PER_S) /* between two looks at the nodes, which are smoothed */

/* NULL when the policy names no provider.  The transport is the API server's; all three must
 * outlive the feed. */
struct usage_feed *usage_feed_new(struct transport *transport, struct loop *loop,
                                  const struct descheduler_policy *policy, bool is_parity);
/* Why no pass can be made at all, as upstream has it under parity: inside a cluster the mounted
 * token cannot be read.  NULL otherwise. */
const char *usage_feed_failure(const struct usage_feed *feed);
bool usage_feed_is_needed(const struct descheduler_policy *policy); /* it names a provider */
void usage_feed_free(struct usage_feed *feed); /* accepts NULL; done does not run any more */
/* Asks every provider again; done runs once all have answered or failed.  While an earlier one is
 * under way nothing is done: that one's done runs. */
void usage_feed_fetch(struct usage_feed *feed, void (*done)(void *context), void *context);
/* The last answers; valid as long as the feed. A provider without an answer has no values. */
const struct desched_usage *usage_feed_source(const struct usage_feed *feed);
