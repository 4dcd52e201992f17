/* Finds the configuration of the schedulers that run in the cluster: pods of kube-system with the
 * label component=kube-scheduler or berth-scheduler, the file that their --config names, and the
 * ConfigMap or the folder of the node that it comes from. */
#pragma once

#include "api/json.h"
#include "port/loop.h"
#include "port/transport.h"

struct scheduler_search;

struct scheduler_search_events {
        /* A configuration, kube-scheduler's first; source says where it was: "ConfigMap
         * kube-system/berth-scheduler, key config.yaml". */
        void (*found)(void *context, const char *source, struct slice text);
        /* A scheduler that runs with a configuration which cannot be read. */
        void (*failed)(void *context, const char *source, const char *error);
        /* Once, last; the search is freed then. */
        void (*done)(void *context);
};
/* A file that does not answer in time counts as one that cannot be read. */
struct scheduler_search *scheduler_search_new(struct transport *transport, struct loop *loop,
                                              const struct scheduler_search_events *events,
                                              void *context);
void scheduler_search_free(struct scheduler_search *search); /* before it is done; accepts NULL */

/* Where a pod's scheduler has its configuration. */
enum scheduler_source_kind {
        SCHEDULER_SOURCE_NONE, /* no --config: upstream's defaults */
        SCHEDULER_SOURCE_CONFIG_MAP,
        SCHEDULER_SOURCE_HOST, /* a file of its node */
        SCHEDULER_SOURCE_OTHER /* a file of its image, say */
};
struct scheduler_source {
        enum scheduler_source_kind kind;
        char ns[256], name[256]; /* of the ConfigMap */
        char path[512]; /* key of the ConfigMap; file of the node; else as --config has it */
};
void scheduler_source_of(const struct json *pod, struct scheduler_source *ret_source);
