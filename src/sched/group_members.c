/* Which pods belong to a group, and whether there are enough of them (reference scheduler.md 7.2).
 */
#include "base/util.h"
#include "sched/scheduler_group.h"

static struct slice group_members_name(const struct cluster *cluster, struct pod_id pod) {
        return cluster_class(cluster, cluster_pod(cluster, pod)->class)->spec.scheduling_group;
}

bool pod_group_of(const struct scheduler *scheduler, struct pod_id pod,
                  struct pod_group *ret_group) {
        const struct scheduler_config *config = &scheduler->config;
        if (!config->has_groups && !config->has_gangs)
                return false;
        struct slice name = group_members_name(config->cluster, pod);
        if (slice_is_empty(name))
                return false;
        *ret_group =
                (struct pod_group){ .ns = cluster_pod(config->cluster, pod)->ns, .name = name };
        ret_group->object = pod_group_find(config->object_cache,
                                           cluster_text(config->cluster, ret_group->ns), name);
        if (config->has_gangs)
                ret_group->min_count = pod_group_min_count(ret_group->object);
        return true;
}

bool pod_group_has(const struct scheduler *scheduler, const struct pod_group *group,
                   struct pod_id pod) {
        const struct cluster *cluster = scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, pod);
        return row->is_live && str_id_eq(row->ns, group->ns) && !pod_row_is_finished(row) &&
               slice_eq(group_members_name(cluster, pod), group->name);
}

static bool is_placed(const struct scheduler *scheduler, const struct pod_group *group,
                      struct pod_id pod) {
        const struct pod_row *row = cluster_pod(scheduler->config.cluster, pod);
        return pod_group_has(scheduler, group, pod) && !node_id_is_none(row->node) &&
               (row->flags & POD_TERMINATING) == 0;
}

/* The members by the index; what it lists has to be asked pod_group_has. */
size_t group_members_listed(const struct scheduler *scheduler, const struct pod_group *group,
                            const struct pod_id **ret_pods) {
        return group_index_find(scheduler->groups,
                                cluster_text(scheduler->config.cluster, group->ns), group->name,
                                ret_pods);
}

/* The member's entry when it waits, behind a gate or not; else NULL. */
struct queued_pod *group_member_waiting(const struct scheduler *scheduler,
                                        const struct pod_group *group, struct pod_id pod) {
        struct queued_pod *entry = scheduling_queue_find(&scheduler->queue, pod);
        if (!entry || entry->part == QUEUE_BINDING || !pod_group_has(scheduler, group, pod))
                return NULL;
        return entry;
}

/* Members on a node, ours in flight included, but not those that leave. */
size_t group_members_placed(const struct scheduler *scheduler, const struct pod_group *group,
                            struct arena *arena, struct pod_id **ret_pods) {
        const struct pod_id *pods;
        size_t listed_count = group_members_listed(scheduler, group, &pods), count = 0;
        *ret_pods = ARENA_ARRAY(arena, struct pod_id, listed_count);
        for (size_t i = 0; i < listed_count; i++)
                if (is_placed(scheduler, group, pods[i]))
                        (*ret_pods)[count++] = pods[i];
        return count;
}

bool group_has_enough(const struct scheduler *scheduler, const struct pod_group *group) {
        const struct pod_id *pods;
        size_t listed_count = group_members_listed(scheduler, group, &pods), count = 0;
        for (size_t i = 0; i < listed_count && count < group->min_count; i++)
                count += is_placed(scheduler, group, pods[i]) ||
                         group_member_waiting(scheduler, group, pods[i]);
        return count >= group->min_count;
}

bool group_holds_back(struct scheduler *scheduler, const struct queued_pod *entry) {
        struct pod_group group;
        if (!scheduler->config.has_gangs || !pod_group_of(scheduler, entry->pod, &group))
                return false;
        return !group.object || !group_has_enough(scheduler, &group);
}

void group_members_note(struct scheduler *scheduler, struct pod_id pod) {
        if (scheduler->groups)
                group_index_note(scheduler->groups, scheduler->config.cluster, pod);
}
