/* Puts the simulated cluster together, kills and restarts the role's process, and runs a seed. */
#include "sim/sim_world_priv.h"

#include "base/util.h"
#include "config/document.h"
#include "control/control.h"
#include "server/api_server.h"
#include "server/local_transport.h"
#include "store/store.h"
#include <stdio.h>
#include <stdlib.h>

#define FAULTS_DEFAULT_NS (40 * 60 * NS_PER_S)
#define CALM_MAX_NS (8 * 3600 * NS_PER_S)
#define CALM_LOOK_NS (60 * NS_PER_S)
#define RESTART_MAX_NS (30 * NS_PER_S)
#define RESTART_LONG_NS (25 * 60 * NS_PER_S)
#define HEARTBEAT_NS (3600 * NS_PER_S) /* of nodes: nothing here depends on them */
#define STEPS_MAX 500000               /* within one stretch of time: something spins */

/* ---- the process ---- */

static void on_audit(void *context, struct slice line) {
        buf_slice(&((struct sim_world *)context)->audit, line);
}

static struct wall_time wall_ahead(void *self) {
        struct sim_world *world = self;

        return (struct wall_time){ loop_wall(world->loop).ns + world->config.clock_ahead_ns };
}

static struct mono_time sim_world_mono(void *self) {
        return loop_mono(((struct sim_world *)self)->loop);
}

static void timer_arm(void *self, struct loop_timer *timer, int64_t delay_ns) {
        loop_timer_arm(((struct sim_world *)self)->loop, timer, delay_ns);
}

static void timer_disarm(void *self, struct loop_timer *timer) {
        loop_timer_disarm(((struct sim_world *)self)->loop, timer);
}

static void sim_world_defer(void *self, void (*call)(void *context), void *context) {
        loop_defer(((struct sim_world *)self)->loop, call, context);
}

/* The process' own: virtual time has no descriptors, and it is not stopped from inside. */
static struct loop *own_loop(struct sim_world *world) {
        world->own_ops = (struct loop_ops){ .wall = wall_ahead,
                                            .mono = sim_world_mono,
                                            .timer_arm = timer_arm,
                                            .timer_disarm = timer_disarm,
                                            .defer = sim_world_defer };
        world->own_loop = (struct loop){ &world->own_ops, world };
        return &world->own_loop;
}

void sim_world_start(struct sim_world *world) {
        struct audit_chain chain = { 0 };
        struct err err = { 0 };

        if (world->runtime)
                return;
        world->starts++;
        if (audit_chain_verify(&chain, buf_view(&world->audit), &err) < 0)
                sim_violated(world, "audit: %s", err.text);
        chain.actor = EVICTION_MANAGER;
        world->runtime = runtime_new(
                &(struct runtime_config){ .loop = own_loop(world),
                                          .transport = sim_faults_transport(world->faults),
                                          .instance = "sim",
                                          .seed = world->config.seed + world->starts,
                                          .keeps_finished = true,
                                          .keeps_evictions = true,
                                          .kinds = EVICTIONS_KINDS,
                                          .spare_kinds = EVICTIONS_SPARE_KINDS });
        world->role = evictions_role_add(
                world->runtime,
                &(struct evictions_role_config){ .mode = world->config.is_native ? EVICTIONS_AUTO
                                                                                 : EVICTIONS_CRD,
                                                 .metrics = world->config.metrics,
                                                 .has_no_evictor = world->config.has_no_evictor,
                                                 .chain = chain,
                                                 .has_slots = world->config.has_slots,
                                                 .slots_for_all = world->config.slots_for_all,
                                                 .slots = world->config.slots,
                                                 .audit = on_audit,
                                                 .start_hook = sim_hooks_start,
                                                 .stop_hook = sim_hooks_stop,
                                                 .context = world });
        runtime_start(world->runtime);
}

void sim_world_kill(struct sim_world *world) {
        runtime_free(world->runtime);
        world->runtime = NULL;
        world->role = NULL;
        sim_hooks_forget_calls(world->hooks);
        world->wants_kill = false;
}

static void on_kill(void *context) {
        ((struct sim_world *)context)->wants_kill = true;
}

static void on_restart(void *context) {
        sim_world_start(context);
}

static void kill_for_a_while(struct sim_world *world) {
        bool is_long = rng_below(&world->rng, 20) == 0;

        sim_world_kill(world);
        loop_timer_arm(world->loop, &world->restart,
                       (int64_t)rng_below(&world->rng, is_long ? RESTART_LONG_NS : RESTART_MAX_NS));
}

static void on_call(void *context, const struct api_call *call) {
        struct sim_world *world = context;

        if (call->method == API_DELETE &&
            !slice_contains(call->path, SLICE_LITERAL("/evictionrequests/")))
                sim_violated(world, "the role deleted " SLICE_FMT, SLICE_ARG(call->path));
        if (call->method == API_POST && slice_has_suffix(call->path, SLICE_LITERAL("/eviction"))) {
                world->evict_calls++;
                sim_check_call(world, call);
        }
}

/* ---- life ---- */

struct sim_world *sim_world_new(const struct sim_world_config *config) {
        struct sim_world *world = xcalloc(1, sizeof(*world));
        struct err err = { 0 };

        world->config = *config;
        rng_init(&world->rng, config->seed ^ 0x5eed);
        world->time = virtual_loop_new();
        world->loop = virtual_loop_get(world->time);
        world->server =
                api_server_new(&(struct api_server_config){ .seed = config->seed,
                                                            .read_yaml = document_read_tree },
                               world->loop);
        world->store = api_server_store(world->server);
        if (control_new(&(struct control_config){ .loop = world->loop,
                                                  .server = world->server,
                                                  .seed = config->seed,
                                                  .heartbeat_ns = HEARTBEAT_NS,
                                                  .node_grace_ns = 4 * HEARTBEAT_NS,
                                                  .is_quiet = true },
                        &world->control, &err) < 0 ||
            control_add_nodes(world->control, 1,
                              &(struct control_node){ .prefix = "n", .cpu = "1000" }, &err) < 0 ||
            control_add_nodes(world->control, 1 + (unsigned)(config->seed / 2 % SIM_OTHER_NODES),
                              &(struct control_node){ .prefix = "n", .cpu = "8" }, &err) < 0)
                sim_violated(world, "%s", err.text);
        world->local =
                local_transport_new(world->server, world->loop, &api_user_admin, EVICTION_MANAGER);
        world->faults = sim_faults_new(local_transport(world->local), world->loop, config->seed,
                                       config->fault_percent, on_kill, world);
        sim_faults_watch(world->faults, on_call, world);
        world->restart = (struct loop_timer){ .fired = on_restart, .context = world };
        buf_init(&world->audit, (size_t)256 << 20);
        world->hooks = sim_hooks_new(world);
        sim_check_start(world);
        if (config->has_scheduler)
                world->reservations = sim_reservations_new(world, local_transport(world->local));
        sim_world_advance(world, NS_PER_S);
        sim_snapshot_load(world);
        return world;
}

void sim_world_free(struct sim_world *world) {
        if (!world)
                return;
        loop_timer_disarm(world->loop, &world->restart);
        sim_actors_free(world->actors);
        sim_world_kill(world);
        sim_hooks_free(world->hooks);
        sim_reservations_free(world->reservations);
        sim_faults_free(world->faults);
        local_transport_free(world->local);
        sim_check_stop(world);
        control_free(world->control);
        api_server_free(world->server);
        virtual_loop_free(world->time);
        buf_release(&world->audit);
        sim_snapshot_release(world);
        free(world);
}

struct api_server *sim_world_server(struct sim_world *world) {
        return world->server;
}

struct sim_faults *sim_world_faults(struct sim_world *world) {
        return world->faults;
}

size_t sim_world_open_effects(const struct sim_world *world) {
        struct evictions_role_stats stats = { 0 };

        if (world->role)
                evictions_role_stats(world->role, &stats);
        return stats.reconciler.open;
}

bool sim_world_is_running(const struct sim_world *world) {
        return world->runtime;
}

uint64_t sim_world_starts(const struct sim_world *world) {
        return world->starts;
}

void sim_world_allow_duplicates(struct sim_world *world) {
        world->allows_duplicates = true;
}

struct wall_time sim_world_wall(struct sim_world *world) {
        return loop_wall(world->loop);
}

struct slice sim_world_audit(const struct sim_world *world) {
        return buf_view(&world->audit);
}

uint64_t sim_world_evict_calls(const struct sim_world *world) {
        return world->evict_calls;
}

/* ---- time ---- */

static void sim_world_disturb(struct sim_world *world) {
        sim_reservations_disturb(world->reservations);
        if (sim_faults_draw(world->faults, SIM_OUTAGE)) {
                int64_t outage_ns = (int64_t)rng_below(&world->rng, 120 * NS_PER_S);

                sim_faults_begin_outage(world->faults, outage_ns);
                if (world->reservations)
                        sim_faults_begin_outage(sim_reservations_faults(world->reservations),
                                                outage_ns);
        }
        if (sim_faults_draw(world->faults, SIM_CLOCK_STEP))
                sim_world_step_clock(world, (int64_t)rng_below(&world->rng, 7200) * NS_PER_S -
                                                    3600 * NS_PER_S);
}

void sim_world_advance(struct sim_world *world, int64_t ns) {
        struct mono_time end = { loop_mono(world->loop).ns + ns };
        uint64_t steps = 0;

        while (world->violation[0] == '\0' && virtual_loop_step(world->time, end)) {
                sim_check_slots(world);
                sim_reservations_check(world->reservations);
                if (world->wants_kill)
                        kill_for_a_while(world);
                if (++steps > STEPS_MAX)
                        sim_violated(world, "time stands still");
        }
}

void sim_world_step_clock(struct sim_world *world, int64_t back_ns) {
        world->has_stepped = true;
        virtual_loop_set_back(world->time, back_ns);
}

/* ---- a seed ---- */

static void fill_report(struct sim_world *world, struct sim_report *report) {
        *report = (struct sim_report){ .seed = world->config.seed,
                                       .calls = sim_faults_calls(world->faults),
                                       .changes = world->changes,
                                       .starts = world->starts,
                                       .interrupted = world->interrupted,
                                       .hook_runs = sim_hooks_runs(world->hooks),
                                       .virtual_ns = loop_mono(world->loop).ns };
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                report->faults[i] = sim_faults_count(world->faults, (enum sim_fault)i);
        sim_check_count(world, report);
        sim_reservations_count(world->reservations, report);
        snprintf(report->violation, sizeof(report->violation), "%s", world->violation);
}

static void run_faults(struct sim_world *world) {
        int64_t left = world->config.faults_ns ? world->config.faults_ns : FAULTS_DEFAULT_NS;

        for (; left > 0 && !world->violation[0]; left -= 10 * NS_PER_S) {
                sim_world_advance(world, 10 * NS_PER_S);
                sim_world_disturb(world);
                sim_check_reservations(world);
        }
}

static void run_calm(struct sim_world *world) {
        char text[400] = "";

        sim_faults_stop(world->faults);
        if (world->reservations)
                sim_faults_stop(sim_reservations_faults(world->reservations));
        sim_actors_calm(world->actors);
        for (int64_t spent = 0; spent < CALM_MAX_NS && !world->violation[0];
             spent += CALM_LOOK_NS) {
                sim_world_advance(world, CALM_LOOK_NS);
                sim_check_reservations(world);
                if (sim_check_settled(world, text, sizeof(text)) &&
                    sim_reservations_are_settled(world->reservations, text, sizeof(text)))
                        return;
        }
        sim_violated(world, "not settled: %s", text);
}

/* Few enough that evictions wait, and more than those that can never end would hold. */
static void draw_slots(struct sim_world *world) {
        uint32_t stuck = 0;

        for (size_t i = 0; i < sim_actors_count(world->actors); i++)
                stuck += !!sim_actors_guarded(world->actors, i);
        world->config.has_slots = !world->config.objects;
        world->config.slots =
                (struct eviction_slot_limits){ .total = stuck + 3,
                                               .node = stuck + 1 +
                                                       (uint32_t)(world->config.seed % 2),
                                               .owner = 1 };
}

int sim_world_run(const struct sim_world_config *config, struct sim_report *ret_report,
                  struct err *err) {
        struct sim_world_config whole = *config;
        int code = 0;

        whole.has_scheduler = !config->objects; /* whose pods have a scheduler of their own */
        struct sim_world *world = sim_world_new(&whole);

        world->actors = sim_actors_new(world, config->pod_count);
        draw_slots(world);
        sim_world_start(world);
        run_faults(world);
        run_calm(world);
        sim_check_audit(world);
        fill_report(world, ret_report);
        if (world->violation[0])
                code = err_set(err, BERTH_ERR_INTERNAL,
                               "seed %llu at %lld s: %s (replay: berth simulate --seed %llu)",
                               (unsigned long long)config->seed,
                               (long long)(ret_report->virtual_ns / NS_PER_S), world->violation,
                               (unsigned long long)config->seed);
        sim_world_free(world);
        return code;
}
