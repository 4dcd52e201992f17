/* The sandbox's API server without a transport: a request goes in, a complete answer or a stream
 * comes out. Used by the HTTP front, the in-process transport and the sandbox's own controllers.
 * Single-threaded; time comes from the loop's wall clock. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/time.h"
#include "http/http_handler.h"
#include "http/http_message.h"
#include "port/loop.h"
#include "port/transport.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API_GROUPS_MAX 64
#define API_EXTRAS_MAX 64

struct json;
struct json_tree;
struct store;
struct kind_info;
struct user_extra;
struct api_server;

struct api_user {
        struct slice name, uid;
        size_t group_count;
        struct slice groups[API_GROUPS_MAX];
        const struct user_extra *extras; /* those of one key stand together */
        size_t extra_count;
};
/* Who the sandbox's own parts act as; all are in system:masters. */
extern const struct api_user api_user_controller_manager; /* system:kube-controller-manager */
extern const struct api_user api_user_scheduler;          /* system:kube-scheduler */
extern const struct api_user api_user_admin;              /* kubernetes-admin */

struct api_token {
        const char *token, *user;
        const char *const *groups; /* NULL-ended; NULL = none */
};

/* Calls admission webhooks for the server, which has no sockets of its own. */
struct webhook_request;
struct webhook_call {
        const char *url;             /* https, with the timeout as a parameter */
        const char *tls_server_name; /* expected in the certificate; NULL = the URL's host */
        struct slice ca_pem;         /* empty = the system's authorities */
        struct slice body;           /* an AdmissionReview */
        int64_t timeout_ns;
};
struct webhook_caller {
        /* What it is given is borrowed for the call; done runs once, from the loop, never from
         * inside. */
        struct webhook_request *(*call)(void *self, const struct webhook_call *call,
                                        void (*done)(void *context, const struct api_reply *reply),
                                        void *context);
        void (*cancel)(void *self, struct webhook_request *request); /* done does not run then */
        void *self;
};

/* Judges calls of pods/eviction for the server, which knows nothing of policies: after admission,
 * before budgets. */
struct api_eviction_call {
        struct slice ns, name; /* of the pod, which may be absent */
        struct slice uid;      /* precondition; empty = none */
        struct slice user;
        bool is_dry_run;
};
/* An EvictionRequest that is created, or of which more than the status is written. */
struct api_eviction_request {
        const struct api_user *user;
        bool is_new;
        struct slice requester, intent, old_intent, old_user;
};
struct api_eviction_judge {
        /* FORBIDDEN with err, or the user to be kept in the annotation (empty = none). NULL =
         * requests are as they are written. */
        int (*admits)(void *self, const struct api_eviction_request *request,
                      struct slice *ret_user, struct err *err);
        /* True: the call is answered 429, with this text and pause. May call api_server_inside. */
        bool (*waits)(void *self, const struct api_eviction_call *call, struct buf *ret_text,
                      int *ret_retry_after_s);
        void *self;
};

/* A kind that is served from the start, and that no object in the cluster defines. */
struct api_definition {
        const char *json; /* written as a CustomResourceDefinition */
        /* What its schema cannot say about a status (about the rest, when old is NULL): INVALID,
         * with the field's path. NULL = nothing. */
        int (*check)(const struct json *object, const struct json *old, struct wall_time now,
                     struct err *err);
};

/* Groups of pods (PodGroups and Workloads of scheduling.k8s.io/v1alpha2): which gates are on. */
struct api_group_gates {
        bool is_served;    /* GenericWorkload; pods may have spec.schedulingGroup, too */
        bool has_topology; /* TopologyAwareWorkloadScheduling: schedulingConstraints */
        bool has_claims;   /* DRAWorkloadResourceClaims: resourceClaims and their statuses */
        bool has_priority; /* WorkloadAwarePreemption: disruptionMode, priority and its class */
};

struct api_server_config {
        struct store *store;            /* NULL = the server makes its own, volatile */
        const struct api_token *tokens; /* copied */
        size_t token_count;
        const char *server_address; /* shown in /api, e.g. "127.0.0.1:6443"; NULL = empty */
        uint64_t seed;              /* uids, generated names, audit ids */
        /* Reads YAML request bodies; this room has no YAML of its own. NULL: only the JSON subset
         * of YAML is understood. */
        int (*read_yaml)(struct slice text, struct json_tree **ret_tree, struct err *err);
        bool is_open;      /* no authentication: every user is the administrator */
        size_t events_max; /* Event objects stored; 0 = 100,000 */
        const char
                *ca_pem; /* of the authority of its certificate, which clients read; NULL = none */
        const char *account_key_pem;           /* signs tokens of accounts; NULL = a new key */
        const struct webhook_caller *webhooks; /* copied; NULL = webhooks are not called */
        const struct api_definition *definitions;
        size_t definition_count;
        unsigned minor; /* of the Kubernetes it plays (kinds/release.h); 0 = RELEASE_DEFAULT */
        bool has_eviction_responders; /* pods may have spec.evictionResponders */
        struct api_group_gates groups;
        const struct api_eviction_judge *evictions; /* copied; NULL = none waits */
};

/* The loop must outlive the server. Creates the namespaces and objects every cluster has. */
struct api_server *api_server_new(const struct api_server_config *config, struct loop *loop);
void api_server_free(struct api_server *server); /* accepts NULL; ends open streams */
struct store *api_server_store(struct api_server *server);
/* Of the Kubernetes version it plays: 1.N. */
unsigned api_server_minor(const struct api_server *server);
/* Whether a kube-apiserver of that version knows EvictionRequests at all. */
bool api_server_may_have_eviction_requests(unsigned minor);
/* PodGroups of scheduling.k8s.io/v1alpha2. */
bool api_server_may_have_pod_groups(unsigned minor);
/* Store resource of a kind (for store_get, store_subscribe); group "" = core. -1 when unknown. */
int api_server_resource(const struct api_server *server, const char *group, const char *plural);
bool api_server_add_token(struct api_server *server, const struct api_token *token);

/* Runs now and then while a long request is under way: a listener answers what it has got, by
 * api_server_begin as ever. NULL = no request lets others in. */
void api_server_let_in(struct api_server *server, void (*let_in)(void *context), void *context);

/* What others do between an eviction's read of its budget and its write of the budget's status:
 * with one thread that is nothing, so tests and simulations say it here. It may write budgets to
 * the store. NULL = nothing again. */
void api_server_contend(struct api_server *server, void (*in_between)(void *context),
                        void *context);

/* Everything is borrowed for the duration of the call; empty slices mean an absent header. */
struct api_server_request {
        struct slice method; /* GET, POST, ... */
        struct slice target; /* path with query: /api/v1/pods?limit=5 */
        struct slice body;
        struct slice content_type, accept, authorization, user_agent, if_none_match;
        struct slice impersonation;  /* Impersonate-* headers: NAME NUL VALUE NUL ... */
        const struct api_user *user; /* already known (in-process callers); NULL = authenticate */
        bool takes_streams;          /* long lists may come as a stream too, not only watches */
        /* In-process callers only: a created object keeps the uid and creationTimestamp it carries
         * (objects of another cluster, whose owners and ages must stay what they were). */
        bool keeps_identity;
};

/* Answers every request; never fails. The response need not be initialised. */
void api_server_handle(struct api_server *server, const struct api_server_request *request,
                       struct http_response *ret_response);
/* The same for callers that can wait: webhooks are asked about writes, and reads of a revision that
 * is yet to come get three seconds. NULL when the request is
 * answered. Otherwise ready will run once, from the loop; then api_pending_resume either answers,
 * or returns the request because there is more to wait for. */
struct api_pending;
struct api_pending *api_server_begin(struct api_server *server,
                                     const struct api_server_request *request,
                                     struct http_response *ret_response,
                                     void (*ready)(void *context), void *context);
/* Whether there are webhooks, and a client to call them: otherwise no write waits for one. */
bool api_server_asks_webhooks(const struct api_server *server);
struct api_pending *api_pending_resume(struct api_pending *pending,
                                       struct http_response *ret_response);
void api_pending_cancel(struct api_pending *pending); /* accepts NULL */
/* api_server_handle from inside of a request that the server is about to answer. */
void api_server_inside(struct api_server *server, const struct api_server_request *request,
                       struct http_response *ret_response);
/* Shorthand for in-process callers: method, path and JSON body (empty = none) as user. */
void api_server_call(struct api_server *server, const struct api_user *user, const char *method,
                     struct slice target, struct slice body, struct http_response *ret_response);
/* The same as the administrator: PATCH is a merge patch. The status; ret_body, which may be NULL,
 * gets the answer's body in place of what it held. */
int api_server_ask(struct api_server *server, const char *method, const char *path,
                   const char *body, struct buf *ret_body);
/* The server as what answers a listener; it must outlive that. */
struct http_handler api_server_handler(struct api_server *server);
