/* The writes of a queue, the slots that keep them in order, and the queue itself. */
#pragma once

#include "base/buf.h"
#include "base/rng.h"
#include "client/backoff.h"
#include "client/exact_write.h"
#include "client/token_bucket.h"
#include "client/write_queue.h"

enum write_state {
        WRITE_READY,     /* in its lane */
        WRITE_HELD,      /* behind another write of its object */
        WRITE_WAITING,   /* for the time to try again */
        WRITE_IN_FLIGHT, /* sent */
        WRITE_OVER,      /* to be reported */
};

struct waiter {
        struct waiter *next;
        void (*done)(void *context, const struct write_result *result);
        void *context;
};

struct pending_write {
        struct pending_write *next,
                *previous;            /* in a lane, or in the list of those to be reported */
        struct pending_write *behind; /* next write of the same object */
        struct write_entry *entry;
        struct write_queue *queue;
        enum write_state state;
        enum write_lane lane;
        enum api_method method;
        enum write_outcome outcome; /* once over */
        char *path, *content_type;
        struct buf body;
        bool is_repeatable, is_once, reports_busy, keeps_bytes, is_patient, comes_back;
        bool (*merge)(struct slice older, struct slice newer, struct buf *ret_body);
        bool (*is_no_op)(void *context, struct slice body);
        void *no_op_context;
        struct waiter *waiters; /* oldest first */
        struct backoff backoff;
        struct loop_timer wait;
        struct api_request *request;
        struct exact_write *exact; /* under way instead of a request */
        struct err refusal;        /* of the patch that it stands for */
        unsigned attempts;
};

/* One object's writes. */
struct write_entry {
        struct write_entry *next, *previous; /* all of the queue */
        struct pending_write *first, *last;
        char *key; /* NULL for writes without an object */
};

struct write_list {
        struct pending_write *first, *last;
        size_t count;
};

struct write_queue {
        struct transport *transport;
        struct loop *loop;
        struct write_entry *all; /* slots */
        struct map *entries;     /* those of objects, by object */
        struct map *counters;    /* by method and resource */
        struct refusal_log *refusals;
        struct write_list lanes[WRITE_LANE_COUNT];
        struct write_list over;
        struct loop_timer work;
        struct token_bucket bucket, event_bucket;
        struct rng rng;
        int64_t events_together_ns;
        struct mono_time events_sent; /* the last time */
        bool has_events_flow;         /* until none waits */
        unsigned concurrency, in_flight, events_in_flight;
        size_t count, event_count; /* writes that are not over */
};

void write_list_remove(struct write_list *list, struct pending_write *write);

struct pending_write *write_new(struct write_queue *queue, const struct write_request *asked);
void write_free(struct pending_write *write);
/* Adds a callback for the outcome; none when the request has no callback. */
void write_add_waiter(struct pending_write *write, const struct write_request *asked);
/* Calls all callbacks and frees the write. */
void write_report(struct pending_write *write, const struct write_result *result);
/* The same from the next iteration of the queue. */
void write_report_later(struct pending_write *write, enum write_outcome outcome);

/* The slot of the object; a new one when it has none, or when the write names no object. */
struct write_entry *write_entry_of(struct write_queue *queue, const struct write_request *asked);
void write_entry_append(struct write_entry *entry, struct pending_write *write);
/* Unlinks a write without freeing it. The entry is freed with its last write, unless
 * keeps_entry. */
void write_entry_remove(struct pending_write *write, bool keeps_entry);
void write_entry_free(struct write_queue *queue, struct write_entry *entry); /* an empty one */

/* Works through the queue after the delay; 0 = in the next iteration of the loop. */
void write_queue_wake(struct write_queue *queue, int64_t delay_ns);
