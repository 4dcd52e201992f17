/* Keeps a cluster model up to date: one row of the process's watches per kind of object the model
 * follows. */
#pragma once

#include "api/arrival.h"
#include "base/err.h"
#include "model/event.h"
#include "port/loop.h"
#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct cluster_feed;
struct object_cache;
struct watch_set;

struct cluster_feed_config {
        struct watch_set *watches; /* must outlive the feed */
        struct loop *loop;
        struct cluster *cluster;
        struct object_cache *object_cache; /* volumes, services ...; NULL = not followed */
        uint64_t seed;
        bool with_finished;    /* pods that Succeeded or Failed too */
        bool with_groups;      /* of pods that are placed together; needs the object cache */
        bool with_taint_rules; /* of devices; needs the object cache */
        bool can_lack_rules;   /* nobody asked for them: a line about a cluster without them at -v 2
                                  alone */
        uint32_t kinds; /* bits 1u << OBJECT_*: kinds of the model that are followed; 0 = all */
        uint32_t spare_kinds; /* of these, those that no role waits for */
        bool without_classes; /* no priority classes: kube-scheduler may not read them */
        /* Called with every object of the model before the model; NULL = none. */
        void (*arriving)(void *context, enum object_kind kind, enum change_kind change,
                         struct arrival *arrival);
        /* Called after the model; NULL = none. */
        void (*arrived)(void *context, enum object_kind kind, enum change_kind change,
                        struct arrival *arrival);
};

/* changed runs (deferred, once per iteration of the loop) after the model or the object cache
 * changed, with the CLUSTER_* bits that changes of the object cache stand for; it is not called
 * before every first list is complete. */
struct cluster_feed *cluster_feed_new(const struct cluster_feed_config *config,
                                      void (*changed)(void *context, uint32_t woken),
                                      void *context);
void cluster_feed_free(struct cluster_feed *feed); /* accepts NULL */
bool cluster_feed_is_synced(const struct cluster_feed *feed);
/* Why it is not synced: false when nothing has failed. */
bool cluster_feed_trouble(const struct cluster_feed *feed, struct err *ret_err);
/* Objects that could not be read, and the last reason. */
uint64_t cluster_feed_problems(const struct cluster_feed *feed, const struct err **ret_last);
/* Ends the quiet period: changed will run in the next iteration even if nothing comes. */
void cluster_feed_poke(struct cluster_feed *feed);
