/* A cluster at one moment, for commands that ask "what would happen": read from files, or listed
 * once from a live cluster.  Objects of files are completed as an API server would have done it
 * (namespace, priority, allocatable), so that what people write by hand means what it means there.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/cluster.h"
#include "model/object_cache.h"
#include "port/loop.h"
#include "port/transport.h"
#include <stdbool.h>
#include <stddef.h>

struct document;
struct json;
struct map;

struct snapshot_pod { /* a pod to be asked about */
        struct slice ns, name;
};
struct snapshot_pods {
        size_t count, cap;
        struct snapshot_pod *items;
};

struct snapshot_source {
        const char *kubeconfig, *context; /* as access_search */
        int64_t timeout_ns;               /* 0 = SNAPSHOT_TIMEOUT_NS */
        /* Called from time to time with how many objects are read; may be NULL. */
        void (*progress)(void *context, size_t done, size_t total);
        void *progress_context;
};
#define SNAPSHOT_TIMEOUT_NS (120 * NS_PER_S)

struct snapshot {
        struct arena arena;
        struct cluster *cluster; /* with finished pods and container states */
        struct object_cache *object_cache;
        /* A DeschedulerPolicy and a KubeSchedulerConfiguration among the objects; NULL = none. */
        struct document *policy, *config;
        struct err second_policy, second_config; /* code 0, or where there is another one */
        struct map *jobs_with_ttl;               /* uids of Jobs that clean up by themselves */
        struct buf usage;                        /* measured usage: JSON objects, comma-separated */
        /* What evictions take: EvictionPolicies, comma-separated, and the history of their stages.
         */
        struct buf eviction_policies, eviction_history;
        struct buf evictions;      /* those under way, comma-separated: some hold their pods */
        size_t taken, passed_over; /* objects of kinds that decisions read, and others */
        struct snapshot_pods wanted;
        int64_t default_priority;   /* of the PriorityClass that is the global default */
        struct snapshot_late *late; /* pods whose priority is still to be looked up */
        /* Of files: called for every object that was read, whatever its kind; NULL = not. */
        void (*seen)(void *context, struct slice api_version, struct slice kind,
                     const struct json *object);
        void *seen_context;
        bool is_live;
        struct snapshot_source source; /* of a live cluster */
        struct buf note;               /* what could not be read of a live cluster; "" = nothing */
};

void snapshot_init(struct snapshot *snapshot);
void snapshot_release(struct snapshot *snapshot);
/* Files, folders and "-"; then call snapshot_complete. */
int snapshot_read_paths(struct snapshot *snapshot, const char *const *paths, size_t count,
                        struct err *err);
/* The same for pods that are asked about: they join the cluster and the list of wanted pods.
 * Workloads (Deployment, Job ...) stand for one pod of their template. */
int snapshot_read_wanted(struct snapshot *snapshot, const char *path, struct err *err);
/* Once all files are read. */
int snapshot_complete(struct snapshot *snapshot, struct err *err);

/* Lists every followed kind of a live cluster.  Kinds that only some plugins read may be missing or
 * forbidden; the note names them.  The texts of source must outlive the snapshot. */
int snapshot_read_cluster(struct snapshot *snapshot, const struct snapshot_source *source,
                          struct err *err);
/* The same through a transport; run_once runs the loop for a while. */
struct snapshot_link {
        struct transport *transport;
        struct loop *loop;
        int (*run_once)(void *context, struct err *err);
        void *context;
        int64_t timeout_ns;
        const struct snapshot_source *source; /* whose progress is called; NULL = none */
};
int snapshot_list(struct snapshot *snapshot, const struct snapshot_link *link, struct err *err);

struct eviction_costs;
/* Free it after use. */
struct eviction_costs *snapshot_eviction_costs(const struct snapshot *snapshot);
/* The usage objects as one JSON array; free the document after use. */
int snapshot_usage(const struct snapshot *snapshot, struct json_doc **ret_doc, struct err *err);
