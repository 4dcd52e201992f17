/* The scheduler of the simulated cluster, in a process of its own with faults of its own, and what
 * must hold of the room it reserves: every reservation stands for an Eviction that is open, or was
 * when the process last heard of it, within its time; the model has no other; an Eviction that
 * requires room does not begin without. */
#include "sim/sim_world_priv.h"

#include "base/util.h"
#include "evict/reservation_book.h"
#include "evict/reservation_pod.h"
#include "loop/runtime.h"
#include "model/cluster.h"
#include "roles/reservation_keeper.h"
#include "roles/role_config.h"
#include "roles/scheduler_role.h"
#include "store/store.h"
#include <stdio.h>
#include <stdlib.h>

#define RESTART_MAX_NS (60 * NS_PER_S)
#define UNSAID_MAX_NS (300 * NS_PER_S)
#define KILL_RARITY 60 /* of ten seconds each */

struct room_demand { /* of an Eviction, as stored */
        bool is_over, is_unsaid;
        struct mono_time over_at, unsaid_at;
        uint64_t unsaid_starts; /* of the controller's process, then */
};

struct sim_rooms {
        struct sim_world *world;
        struct sim_faults *faults;
        struct rng rng;
        struct runtime *runtime; /* NULL while the process is dead */
        struct role_config config;
        const struct reservation_keeper *keeper;
        struct loop_timer restart;
        bool wants_kill;
        struct map *demands;              /* Eviction uid -> struct room_wish */
        struct reservation_counts counts; /* of processes that died */
        uint64_t starts, changes;
        size_t without; /* BestEffort ones that went on without room, and said so */
        size_t waited;  /* Required ones that waited, and said so */
};

/* ---- the process ---- */

static struct reservation_counts counts_of(const struct sim_rooms *rooms) {
        struct reservation_counts sum = rooms->counts;
        struct reservation_counts own = { 0 };

        if (rooms->keeper)
                own = reservation_keeper_counts(rooms->keeper);
        sum.held += own.held;
        sum.refused += own.refused;
        sum.released += own.released;
        sum.expired += own.expired;
        sum.taken += own.taken;
        return sum;
}

static void sim_rooms_start(void *context) {
        struct sim_rooms *rooms = context;
        struct err err = { 0 };
        const struct reservation_keeper *keeper = NULL;

        rooms->starts++;
        rooms->runtime = runtime_new(&(struct runtime_config){
                .loop = rooms->world->loop,
                .transport = sim_faults_transport(rooms->faults),
                .instance = "sim-scheduler",
                .seed = rooms->world->config.seed + 1000 * rooms->starts });
        if (role_config_load(&(struct role_config_sources){ 0 }, &rooms->config, &err) < 0 ||
            role_config_build(&rooms->config, runtime_cluster(rooms->runtime), NULL, &err) < 0 ||
            !scheduler_role_add(
                    rooms->runtime,
                    &(struct scheduler_role_config){ .profile_count = rooms->config.profiles.count,
                                                     .profiles = rooms->config.profiles.items,
                                                     .seed = rooms->world->config.seed,
                                                     .configuration = rooms->config.configuration,
                                                     .reserves = true,
                                                     .ret_reservations = &keeper },
                    &err))
                sim_violated(rooms->world, "scheduler: %s", err.text);
        rooms->keeper = keeper;
        runtime_start(rooms->runtime);
}

/* What it held is gone with its model. */
static void sim_rooms_stop(struct sim_rooms *rooms) {
        if (!rooms->runtime)
                return;
        rooms->counts = counts_of(rooms);
        rooms->keeper = NULL;
        runtime_free(rooms->runtime);
        rooms->runtime = NULL;
        role_config_release(&rooms->config);
        rooms->config = (struct role_config){ 0 };
        rooms->wants_kill = false;
}

static void on_kill(void *context) {
        ((struct sim_rooms *)context)->wants_kill = true;
}

struct sim_rooms *sim_rooms_new(struct sim_world *world, struct transport transport) {
        struct sim_rooms *rooms = xcalloc(1, sizeof(*rooms));

        rooms->world = world;
        rng_init(&rooms->rng, world->config.seed ^ 0x400);
        rooms->demands = map_new();
        rooms->faults = sim_faults_new(transport, world->loop, world->config.seed ^ 0x400,
                                       world->config.fault_percent, on_kill, rooms);
        rooms->restart = (struct loop_timer){ .fired = sim_rooms_start, .context = rooms };
        sim_rooms_start(rooms);
        return rooms;
}

void sim_rooms_free(struct sim_rooms *rooms) {
        struct slice key;
        void *value;
        size_t at = 0;

        if (!rooms)
                return;
        loop_timer_disarm(rooms->world->loop, &rooms->restart);
        sim_rooms_stop(rooms);
        sim_faults_free(rooms->faults);
        while (map_next(rooms->demands, &at, &key, &value))
                free(value);
        map_free(rooms->demands);
        free(rooms);
}

struct sim_faults *sim_rooms_faults(struct sim_rooms *rooms) {
        return rooms->faults;
}

/* ---- every change of an Eviction ---- */

static struct room_demand *demand_of(struct sim_rooms *rooms, const struct eviction *eviction) {
        struct room_demand *demand = map_get(rooms->demands, eviction->object.uid);

        if (!demand) {
                demand = xcalloc(1, sizeof(*demand));
                map_put(rooms->demands, eviction->object.uid, demand);
        }
        return demand;
}

static void judge_begin(struct sim_rooms *rooms, const struct eviction *was,
                        const struct eviction *is) {
        if (was && is && is->requires_room && !is->room.len && !was->status.responder_count &&
            eviction_active(&is->status) >= 0)
                sim_violated(rooms->world, SLICE_FMT " began without the room it requires",
                             SLICE_ARG(is->object.name));
}

void sim_rooms_see(struct sim_rooms *rooms, const struct eviction *was, const struct eviction *is,
                   bool is_deleted) {
        const struct eviction *eviction = is ? is : was;

        if (!rooms || !eviction)
                return;
        struct room_demand *demand = demand_of(rooms, eviction);
        if (!demand->is_over && (is_deleted || eviction->object.is_deleting ||
                                 eviction_outcome_is_final(eviction->status.conditions.outcome))) {
                demand->is_over = true;
                demand->over_at = loop_mono(rooms->world->loop);
        }
        if (!is_deleted)
                judge_begin(rooms, was, is);
}

/* ---- every step ---- */

static void check_room(struct sim_rooms *rooms, const struct held_room *room) {
        const struct cluster *cluster = runtime_cluster(rooms->runtime);
        const struct room_demand *demand = map_get(rooms->demands, room->eviction_uid);
        int64_t now_ns = loop_mono(rooms->world->loop).ns;
        struct pod_id id = cluster_find_pod(cluster, room->ns, room->name);

        if (!demand)
                sim_violated(rooms->world, "room is held for no Eviction");
        else if (demand->is_over && now_ns - demand->over_at.ns > room->patience_ns)
                sim_violated(rooms->world, "room is held for an Eviction that is long over");
        if (now_ns > room->renewed.ns + room->patience_ns)
                sim_violated(rooms->world, "room is held past its time");
        if (pod_id_is_none(id))
                sim_violated(rooms->world, "room is in the book and not in the model");
        else if (!slice_eq(cluster_text(cluster, cluster_pod(cluster, id)->nominated), room->node))
                sim_violated(rooms->world, "room is held on another node than is said");
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

void sim_rooms_check(struct sim_rooms *rooms) {
        struct held_room room;
        size_t at = 0;

        if (!rooms)
                return;
        if (rooms->wants_kill) {
                sim_rooms_stop(rooms);
                loop_timer_arm(rooms->world->loop, &rooms->restart,
                               (int64_t)rng_below(&rooms->rng, RESTART_MAX_NS));
        }
        if (!rooms->keeper)
                return;
        const struct reservation_book *book = reservation_keeper_book(rooms->keeper);
        while (reservation_book_next(book, &at, &room))
                check_room(rooms, &room);
        if (count_in_model(runtime_cluster(rooms->runtime)) != reservation_book_held(book))
                sim_violated(rooms->world, "the model has room that nobody holds");
}

/* ---- what requests say ---- */

void sim_rooms_observe(struct sim_rooms *rooms, struct slice was, struct slice is) {
        if (!rooms || slice_eq(was, is))
                return;
        rooms->waited += slice_is(is, "waiting for capacity on another node");
        rooms->without += slice_is(is, "continues without reserved capacity");
}

/* Its calls are few, and so are the faults that come with them. */
void sim_rooms_disturb(struct sim_rooms *rooms) {
        if (rooms && rooms->runtime && rooms->world->config.fault_percent &&
            rng_below(&rooms->rng, KILL_RARITY) == 0)
                rooms->wants_kill = true;
}

/* By a process that lives on, faults or not. */
void sim_rooms_note_words(struct sim_rooms *rooms, const struct eviction *eviction, bool is_said) {

        if (!rooms)
                return;
        struct room_demand *demand = demand_of(rooms, eviction);
        int64_t now_ns = loop_mono(rooms->world->loop).ns;
        if (is_said || !rooms->world->runtime || !demand->is_unsaid ||
            demand->unsaid_starts != rooms->world->starts) {
                demand->is_unsaid = !is_said && rooms->world->runtime;
                demand->unsaid_at.ns = now_ns;
                demand->unsaid_starts = rooms->world->starts;
        } else if (now_ns - demand->unsaid_at.ns > UNSAID_MAX_NS) {
                sim_violated(rooms->world, "nobody is told that " SLICE_FMT " has no room",
                             SLICE_ARG(eviction->object.name));
        }
}

/* ---- the end ---- */

bool sim_rooms_are_settled(const struct sim_rooms *rooms, char *text, size_t size) {
        if (!rooms)
                return true;
        if (!rooms->keeper) {
                snprintf(text, size, "the scheduler is dead");
                return false;
        }
        size_t held = reservation_book_held(reservation_keeper_book(rooms->keeper));
        if (held)
                snprintf(text, size, "%zu reservations are left", held);
        return held == 0;
}

void sim_rooms_count(const struct sim_rooms *rooms, struct sim_report *report) {
        if (!rooms)
                return;
        struct reservation_counts counts = counts_of(rooms);
        report->rooms = (struct sim_room_counts){ .held = counts.held,
                                                  .refused = counts.refused,
                                                  .released = counts.released,
                                                  .expired = counts.expired,
                                                  .taken = counts.taken,
                                                  .without = rooms->without,
                                                  .waited = rooms->waited,
                                                  .starts = rooms->starts };
        report->calls += sim_faults_calls(rooms->faults);
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                report->faults[i] += sim_faults_count(rooms->faults, (enum sim_fault)i);
}

void sim_room_counts_add(struct sim_room_counts *sum, const struct sim_room_counts *counts) {
        sum->held += counts->held;
        sum->refused += counts->refused;
        sum->released += counts->released;
        sum->expired += counts->expired;
        sum->taken += counts->taken;
        sum->waited += counts->waited;
        sum->without += counts->without;
        sum->starts += counts->starts;
}
