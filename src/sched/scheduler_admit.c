/* Entering the queue: gates of plugins, and pods that wait for more of their group. */
#include "base/util.h"
#include "plugin/sched_attempt.h"
#include "sched/scheduler_group.h"

/* Parks the pod if a plugin does not let it in. */
static bool hold_at_gate(struct scheduler *scheduler, struct queued_pod *entry) {
        struct sched_attempt attempt;
        struct phase_verdict gate;
        arena_clear(&scheduler->scratch);
        sched_attempt_init(&attempt, &(struct attempt_request){
                                             .cluster = scheduler->config.cluster,
                                             .profile = scheduler->config.profiles[entry->profile],
                                             .pod = entry->pod,
                                             .arena = &scheduler->scratch });
        bool is_held = sched_attempt_gate(&attempt, &gate);
        if (is_held) {
                entry->wakes_on = gate.plugin->wakes_on;
                scheduling_queue_park(&scheduler->queue, entry, true);
        }
        sched_attempt_release(&attempt);
        return is_held;
}

/* Parks the pod if it waits for more of its group. */
static bool hold_for_group(struct scheduler *scheduler, struct queued_pod *entry) {
        if (!group_holds_back(scheduler, entry))
                return false;
        entry->wakes_on = CLUSTER_CLAIM;
        scheduling_queue_park(&scheduler->queue, entry, true);
        return true;
}

void scheduler_admit(struct scheduler *scheduler, struct queued_pod *entry, int64_t now_ns) {
        entry->priority = cluster_pod(scheduler->config.cluster, entry->pod)->priority;
        if (!hold_for_group(scheduler, entry) && !hold_at_gate(scheduler, entry))
                scheduling_queue_move(&scheduler->queue, entry, now_ns);
}

/* Of all that gates look at only claims and members of the group can go again. */
bool scheduler_hold_again(struct scheduler *scheduler, struct queued_pod *entry) {
        const struct cluster *cluster = scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, entry->pod);
        if (!row->is_live)
                return false;
        return hold_for_group(scheduler, entry) ||
               (cluster_class(cluster, row->class)->spec.claim_count > 0 &&
                hold_at_gate(scheduler, entry));
}

/* Admits the members that wait behind the gate, now that there may be enough. */
static void admit_held(struct scheduler *scheduler, const struct pod_group *group, int64_t now_ns) {
        const struct pod_id *pods;
        size_t count = group_members_listed(scheduler, group, &pods);
        if (group->min_count == 0 || !group_has_enough(scheduler, group))
                return;
        for (size_t i = 0; i < count; i++) {
                struct queued_pod *entry = group_member_waiting(scheduler, group, pods[i]);
                if (entry && entry->is_gated)
                        scheduler_admit(scheduler, entry, now_ns);
        }
}

void scheduler_admit_group_of(struct scheduler *scheduler, struct pod_id pod, int64_t now_ns) {
        struct pod_group group;
        if (scheduler->queue.gated.count > 0 && scheduler->config.has_gangs &&
            cluster_pod(scheduler->config.cluster, pod)->is_live &&
            pod_group_of(scheduler, pod, &group))
                admit_held(scheduler, &group, now_ns);
}
