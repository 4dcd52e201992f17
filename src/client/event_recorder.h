/* Events (events.k8s.io/v1) about objects, written through the write queue.
 *
 * An occurrence like an earlier one, whatever its note, becomes part of that event's series: the
 * second is written, later ones are counted, and the count is written now and then and when the
 * series has been silent for a while.  The API server lets no note change.
 *
 * A sparing recorder writes less of what may pass (a pod that finds no node for now): the event
 * only after a moment, unless a note said meanwhile that it has passed, and a count once the series
 * has lasted for a minute. And it renews notes: another one begins another event, once a minute at
 * most. */
#pragma once

#include "client/write_queue.h"
#include "port/loop.h"

#define EVENT_NOTE_MAX 1024  /* bytes; longer notes are cut and end in " ..." */
#define EVENT_REASON_MAX 128 /* of reason, action and instance; longer ones are cut */
#define EVENT_KEYS_MAX 8192  /* series followed at once; beyond, the oldest is given up */
#define EVENT_SILENCE_NS (6 * 60 * NS_PER_S)  /* after which a series is closed */
#define EVENT_NOTE_NS (60 * NS_PER_S)         /* between events that differ in their notes */
#define EVENT_SERIES_NS (60 * NS_PER_S)       /* a shorter series is not counted by sparing ones */
#define EVENT_PASSING_NS (2 * NS_PER_S)       /* for which they hold back what may pass */
#define EVENT_REFRESH_NS (30 * 60 * NS_PER_S) /* between updates of a series that goes on */

struct object_reference {
        struct slice api_version, kind, namespace_name, name, uid, resource_version, field_path;
};

struct event_note {
        bool is_warning;
        bool is_passing; /* may be over in a moment; one such series per object */
        bool settles;    /* what was passing about the object is over */
        struct slice reason, action, note;
        struct object_reference regarding;
        const struct object_reference *related; /* NULL = none */
};

struct event_recorder_config {
        const char *controller;   /* reportingController: the scheduler's name, ... */
        const char *instance;     /* reportingInstance; NULL = controller */
        double per_second, burst; /* limit on new events; beyond it they are dropped; 0 = none */
        uint32_t keys_max;        /* 0 = EVENT_KEYS_MAX */
        bool is_sparing;          /* false = as upstream's programs */
};

struct event_recorder_stats {
        uint64_t created, counted, updated, dropped, settled;
};

struct event_recorder;

struct event_recorder *event_recorder_new(const struct event_recorder_config *config,
                                          struct write_queue *queue, struct loop *loop);
/* After write_queue_free, whose writes call back. Accepts NULL. */
void event_recorder_free(struct event_recorder *recorder);
/* Texts are copied. */
void event_recorder_add(struct event_recorder *recorder, const struct event_note *note);
/* Writes what was held back and the counts not written yet, at the end of the program. */
void event_recorder_finish(struct event_recorder *recorder);
struct event_recorder_stats event_recorder_stats(const struct event_recorder *recorder);
