/* The expected time of evicting a pod, before it is asked for: the cost that descheduler and
 * scheduler weigh.  From EvictionPolicies and the history of their stages. */
#pragma once

#include "evict/eviction_history.h"
#include "evict/eviction_policy.h"
#include "model/cluster.h"

/* The medians of all stages: of this owner ("Kind/name", may be empty), else of the policy, else
 * the stage's timeout. */
int64_t eviction_policy_cost(const struct eviction_policy *policy,
                             const struct eviction_history *history, struct slice owner,
                             struct wall_time now);

/* The sums of medians and of 95th percentiles, and the samples behind the stage that has fewest. */
struct history_estimate eviction_policy_estimate(const struct eviction_policy *policy,
                                                 const struct eviction_history *history,
                                                 struct slice owner, struct wall_time now);

struct eviction_costs;
struct eviction_costs *eviction_costs_new(void);
void eviction_costs_free(struct eviction_costs *costs); /* accepts NULL */
/* From a list of EvictionPolicies, which takes the place of the one before; one that cannot
 * be read holds its pods, which counts as a day. */
void eviction_costs_set_policies(struct eviction_costs *costs, const struct json *list);
/* The history as it is stored, likewise; NULL = none. */
void eviction_costs_set_history(struct eviction_costs *costs, const struct json *object);
/* An Eviction under way, which may hold its pod. */
void eviction_costs_see_eviction(struct eviction_costs *costs, const struct json *object);
size_t eviction_costs_policy_count(const struct eviction_costs *costs);
/* Nanoseconds; 0 for pods without a policy. */
int64_t eviction_costs_of(const struct eviction_costs *costs, const struct cluster *cluster,
                          struct pod_id pod, struct wall_time now);
/* All that is expected of it; false for pods without a policy. */
bool eviction_costs_expect(const struct eviction_costs *costs, const struct cluster *cluster,
                           struct pod_id pod, struct wall_time now,
                           struct history_estimate *ret_estimate);
/* The stages by which the pod would leave, with what each took before; 0 for pods without a policy.
 * Slices belong to the policy. */
struct stage_forecast {
        struct slice name;
        enum stage_kind kind;
        struct history_estimate estimate;
};
size_t eviction_costs_stages(const struct eviction_costs *costs, const struct cluster *cluster,
                             struct pod_id pod, struct wall_time now,
                             struct stage_forecast ret_stages[static EVICTION_STAGES_MAX],
                             struct slice *ret_policy);
/* Why the pod would stay where it is: its policy cannot be read, or a stage with `onFailure: Hold`
 * has failed; "" = it would not.  text has EVICTION_HOLD_TEXT_MAX bytes. */
struct slice eviction_costs_hold(const struct eviction_costs *costs, const struct cluster *cluster,
                                 struct pod_id pod, char *text);
