/* Binds that were answered well are over once the API shows the pod on its node.  An answer may be
 * wrong (a proxy, a webhook or an extender that says yes and does nothing): then the pod would
 * neither run nor be tried again, and hold its capacity without end.  So a pod that is still
 * assumed after CONFIRM_PATIENCE_NS is asked for. */
#include "base/util.h"
#include "sched/scheduler_priv.h"
#include <stdlib.h>

/* Watches deliver a binding within milliseconds; one that was cut starts again well within this. */
#define CONFIRM_PATIENCE_NS (30 * NS_PER_S)

bool scheduler_is_assumed(const struct scheduler *scheduler, struct pod_id pod, uint64_t uid_hash) {
        const struct pod_row *row = cluster_pod(scheduler->config.cluster, pod);
        return row->is_live && (row->flags & POD_ASSUMED) != 0 &&
               scheduler_uid_hash(row) == uid_hash;
}

/* ---- the binds that wait, in the order of their answers ---- */

static struct unconfirmed_bind *bind_at(const struct unconfirmed_binds *binds, size_t index) {
        return &binds->ring[(binds->first + index) % binds->cap];
}

static void unconfirmed_binds_grow(struct unconfirmed_binds *binds) {
        size_t cap = binds->cap ? binds->cap * 2 : 64;
        struct unconfirmed_bind *ring = xreallocarray(NULL, cap, sizeof(*ring));
        for (size_t i = 0; i < binds->count; i++)
                ring[i] = *bind_at(binds, i);
        free(binds->ring);
        *binds = (struct unconfirmed_binds){ .ring = ring, .cap = cap, .count = binds->count };
}

static void unconfirmed_binds_drop_first(struct unconfirmed_binds *binds) {
        binds->first = (binds->first + 1) % binds->cap;
        binds->count--;
}

void scheduler_confirm_later(struct step *step, const struct open_action *open) {
        struct unconfirmed_binds *binds = &step->scheduler->unconfirmed;
        if (!scheduler_is_assumed(step->scheduler, open->pod, open->uid_hash))
                return;
        if (binds->count == binds->cap)
                unconfirmed_binds_grow(binds);
        *bind_at(binds, binds->count++) =
                (struct unconfirmed_bind){ .pod = open->pod,
                                           .uid_hash = open->uid_hash,
                                           .profile = open->profile,
                                           .due_ns = step->mono.ns + CONFIRM_PATIENCE_NS };
}

static void ask_for(struct step *step, const struct unconfirmed_bind *bind) {
        struct scheduler *scheduler = step->scheduler;
        const struct cluster *cluster = scheduler->config.cluster;
        const struct queued_pod about = { .pod = bind->pod,
                                          .uid_hash = bind->uid_hash,
                                          .profile = bind->profile };
        struct slice node = cluster_node_name(cluster, cluster_pod(cluster, bind->pod)->node);
        struct action check = { .kind = ACTION_CHECK_BIND,
                                .target = scheduler_pod_ref(cluster, bind->pod),
                                .bind = { .node = node } };
        scheduler_await_result(scheduler, &check, action_list_add(step->out, &check), &about, node);
}

void scheduler_confirm(struct step *step) {
        struct unconfirmed_binds *binds = &step->scheduler->unconfirmed;
        while (binds->count > 0) {
                const struct unconfirmed_bind *bind = bind_at(binds, 0);
                bool is_open = scheduler_is_assumed(step->scheduler, bind->pod, bind->uid_hash);
                if (is_open && bind->due_ns > step->mono.ns)
                        return;
                if (is_open)
                        ask_for(step, bind);
                unconfirmed_binds_drop_first(binds);
        }
}

bool scheduler_confirm_due(const struct scheduler *scheduler, int64_t *ret_due_ns) {
        if (scheduler->unconfirmed.count == 0)
                return false;
        *ret_due_ns = bind_at(&scheduler->unconfirmed, 0)->due_ns;
        return true;
}

void scheduler_confirm_free(struct scheduler *scheduler) {
        free(scheduler->unconfirmed.ring);
}

/* ---- what the pod itself says ---- */

/* Back to the queue, as after a bind that was refused. */
static void bind_was_void(struct step *step, const struct open_action *open) {
        struct scheduler *scheduler = step->scheduler;
        const struct pod_row *row = cluster_pod(scheduler->config.cluster, open->pod);
        struct queued_pod *entry =
                scheduling_queue_add(&scheduler->queue, open->pod, step->mono.ns);
        entry->uid_hash = open->uid_hash;
        entry->profile = open->profile;
        entry->priority = row->priority;
        entry->attempts = 1;
        entry->failure_hash = row->failure_hash;
        entry->failed_since = row->failure_changed;
        scheduler->stats.errors++;
        arena_clear(&scheduler->scratch);
        scheduler_unbind(step, entry,
                         slice_of(arena_printf(&scheduler->scratch,
                                               "the binding to node %s was answered as done, but "
                                               "the pod is not bound",
                                               open->node)));
}

void scheduler_confirm_checked(struct step *step, const struct action_result *result,
                               const struct open_action *open) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        if (!scheduler_is_assumed(scheduler, open->pod, open->uid_hash) || result->code == BERTH_OK)
                return; /* the watch was quicker; or bound, and the watch will say so */
        if (result->code == BERTH_ERR_NOT_FOUND)
                cluster_remove_pod(cluster, result->target.ns, result->target.name);
        else if (result->code == BERTH_ERR_CONFLICT)
                bind_was_void(step, open);
        else
                scheduler_confirm_later(step, open); /* nobody answered */
}
