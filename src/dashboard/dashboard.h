/* The live page: documents over a model as JSON, changes as server-sent events, and the files of
 * the page. It reads; nothing here acts on a cluster. */
#pragma once

#include "base/buf.h"
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

/* The answer to a question about what would be. */
struct dashboard_answer {
        int status;       /* of HTTP; 200 unless set */
        const char *type; /* Content-Type, static; application/json unless set */
        struct buf *out;  /* the body; of a JSON object with status 200, its members only */
};
#define DASHBOARD_QUESTION_MAX ((size_t)1 << 20) /* bytes */

/* A document that the owner of the page writes: the members of a JSON object. */
struct dashboard_document {
        const char *path; /* "/api/berth/v1/..." */
        void (*write)(void *context, struct slice query, struct buf *out);
};

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
        /* What would be with these changes: a JSON object as docs/dashboard.md has it. as: the form
         * of the answer, "" = JSON. An empty question asks for what the form begins with. NULL =
         * not answered. */
        void (*plan)(void *context, struct slice question, struct slice as,
                     struct dashboard_answer *answer);
        void *plan_context;
        const struct dashboard_document *documents; /* ended by a NULL path; NULL = none */
        /* Grows when one of them changes; NULL = they do not. */
        uint64_t (*documents_version)(void *context);
        void *documents_context;
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
