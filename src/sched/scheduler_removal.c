/* Victims from the moment their deletion is asked for: on their way out (cluster_mark_ending), so
 * that nobody asks a second time, and nobody is preempted because the API does not show it yet. */
#include "base/util.h"
#include "sched/scheduler_priv.h"

/* So long a deletion that was answered well may take to be seen, and to count in the status of the
 * victim's budgets.  Longer than that, and the victim is taken to stay. */
#define REMOVAL_PATIENCE_NS (30 * NS_PER_S)

static bool is_same_pod(const struct cluster *cluster, struct pod_id pod, uint64_t uid_hash) {
        const struct pod_row *row = cluster_pod(cluster, pod);
        return row->is_live && scheduler_uid_hash(row) == uid_hash;
}

/* POD_NONE: it has gone. */
static struct pod_id victim_of(const struct cluster *cluster, const struct object_ref *target) {
        struct pod_id pod = cluster_find_pod(cluster, target->ns, target->name);
        bool is_same = !pod_id_is_none(pod) && is_same_pod(cluster, pod, slice_hash(target->uid));
        return is_same ? pod : POD_NONE;
}

/* Whoever counted on this victim has to look again: its own preemptor, and pods that found it on
 * its way out when they were nominated to the node. */
static void wake_nominees(struct step *step, struct pod_id victim) {
        struct scheduler *scheduler = step->scheduler;
        const struct cluster *cluster = scheduler->config.cluster;
        struct node_id node = cluster_pod(cluster, victim)->node;
        const struct pod_id *nominated;
        size_t count = cluster_nominated_pods(cluster, &nominated);
        scheduler->queue.event = QUEUE_EVENT_ASSIGNED_UPDATED;
        for (size_t i = 0; i < count && !node_id_is_none(node); i++) {
                struct queued_pod *entry = scheduling_queue_find(&scheduler->queue, nominated[i]);
                if (!entry || entry->part != QUEUE_UNSCHEDULABLE || entry->is_gated ||
                    entry->open_removals > 0 ||
                    !str_id_eq(cluster_pod(cluster, nominated[i])->nominated,
                               cluster_nodes(cluster)->name[node.index]))
                        continue;
                entry->is_error_backoff = true; /* not before its back-off is over */
                scheduling_queue_move(&scheduler->queue, entry, step->mono.ns);
        }
}

/* It was asked to go and stays. */
static void removal_was_void(struct step *step, struct pod_id victim) {
        struct cluster *cluster = step->scheduler->config.cluster;
        if (!cluster_pod(cluster, victim)->is_ending)
                return;
        cluster_unmark_ending(cluster, victim);
        if ((cluster_pod(cluster, victim)->flags & POD_TERMINATING) == 0)
                wake_nominees(step, victim);
}

static void note_answer(struct step *step, const struct action_result *result) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        struct pod_id victim = victim_of(cluster, &result->target);
        bool has_gone = result->code == BERTH_OK || result->code == BERTH_ERR_NOT_FOUND;
        if (pod_id_is_none(victim) && !has_gone)
                return;
        if (!has_gone) {
                removal_was_void(step, victim);
                return;
        }
        /* One that has left the model already may still be missing in a budget's status. */
        struct pod_deadline deadline = { .pod = victim,
                                         .uid_hash = slice_hash(result->target.uid),
                                         .due_ns = step->mono.ns + REMOVAL_PATIENCE_NS,
                                         .note = cluster_charges(cluster) };
        pod_deadlines_add(&scheduler->removals, &deadline);
}

void scheduler_removal_answered(struct step *step, const struct action_result *result,
                                const struct open_action *open) {
        struct queued_pod *entry = open_action_entry(step->scheduler, open);
        bool is_waiting = entry && entry->open_removals > 0;
        if (is_waiting)
                entry->open_removals--;
        if (is_waiting && result->code != BERTH_OK && result->code != BERTH_ERR_NOT_FOUND) {
                entry->is_error_backoff = true; /* not before its back-off is over */
                entry->was_woken = true;
        }
        note_answer(step, result);
        if (!is_waiting || entry->open_removals > 0 || !entry->was_woken)
                return;
        /* Once all victims are on their way the preemptor is woken by events again. */
        entry->was_woken = false;
        step->scheduler->queue.event = QUEUE_EVENT_ASSIGNED_REMOVED;
        if (entry->part == QUEUE_UNSCHEDULABLE && !entry->is_gated)
                scheduling_queue_move(&step->scheduler->queue, entry, step->mono.ns);
}

void scheduler_removals_expire(struct step *step) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        const struct pod_deadline *first;
        while ((first = pod_deadlines_first(&scheduler->removals)) &&
               first->due_ns <= step->mono.ns) {
                cluster_settle_budgets(cluster, first->note);
                if (!pod_id_is_none(first->pod) &&
                    is_same_pod(cluster, first->pod, first->uid_hash))
                        removal_was_void(step, first->pod);
                pod_deadlines_drop_first(&scheduler->removals);
        }
}

bool scheduler_removals_due(const struct scheduler *scheduler, int64_t *ret_due_ns) {
        const struct pod_deadline *first = pod_deadlines_first(&scheduler->removals);
        if (first)
                *ret_due_ns = first->due_ns;
        return first;
}
