/* Pods that are placed together or not at all (reference scheduler.md 7.2): a PodGroup with a gang
 * policy says how many there must be.  Its members wait until so many are there; then all that wait
 * are decided one after the other on one state of the cluster, and bound only when enough of them
 * found a node.  Groups with the basic policy are decided together, too, but any number will do. */
#include "base/util.h"
#include "sched/scheduler_group.h"
#include <stdlib.h>

/* ---- the cycle of a group ---- */

static int compare_entries(const void *a, const void *b) {
        const struct queued_pod *x = *(struct queued_pod *const *)a;
        const struct queued_pod *y = *(struct queued_pod *const *)b;
        if (x->priority != y->priority)
                return x->priority > y->priority ? -1 : 1;
        return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* Takes the members out of the queue; the popped one is out already.  Members that are being
 * deleted are not placed any more. */
static void scheduler_gang_gather(struct group_cycle *cycle, const struct queued_pod *popped) {
        struct scheduler *scheduler = cycle->step->scheduler;
        struct scheduling_queue *queue = &scheduler->queue;
        const struct pod_id *pods;
        size_t count = group_members_listed(scheduler, &cycle->group, &pods);
        cycle->entries = ARENA_ARRAY(&cycle->arena, struct queued_pod *, count);
        for (size_t i = 0; i < count; i++) {
                struct queued_pod *entry = group_member_waiting(scheduler, &cycle->group, pods[i]);
                if (!entry || entry->is_gated)
                        continue;
                const struct pod_row *row = cluster_pod(scheduler->config.cluster, entry->pod);
                if ((row->flags & POD_TERMINATING) != 0) {
                        scheduling_queue_remove(queue, entry);
                        continue;
                }
                if (entry != popped) {
                        scheduling_queue_take(queue, entry);
                        entry->attempts++;
                }
                cycle->entries[cycle->count++] = entry;
        }
        qsort(cycle->entries, cycle->count, sizeof(*cycle->entries), compare_entries);
}

static void scheduler_gang_begin(struct group_cycle *cycle, struct step *step,
                                 const struct pod_group *group, const struct queued_pod *popped) {
        const struct scheduler_config *config = &step->scheduler->config;
        struct pod_id *placed;
        *cycle = (struct group_cycle){ .step = step,
                                       .group = *group,
                                       .profile = config->profiles[popped->profile] };
        arena_init(&cycle->arena, 0);
        scheduler_gang_gather(cycle, popped);
        size_t placed_count = group_members_placed(step->scheduler, group, &cycle->arena, &placed);
        cycle->view = (struct group_view){ .cluster = config->cluster,
                                           .object_cache = config->object_cache,
                                           .ns = cluster_text(config->cluster, group->ns),
                                           .name = group->name,
                                           .object = group->object,
                                           .placed_count = placed_count,
                                           .placed = placed,
                                           .is_parity = config->is_parity,
                                           .arena = &cycle->arena };
}

/* Victims whose deletion is still on its way: the group is not tried before that is settled. */
static bool is_preempting(struct step *step, const struct pod_group *group,
                          struct queued_pod *popped) {
        struct scheduler *scheduler = step->scheduler;
        const struct pod_id *pods;
        size_t count = group_members_listed(scheduler, group, &pods);
        bool is_waiting = false;
        for (size_t i = 0; i < count; i++) {
                struct queued_pod *entry = group_member_waiting(scheduler, group, pods[i]);
                if (!entry || entry->open_removals == 0)
                        continue;
                entry->was_woken = true;
                is_waiting = true;
        }
        if (!is_waiting)
                return false;
        popped->wakes_on_any =
                true; /* also when the pod that waits for the deletions goes itself */
        popped->wakes_on = UINT32_MAX;
        popped->decided_generation = cluster_generation(scheduler->config.cluster);
        scheduling_queue_park(&scheduler->queue, popped, false);
        return true;
}

/* ---- what comes of it ---- */

static void scheduler_gang_bind(const struct group_cycle *cycle, const struct group_place *place) {
        arena_clear(&cycle->step->scheduler->scratch);
        scheduler_bind(cycle->step, place->entry, place->node);
}

/* Any change may help a group; what it did itself does not count. */
static void scheduler_gang_fail(const struct group_cycle *cycle, struct queued_pod *entry,
                                const struct failure *failure) {
        struct scheduler *scheduler = cycle->step->scheduler;
        entry->wakes_on_any = true;
        entry->wakes_on = UINT32_MAX;
        if (failure->is_error)
                scheduler->stats.errors++;
        else
                scheduler->stats.unschedulable++;
        scheduler_fail(cycle->step, entry, failure);
}

static struct slice message_of(const struct group_trial *trial, const struct group_place *place) {
        if (trial->outcome == GROUP_FAILED && slice_is_empty(place->message))
                return trial->message;
        if (node_id_is_none(place->node) || trial->outcome == GROUP_FAILED)
                return place->message;
        if (trial->outcome == GROUP_WAITS_FOR_VICTIMS)
                return slice_is_empty(place->message) ? trial->message : place->message;
        return SLICE_LITERAL(GROUP_UNSCHEDULABLE
                             ", waiting for minCount pods from a gang to be scheduled");
}

/* Gives up the claim that kept the member off its nodes. */
static void scheduler_gang_free_claim(const struct group_cycle *cycle,
                                      const struct group_place *place) {
        struct freed_claim freed = place->freed;
        freed.object = object_cache_seen(cycle->view.object_cache, CACHED_RESOURCE_CLAIM,
                                         cycle->view.ns, place->freed_name);
        if (place->freed_name.len && freed.object)
                scheduler_free_claim(cycle->step, &freed);
}

/* Not bound now: those that wait for victims are nominated, the others lose theirs. */
static void scheduler_gang_refuse(const struct group_cycle *cycle, const struct group_trial *trial,
                                  const struct group_place *place) {
        const struct cluster *cluster = cycle->step->scheduler->config.cluster;
        struct failure failure = { .is_error = trial->outcome == GROUP_FAILED,
                                   .message = message_of(trial, place),
                                   .sets_nomination = true };
        if (trial->outcome == GROUP_WAITS_FOR_VICTIMS && !node_id_is_none(place->node))
                failure.nomination = cluster_node_name(cluster, place->node);
        if (trial->outcome == GROUP_WAITS_FOR_VICTIMS && place->victims) {
                arena_clear(&cycle->step->scheduler->scratch);
                scheduler_preempt(cycle->step, place->entry, place->victims);
        }
        scheduler_gang_free_claim(cycle, place);
        scheduler_gang_fail(cycle, place->entry, &failure);
}

/* Members of a group without a placement. */
static void refuse_all(const struct group_cycle *cycle, const struct group_trial *trial) {
        struct failure failure = { .is_error = trial->outcome == GROUP_FAILED,
                                   .message = trial->message,
                                   .sets_nomination = true };
        for (size_t i = 0; i < cycle->count; i++)
                scheduler_gang_fail(cycle, cycle->entries[i], &failure);
}

static bool is_bound(const struct group_trial *trial, size_t i) {
        return trial->outcome == GROUP_FITS && !node_id_is_none(trial->places[i].node);
}

static void scheduler_gang_settle(const struct group_cycle *cycle,
                                  const struct group_trial *trial) {
        const struct cluster *cluster = cycle->step->scheduler->config.cluster;
        if (!trial->places)
                refuse_all(cycle, trial);
        if (trial->victim_count > 0)
                scheduler_preempt_for_group(cycle->step, cycle->entries[0], &cycle->view,
                                            trial->victims, trial->victim_count);
        for (size_t i = 0; trial->places && i < cycle->count; i++)
                if (is_bound(trial, i))
                        scheduler_gang_bind(cycle, &trial->places[i]);
        for (size_t i = 0; trial->places && i < cycle->count; i++)
                if (!is_bound(trial, i))
                        scheduler_gang_refuse(cycle, trial, &trial->places[i]);
        for (size_t i = 0; i < cycle->count; i++)
                cycle->entries[i]->decided_generation = cluster_generation(cluster);
}

/* All members are to have one scheduler; false: trial says who has which. */
static bool is_of_one_scheduler(struct group_cycle *cycle, struct group_trial *trial) {
        struct sched_profile *const *profiles = cycle->step->scheduler->config.profiles;
        for (size_t i = 1; i < cycle->count; i++) {
                if (cycle->entries[i]->profile == cycle->entries[0]->profile)
                        continue;
                *trial = (struct group_trial){
                        .outcome = GROUP_FAILED,
                        .message = slice_of(arena_printf(
                                &cycle->arena,
                                "all pods in a single pod group should have the same "
                                ".spec.schedulerName set, got: \"" SLICE_FMT "\" and \"" SLICE_FMT
                                "\"",
                                SLICE_ARG(profiles[cycle->entries[0]->profile]->scheduler_name),
                                SLICE_ARG(profiles[cycle->entries[i]->profile]->scheduler_name)))
                };
                return false;
        }
        return true;
}

/* Why members may not preempt each on its own; empty when they may. */
static struct slice no_preemption(const struct group_cycle *cycle) {
        const struct scheduler_config *config = &cycle->step->scheduler->config;
        if (config->has_placements && pod_group_is_constrained(cycle->group.object))
                return SLICE_LITERAL(
                        "not eligible due to placement-based pod group scheduling limitation");
        if (config->has_group_preemption)
                return SLICE_LITERAL("not eligible due to workload aware preemption enabled");
        return SLICE_EMPTY;
}

static void scheduler_gang_decide(struct group_cycle *cycle, struct group_trial *ret_trial) {
        struct scheduler *scheduler = cycle->step->scheduler;
        struct trial_request request = { .looks_for_victims = true,
                                         .no_preemption = no_preemption(cycle),
                                         .is_recorded = true,
                                         .rng = &scheduler->rng,
                                         .arena = &cycle->arena };
        group_try_anywhere(cycle, &request, ret_trial);
        if (scheduler->config.has_group_preemption && ret_trial->outcome == GROUP_REFUSED)
                group_preempt(cycle, ret_trial);
}

bool scheduler_decide_group(struct step *step, struct queued_pod *entry) {
        struct group_cycle cycle;
        struct group_trial trial;
        struct pod_group group;
        if (!pod_group_of(step->scheduler, entry->pod, &group))
                return false;
        if (is_preempting(step, &group, entry))
                return true;
        scheduler_gang_begin(&cycle, step, &group, entry);
        object_cache_begin_group(step->scheduler->config.object_cache);
        bool has_one = is_of_one_scheduler(&cycle, &trial);
        if (has_one)
                scheduler_gang_decide(&cycle, &trial);
        scheduler_gang_settle(&cycle, &trial);
        object_cache_end_group(step->scheduler->config.object_cache);
        if (has_one)
                group_report(&cycle, &trial);
        arena_release(&cycle.arena);
        return true;
}
