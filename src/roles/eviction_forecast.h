/* What evictions are expected to take, for roles that weigh it: reads the EvictionPolicies and the
 * history of their stages from the cluster. */
#pragma once

#include "model/cluster.h"
#include "plugin/expected_times.h"
#include "port/loop.h"
#include "port/transport.h"

#define FORECAST_CALL_NS (10 * NS_PER_S)

struct eviction_forecast;

struct eviction_forecast_config { /* all borrowed */
        struct transport *transport;
        struct loop *loop;
        const struct cluster *cluster;
        int64_t interval_ns; /* between reads of its own, from the start on; 0 = only when asked */
};
struct eviction_forecast *eviction_forecast_new(const struct eviction_forecast_config *config);
void eviction_forecast_free(
        struct eviction_forecast *forecast); /* accepts NULL; calls no callback */
/* Reads both, then calls done, from the loop; one at a time.  What cannot be read stays as it was:
 * a cluster without EvictionPolicies knows no costs. */
void eviction_forecast_fetch(struct eviction_forecast *forecast, void (*done)(void *context),
                             void *context);
/* Valid as long as the forecast. */
const struct expected_times *eviction_forecast_times(const struct eviction_forecast *forecast);
