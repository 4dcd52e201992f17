/* The live page: documents over a model as JSON, changes as server-sent events, and the files of
 * the page. It reads; nothing here acts on a cluster. */
#pragma once

#include "base/err.h"
#include "model/ids.h"
#include "port/loop.h"
#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct dashboard;
struct event_ring;
struct json_node;
struct json_tree;

#define DASHBOARD_VIEWERS_MAX 32
#define DASHBOARD_PACE_NS (500 * NS_PER_MS) /* between two updates */
#define DASHBOARD_BEAT_NS (15 * NS_PER_S)   /* at least so often a viewer gets something */

struct dashboard_config {
        const char *listen; /* "127.0.0.1:8080"; port 0 = any */
        const char *hosts;  /* names under which it may be visited, comma-separated; NULL = none */
        const char *source; /* what is shown, for people: a context, a file */
        bool is_live;       /* it follows a cluster */
        const struct cluster *cluster;
        /* Whether the model is complete; NULL = it is. */
        bool (*is_ready)(void *context);
        void *context;
        /* A value of ask/explanation.h on a live pod of the cluster, made in the tree; NULL = pods
         * are not explained. */
        struct json_node *(*explain)(void *context, struct pod_id pod, struct json_tree *tree);
        void *explain_context;
        const struct event_ring *events; /* of the cluster; NULL = none are known */
};

/* Texts but hosts are copied. The cluster and hosts must outlive it. */
int dashboard_new(const struct dashboard_config *config, struct loop *loop,
                  struct dashboard **ret_dashboard, struct err *err);
void dashboard_free(struct dashboard *dashboard); /* accepts NULL */
/* The model or the events changed, or the model became ready: viewers get it after a while, all
 * changes at once. */
void dashboard_changed(struct dashboard *dashboard);
/* Address of the first visit, token included. */
const char *dashboard_url(const struct dashboard *dashboard);
