/* A pod that could not be placed: the one write of condition and nomination, and the event. */
#include "base/util.h"
#include "sched/scheduler_priv.h"
#include <assert.h>

#define EVENT_NOTE_MAX 1024
#define EVENT_NOTE_CUT " ..."
/* So long a status that was answered well may take to be seen. */
#define STATUS_PATIENCE_NS (30 * NS_PER_S)

static void emit_event(struct step *step, const struct queued_pod *entry, struct slice message) {
        const struct cluster *cluster = step->scheduler->config.cluster;
        char note[EVENT_NOTE_MAX];
        struct action event = { .kind = ACTION_RECORD_EVENT,
                                .target = scheduler_pod_ref(cluster, entry->pod),
                                .event = { .is_warning = true,
                                           .is_passing = true,
                                           .reason = SLICE_LITERAL("FailedScheduling"),
                                           .action = SLICE_LITERAL("Scheduling"),
                                           .note = message,
                                           .controller =
                                                   scheduler_controller(step->scheduler, entry) } };
        if (message.len > EVENT_NOTE_MAX) {
                size_t cut_at = EVENT_NOTE_MAX - strlen(EVENT_NOTE_CUT);
                memcpy(note, message.ptr, cut_at);
                memcpy(note + cut_at, EVENT_NOTE_CUT, strlen(EVENT_NOTE_CUT));
                event.event.note = slice_make(note, sizeof(note));
        }
        action_list_add(step->out, &event);
}

/* The last write was answered well and came to nothing, or somebody else has undone it. */
static bool is_write_void(const struct step *step, const struct queued_pod *entry,
                          const struct pod_row *row) {
        return entry->status_written_ns > 0 &&
               step->mono.ns - entry->status_written_ns >= STATUS_PATIENCE_NS &&
               row->failure_hash != entry->failure_hash;
}

static struct slice reason_of(bool is_error) {
        return is_error ? SLICE_LITERAL("SchedulerError") : SLICE_LITERAL("Unschedulable");
}

static void write_status(struct step *step, struct queued_pod *entry, bool is_reason_error,
                         struct pod_status_action *status) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, entry->pod);
        if (!wall_time_is_set(entry->failed_since))
                entry->failed_since = step->wall;
        status->reason = reason_of(is_reason_error);
        status->observed_generation = row->observed_generation;
        status->changed = entry->failed_since;
        struct action action = { .kind = ACTION_POD_STATUS,
                                 .target = scheduler_pod_ref(cluster, entry->pod),
                                 .status = *status };
        uint64_t id = action_list_add(step->out, &action);
        scheduler_await_result(scheduler, &action, id, entry, SLICE_EMPTY);
        entry->failure_hash = cluster_failure_hash(status->reason, status->message);
        entry->status_written_ns = 0;
        late_conditions_drop(&scheduler->queue.late, entry);
        if (!status->sets_condition)
                return;
        entry->condition_ns = step->mono.ns;
        entry->is_condition_error = is_reason_error;
}

/* Only the text differs from what was written, and it was written not long ago, or those of many
 * other pods were.  Upstream's way is to write each. */
static bool may_wait(struct step *step, const struct queued_pod *entry, bool is_reason_error) {
        struct scheduler *scheduler = step->scheduler;
        bool is_same_reason =
                entry->condition_ns == 0 || entry->is_condition_error == is_reason_error;
        return !scheduler->config.is_parity && entry->failure_hash != 0 && is_same_reason &&
               !late_conditions_admit(&scheduler->queue.late, entry, step->mono.ns);
}

static bool is_reason_error_of(const struct failure *failure) {
        return failure->is_error && !failure->is_reason_unschedulable;
}

/* The pod's own condition says so: a scheduler before this process wrote it, and its event. An
 * error is always news. */
static bool was_said_before(const struct step *step, const struct queued_pod *entry,
                            const struct failure *failure) {
        return !step->scheduler->config.is_parity && !failure->is_error &&
               entry->rejections + entry->errors == 0 && entry->condition_ns == 0 &&
               entry->failure_hash == cluster_failure_hash(reason_of(is_reason_error_of(failure)),
                                                           failure->message);
}

/* Condition and nomination in one write; nothing when neither differs from what was written. */
static void emit_status(struct step *step, struct queued_pod *entry,
                        const struct failure *failure) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, entry->pod);
        bool is_reason_error = is_reason_error_of(failure);
        uint64_t hash = cluster_failure_hash(reason_of(is_reason_error), failure->message);
        bool is_void = is_write_void(step, entry, row);
        bool is_nomination_void = is_void && (row->flags & POD_NOMINATED_HERE) != 0;
        bool changes_condition = hash != entry->failure_hash || is_void;
        bool changes_nomination =
                failure->sets_nomination &&
                (is_nomination_void ||
                 !slice_eq(cluster_text(cluster, row->nominated), failure->nomination));
        if (!changes_condition && !changes_nomination)
                late_conditions_drop(&scheduler->queue.late, entry);
        else if (!is_void && !changes_nomination && may_wait(step, entry, is_reason_error))
                late_conditions_put(&scheduler->queue.late, entry, failure->message,
                                    is_reason_error);
        else
                write_status(step, entry, is_reason_error,
                             &(struct pod_status_action){ .sets_condition = changes_condition,
                                                          .message = failure->message,
                                                          .sets_nomination = changes_nomination,
                                                          .nomination = failure->nomination });
}

/* A pod that was placed meanwhile has no use for it; should its bind fail, that is written. */
void scheduler_write_late(struct step *step) {
        struct late_conditions *late = &step->scheduler->queue.late;
        struct queued_pod *entry;
        while ((entry = late_conditions_next(late, step->mono.ns)))
                if (entry->part == QUEUE_BINDING)
                        late_conditions_drop(late, entry);
                else
                        write_status(step, entry, entry->is_late_error,
                                     &(struct pod_status_action){
                                             .sets_condition = true,
                                             .message = slice_of(entry->late_message) });
}

void scheduler_fail(struct step *step, struct queued_pod *entry, const struct failure *failure) {
        struct scheduler *scheduler = step->scheduler;
        /* Popped, or back from a bind or from extenders; never a pod that is on a node. */
        assert(entry->part == QUEUE_NONE || entry->part == QUEUE_BINDING);
        assert(node_id_is_none(cluster_pod(scheduler->config.cluster, entry->pod)->node));
        struct cluster *cluster = scheduler->config.cluster;
        if (!was_said_before(step, entry, failure))
                emit_event(step, entry, failure->message);
        emit_status(step, entry, failure);
        if (failure->sets_nomination)
                cluster_nominate(cluster, entry->pod, failure->nomination);
        scheduling_queue_return(&scheduler->queue, entry, failure->is_error, step->mono.ns);
}

/* The next attempt finds devices of its own. */
static void forget_devices(struct cluster *cluster, struct pod_id pod) {
        if (node_id_is_none(cluster_pod(cluster, pod)->node))
                cluster_set_device_requests(cluster, pod, &(const struct resource_list){ 0 });
}

void scheduler_unbind(struct step *step, struct queued_pod *entry, struct slice message) {
        struct failure failure = { .is_error = true, .message = message, .sets_nomination = true };
        cluster_forget(step->scheduler->config.cluster, entry->pod);
        forget_devices(step->scheduler->config.cluster, entry->pod);
        entry->rejectors = 0;
        entry->wakes_on = 0;
        scheduler_fail(step, entry, &failure);
}
