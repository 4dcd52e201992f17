/* Preemption: victims are marked and asked to go, and pods of lower priority lose their nomination
 * to the node. */
#include "api/json.h"
#include "base/util.h"
#include "plugin/pod_group.h"
#include "sched/scheduler_priv.h"

/* The preemptor, for the events of victims. */
struct preemptor {
        const char *kind; /* "pod" */
        struct slice uid, place;
};

static void remove_victim(struct step *step, struct queued_pod *entry, struct pod_id victim,
                          const struct preemptor *by) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, victim);
        if (pod_row_is_leaving(row))
                return;
        struct slice note = slice_of(arena_printf(
                &scheduler->scratch, "Preempted by %s " SLICE_FMT " on node " SLICE_FMT, by->kind,
                SLICE_ARG(by->uid), SLICE_ARG(by->place)));
        struct slice why = slice_of(arena_printf(
                &scheduler->scratch, SLICE_FMT ": preempting to accommodate a higher priority %s",
                SLICE_ARG(scheduler_controller(scheduler, entry)), by->kind));
        struct action mark = { .kind = ACTION_POD_STATUS,
                               .target = scheduler_pod_ref(cluster, victim),
                               .status = { .observed_generation = row->observed_generation,
                                           .changed = step->wall,
                                           .disruption = why } };
        struct action removal = { .kind = ACTION_PREEMPT_POD,
                                  .target = mark.target,
                                  .preempt = {
                                          .node = node_id_is_none(row->node)
                                                          ? SLICE_EMPTY
                                                          : cluster_node_name(cluster, row->node),
                                          .by = scheduler_controller(scheduler, entry) } };
        struct action event = { .kind = ACTION_RECORD_EVENT,
                                .target = removal.target,
                                .event = { .reason = SLICE_LITERAL("Preempted"),
                                           .action = SLICE_LITERAL("Preempting"),
                                           .note = note,
                                           .controller = scheduler_controller(scheduler, entry) } };
        action_list_add(step->out, &mark);
        scheduler_await_result(scheduler, &removal, action_list_add(step->out, &removal), entry,
                               SLICE_EMPTY);
        action_list_add(step->out, &event);
        cluster_mark_ending(cluster, victim);
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
                                        .target = scheduler_pod_ref(cluster, pods[i]),
                                        .status = { .sets_nomination = true } };
                action_list_add(step->out, &clear);
                cluster_nominate(cluster, pods[i], SLICE_EMPTY);
        }
}

/* True when a victim has to be deleted that is not being deleted already. */
static bool has_work(const struct cluster *cluster, const struct pod_id *victims, size_t count) {
        for (size_t i = 0; i < count; i++)
                if (!pod_row_is_leaving(cluster_pod(cluster, victims[i])))
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
                remove_victim(step, entry, chosen->victims[i], &by);
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
                remove_victim(step, entry, victims[i], &by);
}
