/* A cluster with its life in virtual time: store, API server and control plane, the role under test
 * in a process that can be killed, people and programs that want pods evicted, and faults in
 * between.  What must never happen is checked at every change of the store; what must happen in the
 * end, once the faults stopped. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"
#include "evict/eviction_slots.h"
#include "sim/sim_faults.h"
#include <stdbool.h>
#include <stdint.h>

struct api_server;
struct metrics;
struct virtual_loop;
struct sim_world;

struct sim_world_config {
        uint64_t seed;
        unsigned fault_percent; /* 0 = none, 100 = as designed */
        unsigned pod_count;     /* 0 = drawn */
        int64_t faults_ns;      /* how long faults happen; 0 = 40 minutes */
        /* What hooks of stages answer: "Done", "InProgress", "Failed", "Decline", "500"; NULL = the
         * run is unknown. NULL: drawn. */
        const char *(*hook)(void *context, const struct json *order);
        void *hook_context;
        struct metrics *metrics; /* where the process counts, if it is started once; NULL = none */
        int64_t clock_ahead_ns;  /* of the process before the API server's */
        bool is_native;          /* finds out by itself which form of the API there is */
        bool is_unchecked;       /* changes are not looked at: their cost grows with all objects */
        bool has_no_evictor;     /* the default responder is another program */
        bool has_slots, slots_for_all; /* a seed of its own sets slots of its own */
        struct eviction_slot_limits slots;
        bool has_scheduler;  /* one with reservations; a seed of its own has it */
        const char *objects; /* YAML or JSON: pods to evict, and budgets; NULL = made up */
};

struct sim_reservation_counts { /* reservations; of the released ones some expired or were taken */
        uint64_t held, refused, released, expired, taken;
        uint64_t waited,
                without; /* requests that said to wait for a reservation, and to go on without */
        uint64_t starts; /* of the scheduler's process */
};

void sim_reservation_counts_add(struct sim_reservation_counts *sum,
                                const struct sim_reservation_counts *counts);

struct sim_report {
        uint64_t seed, calls, faults[SIM_FAULT_COUNT], changes, starts;
        size_t requests, evicted, canceled, failed, interrupted;
        uint64_t hook_runs;
        struct sim_reservation_counts reservations;
        int64_t virtual_ns;
        char violation[512]; /* "" = none */
};

/* A whole run.  Returns 0 when nothing was violated; BERTH_ERR_INTERNAL otherwise, with the text
 * naming the seed that replays it. */
int sim_world_run(const struct sim_world_config *config, struct sim_report *ret_report,
                  struct err *err);

/* ---- piece by piece, for tests ---- */
struct sim_world *sim_world_new(const struct sim_world_config *config);
void sim_world_free(struct sim_world *world); /* accepts NULL */
struct api_server *sim_world_server(struct sim_world *world);
/* Starts and kills the process of the role; at once. */
void sim_world_start(struct sim_world *world);
void sim_world_kill(struct sim_world *world);
/* For chosen faults. */
struct sim_faults *sim_world_faults(struct sim_world *world);
size_t sim_world_open_effects(const struct sim_world *world); /* of the role, not answered yet */
bool sim_world_is_running(const struct sim_world *world);     /* the process */
uint64_t sim_world_starts(const struct sim_world *world);     /* of it, so far */
void sim_world_advance(struct sim_world *world, int64_t ns);
void sim_world_step_clock(struct sim_world *world, int64_t back_ns);
/* One call as administrator; the status.  body: JSON or empty; ret_body may be NULL. */
int sim_world_ask(struct sim_world *world, const char *method, const char *path, const char *body,
                  struct buf *ret_body);
struct wall_time sim_world_wall(struct sim_world *world);
/* From now on several Evictions of one pod may be under way: a test makes them itself. */
void sim_world_allow_duplicates(struct sim_world *world);
const char *sim_world_violation(const struct sim_world *world); /* "" = none */
struct slice sim_world_audit(const struct sim_world *world);
/* Eviction calls the role made so far. */
uint64_t sim_world_evict_calls(const struct sim_world *world);
