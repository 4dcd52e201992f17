/* The two kinds of the EvictionRequest API as berth reads them: a requester's EvictionRequest
 * (intent) and the controller's Eviction (process), and what makes them valid.
 *
 * Decoded objects own their memory.  A status that is written goes through eviction_status_check
 * first, so that what we write never depends on a server that checks. */
#pragma once

#include "api/json.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/time.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVICTION_RESPONDERS_MAX 11 /* ten of the pod and the default one */
#define EVICTION_REQUESTERS_MAX 100
#define EVICTION_MESSAGE_MAX 4000
#define EVICTION_PRIORITY_MAX 100000
#define EVICTION_PRIORITY_RESERVED 1000 /* below: names of the core only */
#define EVICTION_PRIORITY_DEFAULT 100   /* of EVICTION_EVICTOR, always */
#define EVICTION_SKEW_NS (30 * NS_PER_S)
#define EVICTION_SILENCE_NS (20 * 60 * NS_PER_S) /* after which a responder is interrupted */
#define EVICTION_EVICTOR "imperative-eviction.k8s.io/evictor"
/* Annotations of Evictions: "Required 450s" or "BestEffort 450s", what the policy wants of the
 * scheduler and for how long without a sign of life; the node of the reservation; and why it
 * holds none (any more): EVICTION_NOT_RESERVED, or "expired NODE", "taken NODE". */
#define EVICTION_RESERVE_KEY "lifecycle.berth.dev/reserve"
#define EVICTION_RESERVED_KEY "lifecycle.berth.dev/reserved"
#define EVICTION_NOT_RESERVED_KEY "lifecycle.berth.dev/not-reserved"
#define EVICTION_NOT_RESERVED "no room"
#define EVICTION_LABEL_MAX 317 /* prefix/name */

enum eviction_intent { EVICTION_INTENT_NONE, EVICTION_INTENT_EVICT, EVICTION_INTENT_WITHDRAWN };

/* What the pair of conditions says. */
enum eviction_outcome {
        EVICTION_NEW,          /* no conditions yet */
        EVICTION_AWAITING,     /* under way */
        EVICTION_POD_DELETED,  /* from here on final */
        EVICTION_POD_TERMINAL, /* Succeeded or Failed */
        EVICTION_INVALID,
        EVICTION_CANCELED,     /* withdrawn by all requesters */
        EVICTION_NO_RESPONDER, /* none is left and the pod lives */
        EVICTION_OUTCOME_COUNT
};
static inline bool eviction_outcome_is_final(enum eviction_outcome outcome) {
        return outcome > EVICTION_AWAITING;
}
static inline bool eviction_outcome_is_evicted(enum eviction_outcome outcome) {
        return outcome == EVICTION_POD_DELETED || outcome == EVICTION_POD_TERMINAL;
}
/* Reason of the condition that is True, "AwaitingEviction" while none is, "" for EVICTION_NEW. */
const char *eviction_outcome_name(enum eviction_outcome outcome);

struct eviction_conditions {
        enum eviction_outcome outcome;
        struct wall_time failed_changed, evicted_changed; /* unset = absent */
        bool has_failed, failed_is_true, has_evicted, evicted_is_true;
        struct slice message; /* of both */
};

struct eviction_object { /* what both kinds' metadata has */
        struct slice ns, name, uid, version;
        struct wall_time created;
        int64_t generation;
        bool is_deleting;
        struct slice target_name, target_uid;
        int64_t observed_generation; /* 0 = unset */
        struct eviction_conditions conditions;
};

struct eviction_request {
        struct arena arena;
        struct eviction_object object;
        struct slice requester;
        enum eviction_intent intent;
        struct wall_time deadline; /* of the annotation; unset = none */
        struct slice user;         /* annotation: who asks, where admission keeps that */
};

enum responder_state {
        RESPONDER_INACTIVE,
        RESPONDER_ACTIVE,
        RESPONDER_INTERRUPTED,
        RESPONDER_CANCELED,
        RESPONDER_COMPLETED,
        RESPONDER_STATE_COUNT
};
const char *responder_state_name(enum responder_state state); /* "Active" */

struct eviction_responder { /* times unset = absent */
        struct slice name;
        int32_t priority;
        enum responder_state state;
        struct wall_time start, heartbeat, expected, completion;
        struct slice message;
};
struct eviction_requester {
        struct slice name;
        enum eviction_intent intent;
};

struct eviction_status {
        int64_t observed_generation;
        struct eviction_conditions conditions;
        size_t requester_count, responder_count;
        struct eviction_requester requesters[EVICTION_REQUESTERS_MAX];
        struct eviction_responder responders[EVICTION_RESPONDERS_MAX];
};

struct eviction {
        struct arena arena;
        struct eviction_object object; /* its conditions equal those of status */
        struct label_list labels;
        size_t owner_count;
        struct slice *owners; /* uids */
        size_t finalizer_count;
        struct slice *finalizers;
        struct slice stages;          /* annotation: where the stages stood at the end */
        struct slice reserved_node;   /* annotation: the node with the reservation; empty = none */
        struct slice reserve_refusal; /* annotation: why there is none */
        bool requires_reservation;    /* likewise */
        struct eviction_status status;
};

/* Error: BERTH_ERR_INVALID or BERTH_ERR_BAD_REQUEST with the field's path. */
int eviction_request_decode(const struct json *object, struct eviction_request **ret_request,
                            struct err *err);
void eviction_request_free(struct eviction_request *request); /* accepts NULL */
int eviction_decode(const struct json *object, struct eviction **ret_eviction, struct err *err);
void eviction_free(struct eviction *eviction); /* accepts NULL */
/* What a server without validation of ours would let pass.  A request that breaks this is failed
 * as invalid. */
int eviction_request_check(const struct eviction_request *request, struct err *err);

/* Index of the Active responder; -1 when there is none. */
int eviction_active(const struct eviction_status *status);
/* Index of a responder by name; -1 when absent. */
int eviction_find_responder(const struct eviction_status *status, struct slice name);

/* ---- responders of a pod ---- */
/* NULL when a name may stand for a requester, or at a priority for a responder. */
const char *eviction_requester_problem(struct slice name);
const char *eviction_responder_problem(struct slice name, int64_t priority);
/* Reads "name=priority,name=priority" (the annotation) into the list, in order, and appends
 * the default.  Slices point into text.  INVALID when one name or priority may not be, a name comes
 * twice, or there are more than ten. */
int eviction_responders_parse(struct slice text, struct eviction_responder *ret_responders,
                              size_t *ret_count, struct err *err);
/* Puts the list in order: priority falls; ties by the labels of the domain from the top one
 * down, then by name. */
void eviction_responders_sort(struct eviction_responder *responders, size_t count);

/* ---- status ---- */
/* Whether this status may follow the one before (NULL = none was set), at the server's time now.
 * is_clock_free leaves out what compares with now. */
int eviction_status_check(const struct eviction_status *before, const struct eviction_status *after,
                          struct wall_time now, bool is_clock_free, struct err *err);
/* Appends {"observedGeneration":...,"conditions":[...],...} as it is stored. */
void eviction_status_write(const struct eviction_status *status, struct buf *out);
/* Appends the "conditions" array only. */
void eviction_conditions_write(const struct eviction_conditions *conditions,
                               int64_t observed_generation, struct buf *out);
/* Sets the pair; times change where the condition's status does. */
void eviction_conditions_set(struct eviction_conditions *conditions, enum eviction_outcome outcome,
                             struct wall_time now);
