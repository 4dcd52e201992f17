/* Why a pod is where it is, would go where it would, or waits: the scheduler's own decision on it,
 * written down as a JSON value.  Text for people is a rendering of the same value. */
#pragma once

#include "api/json.h"
#include "model/cluster.h"

struct eviction_plan;
struct sched_profile_list;

struct explanation_request {
        struct cluster *cluster;                   /* changed and changed back while it runs */
        const struct sched_profile_list *profiles; /* over the cluster */
        struct pod_id pod;
        struct wall_time now;
        bool is_parity;
        const struct eviction_plan *plan; /* made with the policy; NULL = none */
};

#define EXPLANATION_NEAREST 3 /* near misses that are reported */

/* What the value is made of stands in docs/explain.md. */
struct json_node *explanation_make(const struct explanation_request *request,
                                   struct json_tree *tree);
/* Whether the decision in an explanation is what the caller expected: a node that is among the best
 * ones, or "pending". */
bool explanation_meets(const struct json_node *explanation, struct slice expected);
