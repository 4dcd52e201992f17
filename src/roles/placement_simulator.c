/* Asks the scheduler about pods that may be evicted. */
#include "roles/placement_simulator.h"

#include "base/util.h"
#include "plugin/sched_profile_list.h"
#include "roles/moved_claims.h"
#include "sched/class_engine.h"
#include "sched/decision.h"
#include <stdlib.h>

#define ENGINE_BYTES ((size_t)8 << 20) /* of caches, and as much of counts */

struct pod_move {
        struct pod_id pod;
        struct node_id node;
};

struct placement_simulator {
        struct cluster *cluster;
        const struct sched_profile_list *profiles;
        struct class_engine *engine;
        struct moved_claims *claims;
        struct wall_time now;
        size_t move_count, move_cap;
        struct pod_move *moves;
        struct arena arena; /* of one decision */
};

struct placement_simulator *placement_simulator_new(struct cluster *cluster,
                                                    const struct sched_profile_list *profiles,
                                                    struct object_cache *object_cache) {
        struct placement_simulator *simulator = xcalloc(1, sizeof(*simulator));

        simulator->cluster = cluster;
        simulator->profiles = profiles;
        simulator->engine = class_engine_new(ENGINE_BYTES);
        simulator->claims = moved_claims_new(object_cache);
        arena_init(&simulator->arena, 0);
        return simulator;
}

void placement_simulator_free(struct placement_simulator *simulator) {
        if (!simulator)
                return;
        arena_release(&simulator->arena);
        class_engine_free(simulator->engine);
        moved_claims_free(simulator->claims);
        free(simulator->moves);
        free(simulator);
}

static void placement_simulator_begin(void *context, struct wall_time now) {
        struct placement_simulator *simulator = context;

        simulator->now = now;
        simulator->move_count = 0;
        moved_claims_forget(simulator->claims);
}

/* Done again for every question: the pass reads the unchanged cluster in between. */
static void make_moves(struct placement_simulator *simulator) {
        for (size_t i = 0; i < simulator->move_count; i++) {
                const struct pod_move *made = &simulator->moves[i];

                cluster_withdraw(simulator->cluster, made->pod);
                cluster_assume(simulator->cluster, made->pod, made->node);
        }
}

static const struct sched_profile *profile_of(const struct placement_simulator *simulator,
                                              struct pod_id pod) {
        const struct cluster *cluster = simulator->cluster;

        return sched_profile_list_find(
                simulator->profiles,
                cluster_class(cluster, cluster_pod(cluster, pod)->class)->spec.scheduler_name);
}

/* The pod is gone, and earlier moves are done. */
static void open_question(struct placement_simulator *simulator, struct pod_id pod) {
        arena_clear(&simulator->arena);
        cluster_checkpoint(simulator->cluster);
        make_moves(simulator);
        cluster_withdraw(simulator->cluster, pod);
        if (!pod_has_claims(simulator->cluster, pod))
                return;
        moved_claims_enter(simulator->claims);
        moved_claims_give_back(simulator->claims, simulator->cluster, pod);
}

static void close_question(struct placement_simulator *simulator) {
        moved_claims_leave(simulator->claims);
        cluster_rollback(simulator->cluster);
}

/* What the pod's devices are on its new node. */
static void move_claims(struct placement_simulator *simulator, struct pod_id pod,
                        struct node_id node) {
        const struct sched_profile *profile = profile_of(simulator, pod);

        if (!profile || !pod_has_claims(simulator->cluster, pod))
                return;
        open_question(simulator, pod);
        moved_claims_take(simulator->claims,
                          &(struct reserve_request){ .cluster = simulator->cluster,
                                                     .profile = profile,
                                                     .pod = pod,
                                                     .node = node,
                                                     .now = simulator->now,
                                                     .arena = &simulator->arena });
        close_question(simulator);
}

static void placement_simulator_move(void *context, struct pod_id pod, struct node_id node) {
        struct placement_simulator *simulator = context;

        move_claims(simulator, pod, node);
        if (simulator->move_count == simulator->move_cap) {
                simulator->move_cap = simulator->move_cap ? simulator->move_cap * 2 : 64;
                simulator->moves = xreallocarray(simulator->moves, simulator->move_cap,
                                                 sizeof(*simulator->moves));
        }
        simulator->moves[simulator->move_count++] = (struct pod_move){ pod, node };
}

static bool placement_simulator_place(void *context, struct pod_id pod,
                                      struct placement *ret_placement) {
        struct placement_simulator *simulator = context;
        struct cluster *cluster = simulator->cluster;
        const struct sched_profile *profile = profile_of(simulator, pod);
        struct node_id home = cluster_pod(cluster, pod)->node;
        struct decision decision;
        struct placement placement = { .node = NODE_NONE };

        if (!profile)
                return false;
        open_question(simulator, pod);
        scheduler_decide(cluster, profile,
                         &(struct decision_request){ .pod = pod,
                                                     .now = simulator->now,
                                                     .engine = simulator->engine,
                                                     .beside = &home },
                         &simulator->arena, &decision);
        close_question(simulator);
        placement.is_placed = decision.outcome == DECISION_PLACED;
        if (placement.is_placed) {
                placement.node = decision.node;
                placement.has_gain = decision.beside_fits;
                placement.gain =
                        decision.beside_fits ? decision.best_total - decision.beside_total : 0;
        }
        *ret_placement = placement;
        return true;
}

struct placement_predictor placement_simulator_oracle(struct placement_simulator *simulator) {
        return (struct placement_predictor){ .context = simulator,
                                             .begin = placement_simulator_begin,
                                             .place = placement_simulator_place,
                                             .move = placement_simulator_move };
}

/* ---- devices ---- */

/* A cluster or our rights may be without them. */
static bool knows_devices(const struct object_cache *object_cache) {
        return object_cache_count(object_cache, CACHED_RESOURCE_SLICE) > 0 ||
               object_cache_count(object_cache, CACHED_RESOURCE_CLAIM) > 0;
}

static void placement_simulator_narrow(void *context, struct pod_id pod, struct bitset *nodes) {
        struct placement_simulator *simulator = context;
        const struct sched_profile *profile = profile_of(simulator, pod);
        const struct profile_plugin *plugin =
                profile ? sched_profile_find(profile, SLICE_LITERAL("DynamicResources")) : NULL;
        struct sched_attempt attempt;

        if (!plugin || !knows_devices(profile->object_cache) ||
            !pod_has_claims(simulator->cluster, pod))
                return;
        size_t index = (size_t)(plugin - profile->plugins);
        open_question(simulator, pod);
        sched_attempt_init(&attempt, &(struct attempt_request){ .cluster = simulator->cluster,
                                                                .profile = profile,
                                                                .pod = pod,
                                                                .now = simulator->now,
                                                                .arena = &simulator->arena });
        bool is_ok = sched_attempt_pre_filter(&attempt) == VERDICT_OK;
        if (is_ok && !attempt.plugins[index].filter_skips)
                sched_attempt_filter_by(&attempt, index, nodes);
        else if (!is_ok && attempt.pre_filter_plugin == plugin->plugin)
                bitset_clear(nodes);
        sched_attempt_release(&attempt);
        close_question(simulator);
}

struct device_judge placement_simulator_judge(struct placement_simulator *simulator) {
        return (struct device_judge){ simulator, placement_simulator_narrow };
}
