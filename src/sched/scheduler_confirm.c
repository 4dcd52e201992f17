/* Binds that were answered well are over once the API shows the pod on its node.  An answer may be
 * wrong (a proxy, a webhook or an extender that says yes and does nothing): then the pod would
 * neither run nor be tried again, and hold its capacity without end.  So a pod that is still
 * assumed after CONFIRM_PATIENCE_NS is asked for.  Few at a time: when the watch is late for all
 * pods of a burst, it has mostly shown the others by then. */
#include "base/util.h"
#include "sched/scheduler_priv.h"

/* Watches deliver a binding within milliseconds; one that was cut starts again well within this. */
#define CONFIRM_PATIENCE_NS (30 * NS_PER_S)
#define OPEN_CHECKS_MAX 16

bool scheduler_is_assumed(const struct scheduler *scheduler, struct pod_id pod, uint64_t uid_hash) {
        const struct pod_row *row = cluster_pod(scheduler->config.cluster, pod);
        return row->is_live && (row->flags & POD_ASSUMED) != 0 &&
               scheduler_uid_hash(row) == uid_hash;
}

/* ---- the binds that wait, in the order of their answers ---- */

void scheduler_confirm_later(struct step *step, const struct open_action *open) {
        struct pod_deadline deadline = { .pod = open->pod,
                                         .uid_hash = open->uid_hash,
                                         .due_ns = step->mono.ns + CONFIRM_PATIENCE_NS,
                                         .note = open->profile };
        if (scheduler_is_assumed(step->scheduler, open->pod, open->uid_hash))
                pod_deadlines_add(&step->scheduler->unconfirmed, &deadline);
}

static void ask_for(struct step *step, const struct pod_deadline *bind) {
        struct scheduler *scheduler = step->scheduler;
        const struct cluster *cluster = scheduler->config.cluster;
        const struct queued_pod about = { .pod = bind->pod,
                                          .uid_hash = bind->uid_hash,
                                          .profile = (uint8_t)bind->note };
        struct slice node = cluster_node_name(cluster, cluster_pod(cluster, bind->pod)->node);
        struct action check = { .kind = ACTION_CHECK_BIND,
                                .target = scheduler_pod_ref(cluster, bind->pod),
                                .bind = { .node = node } };
        scheduler_await_result(scheduler, &check, action_list_add(step->out, &check), &about, node);
}

static bool has_open_checks_max(const struct scheduler *scheduler) {
        return scheduler->open_checks >= OPEN_CHECKS_MAX;
}

void scheduler_confirm(struct step *step) {
        struct pod_deadlines *binds = &step->scheduler->unconfirmed;
        const struct pod_deadline *bind;
        while ((bind = pod_deadlines_first(binds))) {
                bool is_open = scheduler_is_assumed(step->scheduler, bind->pod, bind->uid_hash);
                if (is_open &&
                    (bind->due_ns > step->mono.ns || has_open_checks_max(step->scheduler)))
                        return;
                if (is_open)
                        ask_for(step, bind);
                pod_deadlines_drop_first(binds);
        }
}

bool scheduler_confirm_due(const struct scheduler *scheduler, int64_t *ret_due_ns) {
        const struct pod_deadline *first = pod_deadlines_first(&scheduler->unconfirmed);
        if (!first || has_open_checks_max(scheduler)) /* then an answer brings the next */
                return false;
        *ret_due_ns = first->due_ns;
        return true;
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

static void take_finding(struct step *step, const struct action_result *result,
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
                scheduler_confirm_later(step, open); /* no answer */
}

void scheduler_confirm_checked(struct step *step, const struct action_result *result,
                               const struct open_action *open) {
        take_finding(step, result, open);
        scheduler_confirm(step);
}
