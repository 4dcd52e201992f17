/* A scheduler on a cluster of its own, with an API that answers at once.
 *
 * What the scheduler and its model compute takes time, measured on a processor; all else takes
 * none.  Idle time is skipped, so rates and back-offs pass as they would. */
#pragma once

#include "api/json.h"
#include "base/map.h"
#include "model/cluster.h"
#include "model/object_cache.h"
#include "plugin/sched_profile_list.h"
#include "sched/scheduler.h"

struct perf_pod {
        char *ns, *name, *uid;
        char *text;             /* the object as JSON, without what the scheduler writes */
        char *labels;           /* "\nkey=value\n..." */
        char *node;             /* NULL while it has none */
        char *nomination;       /* NULL = none */
        char *reason, *message; /* of PodScheduled False; NULL = never said */
        bool is_gated, is_leaving, is_gone;
        bool is_counted; /* made by createPods: barriers wait for it */
        bool has_finalizers;
        size_t claim_count;
        char **claims; /* made for it */
};

struct perf_world {
        struct cluster *cluster;
        struct object_cache *object_cache;
        struct scheduler_configuration *configuration; /* owned */
        struct sched_profile_list profiles;
        struct scheduler *scheduler;
        struct action_list actions, answers;
        struct map *pods;            /* "namespace/name" -> struct perf_pod */
        struct map *claim_templates; /* the same to the text of a ResourceClaimTemplate */
        uint64_t version;            /* of the latest claim */
        struct perf_pod **all;       /* in the order they came */
        size_t count, cap;
        struct perf_pod **news; /* the scheduler does not have their state yet */
        size_t news_count, news_cap;
        struct arena scratch, answer_arena;
        int64_t now_ns, busy_ns;         /* since the beginning; of scheduler and model */
        int64_t (*clock)(void *context); /* time on this processor, nanoseconds */
        void *clock_context;
        uint64_t decisions;
        uint64_t progress; /* pods bound, or refused for the first time */
};

/* clock is set by the caller, and configuration, unless it is to be the default. */
int perf_world_init(struct perf_world *world, struct err *err);
void perf_world_release(struct perf_world *world);

/* Takes in a pod, or its new content; the scheduler learns of it with the next flush. */
int perf_world_put_pod(struct perf_world *world, struct json_tree *tree, struct perf_pod **ret_pod,
                       struct err *err);
int perf_world_flush(struct perf_world *world, struct err *err);
/* It goes, at once or, with finalizers, never altogether. */
int perf_world_delete_pod(struct perf_world *world, struct perf_pod *pod, struct err *err);
struct perf_pod *perf_world_find_pod(const struct perf_world *world, struct slice ns,
                                     struct slice name);

/* Lets the scheduler work once and does what it wants; false when it had nothing to do. */
int perf_world_step(struct perf_world *world, bool *ret_worked, struct err *err);
