/* Explanations for the live page: the answer of berth explain, on the model that the page shows. */
#pragma once

#include "model/ids.h"

struct cluster;
struct dashboard_explainer;
struct json_node;
struct json_tree;
struct loop;
struct role_config;

/* By the profiles of this configuration, which are over the cluster.  All must outlive it. */
struct dashboard_explainer *dashboard_explainer_new(struct cluster *cluster, struct loop *loop,
                                                    const struct role_config *config);
void dashboard_explainer_free(struct dashboard_explainer *explainer); /* accepts NULL */
/* As struct dashboard_config wants it; context is the explainer. */
struct json_node *dashboard_explainer_explain(void *context, struct pod_id pod,
                                              struct json_tree *tree);
