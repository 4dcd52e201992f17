/* What the parts of an explanation share. */
#pragma once

#include "ask/explanation.h"
#include "base/util.h"
#include "sched/decision.h"

struct telling {
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

void telling_put_reasons(struct telling *telling, struct json_node *object,
                         const struct slice *reasons, size_t count);
struct slice telling_node_name(const struct telling *telling, struct node_id node);
void telling_put_pod_name(struct telling *telling, struct json_node *object, const char *key,
                          struct pod_id pod);

/* Every node with its verdict, and those that a change would make fit. */
void telling_put_nodes(struct telling *telling);
/* The chosen node and why it was that one. */
void telling_put_choice(struct telling *telling);
void telling_put_preemption(struct telling *telling);
/* What the descheduler holds of a pod that runs; nothing without a plan. */
void telling_put_descheduler(struct telling *telling);
