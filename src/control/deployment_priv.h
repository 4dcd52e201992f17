/* Inside of the deployment controller: a deployment and its replica sets. */
#pragma once

#include "control/pod_owner.h"

#define REVISION_KEY "deployment.kubernetes.io/revision"
#define DESIRED_KEY "deployment.kubernetes.io/desired-replicas"
#define MAX_KEY "deployment.kubernetes.io/max-replicas"
#define HASH_LABEL "pod-template-hash"

struct rollout_set {
        const struct json *set;
        struct json_doc *doc;
        struct slice name;
        int64_t wanted; /* spec.replicas, updated while scaling */
        int64_t replicas, ready, available;
        int64_t revision;
        struct wall_time created;
        bool has_desired;
        int64_t desired, max; /* annotations */
};

struct rollout {
        struct controller_run *run;
        const struct json *deployment, *spec;
        struct arena *arena;
        struct wall_time now;
        int64_t wanted, max_surge, max_unavailable;
        bool is_recreate, is_paused;
        size_t count;
        struct rollout_set *sets;  /* oldest first */
        struct rollout_set *fresh; /* the one with the present template; NULL = none yet */
        const char *progress_reason, *progress_message; /* of a set just made or found */
        int64_t collisions;
};

int rollout_scale_set(struct rollout *rollout, struct rollout_set *set, int64_t wanted,
                      struct err *err);
int rollout_stop_old(struct rollout *rollout, struct err *err);
/* Moves one step towards the present template; the fresh set must exist. */
int rollout_step(struct rollout *rollout, struct err *err);
/* Spreads a changed number of replicas over all sets, in proportion. */
int rollout_spread(struct rollout *rollout, struct err *err);
bool rollout_has_old_pods(const struct rollout *rollout);

int rollout_write_status(struct rollout *rollout, struct err *err);
bool rollout_is_complete(const struct rollout *rollout);
