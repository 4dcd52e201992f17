/* Keeps reservations for the replacements of pods that are evicted slowly, in the scheduler's
 * model: the edge of evict/reservation_book.h.  Watches Evictions and writes their annotations. */
#pragma once

#include "model/cluster.h"
#include "model/event.h"
#include "port/loop.h"
#include "port/transport.h"

struct reservation_book;
struct sched_profile;
struct watch_set;
struct reservation_keeper;

struct reservation_keeper_config {
        struct loop *loop;
        struct transport *transport;
        struct watch_set *watches;
        struct cluster *cluster;
        size_t profile_count;
        struct sched_profile *const *profiles; /* must outlive the keeper */
        void (*changed)(void *context);        /* the model: room was taken or given back */
        void *context;
};

/* Looks for the kinds at once, and again while there are none. */
struct reservation_keeper *reservation_keeper_new(const struct reservation_keeper_config *config);
/* What is held goes with it. Accepts NULL. */
void reservation_keeper_free(struct reservation_keeper *keeper);
/* An object has entered the model. */
void reservation_keeper_arrived(struct reservation_keeper *keeper, enum object_kind kind,
                                enum change_kind change, const struct json *object);
const struct reservation_book *reservation_keeper_book(const struct reservation_keeper *keeper);
struct reservation_counts { /* refused: no room was found; expired and taken are released, too */
        uint64_t held, refused, released, expired, taken;
};
struct reservation_counts reservation_keeper_counts(const struct reservation_keeper *keeper);
