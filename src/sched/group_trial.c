/* Trying out a group: its members are placed one after the other in a what-if. */
#include "base/util.h"
#include "sched/scheduler_group.h"

struct group_trial_run {
        const struct group_cycle *cycle;
        const struct trial_request *request;
        struct group_trial *out;
        size_t placed_count; /* members on nodes, those of before included */
};

static struct cluster *cluster_of(const struct group_trial_run *trial) {
        return trial->cycle->step->scheduler->config.cluster;
}

static void group_trial_decide(const struct group_trial_run *trial, const struct queued_pod *entry,
                               const struct group_domain *among, struct decision *ret_decision) {
        struct scheduler *scheduler = trial->cycle->step->scheduler;
        const struct trial_request *wanted = trial->request;
        struct decision_request request = {
                .pod = entry->pod,
                .wants = wanted->looks_for_victims ? DECIDE_POST_FILTER : 0,
                .no_preemption = wanted->no_preemption,
                .is_of_idle_group = trial->cycle->view.placed_count == 0,
                .among = among,
                .is_parity = scheduler->config.is_parity,
                .now = trial->cycle->step->wall,
                .rng = wanted->rng,
                .engine = scheduler->engine,
                .expected_times = scheduler->config.expected_times,
                .watch = wanted->is_recorded ? scheduler->config.watch : NULL,
        };
        arena_clear(&scheduler->scratch);
        scheduler_decide(cluster_of(trial), trial->cycle->profile, &request, &scheduler->scratch,
                         ret_decision);
}

struct reserve_failure {
        struct arena *arena;
        struct slice *ret_message;
};

static void on_reserve_failed(void *context, const struct plugin *plugin, const char *point,
                              struct slice text) {
        const struct reserve_failure *failure = context;
        *failure->ret_message =
                slice_of(arena_printf(failure->arena, "running %s plugin \"%s\": " SLICE_FMT, point,
                                      plugin->name, SLICE_ARG(text)));
}

/* What the member takes beside its place, so that the ones behind see it gone, or share it.  False:
 * it cannot be had after all. */
static bool group_trial_reserve(const struct group_trial_run *trial, struct group_place *place,
                                struct node_id node) {
        struct scheduler *scheduler = trial->cycle->step->scheduler;
        struct slice message = SLICE_EMPTY;
        struct reserve_failure failure = { trial->request->arena, &message };
        if (!scheduler_pod_takes_objects(scheduler, place->entry->pod))
                return true;
        arena_clear(&scheduler->scratch);
        scheduler_reserve(&(struct reserve_request){
                .cluster = cluster_of(trial),
                .profile = trial->cycle->profile,
                .pod = place->entry->pod,
                .node = node,
                .now = trial->cycle->step->wall,
                .reservation = { .object_cache = scheduler->config.object_cache,
                                 .fails = on_reserve_failed,
                                 .context = &failure },
                .arena = &scheduler->scratch });
        place->message = message;
        return message.len == 0;
}

static void group_trial_put(struct group_trial_run *trial, struct group_place *place,
                            struct node_id node) {
        place->node = node;
        cluster_assume(cluster_of(trial), place->entry->pod, node);
        trial->out->found_count++;
        trial->placed_count++;
}

static void group_trial_withdraw(struct group_trial_run *trial, struct pod_id pod) {
        const struct group_cycle *cycle = trial->cycle;
        bool counts = (cluster_pod(cluster_of(trial), pod)->flags & POD_TERMINATING) == 0;
        if (counts && pod_group_has(cycle->step->scheduler, &cycle->group, pod))
                trial->placed_count--;
        group_withdraw(cluster_of(trial), pod);
}

/* As if the victims were gone: the members behind see what they free, and the pod there. */
static void put_after_victims(struct group_trial_run *trial, struct group_place *place,
                              const struct preemption *preemption) {
        struct arena *arena = trial->request->arena;
        const struct preemption_candidate *chosen = preemption->chosen;
        struct preemption_candidate *stored = ARENA_NEW(arena, struct preemption_candidate);
        struct preemption *victims = ARENA_NEW(arena, struct preemption);
        *stored = (struct preemption_candidate){
                .node = chosen->node,
                .victim_count = chosen->victim_count,
                .victims = arena_copy(arena, chosen->victims,
                                      chosen->victim_count * sizeof(*chosen->victims)),
        };
        *victims = (struct preemption){ .chosen = stored };
        place->victims = victims;
        place->waits_for_victims = true;
        for (size_t i = 0; i < stored->victim_count; i++)
                group_trial_withdraw(trial, stored->victims[i]);
        group_trial_put(trial, place, stored->node);
}

/* A member whose victims are being deleted keeps its node, as long as it fits there without
 * them. */
static void put_behind_leavers(struct group_trial_run *trial, struct group_place *place) {
        struct cluster *cluster = cluster_of(trial);
        const struct pod_row *row = cluster_pod(cluster, place->entry->pod);
        struct node_id node = NODE_NONE;
        struct decision decision;
        if (row->nominated.index != 0)
                node = cluster_find_node(cluster, cluster_text(cluster, row->nominated));
        if (node_id_is_none(node))
                return;
        const struct group_domain only = { .count = 1, .nodes = &node };
        struct pod_id at = cluster_nodes(cluster)->first_pod[node.index];
        cluster_checkpoint(cluster);
        while (!pod_id_is_none(at)) {
                const struct pod_row *other = cluster_pod(cluster, at);
                struct pod_id next = other->next_on_node;
                if (pod_row_is_leaving(other) && other->priority < row->priority)
                        cluster_withdraw(cluster, at);
                at = next;
        }
        group_trial_decide(trial, place->entry, &only, &decision);
        bool fits = decision.outcome == DECISION_PLACED;
        cluster_rollback(cluster);
        if (!fits)
                return;
        place->waits_for_victims = true;
        group_trial_put(trial, place, node);
}

static bool is_allowed(const struct group_trial_run *trial, const struct preemption *preemption) {
        return trial->request->looks_for_victims && preemption && preemption->chosen;
}

/* The object may be one of the what-if. */
static void keep_freed(struct group_place *place, const struct freed_claim *freed,
                       struct arena *arena) {
        if (!freed->object)
                return;
        place->freed = (struct freed_claim){ .deletes = freed->deletes,
                                             .consumer = arena_slice(arena, freed->consumer) };
        place->freed_name = arena_slice(arena, cached_object_name(freed->object));
}

/* False: an error, and no use going on. */
static bool find_place(struct group_trial_run *trial, struct group_place *place) {
        const struct group_cycle *cycle = trial->cycle;
        const struct trial_request *request = trial->request;
        struct decision decision;
        group_trial_decide(trial, place->entry, request->among, &decision);
        if (request->is_recorded) {
                cycle->step->scheduler->stats.decisions++;
                scheduler_record(cycle->step, place->entry, &decision);
        }
        if (decision.outcome == DECISION_PLACED) {
                struct node_id node = decision.node;
                if (!group_trial_reserve(trial, place, node))
                        return false;
                group_trial_put(trial, place, node);
                return true;
        }
        place->message = arena_slice(request->arena, decision.message);
        keep_freed(place, &decision.freed, request->arena);
        if (decision.outcome == DECISION_ERROR && !decision.has_no_nodes)
                return false;
        if (is_allowed(trial, decision.preemption))
                put_after_victims(trial, place, decision.preemption);
        else if (request->looks_for_victims && slice_is_empty(request->no_preemption))
                put_behind_leavers(trial, place);
        return true;
}

/* Even if all that are left found a place there would be too few. */
static bool is_hopeless(const struct group_trial_run *trial, size_t left) {
        return trial->request->is_question &&
               trial->placed_count + left < trial->cycle->group.min_count;
}

static bool waits_for_victims(const struct group_trial *out, size_t count) {
        for (size_t i = 0; i < count; i++)
                if (out->places[i].waits_for_victims)
                        return true;
        return false;
}

static void group_trial_conclude(struct group_trial_run *trial) {
        struct group_trial *out = trial->out;
        bool is_enough =
                out->found_count > 0 && trial->placed_count >= trial->cycle->group.min_count;
        if (!is_enough) {
                out->outcome = GROUP_REFUSED;
                out->message = SLICE_LITERAL(GROUP_UNSCHEDULABLE);
        } else if (waits_for_victims(out, trial->cycle->count)) {
                out->outcome = GROUP_WAITS_FOR_VICTIMS;
                out->message = SLICE_LITERAL(GROUP_UNSCHEDULABLE
                                             ", pod group is waiting for preemption to complete");
        } else {
                out->outcome = GROUP_FITS;
        }
}

static void group_trial_fail(struct group_trial_run *trial, struct slice message) {
        trial->out->outcome = GROUP_FAILED;
        trial->out->message = slice_of(arena_printf(
                trial->request->arena, "failed to schedule other pod from a pod group: " SLICE_FMT,
                SLICE_ARG(message)));
}

void group_try(const struct group_cycle *cycle, const struct trial_request *request,
               struct group_trial *ret_trial) {
        struct group_trial_run trial = { cycle, request, ret_trial, cycle->view.placed_count };
        bool is_well = true;
        *ret_trial = (struct group_trial){ .places = ARENA_ARRAY(request->arena, struct group_place,
                                                                 cycle->count) };
        for (size_t i = 0; i < cycle->count; i++)
                ret_trial->places[i] =
                        (struct group_place){ .entry = cycle->entries[i], .node = NODE_NONE };
        cluster_checkpoint(cluster_of(&trial));
        object_cache_checkpoint(cycle->step->scheduler->config.object_cache);
        for (size_t i = 0; i < cycle->count && is_well && !is_hopeless(&trial, cycle->count - i);
             i++) {
                is_well = find_place(&trial, &ret_trial->places[i]);
                if (!is_well)
                        group_trial_fail(&trial, ret_trial->places[i].message);
        }
        object_cache_rollback(cycle->step->scheduler->config.object_cache);
        cluster_rollback(cluster_of(&trial));
        if (is_well)
                group_trial_conclude(&trial);
}
