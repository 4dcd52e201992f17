/* Reservations for the replacements of pods that are evicted slowly: while an Eviction whose policy
 * asks for it is open, the scheduler reserves what its pod requests on another node.
 *
 * A reservation is a pod in the model only: nominated to the node, with the requests and the
 * priority of the pod, and no labels.  The replacement (a new pod of the same owner) gets its
 * nomination.  It ends with the Eviction, or when the Eviction does not change for the time it
 * names.
 *
 * A step function: Evictions and answers go in, what to read, write and log comes out.  The
 * annotations of an Eviction are compared whenever it is seen, and written again where they
 * differ. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/time.h"
#include "model/cluster.h"
#include "model/event.h"

#define RESERVATION_RETRY_NS (10 * NS_PER_S) /* no node was found, or a write failed */
#define RESERVATION_NODE_MAX 254

struct reservation_ledger;

struct reservation_ledger_config {
        struct cluster *cluster; /* the scheduler's; reservations are in it */
        /* Where the scheduler would put this pod of the model: a buffer of ROOM_NODE_MAX.  False:
         * nowhere, or it is not a scheduler of that name. */
        bool (*choose)(void *context, struct pod_id pod, struct slice scheduler_name, char *node);
        void *context;
};
struct reservation_ledger *reservation_ledger_new(const struct reservation_ledger_config *config);
void reservation_ledger_free(
        struct reservation_ledger *ledger); /* accepts NULL; the model keeps nothing */

/* An Eviction, as it is now; and one that is gone. */
void reservation_ledger_put(struct reservation_ledger *ledger, const struct json *eviction,
                            struct mono_time now);
void reservation_ledger_remove(struct reservation_ledger *ledger, struct slice eviction_uid);
/* A pod entered the model: it takes the reservation for a replacement of its owner (true). */
bool reservation_ledger_arrived(struct reservation_ledger *ledger, const struct json *pod);

enum reservation_effect_kind {
        RESERVATION_READ_POD, /* GET ns/name; answer with reservation_ledger_read */
        RESERVATION_REPORT,   /* merge patch of the Eviction ns/name; answer with
                                 reservation_ledger_told */
        /* For logs and counts. */
        RESERVATION_MADE, /* node */
        RESERVATION_REFUSED,
        RESERVATION_RELEASED, /* node, reason */
};
struct reservation_effect {
        enum reservation_effect_kind kind;
        struct slice uid; /* of the Eviction */
        struct slice ns, name, body, node, reason;
};
struct reservation_effects { /* everything lives in the arena */
        struct arena arena;
        struct reservation_effect *items;
        size_t count, cap;
};
void reservation_effects_init(struct reservation_effects *effects);
void reservation_effects_release(struct reservation_effects *effects);
void reservation_effects_clear(struct reservation_effects *effects);

/* The pod's JSON; empty when it could not be read. */
void reservation_ledger_read(struct reservation_ledger *ledger, struct slice eviction_uid,
                             struct slice pod_json, struct mono_time now);
void reservation_ledger_reported(struct reservation_ledger *ledger, struct slice eviction_uid,
                                 bool is_done, struct mono_time now);
/* Appends what is to be done now, and what happened. */
void reservation_ledger_step(struct reservation_ledger *ledger, struct mono_time now,
                             struct reservation_effects *out);
/* When a step has something to do by time alone; false: never. */
bool reservation_ledger_next_due(const struct reservation_ledger *ledger,
                                 struct mono_time *ret_due);

struct held_reservation {                          /* texts belong to the ledger */
        struct slice eviction_uid, ns, name, node; /* name: of the pod that holds it */
        struct mono_time renewed;
        int64_t patience_ns; /* it lasts so long after renewed */
};
/* size_t at = 0; while (reservation_ledger_next(ledger, &at, &reservation)) ... */
bool reservation_ledger_next(const struct reservation_ledger *ledger, size_t *at,
                             struct held_reservation *ret_reservation);
size_t reservation_ledger_held(const struct reservation_ledger *ledger);
