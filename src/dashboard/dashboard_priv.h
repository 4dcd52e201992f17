/* Inside of the live page: its state, and the streams of its documents. */
#pragma once

#include "base/arena.h"
#include "dashboard/dashboard.h"
#include "dashboard/door.h"
#include "http/http_front.h"
#include "model/cluster.h"

/* Text that was made of the model at one generation, shared by all who ask. */
struct dashboard_text {
        uint64_t since, generation;
        bool is_there, is_too_far; /* too far: the viewer has to begin anew */
        struct buf text;
};

struct viewer; /* one who follows changes */

struct dashboard {
        struct loop *loop;
        const struct cluster *cluster;
        bool (*is_ready)(void *context);
        void *context;
        struct json_node *(*explain)(void *context, struct pod_id pod, struct json_tree *tree);
        void *explain_context;
        const struct event_ring *events; /* NULL = none */
        void (*plan)(void *context, struct slice question, struct slice as,
                     struct dashboard_answer *answer);
        void *plan_context;
        const struct dashboard_document *documents; /* NULL = none */
        uint64_t (*documents_version)(void *context);
        void *documents_context;
        char *source;
        bool is_live;
        struct door door;
        struct http_front *front;
        char *url;
        uint64_t instance;  /* of this process: generations of another one mean nothing here */
        uint64_t published; /* viewers may have everything up to this generation */
        uint64_t published_event; /* and up to this event */
        uint64_t published_documents;
        uint64_t beats;
        struct loop_timer pace, beat;
        struct viewer *viewers;
        size_t viewer_count;
        struct dashboard_text headline, changes;
        struct arena scratch;
};

/* "apiVersion":..., "instance":..., "generation":... */
void dashboard_members(const struct dashboard *dashboard, struct buf *out);
/* "headline":{...},"lastEvent":..., and "evictions":{...} where events are known */
void dashboard_headline(struct dashboard *dashboard, struct buf *out);

enum row_kind { ROWS_NODES, ROWS_PODS };
/* A document of all rows, read in pieces: each row is as it is when it is read. */
struct http_stream *row_stream_new(struct dashboard *dashboard, enum row_kind kind);
/* Server-sent events. since: "INSTANCE-GENERATION", empty = from now. NULL: too many viewers. */
struct http_stream *change_stream_new(struct dashboard *dashboard, struct slice since);
/* Number of the last event; 0 = none. */
uint64_t dashboard_last_event(const struct dashboard *dashboard);
/* Number of the last change of the owner's documents. */
uint64_t dashboard_documents_version(const struct dashboard *dashboard);
/* The document of the pod that the query names; false when there is none. */
bool pod_answer_write(struct dashboard *dashboard, struct slice query, struct buf *out);
/* GET or POST of the plan: what a form begins with, or what would be. */
void plan_answer_write(struct dashboard *dashboard, const struct http_request *request,
                       struct slice query, struct http_response *response);
/* All viewers look for news. */
void change_streams_wake(struct dashboard *dashboard);
