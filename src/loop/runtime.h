/* What the roles of one process share: one loop, one set of watches, one model, one write queue.  A
 * role is called when the model changed and when its actions ended, and submits new actions. */
#pragma once

#include "api/arrival.h"
#include "base/err.h"
#include "evict/evict_service.h"
#include "model/action.h"
#include "model/event.h"
#include "port/loop.h"
#include "port/transport.h"
#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct object_cache;
struct runtime;
struct watch_set;

struct role {
        const char *name; /* scheduler, descheduler */
        void *self;
        void (*changed)(void *self); /* the model changed, or became ready */
        /* An object is about to enter the model, which still is without it.  May be NULL. */
        void (*arriving)(void *self, enum object_kind kind, enum change_kind change,
                         struct arrival *arrival);
        /* It has entered.  May be NULL. */
        void (*arrived)(void *self, enum object_kind kind, enum change_kind change,
                        struct arrival *arrival);
        /* Something in the object cache changed, standing for these CLUSTER_* bits; before changed.
         * May be NULL. */
        void (*noticed)(void *self, uint32_t mask);
        /* Outcome of an action this role submitted; from the loop. */
        void (*result)(void *self, const struct action_result *result);
        /* As whom its ACTION_PREEMPT_POD are carried out; NULL = it has none. */
        struct evict_requester *preempts;
        /* A pod's eviction ended, of any requester.  May be NULL. */
        void (*ended)(void *self, const struct evict_note *note);
        /* The eviction service was served: evictions of this role may have ended.  May be NULL. */
        void (*evicted)(void *self);
        bool (*is_idle)(const void *self); /* nothing to do now or by a near timer */
        void (*free)(void *self);
};

struct runtime_config {
        struct loop *loop;
        struct transport transport;
        const char *instance; /* reporting instance of events; host name or program */
        uint64_t seed;
        bool keeps_finished, keeps_detail; /* what some role needs of finished pods */
        bool keeps_evictions;              /* what EvictionRequests need of pods */
        bool keeps_object_cache;           /* volumes, services ...: the scheduler reads them */
        bool keeps_devices;                /* of these claims, slices and classes alone */
        bool keeps_groups;      /* of pods that are placed together, in the object cache */
        bool keeps_taint_rules; /* of devices, likewise */
        bool can_lack_rules;    /* of these: cluster_feed_config's */
        bool counts_devices;    /* cluster_config's */
        bool without_classes;   /* priority classes are not watched: pods have their priority */
        /* Bits 1u << OBJECT_*: kinds of the model that are followed (0 = all), and those of them
         * that the role does not wait for. */
        uint32_t kinds, spare_kinds;
        /* Nothing is watched, the model stays empty: for roles that read what they need, and may
         * not read more.  Their `changed` is called once, at the start. */
        bool has_no_model;
        bool freezes_notes;            /* events as upstream's programs write them */
        struct evict_config evictions; /* how pods are ended; the runtime sets cluster and report */
        uint32_t max_writes;           /* API calls in flight; 0 = 64 */
        double writes_per_second, writes_burst; /* of struct write_queue_config */
};

#define RUNTIME_ROLES_MAX 8

struct runtime *runtime_new(const struct runtime_config *config);
void runtime_free(struct runtime *runtime); /* accepts NULL; frees the roles too */
/* Takes the role over. */
void runtime_add_role(struct runtime *runtime, const struct role *role);
/* Roles that were added so far. */
size_t runtime_role_count(const struct runtime *runtime);
/* The roles from this number on are not called before they are released; those with a Lease each
 * begin one by one. */
void runtime_hold_roles(struct runtime *runtime, size_t first);
/* Their `changed` is called soon: now, if the model is complete; without_model even if nothing is
 * watched yet. */
void runtime_release_roles(struct runtime *runtime, size_t first, size_t count, bool without_model);
/* Starts the watches, once. */
void runtime_start(struct runtime *runtime);

struct loop *runtime_loop(struct runtime *runtime);
/* The API server's time: what times that it stamped are compared with. */
struct wall_time runtime_server_time(struct runtime *runtime);
struct transport *runtime_transport(struct runtime *runtime);
/* What the model and the roles follow; there without a model, too.  A role removes its rows when it
 * is freed. */
struct watch_set *runtime_watches(struct runtime *runtime);
struct cluster *runtime_cluster(struct runtime *runtime);
struct object_cache *runtime_object_cache(const struct runtime *runtime); /* NULL = none */
bool runtime_is_synced(const struct runtime *runtime);
/* Why it is not: what of the cluster could not be read; false when nothing has failed. */
bool runtime_trouble(const struct runtime *runtime, struct err *ret_err);
/* The model, while it is complete and follows all of these kinds (bits 1u << OBJECT_*); else NULL.
 */
const struct cluster *runtime_complete_model(const struct runtime *runtime, uint32_t kinds);
/* Performs the actions of the role with this self; the list may be cleared afterwards.  Reboots and
 * notifications are passed over: they are for the role that asked for them. */
void runtime_submit(struct runtime *runtime, void *self, const struct action_list *actions);
/* The one way out for pods: roles join it as requesters, ask, and have it served. */
struct evict_service *runtime_evictions(struct runtime *runtime);
/* Performs what the service has to do now; then the roles' `evicted` is called. */
void runtime_serve_evictions(struct runtime *runtime);
/* One call of a requester of the service, made at once; its answer is a result of the role that is
 * the requester's owner, with the call's id. */
void runtime_call_eviction(struct runtime *runtime, struct evict_requester *requester,
                           const struct evict_call *call);
/* Synced, no role has something to do, and no write is open. */
bool runtime_is_idle(const struct runtime *runtime);

/* At the end: lets what is being written come to its end, counts of events included, for at most
 * patience_ns, then calls done once, from the loop. */
void runtime_drain(struct runtime *runtime, int64_t patience_ns, void (*done)(void *context),
                   void *context);

struct runtime_stats {
        uint64_t writes[ACTION_KIND_COUNT], failures[ACTION_KIND_COUNT], skipped_objects;
        size_t open_writes, open_kinds[ACTION_KIND_COUNT]; /* together, and by kind */
        bool is_writing;                                   /* events too */
        double placing_s; /* during which bindings were under way */
};
void runtime_stats(const struct runtime *runtime, struct runtime_stats *ret_stats);
