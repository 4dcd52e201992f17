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

#define ROOM_LOOK_AGAIN_NS (10 * NS_PER_S) /* for room that was not found; after a failed write */
#define ROOM_NODE_MAX 254

struct reservation_book;

struct reservation_book_config {
        struct cluster *cluster; /* the scheduler's; held room is in it */
        /* Where the scheduler would put this pod of the model: a buffer of ROOM_NODE_MAX.  False:
         * nowhere, or it is not a scheduler of that name. */
        bool (*choose)(void *context, struct pod_id pod, struct slice scheduler_name, char *node);
        void *context;
};
struct reservation_book *reservation_book_new(const struct reservation_book_config *config);
void reservation_book_free(
        struct reservation_book *book); /* accepts NULL; the model keeps nothing */

/* An Eviction, as it is now; and one that is gone. */
void reservation_book_put(struct reservation_book *book, const struct json *eviction,
                          struct mono_time now);
void reservation_book_remove(struct reservation_book *book, struct slice eviction_uid);
/* A pod entered the model: room that was held for the likes of it becomes its own (true). */
bool reservation_book_arrived(struct reservation_book *book, const struct json *pod);

enum room_effect_kind {
        ROOM_READ_POD, /* GET ns/name; answer with reservation_book_read */
        ROOM_TELL,     /* merge patch of the Eviction ns/name; answer with reservation_book_told */
        /* For logs and counts. */
        ROOM_HELD, /* node */
        ROOM_NONE,
        ROOM_RELEASED, /* node, reason */
};
struct room_effect {
        enum room_effect_kind kind;
        struct slice uid; /* of the Eviction */
        struct slice ns, name, body, node, reason;
};
struct room_effects { /* everything lives in the arena */
        struct arena arena;
        struct room_effect *items;
        size_t count, cap;
};
void room_effects_init(struct room_effects *effects);
void room_effects_release(struct room_effects *effects);
void room_effects_clear(struct room_effects *effects);

/* The pod's JSON; empty when it could not be read. */
void reservation_book_read(struct reservation_book *book, struct slice eviction_uid,
                           struct slice pod_json, struct mono_time now);
void reservation_book_reported(struct reservation_book *book, struct slice eviction_uid,
                               bool is_done, struct mono_time now);
/* Appends what is to be done now, and what happened. */
void reservation_book_step(struct reservation_book *book, struct mono_time now,
                           struct room_effects *out);
/* When a step has something to do by time alone; false: never. */
bool reservation_book_next_due(const struct reservation_book *book, struct mono_time *ret_due);

struct held_room {                                 /* texts belong to the book */
        struct slice eviction_uid, ns, name, node; /* name: of the pod that holds it */
        struct mono_time renewed;
        int64_t patience_ns; /* it lasts so long after renewed */
};
/* size_t at = 0; while (reservation_book_next(book, &at, &room)) ... */
bool reservation_book_next(const struct reservation_book *book, size_t *at,
                           struct held_room *ret_room);
size_t reservation_book_held(const struct reservation_book *book);
