/* Every write to the API server goes through one asynchronous queue.
 *
 * Of one object there is at most one write under way, and writes that wait for it are made into one
 * where that is possible. A write more urgent than patches waiting for the same object replaces
 * them; a less urgent patch is left out (a deletion or an eviction never is). Writes that change
 * nothing are dropped. Lanes are served in order: binds first, events last. */
#pragma once

#include "port/loop.h"
#include "port/transport.h"

struct buf;

enum write_lane { WRITE_BIND, WRITE_STATUS, WRITE_EVENT, WRITE_LANE_COUNT };

enum write_outcome {
        WRITE_ANSWERED,   /* the server answered, well or badly: see the reply */
        WRITE_LOST,       /* no answer, and no (more) repetition: see the reply's error */
        WRITE_NO_OP,      /* nothing to change */
        WRITE_SUPERSEDED, /* a more urgent write of the object took its place, or was there */
        WRITE_REFUSED,    /* the queue is full */
};

struct write_result {
        enum write_outcome outcome;
        const struct api_reply *reply; /* NULL unless answered or lost; valid during the call */
};

/* Texts are copied by write_queue_add. */
struct write_request {
        enum write_lane lane;
        /* The object; uid and namespace may be empty. An empty name stands for no object: such
         * writes are independent of each other. */
        struct slice kind, namespace_name, name, uid;
        enum api_method method;
        struct slice path, content_type, body;
        bool is_repeatable; /* doing it twice is as good as once: repeated when the answer is lost
                             */
        bool is_once;       /* never repeated, not even when the server was not reached: the caller
                               decides again, by what is true then */
        bool is_patient;    /* the answer may be read late (transport.h) while there is room */
        bool comes_back;    /* the change comes through a watch */
        bool reports_busy;  /* 429 and 503 are answers, even when the server names a time to wait */
        bool keeps_bytes; /* a strategic patch, made by an update in protobuf when it is refused as
                             invalid (client/exact_write.h) */
        /* Makes one body of the waiting and the new one; false = send one after the other. NULL =
         * merge patches of one path are composed (patch_compose.h), other writes are not merged. */
        bool (*merge)(struct slice older, struct slice newer, struct buf *ret_body);
        /* Asked before the write is sent, with the body as it then is. May be NULL. */
        bool (*is_no_op)(void *context, struct slice body);
        /* Exactly once, from the loop, never from inside write_queue_add; of merged writes each.
         * May be NULL. */
        void (*done)(void *context, const struct write_result *result);
        void *context;
};

#define WRITE_CONCURRENCY 16
#define WRITE_EVENT_SHARE 4    /* events get at most one in so many of the places */
#define WRITE_EVENTS_MAX 10000 /* waiting; more are refused */
#define WRITES_MAX (1U << 20)  /* waiting, of all lanes */
#define WRITE_ATTEMPTS_MAX 10
#define WRITE_BACKOFF_MIN_NS (200 * NS_PER_MS)
#define WRITE_BACKOFF_MAX_NS (10 * NS_PER_S)
#define WRITE_RETRY_AFTER_MAX_S 60

struct write_queue_config {
        unsigned concurrency; /* calls under way; 0 = WRITE_CONCURRENCY */
        /* Of calls, and once more of events, which upstream has a client of their own for; 0 = no
         * limit. */
        double per_second, burst;
        /* Events that come sooner after others wait so long, or for another write that is sent. */
        int64_t events_together_ns;
        uint64_t seed; /* of back-off */
};

struct write_queue;

struct write_queue *write_queue_new(const struct write_queue_config *config,
                                    struct transport *transport, struct loop *loop);
/* Drops everything without callbacks; not from inside one of them. Accepts NULL. */
void write_queue_free(struct write_queue *queue);
void write_queue_add(struct write_queue *queue, const struct write_request *write);
/* Events wait no more for company. */
void write_queue_hurry(struct write_queue *queue);
/* Nothing waits and nothing is under way. */
bool write_queue_is_idle(const struct write_queue *queue);
size_t write_queue_waiting(const struct write_queue *queue);
size_t write_queue_in_flight(const struct write_queue *queue);

/* Calls sent so far, repetitions included: ("PATCH", "pods/status"). NULL stands for any. */
uint64_t write_queue_calls(const struct write_queue *queue, const char *method,
                           const char *resource);
/* All counters as "POST pods/binding" in order of first use. */
void write_queue_each_call(const struct write_queue *queue,
                           void (*counter)(void *context, struct slice name, uint64_t count),
                           void *context);
