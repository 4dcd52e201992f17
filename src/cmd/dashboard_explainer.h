/* Explanations for the live page: the answer of berth explain, on the model that the page shows. */
#pragma once

#include "base/err.h"
#include "model/ids.h"

struct cluster;
struct dashboard_explainer;
struct json_node;
struct json_tree;
struct loop;
struct object_cache;
struct role_config_sources;
struct sched_profile_list;

/* Of these profiles, which are over the cluster.  All must outlive it. */
struct dashboard_explainer *dashboard_explainer_over(struct cluster *cluster, struct loop *loop,
                                                     const struct sched_profile_list *profiles,
                                                     bool is_parity);
/* The same with profiles of its own, made of these sources. */
int dashboard_explainer_new(struct cluster *cluster, struct loop *loop,
                            const struct object_cache *object_cache,
                            const struct role_config_sources *sources,
                            struct dashboard_explainer **ret_explainer, struct err *err);
void dashboard_explainer_free(struct dashboard_explainer *explainer); /* accepts NULL */
/* As struct dashboard_config wants it; context is the explainer. */
struct json_node *dashboard_explainer_explain(void *context, struct pod_id pod,
                                              struct json_tree *tree);
