/* The life of one pod on its node, as a state that moves on with time. Pure: time comes in, and
 * what the kubelet would report comes out. */
#pragma once

#include "api/json.h"
#include "base/time.h"
#include "control/pod_plan.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum container_state { STATE_WAITING, STATE_RUNNING, STATE_TERMINATED };

struct container_end {
        bool is_set;
        struct wall_time started, finished;
        int32_t exit_code;
        char reason[32];
};

struct container_run {
        enum container_state state;
        bool has_begun; /* has run at least once */
        bool is_ready, is_backing_off;
        bool is_killed; /* its end is the end of the grace period */
        int32_t restarts;
        unsigned backoff;              /* pauses taken one after the other */
        struct wall_time started;      /* while running */
        struct wall_time end;          /* of this run, as planned; unset = none */
        struct wall_time next;         /* while waiting: when it starts; unset = not by itself */
        struct wall_time ready_change; /* when readiness changes; unset = never */
        struct container_end now;      /* while terminated */
        struct container_end last;     /* of the run before */
};

enum run_end { RUN_GOES_ON, RUN_SUCCEEDED, RUN_FAILED };

struct pod_run {
        struct wall_time accepted; /* startTime */
        struct wall_time begin;    /* when the sandbox is up */
        struct wall_time running_since;
        bool is_up, is_initialized, is_stopping;
        bool is_unreported; /* its last status could not be written */
        int64_t offset_ns;  /* of the wall clock that all times here are of, from the monotonic one
                             */
        enum run_end end;
        char reason[64], message[256]; /* of the pod */
        size_t count;
        struct container_run containers[]; /* as in the plan */
};

/* A pod as its status says it is; a new one when the status says nothing. Nothing began later than
 * now, whatever the clock said then. */
struct pod_run *pod_run_new(const struct pod_plan *plan, struct wall_time now);
void pod_run_free(struct pod_run *run); /* accepts NULL */
/* Plans the rest of what already runs; for pod_run_new. */
void pod_run_resume(struct pod_run *run, const struct pod_plan *plan, struct wall_time now);
/* The wall clock was set: what began and what is planned is as far away as before. */
void pod_run_shift(struct pod_run *run, int64_t ns);
/* Moves on to now; true when something changed. The plan says whether the pod is being deleted. */
bool pod_run_step(struct pod_run *run, const struct pod_plan *plan, struct wall_time now);
/* The node went down and is back: what ran has ended, and starts again if it may. */
void pod_run_lose(struct pod_run *run, const struct pod_plan *plan, struct wall_time at);
/* When something changes next by itself; unset = never. */
struct wall_time pod_run_due(const struct pod_run *run, const struct pod_plan *plan);
/* All containers have ended and none will start again. */
static inline bool pod_run_is_over(const struct pod_run *run) {
        return run->end != RUN_GOES_ON;
}

/* What the condition Ready has to say. */
bool pod_run_is_ready(const struct pod_run *run, const struct pod_plan *plan);

struct pod_addresses {
        const char *pod_ip, *host_ip;
};
/* The status to report, which keeps conditions that are others' to set. */
struct json_node *pod_run_status(const struct pod_run *run, const struct pod_plan *plan,
                                 const struct pod_addresses *addresses, struct wall_time now,
                                 struct json_tree *tree);
