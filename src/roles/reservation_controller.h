/* Keeps reservations for the replacements of pods that are evicted slowly, in the scheduler's
 * model: the edge of evict/reservation_ledger.h.  Watches Evictions and writes their annotations.
 */
#pragma once

#include "api/arrival.h"
#include "model/cluster.h"
#include "model/event.h"
#include "port/loop.h"
#include "port/transport.h"

struct reservation_ledger;
struct sched_profile;
struct watch_set;
struct reservation_controller;

struct reservation_controller_config {
        struct loop *loop;
        struct transport *transport;
        struct watch_set *watches;
        struct cluster *cluster;
        size_t profile_count;
        struct sched_profile *const *profiles; /* must outlive the controller */
        void (*changed)(void *context);        /* the model: a reservation was made or ended */
        void *context;
};

/* Looks for the kinds at once, and again while there are none. */
struct reservation_controller *reservation_controller_new(
        const struct reservation_controller_config *config);
/* What is held goes with it. Accepts NULL. */
void reservation_controller_free(struct reservation_controller *controller);
/* An object has entered the model. */
void reservation_controller_arrived(struct reservation_controller *controller,
                                    enum object_kind kind, enum change_kind change,
                                    struct arrival *arrival);
const struct reservation_ledger *reservation_controller_ledger(
        const struct reservation_controller *controller);
struct reservation_counts { /* refused: no node was found; expired and taken are released, too */
        uint64_t held, refused, released, expired, taken;
};
struct reservation_counts reservation_controller_counts(
        const struct reservation_controller *controller);
