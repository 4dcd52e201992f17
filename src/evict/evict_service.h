/* The one way out for pods.  A process has one service; every role that ends pods joins it as a
 * requester and hands in intents; out come actions with uid preconditions.  The service owns
 * limits, budgets, the number of calls in flight, back-off, events and the record of what was done
 * and why.
 *
 * Pure: time is an argument, results of calls come back through evict_service_result. */
#pragma once

#include "model/action.h"
#include "model/cluster.h"
#include "model/evict_intent.h"
#include <stdbool.h>
#include <stdint.h>

struct evict_service;
struct evict_requester;

#define EVICT_IN_FLIGHT_DEFAULT 32
#define EVICT_RECORDS_DEFAULT 1024
#define EVICT_ATTEMPTS_DEFAULT 8
#define EVICT_RETRY_FIRST_MS 5000LL
#define EVICT_RETRY_MAX_MS 600000LL
/* An eviction that has begun in the background, and that nobody is seen to carry on, is given up
 * after so long. */
#define EVICT_ASSUMED_MAX_NS (600 * NS_PER_S)

struct evict_config {                  /* of the process */
        const struct cluster *cluster; /* budgets and pods are looked up here; NULL = no model */
};

struct evict_service *evict_service_new(const struct evict_config *config);
/* Frees the requesters, too; accepts NULL. */
void evict_service_free(struct evict_service *service);

/* ---- requesters ---- */
struct evict_requester_config { /* how a role evicts */
        const char *name;       /* label of metrics; a text that stays */
        void *owner;            /* who asked to be one: see evict_requester_owner; may be NULL */
        uint32_t max_in_flight; /* 0 = EVICT_IN_FLIGHT_DEFAULT */
        uint32_t max_attempts;  /* calls per intent, 0 = EVICT_ATTEMPTS_DEFAULT */
        uint32_t max_records;   /* kept evictions, 0 = EVICT_RECORDS_DEFAULT */
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
/* Evictions queued, in flight or waiting for another try: a one-shot run ends at 0. */
size_t evict_requester_open(const struct evict_requester *requester);
size_t evict_requester_in_flight(const struct evict_requester *requester);

/* ---- the machine ---- */
/* Appends the evictions and events that are due; call after asking and when a retry falls due. */
void evict_service_step(struct evict_service *service, struct mono_time now,
                        struct action_list *out);
/* Outcome of an ACTION_EVICT or ACTION_DELETE_POD of this service (true), anything else is not ours
 * (false).  Follow with evict_service_step: an event, a retry or the next eviction may be due. */
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
        struct slice text; /* why not, "" on success */
        uint32_t attempts;
        struct wall_time asked, ended;
};
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
size_t evict_requester_rules(const struct evict_requester *requester,
                             const struct evict_rule_stats **ret_rules);
