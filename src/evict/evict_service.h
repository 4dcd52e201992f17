/* The one way out for pods.  A process has one service; every role that ends pods joins it as a
 * requester and hands in intents; out come actions with uid preconditions.  The service owns
 * limits, budgets, the number of calls in flight, back-off, events and the record of what was done
 * and why.
 *
 * Pure: time is an argument, results of calls come back through evict_service_result.  Wall times
 * are the API server's. */
#pragma once

#include "evict/eviction_slots.h"
#include "model/action.h"
#include "model/cluster.h"
#include "model/evict_intent.h"
#include <stdbool.h>
#include <stdint.h>

struct evict_service;
struct evict_requester;
struct json;
struct slot_ledger_stats;

#define EVICT_IN_FLIGHT_DEFAULT 32
#define EVICT_RECORDS_DEFAULT 1024
#define EVICT_ATTEMPTS_DEFAULT 8
#define EVICT_RETRY_FIRST_MS 5000LL
#define EVICT_RETRY_MAX_MS 600000LL
/* An eviction that has begun in the background, and that no program is seen to continue, is given
 * up after so long. */
#define EVICT_ASSUMED_MAX_NS (600 * NS_PER_S)

/* EvictionRequests. UNANSWERED: no controller answered one for so long, so the subresource is
 * called. RETRY: the cluster is asked again for the kinds. DEADLINE: of a request, in case its
 * requester ends. */
#define EVICT_REQUEST_UNANSWERED_NS (30 * NS_PER_S)
#define EVICT_REQUEST_RETRY_NS (600 * NS_PER_S)
#define EVICT_REQUEST_DEADLINE_NS (1800 * NS_PER_S)
/* Slots: PATIENCE: a job that waits for longer is refused, and keeps its position in the queue for
 * its next try.  LOOK: between reads of the pods that are being evicted.  AGAIN: between admissions
 * while a job waits.  REST: evictions of others are no longer followed after so long without jobs.
 */
#define EVICT_SLOT_PATIENCE_NS (30 * NS_PER_S)
#define EVICT_SLOT_LOOK_NS (5 * NS_PER_S)
#define EVICT_SLOT_AGAIN_NS (2 * NS_PER_S)
#define EVICT_SLOT_REST_NS (60 * NS_PER_S)

/* Whether evictions are EvictionRequests. */
enum evict_request_mode {
        EVICT_REQUESTS_NEVER,
        EVICT_REQUESTS_ALWAYS, /* waits for a responder, and writes the request again; refused where
                                  the cluster does not serve the kinds */
        /* Where the cluster has them and a controller answers, else the subresource for a while;
         * until the first answer only one is tried. */
        EVICT_REQUESTS_AUTO,
};

/* How a pod was, or was to be, ended. */
enum evict_route {
        EVICT_ROUTE_NONE, /* nothing was sent */
        EVICT_ROUTE_SUBRESOURCE,
        EVICT_ROUTE_REQUEST,
        EVICT_ROUTE_DELETE,
        EVICT_ROUTE_PREEMPTION,
        EVICT_ROUTE_COUNT
};
const char *evict_route_name(enum evict_route route); /* "subresource" */

/* What the service reports besides actions. */
enum evict_note_kind {
        EVICT_NOTE_WAITS,  /* for a slot; text says of what */
        EVICT_NOTE_DIRECT, /* EvictionRequests are not used for a while; text says why */
        EVICT_NOTE_ENDED,  /* record; text empty */
};
struct evict_note {
        enum evict_note_kind kind;
        const struct evict_requester *requester; /* NULL with EVICT_NOTE_DIRECT */
        const struct evict_record *record;       /* likewise */
        const char *text;
};

struct evict_config {                  /* of the process */
        const struct cluster *cluster; /* budgets and pods are looked up here; NULL = no model */
        enum evict_request_mode requests;
        /* A pod with an open request of another requester is left to that, also where the
         * subresource is called: its stages may be under way. */
        bool minds_requests;
        bool has_slots;     /* slow evictions, or all, wait for slots */
        bool slots_for_all; /* plain evictions take slots, too */
        struct eviction_slot_limits slots;
        int64_t slot_patience_ns; /* 0 = EVICT_SLOT_PATIENCE_NS */
        void (*report)(void *context, const struct evict_note *note); /* NULL = not called */
        void *context;
};

struct evict_service *evict_service_new(const struct evict_config *config);
/* Frees the requesters, too; accepts NULL. */
void evict_service_free(struct evict_service *service);

/* ---- requesters ---- */
struct evict_requester_config { /* how a role evicts */
        const char *name;       /* label of metrics; a text that stays */
        void *owner; /* to whom answers to its calls go, see struct evict_answer; may be NULL */
        /* As a requester of EvictionRequests, such as "descheduler.berth.dev/evict"; NULL = never
         * asks by them. */
        const char *requests_as;
        const char *request_prefix;  /* of their names; NULL = the part of requests_as before "." */
        int64_t request_deadline_ns; /* 0 = EVICT_REQUEST_DEADLINE_NS, less = none */
        bool has_no_events;          /* Kubernetes events are not for this one to write */
        uint32_t max_in_flight;      /* 0 = EVICT_IN_FLIGHT_DEFAULT */
        uint32_t max_attempts;       /* calls per intent, 0 = EVICT_ATTEMPTS_DEFAULT */
        uint32_t max_records;        /* of evictions, 0 = EVICT_RECORDS_DEFAULT */
        /* Pods annotated request-evict-only whose eviction is answered by 429 and "Eviction
         * triggered evacuation" are evicted in the background: counted until they are gone, not
         * asked again.  Needs the cluster, finished pods included. */
        bool follows_background;
        /* Upstream's ways: no uid precondition, no look at budgets, a pod asked for twice counts
         * twice, one call at a time and one attempt; but what the server bids to try later is tried
         * up to ten times more, and everything else waits. */
        bool is_parity;
};
/* Limits, passes and records belong to the requester; what is open is open for all: a pod that one
 * of them evicts is not asked for by another.  Valid as long as the service. */
struct evict_requester *evict_service_join(struct evict_service *service,
                                           const struct evict_requester_config *config);
/* For deciders; valid as long as the service. */
struct evict_sink evict_requester_sink(struct evict_requester *requester);

/* One call for a pod, made at once: what preemption wants, and the responder of EvictionRequests,
 * which decides itself when to try.  Past limits, budgets looked up ahead, slots and retries; under
 * way, recorded and counted as any other. */
struct evict_call {
        uint64_t id;                /* the caller's, of the answer */
        struct evict_intent intent; /* way: EVICT, DELETE or PREEMPT */
};
void evict_requester_call(struct evict_requester *requester, const struct evict_call *call,
                          struct wall_time now, struct action_list *out);
/* Calls without an answer are forgotten; their answers are ignored. */
void evict_requester_drop_calls(struct evict_requester *requester);
/* After evict_service_result: which requester gets the answer, and under which id. False: none. */
struct evict_answer {
        void *owner;
        uint64_t id;
};
bool evict_service_take_answer(struct evict_service *service, struct evict_answer *ret_answer);
/* Names of the budgets that cover the pod, comma-separated: two of them let nothing go. */
void evict_budgets_write(const struct cluster *cluster, struct pod_id pod, struct buf *out);
/* Evictions queued, in flight or waiting for another try: a one-shot run ends at 0. */
size_t evict_requester_open(const struct evict_requester *requester);
size_t evict_requester_in_flight(const struct evict_requester *requester);

/* ---- the machine ---- */
/* Appends the evictions and events that are due; call after asking and when a retry falls due. */
void evict_service_step(struct evict_service *service, struct mono_time now,
                        struct action_list *out);
/* Outcome of an action of this service that ends a pod or asks for that (true), anything else is
 * not ours (false).  Follow with evict_service_step: an event, a retry or the next eviction may be
 * due. */
bool evict_service_result(struct evict_service *service, const struct action_result *result,
                          struct mono_time now, struct wall_time wall);
/* The cluster changed, or time passed: looks at what is evicted in the background.  Before passes
 * and before evict_service_step. */
void evict_service_observe(struct evict_service *service, struct mono_time now,
                           struct wall_time wall);
/* Whether evict_service_observe may find something when the cluster changed. */
bool evict_service_follows(const struct evict_service *service);
/* When evict_service_step has something to do by time alone; false: never. */
bool evict_service_next_due(const struct evict_service *service, struct mono_time *ret_due);

/* ---- what is observed ---- */

/* Which EvictionRequests the cluster has. */
enum evict_kinds { EVICT_KINDS_UNKNOWN, EVICT_KINDS_ABSENT, EVICT_KINDS_OWN, EVICT_KINDS_NATIVE };
/* What of others takes slots: objects of one kind. */
enum evict_observation {
        EVICT_SIGHT_PODS, /* of virtual machines; without a model */
        EVICT_SIGHT_OWN,  /* Evictions of berth's kinds */
        EVICT_SIGHT_NATIVE,
        EVICT_SIGHT_MIGRATIONS,
        EVICT_SIGHT_COUNT
};
/* What has to be found out or followed for what is asked; changes with each step. */
struct evict_wants {
        bool kinds;         /* evict_service_saw_kinds */
        const char *group;  /* of EvictionRequests, while any are followed */
        bool own_requests;  /* those with the label below: evict_service_saw_request */
        char selector[256]; /* label selector */
        bool all_requests;  /* evict_service_saw_any_request */
        bool observations[EVICT_SIGHT_COUNT]; /* evict_service_saw */
};
void evict_service_wants(const struct evict_service *service, struct evict_wants *ret_wants);
/* Each may change what is due: follow with evict_service_step. */
/* UNKNOWN: it could not be found out; what was known stands, and nothing known is ABSENT. */
void evict_service_saw_kinds(struct evict_service *service, enum evict_kinds kinds,
                             struct mono_time now);
void evict_service_saw_request(struct evict_service *service, const struct json *object,
                               bool is_removed, struct mono_time now, struct wall_time wall);
void evict_service_saw_any_request(struct evict_service *service, const struct json *object,
                                   bool is_removed, struct mono_time now);
/* All that may be listed is; from now on absence says something. */
void evict_service_listed_requests(struct evict_service *service);
void evict_service_saw(struct evict_service *service, enum evict_observation observation,
                       const struct json *object, bool is_removed);
void evict_service_listed_observations(struct evict_service *service);
/* They are not followed any more. */
void evict_service_forget_observations(struct evict_service *service);
/* For a process without a model: a pod was read, the pods of a node were listed, a pod is gone. */
void evict_service_saw_pod(struct evict_service *service, const struct json *pod,
                           struct mono_time now);
void evict_service_saw_node(struct evict_service *service, struct slice node,
                            const struct json *list, struct mono_time now);
void evict_service_lost_pod(struct evict_service *service, struct slice uid);
void evict_service_slots(const struct evict_service *service, struct slot_ledger_stats *ret_stats);

/* ---- what was done ---- */
enum evict_result {
        EVICT_RESULT_SUCCESS,
        EVICT_RESULT_ERROR,
        EVICT_RESULT_GONE, /* 404, or the name belongs to another pod by now */
        EVICT_RESULT_DRY_RUN,
        EVICT_RESULT_NODE_LIMIT,
        EVICT_RESULT_NAMESPACE_LIMIT,
        EVICT_RESULT_TOTAL_LIMIT,
        EVICT_RESULT_BUDGET, /* not even tried: the budget has nothing left */
        EVICT_RESULT_WITHDRAWN,
        EVICT_RESULT_BACKGROUND, /* begun, some other program finishes it: a second record follows
                                  */
        EVICT_RESULT_COUNT
};
/* "success", "error", ...; limits by upstream's texts (metric label result). */
const char *evict_result_name(enum evict_result result);

struct evict_record {    /* slices belong to the requester, until the record is pushed out */
        uint64_t number; /* 1, 2, 3 ... in the order of ending */
        struct object_ref pod;
        struct slice node, plugin, profile, reason, requested_by;
        enum evict_result result;
        enum evict_route route;
        struct slice text; /* why not, "" on success */
        int code;          /* of the last answer */
        int retry_after_s; /* of the last answer, -1 = none */
        uint32_t attempts;
        struct wall_time asked, ended;
};
/* It was not ended by a final refusal: another try may succeed. */
bool evict_record_may_pass(const struct evict_record *record);
/* Records with a number above `after`, oldest first: size_t at = 0; while ((r = next(..., &at))) */
const struct evict_record *evict_requester_next_record(const struct evict_requester *requester,
                                                       uint64_t after, size_t *at);

/* Counters behind pods_evicted_total, in order of first use. */
struct evict_count {
        enum evict_result result;
        struct slice plugin, profile, ns, node;
        uint64_t count;
};
size_t evict_requester_counts(const struct evict_requester *requester,
                              const struct evict_count **ret_counts);

struct evict_rule_stats { /* per (profile, plugin), in order of first use */
        struct slice profile, plugin;
        uint64_t asked, results[EVICT_RESULT_COUNT], retries;
};
/* Evictions that ended, by how they were carried out and what came of it. */
uint64_t evict_requester_ended(const struct evict_requester *requester, enum evict_route route,
                               enum evict_result result);
const char *evict_requester_name(const struct evict_requester *requester);
/* All of them: after NULL the first. */
const struct evict_requester *evict_service_next_requester(const struct evict_service *service,
                                                           const struct evict_requester *after);
size_t evict_requester_rules(const struct evict_requester *requester,
                             const struct evict_rule_stats **ret_rules);
