/* Inside an eviction order: its pods, and the two ways of carrying it out. */
#pragma once

#include "api/json.h"
#include "evict/evict_service.h"
#include "loop/request_kinds.h"
#include "loop/watch_set.h"
#include "reboot/drain.h"
#include "roles/eviction_order.h"

#define ORDER_PATH_MAX 1024
#define ORDER_RETRY_NS (5 * NS_PER_S) /* after a 429, as kubectl drain */
#define ORDER_LOOK_NS (NS_PER_S)      /* whether a pod is gone yet */
/* What was answered as done shows its effect within this time, or is asked for again. */
#define ORDER_CONFIRM_NS (30 * NS_PER_S)
#define ORDER_LABEL "berth.dev/requested-by"
#define ORDER_LABEL_VALUE "evict"

struct order_pod {
        struct eviction_order *order;
        char *ns, *name, *uid;
        enum order_state state;
        char responder[318], message[400];
        struct wall_time expected;
        struct api_request *call; /* one at a time */
        struct loop_timer timer;
        bool is_asking;             /* the eviction service has it */
        bool is_withdrawn;          /* the intent was changed by us */
        bool is_withdrawal_written; /* and the server has it */
        bool is_seen;               /* somebody reconciles the request */
        bool is_begun;              /* a 429 said that somebody else evicts it, at this time */
        bool is_moving;             /* and was seen to do so */
        struct mono_time begun;
        struct mono_time written; /* our withdrawal, or the eviction was answered as done */
        struct drain_pod facts;   /* texts of order->facts */
        struct slice budget;      /* NAMESPACE/NAME that can never let it go; "" = none known */
};

struct eviction_order {
        struct eviction_order_config config;
        void (*pump)(struct eviction_order *order); /* see order_pump */
        struct loop *loop;
        struct transport *transport;
        struct evict_requester *requester;
        struct evict_sink sink;
        uint64_t settled;  /* the last record of the requester that was looked at */
        const char *group; /* NULL = the kinds are not served */
        bool is_finished, has_pods;
        struct order_pod *pods;
        size_t count, cap;
        struct watch_row *requests, *evictions; /* NULL = not followed */
        struct request_kinds *kinds;            /* NULL = they are not looked for */
        struct api_request *call;               /* cordon, reading pods and budgets */
        struct loop_timer begin, deadline, unanswered, serve, budgets;
        struct mono_time deadline_at; /* of the requests as well: their controller withdraws them */
        struct arena facts, texts;    /* of pods; of budgets, anew with each reading */
        void (*budgets_read)(struct eviction_order *order); /* see order_budgets_read */
        uint64_t calls;
        struct err err;
};

/* ---- order_pod.c ---- */
/* One call for a pod; done gets the pod. */
void order_call(struct order_pod *pod, const struct api_call *call,
                void (*done)(void *context, const struct api_reply *reply));
void order_set(struct order_pod *pod, enum order_state state, const char *message);
struct order_pod *order_find_pod(struct eviction_order *order, struct slice uid);
/* Begins what may begin, and ends the order when everything is over. */
void order_pump(struct eviction_order *order);

/* Hands the pod to the eviction service; the outcome comes to one of the two below. */
void order_ask(struct order_pod *pod, enum evict_way way);

/* ---- order_budgets.c: which budgets can never let a pod go ---- */
/* Reads them; read is called from the loop, also where they may not be read. */
void order_budgets_read(struct eviction_order *order, void (*read)(struct eviction_order *order));
void order_budgets_release(struct eviction_order *order);

/* ---- order_requests.c: by EvictionRequests ---- */
void order_request_begin(struct order_pod *pod);
/* Nobody has answered. */
void order_request_repeat(struct order_pod *pod);
void order_request_written(struct order_pod *pod, const struct evict_record *record);
void order_request_withdraw(struct order_pod *pod);
void order_requests_follow(struct eviction_order *order);

/* ---- order_subresource.c: by pods/eviction ---- */
void order_subresource_begin(struct order_pod *pod);
void order_subresource_asked(struct order_pod *pod, const struct evict_record *record);
