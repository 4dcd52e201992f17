/* An eviction that some client asks for through the subresource itself (kubectl drain): whether it
 * passes, or waits until the pod's EvictionPolicy has led it through its stages.
 *
 * One that waits is answered 429, and an EvictionRequest in the client's name asks for the stages.
 * It has a deadline that moves as long as the client asks again: when the client stops, its request
 * ends. */
#pragma once

#include "base/buf.h"
#include "evict/eviction_policy.h"
#include "evict/eviction_reconciler.h"

#define CLIENT_EVICTION_DOMAIN "clients.berth.dev"            /* of requesters of this kind */
#define CLIENT_EVICTION_USER_KEY "lifecycle.berth.dev/client" /* annotation: the user as such */
#define CLIENT_EVICTION_PATIENCE_NS (600 * NS_PER_S) /* with a client that does not ask again */
#define CLIENT_EVICTION_AGAIN_NS (60 * NS_PER_S)     /* after one that was called off */
#define CLIENT_EVICTION_RETRY_S 5                    /* Retry-After for clients, as kubectl waits */
#define CLIENT_EVICTION_TEXT_MAX 700
#define CLIENT_EVICTION_NAME_MAX 64       /* of a request, with its end */
#define CLIENT_EVICTION_REQUESTER_MAX 128 /* likewise */

/* The call. */
struct client_eviction {
        struct slice ns, name; /* of the pod */
        struct slice uid;      /* its precondition; empty = none */
        struct slice user;     /* as the API server knows it */
        bool is_dry_run;
};

/* What is known when it comes; everything may be NULL. */
struct client_eviction_facts {
        const struct eviction_pod *pod;
        const struct eviction_policy *policy;   /* that is best for the pod */
        const struct eviction *eviction;        /* the pod's: under way, else the last one */
        const struct eviction_policy *leading;  /* whose stages that one is in */
        const struct eviction_request *request; /* the client's own */
        struct wall_time now;
};

/* What is to be done about the client's request. */
enum client_eviction_request {
        CLIENT_REQUEST_STAYS,
        CLIENT_REQUEST_OPENS,  /* is to be created */
        CLIENT_REQUEST_RENEWS, /* is to be moved on, or asked again */
};

struct client_eviction_verdict {
        bool waits; /* 429; else the call passes, and nothing else counts */
        enum client_eviction_request request;
        struct slice pod_uid;                /* of the pod that is known */
        char text[CLIENT_EVICTION_TEXT_MAX]; /* why it waits */
};

/* The decision. */
struct client_eviction_verdict client_eviction_judge(const struct client_eviction *call,
                                                     const struct client_eviction_facts *facts);
/* The same with what a reconciler knows of policies, requests and Evictions; pod may be NULL. */
struct client_eviction_verdict client_eviction_decide(const struct eviction_reconciler *reconciler,
                                                      const struct eviction_pod *pod,
                                                      const struct client_eviction *call,
                                                      struct wall_time now);
/* Whether a policy makes other clients wait for this pod: what is asked first. */
bool client_eviction_has_stages(const struct eviction_policy *policy,
                                const struct eviction_pod *pod);

/* ---- the client's request ---- */
/* Name of the requester that stands for a user: clients.berth.dev/USER, as far as labels allow. */
void client_eviction_requester(struct slice user, char out[CLIENT_EVICTION_REQUESTER_MAX]);
/* Name of its EvictionRequest for the pod of that uid. */
void client_eviction_request_name(struct slice user, struct slice uid,
                                  char out[CLIENT_EVICTION_NAME_MAX]);
bool client_eviction_is_requester(struct slice requester);
/* The object to create. Its owner is the pod, so that it goes when the pod does. */
void client_eviction_write(const struct client_eviction *call, struct slice uid, const char *group,
                           struct wall_time now, struct buf *out);
/* A merge patch that asks again, with a new deadline. */
void client_eviction_renewal_write(struct wall_time now, struct buf *out);
