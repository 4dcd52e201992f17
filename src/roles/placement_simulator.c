/* Asks the scheduler about pods that may be evicted. */
#include "roles/placement_simulator.h"

#include "base/util.h"
#include "plugin/sched_profile_list.h"
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
        struct wall_time now;
        size_t move_count, move_cap;
        struct pod_move *moves;
        struct arena arena; /* of one decision */
};

struct placement_simulator *placement_simulator_new(struct cluster *cluster,
                                                    const struct sched_profile_list *profiles) {
        struct placement_simulator *simulator = xcalloc(1, sizeof(*simulator));

        simulator->cluster = cluster;
        simulator->profiles = profiles;
        simulator->engine = class_engine_new(ENGINE_BYTES);
        arena_init(&simulator->arena, 0);
        return simulator;
}

void placement_simulator_free(struct placement_simulator *simulator) {
        if (!simulator)
                return;
        arena_release(&simulator->arena);
        class_engine_free(simulator->engine);
        free(simulator->moves);
        free(simulator);
}

static void placement_simulator_begin(void *context, struct wall_time now) {
        struct placement_simulator *simulator = context;

        simulator->now = now;
        simulator->move_count = 0;
}

static void placement_simulator_move(void *context, struct pod_id pod, struct node_id node) {
        struct placement_simulator *simulator = context;

        if (simulator->move_count == simulator->move_cap) {
                simulator->move_cap = simulator->move_cap ? simulator->move_cap * 2 : 64;
                simulator->moves = xreallocarray(simulator->moves, simulator->move_cap,
                                                 sizeof(*simulator->moves));
        }
        simulator->moves[simulator->move_count++] = (struct pod_move){ pod, node };
}

/* Done again for every question: the pass reads the unchanged cluster in between. */
static void make_moves(struct placement_simulator *simulator) {
        for (size_t i = 0; i < simulator->move_count; i++) {
                const struct pod_move *made = &simulator->moves[i];

                cluster_withdraw(simulator->cluster, made->pod);
                cluster_assume(simulator->cluster, made->pod, made->node);
        }
}

static bool placement_simulator_place(void *context, struct pod_id pod,
                                      struct placement *ret_placement) {
        struct placement_simulator *simulator = context;
        struct cluster *cluster = simulator->cluster;
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct sched_profile *profile = sched_profile_list_find(
                simulator->profiles, cluster_class(cluster, row->class)->spec.scheduler_name);
        struct node_id home = row->node;
        struct decision decision;
        struct placement placement = { .node = NODE_NONE };

        if (!profile)
                return false;
        arena_clear(&simulator->arena);
        cluster_checkpoint(cluster);
        make_moves(simulator);
        cluster_withdraw(cluster, pod);
        scheduler_decide(cluster, profile,
                         &(struct decision_request){ .pod = pod,
                                                     .now = simulator->now,
                                                     .engine = simulator->engine,
                                                     .beside = &home },
                         &simulator->arena, &decision);
        cluster_rollback(cluster);
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
