/* Entering the queue: gates of plugins, and pods that wait for more of their group. */
#include "base/util.h"
#include "plugin/sched_attempt.h"
#include "sched/scheduler_group.h"

void scheduler_admit(struct scheduler *scheduler, struct queued_pod *entry, int64_t now_ns) {
        const struct sched_profile *profile = scheduler->config.profiles[entry->profile];
        const struct pod_row *row = cluster_pod(scheduler->config.cluster, entry->pod);
        struct sched_attempt attempt;
        struct phase_verdict gate;
        entry->priority = row->priority;
        if (group_holds_back(scheduler, entry)) {
                entry->wakes_on = CLUSTER_CLAIM;
                scheduling_queue_park(&scheduler->queue, entry, true);
                return;
        }
        arena_clear(&scheduler->scratch);
        sched_attempt_init(&attempt,
                           &(struct attempt_request){ .cluster = scheduler->config.cluster,
                                                      .profile = profile,
                                                      .pod = entry->pod,
                                                      .arena = &scheduler->scratch });
        if (sched_attempt_gate(&attempt, &gate)) {
                entry->wakes_on = gate.plugin->wakes_on;
                scheduling_queue_park(&scheduler->queue, entry, true);
        } else {
                scheduling_queue_move(&scheduler->queue, entry, now_ns);
        }
        sched_attempt_release(&attempt);
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
