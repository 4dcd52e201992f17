/* What the parts of an explanation share. */
#pragma once

#include "ask/explanation.h"
#include "base/util.h"
#include "sched/decision.h"

struct explainer {
        const struct explanation_request *request;
        struct cluster *cluster;
        const struct sched_profile *profile;
        const struct pod_row *row;
        const struct pod_class *class;
        struct node_id home; /* of a pod that runs */
        struct arena arena;
        struct sched_attempt attempt; /* for the obstacles */
        bool has_obstacles;
        struct decision decision;
        struct json_tree *tree;
        struct json_node *out;
};

void explainer_put_reasons(struct explainer *explainer, struct json_node *object,
                           const struct slice *reasons, size_t count);
struct slice explainer_node_name(const struct explainer *explainer, struct node_id node);
void explainer_put_pod_name(struct explainer *explainer, struct json_node *object, const char *key,
                            struct pod_id pod);

/* Every node with its verdict, and those that a change would make fit. */
void explainer_put_nodes(struct explainer *explainer);
/* The chosen node and why it was that one. */
void explainer_put_choice(struct explainer *explainer);
void explainer_put_preemption(struct explainer *explainer);
/* What the descheduler holds of a pod that runs; nothing without a plan. */
void explainer_put_descheduler(struct explainer *explainer);
