/* Room for pods that are being evicted slowly: while an Eviction that asks for it is under way, the
 * scheduler holds what its pod requests on another node, so that the replacement has a place.
 *
 * Held by a pod of our own in the model, which the API never sees: nominated to the node, with the
 * requests and the priority of the pod, and no labels.  The replacement (a new pod of the same
 * owner) takes its nomination over.  Released when the Eviction ends, or shows no change for the
 * time it names. */
#pragma once

#include "model/cluster.h"
#include "model/event.h"
#include "port/loop.h"
#include "port/transport.h"

struct sched_profile;
struct reservation_keeper;

struct reservation_keeper_config {
        struct loop *loop;
        struct transport *transport;
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
size_t reservation_keeper_held(const struct reservation_keeper *keeper);
