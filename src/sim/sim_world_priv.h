/* Inside the simulated cluster. */
#pragma once

#include "base/map.h"
#include "evict/eviction_request.h"
#include "port/virtual_loop.h"
#include "roles/evictions_role.h"
#include "sim/sim_world.h"

#define SIM_NS "default"
#define SIM_SNAPSHOT_MAX 200 /* pods of the user's cluster */
#define SIM_PATH_MAX 512
/* All pods are on the first node; the others have capacity for one replacement each. */
#define SIM_OTHER_NODES 2 /* at most */
#define SIM_ROOM_CPU "5"
#define SIM_GROUP "/apis/lifecycle.berth.dev/v1alpha1/namespaces/" SIM_NS
#define SIM_PODS "/api/v1/namespaces/" SIM_NS "/pods"
#define SIM_CONFIG_MAPS "/api/v1/namespaces/" SIM_NS "/configmaps"

struct control;
struct store;
struct store_event;

struct sim_actors;       /* who wants what, and the responders */
struct sim_hooks;        /* of eviction stages */
struct sim_reservations; /* the scheduler, and what it reserves */

struct sim_world {
        struct sim_world_config config;
        struct virtual_loop *time;
        struct loop *loop;
        struct loop_ops own_ops; /* of the process: its clock may be ahead */
        struct loop own_loop;
        struct store *store;
        struct api_server *server;
        struct control *control;
        struct local_transport *local;
        struct sim_faults *faults;
        struct runtime *runtime; /* NULL while the process is dead */
        struct evictions_role *role;
        struct sim_actors *actors;
        struct sim_hooks *hooks;
        struct sim_reservations *reservations; /* NULL = there is no scheduler */
        struct rng rng;
        struct buf audit; /* what the processes wrote, as a file would keep it */
        bool wants_kill, is_advancing;
        struct loop_timer restart;
        uint64_t starts, changes, evict_calls;
        /* checker */
        struct store_subscription *subscription;
        struct map *beats;             /* Eviction uid -> struct sim_beat */
        int evictions, requests, pods; /* store resources; -1 until defined */
        size_t interrupted;
        bool has_stepped, allows_duplicates;
        bool has_changed; /* an Eviction, since slots were last checked */
        char violation[512];
        char *snapshot[SIM_SNAPSHOT_MAX]; /* names of pods that were given; owned */
        size_t snapshot_count;
};

/* ---- sim_snapshot.c ---- */
/* Creates what config.objects has; sets snapshot. */
void sim_snapshot_load(struct sim_world *world);
void sim_snapshot_release(struct sim_world *world);

/* ---- sim_check.c ---- */
void sim_check_start(struct sim_world *world);
void sim_check_stop(struct sim_world *world);
void sim_violated(struct sim_world *world, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* Before an eviction call leaves the process. */
void sim_check_call(struct sim_world *world, const struct api_call *call);
/* Between two steps: how many Evictions are at work, if some changed. */
void sim_check_slots(struct sim_world *world);
void sim_check_audit(struct sim_world *world);
/* Once faults stopped: whether everything came to its end; if not, what is missing. */
bool sim_check_settled(struct sim_world *world, char *text, size_t size);
/* Now and then: whether requests say that they wait for a reservation, or go on without. */
void sim_check_reservations(struct sim_world *world);
void sim_check_count(struct sim_world *world, struct sim_report *report);

/* ---- sim_actors.c ---- */
struct sim_actors *sim_actors_new(struct sim_world *world, unsigned pod_count);
void sim_actors_free(struct sim_actors *actors);
/* From now on no requester withdraws. */
void sim_actors_calm(struct sim_actors *actors);
/* Pods that must be alive: guarded by a budget that never opens, and never deleted underneath. */
bool sim_actors_guards(const struct sim_actors *actors, struct slice pod);
size_t sim_actors_count(const struct sim_actors *actors);
const char *sim_actors_guarded(const struct sim_actors *actors, size_t index); /* NULL = not */
/* A pod changed; its replacement is created soon after its deletion began. */
void sim_actors_see_pod(struct sim_actors *actors, const struct store_event *event);

/* ---- sim_hooks.c ---- */
struct sim_hooks *sim_hooks_new(struct sim_world *world);
void sim_hooks_free(struct sim_hooks *hooks);
/* As the role calls them; context is the world. */
void sim_hooks_start(void *context, const struct eviction_effect *effect);
void sim_hooks_stop(void *context, uint64_t id);
/* When the process dies. */
void sim_hooks_forget_calls(struct sim_hooks *hooks);
/* What an Eviction that has ended should not have left; NULL = nothing. */
const char *sim_hooks_left_behind(const struct sim_hooks *hooks, struct slice eviction_uid,
                                  bool is_canceled);
uint64_t sim_hooks_runs(const struct sim_hooks *hooks);

/* ---- sim_reservations.c; all accept NULL ---- */
/* Starts a scheduler's process; transport: without faults. */
struct sim_reservations *sim_reservations_new(struct sim_world *world, struct transport transport);
void sim_reservations_free(struct sim_reservations *reservations);
struct sim_faults *sim_reservations_faults(struct sim_reservations *reservations); /* not NULL */
/* A change of an Eviction, as stored before and after; either may be NULL. */
void sim_reservations_see(struct sim_reservations *reservations, const struct eviction *was,
                          const struct eviction *is, bool is_deleted);
/* What a request's condition says, before and after. */
void sim_reservations_observe(struct sim_reservations *reservations, struct slice was,
                              struct slice is);
/* Whether its requests say that it has no reservation; they have to before long. */
void sim_reservations_note_words(struct sim_reservations *reservations,
                                 const struct eviction *eviction, bool is_said);
/* Between two steps: kills the process if it has to die, and checks what it holds. */
void sim_reservations_check(struct sim_reservations *reservations);
/* Now and then, while there are faults: kills the process. */
void sim_reservations_disturb(struct sim_reservations *reservations);
bool sim_reservations_are_settled(const struct sim_reservations *reservations, char *text,
                                  size_t size);
void sim_reservations_count(const struct sim_reservations *reservations, struct sim_report *report);
