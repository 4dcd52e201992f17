/* The scheduler of the simulated cluster, in a process of its own with faults of its own, and what
 * must hold of its reservations: every reservation stands for an Eviction that is open, or was when
 * the process last saw it, within its time; the model has no other; an Eviction that requires one
 * does not begin without. */
#include "sim/sim_world_priv.h"

#include "base/util.h"
#include "evict/reservation_ledger.h"
#include "evict/reservation_pod.h"
#include "loop/runtime.h"
#include "model/cluster.h"
#include "roles/reservation_controller.h"
#include "roles/role_config.h"
#include "roles/scheduler_role.h"
#include "store/store.h"
#include <stdio.h>
#include <stdlib.h>

#define RESTART_MAX_NS (60 * NS_PER_S)
#define UNSAID_MAX_NS (300 * NS_PER_S)
#define KILL_RARITY 60 /* of ten seconds each */

struct reservation_demand { /* of an Eviction, as stored */
        bool is_over, is_unsaid;
        struct mono_time over_at, unsaid_at;
        uint64_t unsaid_starts; /* of the controller's process, then */
};

struct sim_reservations {
        struct sim_world *world;
        struct sim_faults *faults;
        struct rng rng;
        struct runtime *runtime; /* NULL while the process is dead */
        struct role_config config;
        const struct reservation_controller *controller;
        struct loop_timer restart;
        bool wants_kill;
        struct map *demands;              /* Eviction uid -> struct reservation_demand */
        struct reservation_counts counts; /* of processes that died */
        uint64_t starts, changes;
        size_t without; /* BestEffort ones that went on without a reservation, and said so */
        size_t waited;  /* Required ones that waited, and said so */
};

/* ---- the process ---- */

static struct reservation_counts counts_of(const struct sim_reservations *reservations) {
        struct reservation_counts sum = reservations->counts;
        struct reservation_counts own = { 0 };

        if (reservations->controller)
                own = reservation_controller_counts(reservations->controller);
        sum.held += own.held;
        sum.refused += own.refused;
        sum.released += own.released;
        sum.expired += own.expired;
        sum.taken += own.taken;
        return sum;
}

static void sim_reservations_start(void *context) {
        struct sim_reservations *reservations = context;
        struct err err = { 0 };
        const struct reservation_controller *controller = NULL;

        reservations->starts++;
        reservations->runtime = runtime_new(&(struct runtime_config){
                .loop = reservations->world->loop,
                .transport = sim_faults_transport(reservations->faults),
                .instance = "sim-scheduler",
                .seed = reservations->world->config.seed + 1000 * reservations->starts });
        if (role_config_load(&(struct role_config_sources){ 0 }, &reservations->config, &err) < 0 ||
            role_config_build(&reservations->config, runtime_cluster(reservations->runtime), NULL,
                              &err) < 0 ||
            !scheduler_role_add(reservations->runtime,
                                &(struct scheduler_role_config){
                                        .profile_count = reservations->config.profiles.count,
                                        .profiles = reservations->config.profiles.items,
                                        .seed = reservations->world->config.seed,
                                        .configuration = reservations->config.configuration,
                                        .reserves = true,
                                        .ret_reservations = &controller },
                                &err))
                sim_violated(reservations->world, "scheduler: %s", err.text);
        reservations->controller = controller;
        runtime_start(reservations->runtime);
}

/* What it held is gone with its model. */
static void sim_reservations_stop(struct sim_reservations *reservations) {
        if (!reservations->runtime)
                return;
        reservations->counts = counts_of(reservations);
        reservations->controller = NULL;
        runtime_free(reservations->runtime);
        reservations->runtime = NULL;
        role_config_release(&reservations->config);
        reservations->config = (struct role_config){ 0 };
        reservations->wants_kill = false;
}

static void on_kill(void *context) {
        ((struct sim_reservations *)context)->wants_kill = true;
}

struct sim_reservations *sim_reservations_new(struct sim_world *world, struct transport transport) {
        struct sim_reservations *reservations = xcalloc(1, sizeof(*reservations));

        reservations->world = world;
        rng_init(&reservations->rng, world->config.seed ^ 0x400);
        reservations->demands = map_new();
        reservations->faults = sim_faults_new(transport, world->loop, world->config.seed ^ 0x400,
                                              world->config.fault_percent, on_kill, reservations);
        reservations->restart =
                (struct loop_timer){ .fired = sim_reservations_start, .context = reservations };
        sim_reservations_start(reservations);
        return reservations;
}

void sim_reservations_free(struct sim_reservations *reservations) {
        struct slice key;
        void *value;
        size_t at = 0;

        if (!reservations)
                return;
        loop_timer_disarm(reservations->world->loop, &reservations->restart);
        sim_reservations_stop(reservations);
        sim_faults_free(reservations->faults);
        while (map_next(reservations->demands, &at, &key, &value))
                free(value);
        map_free(reservations->demands);
        free(reservations);
}

struct sim_faults *sim_reservations_faults(struct sim_reservations *reservations) {
        return reservations->faults;
}

/* ---- every change of an Eviction ---- */

static struct reservation_demand *demand_of(struct sim_reservations *reservations,
                                            const struct eviction *eviction) {
        struct reservation_demand *demand = map_get(reservations->demands, eviction->object.uid);

        if (!demand) {
                demand = xcalloc(1, sizeof(*demand));
                map_put(reservations->demands, eviction->object.uid, demand);
        }
        return demand;
}

static void judge_begin(struct sim_reservations *reservations, const struct eviction *was,
                        const struct eviction *is) {
        if (was && is && is->requires_reservation && !is->reserved_node.len &&
            !was->status.responder_count && eviction_active(&is->status) >= 0)
                sim_violated(reservations->world,
                             SLICE_FMT " began without the reservation it requires",
                             SLICE_ARG(is->object.name));
}

void sim_reservations_see(struct sim_reservations *reservations, const struct eviction *was,
                          const struct eviction *is, bool is_deleted) {
        const struct eviction *eviction = is ? is : was;

        if (!reservations || !eviction)
                return;
        struct reservation_demand *demand = demand_of(reservations, eviction);
        if (!demand->is_over && (is_deleted || eviction->object.is_deleting ||
                                 eviction_outcome_is_final(eviction->status.conditions.outcome))) {
                demand->is_over = true;
                demand->over_at = loop_mono(reservations->world->loop);
        }
        if (!is_deleted)
                judge_begin(reservations, was, is);
}

/* ---- every step ---- */

static void check_reservation(struct sim_reservations *reservations,
                              const struct held_reservation *reservation) {
        const struct cluster *cluster = runtime_cluster(reservations->runtime);
        const struct reservation_demand *demand =
                map_get(reservations->demands, reservation->eviction_uid);
        int64_t now_ns = loop_mono(reservations->world->loop).ns;
        struct pod_id id = cluster_find_pod(cluster, reservation->ns, reservation->name);

        if (!demand)
                sim_violated(reservations->world, "a reservation without an Eviction");
        else if (demand->is_over && now_ns - demand->over_at.ns > reservation->patience_ns)
                sim_violated(reservations->world,
                             "a reservation for an Eviction that is long over");
        if (now_ns > reservation->renewed.ns + reservation->patience_ns)
                sim_violated(reservations->world, "a reservation past its time");
        if (pod_id_is_none(id))
                sim_violated(reservations->world,
                             "a reservation is in the ledger and not in the model");
        else if (!slice_eq(cluster_text(cluster, cluster_pod(cluster, id)->nominated),
                           reservation->node))
                sim_violated(reservations->world, "a reservation on another node than is reported");
}

static size_t count_in_model(const struct cluster *cluster) {
        size_t count = 0;

        for (size_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ (uint32_t)i });

                count += row->is_live &&
                         slice_has_prefix(slice_of(row->uid), SLICE_LITERAL("reserved-"));
        }
        return count;
}

void sim_reservations_check(struct sim_reservations *reservations) {
        struct held_reservation reservation;
        size_t at = 0;

        if (!reservations)
                return;
        if (reservations->wants_kill) {
                sim_reservations_stop(reservations);
                loop_timer_arm(reservations->world->loop, &reservations->restart,
                               (int64_t)rng_below(&reservations->rng, RESTART_MAX_NS));
        }
        if (!reservations->controller)
                return;
        const struct reservation_ledger *ledger =
                reservation_controller_ledger(reservations->controller);
        while (reservation_ledger_next(ledger, &at, &reservation))
                check_reservation(reservations, &reservation);
        if (count_in_model(runtime_cluster(reservations->runtime)) !=
            reservation_ledger_held(ledger))
                sim_violated(reservations->world,
                             "the model has a reservation that is not in the ledger");
}

/* ---- what requests say ---- */

void sim_reservations_observe(struct sim_reservations *reservations, struct slice was,
                              struct slice is) {
        if (!reservations || slice_eq(was, is))
                return;
        reservations->waited += slice_is(is, "waiting for capacity on another node");
        reservations->without += slice_is(is, "continues without reserved capacity");
}

/* Its calls are few, and so are the faults that come with them. */
void sim_reservations_disturb(struct sim_reservations *reservations) {
        if (reservations && reservations->runtime && reservations->world->config.fault_percent &&
            rng_below(&reservations->rng, KILL_RARITY) == 0)
                reservations->wants_kill = true;
}

/* By a process that goes on, faults or not. */
void sim_reservations_note_words(struct sim_reservations *reservations,
                                 const struct eviction *eviction, bool is_said) {

        if (!reservations)
                return;
        struct reservation_demand *demand = demand_of(reservations, eviction);
        int64_t now_ns = loop_mono(reservations->world->loop).ns;
        if (is_said || !reservations->world->runtime || !demand->is_unsaid ||
            demand->unsaid_starts != reservations->world->starts) {
                demand->is_unsaid = !is_said && reservations->world->runtime;
                demand->unsaid_at.ns = now_ns;
                demand->unsaid_starts = reservations->world->starts;
        } else if (now_ns - demand->unsaid_at.ns > UNSAID_MAX_NS) {
                sim_violated(reservations->world,
                             "no request reports that " SLICE_FMT " has no reservation",
                             SLICE_ARG(eviction->object.name));
        }
}

/* ---- the end ---- */

bool sim_reservations_are_settled(const struct sim_reservations *reservations, char *text,
                                  size_t size) {
        if (!reservations)
                return true;
        if (!reservations->controller) {
                snprintf(text, size, "the scheduler is dead");
                return false;
        }
        size_t held =
                reservation_ledger_held(reservation_controller_ledger(reservations->controller));
        if (held)
                snprintf(text, size, "%zu reservations are left", held);
        return held == 0;
}

void sim_reservations_count(const struct sim_reservations *reservations,
                            struct sim_report *report) {
        if (!reservations)
                return;
        struct reservation_counts counts = counts_of(reservations);
        report->reservations = (struct sim_reservation_counts){ .held = counts.held,
                                                                .refused = counts.refused,
                                                                .released = counts.released,
                                                                .expired = counts.expired,
                                                                .taken = counts.taken,
                                                                .without = reservations->without,
                                                                .waited = reservations->waited,
                                                                .starts = reservations->starts };
        report->calls += sim_faults_calls(reservations->faults);
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                report->faults[i] += sim_faults_count(reservations->faults, (enum sim_fault)i);
}

void sim_reservation_counts_add(struct sim_reservation_counts *sum,
                                const struct sim_reservation_counts *counts) {
        sum->held += counts->held;
        sum->refused += counts->refused;
        sum->released += counts->released;
        sum->expired += counts->expired;
        sum->taken += counts->taken;
        sum->waited += counts->waited;
        sum->without += counts->without;
        sum->starts += counts->starts;
}
