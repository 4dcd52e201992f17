/* Measured usage from objects instead of live sources: NodeMetrics and PodMetrics of
 * metrics.k8s.io, and the samples a Prometheus query returns; for replays and plans. */
#pragma once

#include "api/json.h"
#include "plugin/desched_points.h"

struct descheduler_policy;

struct recorded_usage;
/* Takes from objects (an array) what it knows.  Which providers are there is the policy's word. */
int recorded_usage_new(const struct json *objects, const struct descheduler_policy *policy,
                       struct recorded_usage **ret_usage, struct err *err);
void recorded_usage_free(struct recorded_usage *usage); /* accepts NULL */
const struct desched_usage *recorded_usage_source(const struct recorded_usage *usage);
