/* The bind of a pod that is assumed on its node, and what came of it. */
#include "base/util.h"
#include "sched/scheduler_priv.h"

void scheduler_emit_bind(struct step *step, struct queued_pod *entry, struct node_id node) {
        const struct cluster *cluster = step->scheduler->config.cluster;
        struct slice name = cluster_node_name(cluster, node);
        size_t binder = scheduler_binder_of(step->scheduler, entry);
        struct action bind = { .kind = ACTION_BIND,
                               .target = scheduler_pod_ref(cluster, entry->pod),
                               .bind = { .node = name } };
        if (binder != SIZE_MAX) {
                bind.kind = ACTION_ASK_EXTENDER;
                bind.ask = (struct extender_action){ (uint32_t)binder, EXTENDER_BIND, 1, &name };
        }
        uint64_t id = action_list_add(step->out, &bind);
        scheduler_await_result(step->scheduler, &bind, id, entry, name);
}

static void announce_bound(struct step *step, const struct action_result *result,
                           const struct open_action *open, struct slice controller) {
        struct scheduler *scheduler = step->scheduler;
        const struct slice note[] = { SLICE_LITERAL("Successfully assigned "),
                                      result->target.ns,
                                      SLICE_LITERAL("/"),
                                      result->target.name,
                                      SLICE_LITERAL(" to "),
                                      slice_of(open->node) };

        arena_clear(&scheduler->scratch);
        struct action event = {
                .kind = ACTION_RECORD_EVENT,
                .target = result->target,
                .event = { .settles = true,
                           .reason = SLICE_LITERAL("Scheduled"),
                           .action = SLICE_LITERAL("Binding"),
                           .note = arena_join(&scheduler->scratch, ARRAY_LEN(note), note),
                           .controller = controller },
        };
        action_list_add(step->out, &event);
}

void scheduler_finish_bind(struct step *step, const struct action_result *result,
                           const struct open_action *open) {
        struct scheduler *scheduler = step->scheduler;
        struct queued_pod *entry = open_action_entry(scheduler, open);
        bool is_waiting = entry && entry->part == QUEUE_BINDING;
        if (result->code == BERTH_OK) {
                scheduler->stats.scheduled++;
                if (is_waiting && scheduler->config.bound)
                        scheduler->config.bound(scheduler->config.watch->context, entry->attempts,
                                                step->mono.ns - entry->first_popped_ns,
                                                entry->was_flushed);
                announce_bound(step, result, open,
                               scheduler->config.profiles[open->profile]->scheduler_name);
                if (is_waiting)
                        scheduling_queue_remove(&scheduler->queue, entry);
                scheduler_confirm_later(step, open);
                return;
        }
        scheduler->stats.errors++;
        if (!is_waiting)
                return;
        if (!scheduler_is_assumed(scheduler, open->pod,
                                  open->uid_hash)) { /* gone, or bound after all */
                scheduling_queue_remove(&scheduler->queue, entry);
                return;
        }
        arena_clear(&scheduler->scratch);
        scheduler_unbind(step, entry,
                         slice_of(arena_printf(&scheduler->scratch,
                                               "binding rejected: running Bind plugin "
                                               "\"DefaultBinder\": " SLICE_FMT,
                                               SLICE_ARG(result->text))));
}
