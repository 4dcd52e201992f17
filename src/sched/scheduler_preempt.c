/* What follows from a decision: binding, the one write of a failure, preemption. */
#include "api/json.h"
#include "base/util.h"
#include "plugin/pod_group.h"
#include "sched/scheduler_priv.h"
#include <stdlib.h>

#define EVENT_NOTE_MAX 1024
#define EVENT_NOTE_CUT " ..."

uint64_t scheduler_uid_hash(const struct pod_row *row) {
        return slice_hash(slice_of(row->uid));
}

static struct object_ref ref_of(const struct cluster *cluster, const struct pod_row *row) {
        return (struct object_ref){ .kind = SLICE_LITERAL("Pod"),
                                    .ns = cluster_text(cluster, row->ns),
                                    .name = slice_of(row->name),
                                    .uid = slice_of(row->uid) };
}

void scheduler_remember(struct scheduler *scheduler, const struct action *action, uint64_t id,
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
}

static struct slice controller_of(const struct scheduler *scheduler,
                                  const struct queued_pod *entry) {
        return scheduler->config.profiles[entry->profile]->scheduler_name;
}

/* ---- binding ---- */

void scheduler_emit_bind(struct step *step, struct queued_pod *entry, struct node_id node) {
        const struct cluster *cluster = step->scheduler->config.cluster;
        struct slice name = cluster_node_name(cluster, node);
        size_t binder = scheduler_binder_of(step->scheduler, entry);
        struct action bind = { .kind = ACTION_BIND,
                               .target = ref_of(cluster, cluster_pod(cluster, entry->pod)),
                               .bind = { .node = name } };
        if (binder != SIZE_MAX) {
                bind.kind = ACTION_ASK_EXTENDER;
                bind.ask = (struct extender_action){ (uint32_t)binder, EXTENDER_BIND, 1, &name };
        }
        uint64_t id = action_list_add(step->out, &bind);
        scheduler_remember(step->scheduler, &bind, id, entry, name);
}

void scheduler_bind(struct step *step, struct queued_pod *entry, const struct decision *decision) {
        struct scheduler *scheduler = step->scheduler;
        if (!scheduler_pre_bind(step, entry, decision->node))
                scheduler_emit_bind(step, entry, decision->node);
        scheduling_queue_bind(&scheduler->queue, entry);
        cluster_assume(scheduler->config.cluster, entry->pod, decision->node);
}

void scheduler_unbind(struct step *step, struct queued_pod *entry, struct slice message) {
        struct failure failure = { .is_error = true, .message = message, .sets_nomination = true };
        cluster_forget(step->scheduler->config.cluster, entry->pod);
        entry->rejectors = 0;
        entry->wakes_on = 0;
        scheduler_fail(step, entry, &failure);
}

/* ---- failing ---- */

static void emit_event(struct step *step, const struct queued_pod *entry, struct slice message) {
        const struct cluster *cluster = step->scheduler->config.cluster;
        char note[EVENT_NOTE_MAX];
        struct action event = { .kind = ACTION_RECORD_EVENT,
                                .target = ref_of(cluster, cluster_pod(cluster, entry->pod)),
                                .event = { .is_warning = true,
                                           .reason = SLICE_LITERAL("FailedScheduling"),
                                           .action = SLICE_LITERAL("Scheduling"),
                                           .note = message,
                                           .controller = controller_of(step->scheduler, entry) } };
        if (message.len > EVENT_NOTE_MAX) {
                size_t kept = EVENT_NOTE_MAX - strlen(EVENT_NOTE_CUT);
                memcpy(note, message.ptr, kept);
                memcpy(note + kept, EVENT_NOTE_CUT, strlen(EVENT_NOTE_CUT));
                event.event.note = slice_make(note, sizeof(note));
        }
        action_list_add(step->out, &event);
}

/* Condition and nomination in one write; nothing when neither differs from what was written. */
static void emit_status(struct step *step, struct queued_pod *entry, struct slice reason,
                        const struct failure *failure) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, entry->pod);
        uint64_t hash = cluster_failure_hash(reason, failure->message);
        bool changes_condition = hash != entry->failure_hash;
        bool changes_nomination =
                failure->sets_nomination &&
                !slice_eq(cluster_text(cluster, row->nominated), failure->nomination);
        if (!changes_condition && !changes_nomination)
                return;
        if (!wall_time_is_set(entry->failed_since))
                entry->failed_since = step->wall;
        struct action status = {
                .kind = ACTION_POD_STATUS,
                .target = ref_of(cluster, row),
                .status = { .sets_condition = changes_condition,
                            .reason = reason,
                            .message = failure->message,
                            .observed_generation = row->observed_generation,
                            .changed = entry->failed_since,
                            .sets_nomination = changes_nomination,
                            .nomination = failure->nomination },
        };
        uint64_t id = action_list_add(step->out, &status);
        scheduler_remember(scheduler, &status, id, entry, SLICE_EMPTY);
        entry->failure_hash = hash;
}

void scheduler_fail(struct step *step, struct queued_pod *entry, const struct failure *failure) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        struct slice reason = failure->is_error && !failure->is_reason_unschedulable
                                      ? SLICE_LITERAL("SchedulerError")
                                      : SLICE_LITERAL("Unschedulable");
        emit_event(step, entry, failure->message);
        emit_status(step, entry, reason, failure);
        if (failure->sets_nomination)
                cluster_nominate(cluster, entry->pod, failure->nomination);
        scheduling_queue_return(&scheduler->queue, entry, failure->is_error, step->mono.ns);
}

/* ---- preempting ---- */

/* For whom room is made, as victims are told. */
struct preemptor {
        const char *kind; /* "pod" */
        struct slice uid, place;
};

static void delete_victim(struct step *step, struct queued_pod *entry, struct pod_id victim,
                          const struct preemptor *by) {
        struct scheduler *scheduler = step->scheduler;
        const struct cluster *cluster = scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, victim);
        if ((row->flags & POD_TERMINATING) != 0)
                return;
        struct slice note = slice_of(arena_printf(
                &scheduler->scratch, "Preempted by %s " SLICE_FMT " on node " SLICE_FMT, by->kind,
                SLICE_ARG(by->uid), SLICE_ARG(by->place)));
        struct slice why = slice_of(arena_printf(
                &scheduler->scratch, SLICE_FMT ": preempting to accommodate a higher priority %s",
                SLICE_ARG(controller_of(scheduler, entry)), by->kind));
        struct action mark = { .kind = ACTION_POD_STATUS,
                               .target = ref_of(cluster, row),
                               .status = { .observed_generation = row->observed_generation,
                                           .changed = step->wall,
                                           .disruption = why } };
        struct action removal = { .kind = ACTION_DELETE_POD, .target = mark.target };
        struct action event = { .kind = ACTION_RECORD_EVENT,
                                .target = removal.target,
                                .event = { .reason = SLICE_LITERAL("Preempted"),
                                           .action = SLICE_LITERAL("Preempting"),
                                           .note = note,
                                           .controller = controller_of(scheduler, entry) } };
        action_list_add(step->out, &mark);
        scheduler_remember(scheduler, &removal, action_list_add(step->out, &removal), entry,
                           SLICE_EMPTY);
        action_list_add(step->out, &event);
        entry->open_removals++;
        scheduler->stats.victims++;
}

/* Pods of lower priority lose their claim to the node. */
static void clear_lower_nominations(struct step *step, const struct queued_pod *entry,
                                    struct node_id node) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        const struct pod_id *nominated;
        size_t count = cluster_nominated_pods(cluster, &nominated);
        const struct pod_id *pods =
                arena_copy(&scheduler->scratch, nominated, count * sizeof(*nominated));
        struct str_id name = cluster_nodes(cluster)->name[node.index];
        for (size_t i = 0; i < count; i++) {
                const struct pod_row *row = cluster_pod(cluster, pods[i]);
                if (!str_id_eq(row->nominated, name) || row->priority >= entry->priority)
                        continue;
                struct action clear = { .kind = ACTION_POD_STATUS,
                                        .target = ref_of(cluster, row),
                                        .status = { .sets_nomination = true } };
                action_list_add(step->out, &clear);
                cluster_nominate(cluster, pods[i], SLICE_EMPTY);
        }
}

/* True when somebody has to go who is not on the way out already. */
static bool has_work(const struct cluster *cluster, const struct pod_id *victims, size_t count) {
        for (size_t i = 0; i < count; i++)
                if ((cluster_pod(cluster, victims[i])->flags & POD_TERMINATING) == 0)
                        return true;
        return false;
}

void scheduler_preempt(struct step *step, struct queued_pod *entry,
                       const struct preemption *preemption) {
        const struct preemption_candidate *chosen = preemption->chosen;
        const struct cluster *cluster = step->scheduler->config.cluster;
        const struct preemptor by = { .kind = "pod",
                                      .uid = slice_of(cluster_pod(cluster, entry->pod)->uid),
                                      .place = cluster_node_name(cluster, chosen->node) };
        if (!has_work(cluster, chosen->victims, chosen->victim_count))
                return;
        step->scheduler->stats.preemptions++;
        clear_lower_nominations(step, entry, chosen->node);
        for (size_t i = 0; i < chosen->victim_count; i++)
                delete_victim(step, entry, chosen->victims[i], &by);
}

void scheduler_preempt_for_group(struct step *step, struct queued_pod *entry,
                                 const struct group_view *group, const struct pod_id *victims,
                                 size_t count) {
        const struct json *meta = json_get(group->object, "metadata");
        const struct preemptor by = { .kind = "podgroup",
                                      .uid = json_get_text(meta, "uid"),
                                      .place = SLICE_LITERAL("cluster") };
        if (!has_work(step->scheduler->config.cluster, victims, count))
                return;
        arena_clear(&step->scheduler->scratch);
        step->scheduler->stats.preemptions++;
        for (size_t i = 0; i < count; i++)
                delete_victim(step, entry, victims[i], &by);
}
