/* Measured usage as values: NodeMetrics and PodMetrics of metrics.k8s.io, and the samples a
 * Prometheus query returns.  Replays and plans read them from files, the role asks for them before
 * each pass. */
#pragma once

#include "api/json.h"
#include "plugin/desched_points.h"

struct descheduler_policy;

struct recorded_usage;
/* Takes from objects (an array) what it knows.  Which providers are there is the policy's word. */
int recorded_usage_new(const struct json *objects, const struct descheduler_policy *policy,
                       struct recorded_usage **ret_usage, struct err *err);
/* The same from one answer: a NodeMetricsList or PodMetricsList of the metrics API, or what
 * Prometheus says to an instant query (its samples then answer every query). */
int recorded_usage_of_list(const struct json *list, const struct descheduler_policy *policy,
                           struct recorded_usage **ret_usage, struct err *err);
int recorded_usage_of_answer(const struct json *answer, const struct descheduler_policy *policy,
                             struct recorded_usage **ret_usage, struct err *err);
/* Nodes measured before, too: nine parts of then, one of now. */
void recorded_usage_smooth(struct recorded_usage *usage, const struct recorded_usage *before);
/* Nodes that are not measured any more keep what was measured before. */
void recorded_usage_keep(struct recorded_usage *usage, const struct recorded_usage *before);
void recorded_usage_free(struct recorded_usage *usage); /* accepts NULL */
const struct desched_usage *recorded_usage_source(const struct recorded_usage *usage);
