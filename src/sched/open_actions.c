/* Actions whose outcome the scheduler waits for, and the queue entries they are about. */
#include "base/util.h"
#include "sched/scheduler_priv.h"
#include <stdlib.h>

uint64_t scheduler_uid_hash(const struct pod_row *row) {
        return slice_hash(slice_of(row->uid));
}

struct object_ref scheduler_pod_ref(const struct cluster *cluster, struct pod_id pod) {
        const struct pod_row *row = cluster_pod(cluster, pod);
        return (struct object_ref){ .kind = SLICE_LITERAL("Pod"),
                                    .ns = cluster_text(cluster, row->ns),
                                    .name = slice_of(row->name),
                                    .uid = slice_of(row->uid) };
}

struct slice scheduler_controller(const struct scheduler *scheduler,
                                  const struct queued_pod *entry) {
        return scheduler->config.profiles[entry->profile]->scheduler_name;
}

void scheduler_await_result(struct scheduler *scheduler, const struct action *action, uint64_t id,
                            const struct queued_pod *entry, struct slice node) {
        struct open_action *open = xcalloc(1, sizeof(*open));
        *open = (struct open_action){ .kind = action->kind,
                                      .pod = entry->pod,
                                      .uid_hash = entry->uid_hash,
                                      .profile = entry->profile,
                                      .ask = action->kind == ACTION_ASK_EXTENDER
                                                     ? action->ask
                                                     : (struct extender_action){ 0 },
                                      .node = slice_is_empty(node) ? NULL : slice_dup(node) };
        free(map_u64_put(scheduler->actions, id, open));
        scheduler->open_checks += action->kind == ACTION_CHECK_BIND;
        if (action->kind == ACTION_BIND && ++scheduler->open_binds == scheduler->config.max_binds)
                scheduler->has_open_binds_max = true;
}

struct open_action *open_action_take(struct scheduler *scheduler, uint64_t id) {
        struct open_action *open = map_u64_remove(scheduler->actions, id);
        if (!open)
                return NULL;
        scheduler->open_checks -= open->kind == ACTION_CHECK_BIND;
        if (open->kind == ACTION_BIND && --scheduler->open_binds <= scheduler->config.max_binds / 2)
                scheduler->has_open_binds_max = false;
        return open;
}

void open_action_free(struct open_action *open) {
        free(open->node);
        free(open);
}

struct queued_pod *open_action_entry(struct scheduler *scheduler, const struct open_action *open) {
        struct queued_pod *entry = scheduling_queue_find(&scheduler->queue, open->pod);
        return entry && entry->uid_hash == open->uid_hash ? entry : NULL;
}
