/* Generated clusters: nodes, pods of many shapes, volumes, budgets and nominations come, change and
 * go, and after each change the caches are compared with a scan that knows nothing of them. */
#pragma once

#include "base/rng.h"
#include "sched/class_engine.h"
#include "sched/decision.h"
#include "sched/refusal_cache.h"

#define ORACLE_FOCUS 3    /* shapes most pods are of for a while */
#define ORACLE_DIFFERS 33 /* status of a process that ends at a difference */

struct oracle_config {
        const struct plugin *const *registry;
        const struct sched_profile_spec *spec; /* NULL = the default profile */
        /* Letters of the groups of shapes pods are of (oracle_world.c): p plain, n node affinity, t
         * tolerations, f features, h host ports, a pod affinity, s spread, v volumes, r resource
         * claims.  NULL = all. */
        const char *groups;
        bool may_differ; /* a difference ends the process with ORACLE_DIFFERS */
};

struct oracle_world {
        struct cluster *cluster;
        struct object_cache *object_cache;
        struct sched_profile *profile; /* with the plugins' hints */
        struct sched_profile *naive;   /* of the same plugins without */
        struct plugin *plugins;        /* these, and their points */
        struct sched_points *points;
        struct class_engine *engine;
        struct refusal_cache *failures;
        struct oracle_config config;
        struct rng rng;
        struct arena arena;
        unsigned node_names;
        unsigned focus[ORACLE_FOCUS], variants[ORACLE_FOCUS]; /* most pods are like these */
        bool is_inside;                                       /* of a what-if */
        /* Decisions; the engine's among them; those that some nodes fit and others do not; those
         * that are worth different totals. */
        uint64_t compared, engine_choices, mixed, varied;
};

/* Odd seeds make small clusters, even ones larger ones. */
void oracle_world_init(struct oracle_world *world, uint64_t seed,
                       const struct oracle_config *config);
void oracle_world_release(struct oracle_world *world);
void oracle_world_run(struct oracle_world *world, unsigned steps);
