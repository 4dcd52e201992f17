/* Asks the scheduler about pods that may be evicted. */
#include "roles/placement_brain.h"

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

struct placement_brain {
        struct cluster *cluster;
        const struct sched_profile_list *profiles;
        struct class_engine *engine;
        struct wall_time now;
        size_t move_count, move_cap;
        struct pod_move *moves;
        struct arena arena; /* of one decision */
};

struct placement_brain *placement_brain_new(struct cluster *cluster,
                                            const struct sched_profile_list *profiles) {
        struct placement_brain *brain = xcalloc(1, sizeof(*brain));

        brain->cluster = cluster;
        brain->profiles = profiles;
        brain->engine = class_engine_new(ENGINE_BYTES);
        arena_init(&brain->arena, 0);
        return brain;
}

void placement_brain_free(struct placement_brain *brain) {
        if (!brain)
                return;
        arena_release(&brain->arena);
        class_engine_free(brain->engine);
        free(brain->moves);
        free(brain);
}

static void placement_brain_begin(void *context, struct wall_time now) {
        struct placement_brain *brain = context;

        brain->now = now;
        brain->move_count = 0;
}

static void placement_brain_move(void *context, struct pod_id pod, struct node_id node) {
        struct placement_brain *brain = context;

        if (brain->move_count == brain->move_cap) {
                brain->move_cap = brain->move_cap ? brain->move_cap * 2 : 64;
                brain->moves = xreallocarray(brain->moves, brain->move_cap, sizeof(*brain->moves));
        }
        brain->moves[brain->move_count++] = (struct pod_move){ pod, node };
}

/* Done anew for every question: the pass reads the cluster in between, as it is. */
static void make_moves(struct placement_brain *brain) {
        for (size_t i = 0; i < brain->move_count; i++) {
                const struct pod_move *made = &brain->moves[i];

                cluster_withdraw(brain->cluster, made->pod);
                cluster_assume(brain->cluster, made->pod, made->node);
        }
}

static bool placement_brain_place(void *context, struct pod_id pod,
                                  struct placement *ret_placement) {
        struct placement_brain *brain = context;
        struct cluster *cluster = brain->cluster;
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct sched_profile *profile = sched_profile_list_find(
                brain->profiles, cluster_class(cluster, row->class)->spec.scheduler_name);
        struct node_id home = row->node;
        struct decision decision;
        struct placement placement = { .node = NODE_NONE };

        if (!profile)
                return false;
        arena_clear(&brain->arena);
        cluster_checkpoint(cluster);
        make_moves(brain);
        cluster_withdraw(cluster, pod);
        scheduler_decide(
                cluster, profile,
                &(struct decision_request){
                        .pod = pod, .now = brain->now, .engine = brain->engine, .beside = &home },
                &brain->arena, &decision);
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

struct placement_oracle placement_brain_oracle(struct placement_brain *brain) {
        return (struct placement_oracle){ .context = brain,
                                          .begin = placement_brain_begin,
                                          .place = placement_brain_place,
                                          .move = placement_brain_move };
}
