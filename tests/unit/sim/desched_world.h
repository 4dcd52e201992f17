/* A descheduler over a bare API server in virtual time: pods are made to change, and each call it
 * makes in answer is seen with its time.  Shared by tests and a benchmark. */
#pragma once

#include "loop/runtime.h"
#include "port/virtual_loop.h"
#include "roles/descheduler_role.h"
#include "roles/role_config.h"
#include "server/api_server.h"
#include "server/local_transport.h"
#include "sim/sim_faults.h"

#define WORLD_EVICTIONS_MAX 256

struct desched_world_config {
        const char *policy;  /* text of a DeschedulerPolicy */
        int64_t interval_ns; /* 0: a pass at every desched_world_start */
        bool watches, is_parity, is_elected;
        bool hides_eviction; /* the server does not list pods/eviction */
        bool hides_jobs;     /* it does not serve Jobs */
};
struct desched_world {
        struct desched_world_config config;
        struct virtual_loop *time;
        struct loop *loop;
        struct api_server *server;
        struct local_transport *local;
        struct sim_faults *faults; /* none: it counts the calls */
        struct role_config roles;
        struct config_problems *problems;
        struct runtime *runtime;
        struct descheduler_role *role;
        struct transport inner, carrier;
        bool is_finished;
        struct err failure;         /* with which it finished */
        uint64_t passes, reactions; /* of processes that ended */
        size_t eviction_count;
        struct mono_time evictions[WORLD_EVICTIONS_MAX]; /* when each was asked for */
        uint64_t lists, watches;                         /* calls of the descheduler */
};

/* Two ready nodes, n1 and n2.  Zero the world before.  False with a line on stderr when something
 * was refused. */
bool desched_world_open(struct desched_world *world, const struct desched_world_config *config);
void desched_world_close(struct desched_world *world);
/* Starts and ends the descheduler's process. */
void desched_world_start(struct desched_world *world);
void desched_world_end(struct desched_world *world);
void desched_world_advance(struct desched_world *world, int64_t ns);
/* One call as administrator; the status. */
int desched_world_ask(struct desched_world *world, const char *method, const char *path,
                      const char *body);
/* A running pod of a ReplicaSet on n1, which then may fail with an exit code. */
bool desched_world_add_pod(struct desched_world *world, const char *name);
/* A Job called j, and a running pod of it. */
bool desched_world_add_job_pod(struct desched_world *world, const char *job, const char *name);
bool desched_world_fail_pod(struct desched_world *world, const char *name, int exit_code);
/* Passes and reactions so far, of ended processes as well. */
void desched_world_count(const struct desched_world *world, uint64_t *ret_passes,
                         uint64_t *ret_reactions);
