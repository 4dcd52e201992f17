/* What the descheduler says of its passes and evictions: log lines, events, why nothing moved. */
#include "base/log.h"
#include "base/util.h"
#include "evict/evict_service.h"
#include "model/cluster.h"
#include "pages/role_metrics.h"
#include "plugin/desched_run.h"
#include "roles/descheduler_role_priv.h"
#include "roles/tracer.h"
#include <stdio.h>

#define SCHEDULER_HINT                                                                             \
        "If pods are scheduled by another configuration, give it with --scheduler-config."

static const char *record_event(enum evict_result result) {
        switch (result) {
        case EVICT_RESULT_SUCCESS:
                return "Evicted";
        case EVICT_RESULT_DRY_RUN:
                return "WouldEvict";
        case EVICT_RESULT_BACKGROUND:
                return "EvictionBegan";
        default:
                return "NotEvicted";
        }
}

void descheduler_log_evictions(struct descheduler_role *role) {
        const struct evict_record *record;
        uint64_t after = role->logged;
        size_t at = 0;

        role->unlogged = 0;
        while ((record = evict_requester_next_record(role->requester, after, &at))) {
                LOG(LOG_INFO, record_event(record->result), log_slice("namespace", record->pod.ns),
                    log_slice("pod", record->pod.name), log_slice("node", record->node),
                    log_slice("profile", record->profile), log_slice("strategy", record->plugin),
                    log_slice("reason", record->reason),
                    log_text("result", evict_result_name(record->result)),
                    log_slice("error", record->text));
                tracer_note_eviction(role->tracer, record);
                if (role->config.interval_ns == 0)
                        descheduler_once_note(&role->once, record);
                role->logged = record->number;
        }
}

/* Every pod the rule wanted to move stays where it is, for the scheduler would not place it better:
 * mostly because it is asked with another configuration than the one pods are scheduled by. */
static bool moves_nothing(const struct desched_rule_report *rule) {
        return rule->not_better > 0 && rule->evicted + rule->limited + rule->refused == 0;
}

static void record_not_moved(struct descheduler_role *role,
                             const struct desched_rule_report *rule) {
        const struct cluster *cluster = runtime_cluster(role->runtime);
        const struct pod_row *pod = cluster_pod(cluster, rule->not_better_pod);
        struct action event = { .kind = ACTION_RECORD_EVENT,
                                .target = { .kind = SLICE_LITERAL("Pod"),
                                            .ns = cluster_text(cluster, pod->ns),
                                            .name = slice_of(pod->name),
                                            .uid = slice_of(pod->uid) } };
        struct action_list actions;
        char note[512];

        snprintf(note, sizeof(note),
                 SLICE_FMT
                 ": none of %u pods moves, for the scheduler would put them back or place "
                 "them no better. " SCHEDULER_HINT,
                 SLICE_ARG(rule->plugin), rule->not_better);
        event.event =
                (struct event_action){ .is_warning = true,
                                       .reason = SLICE_LITERAL("NothingMoved"),
                                       .action = SLICE_LITERAL("Descheduling"),
                                       .note = slice_of(note),
                                       .controller = SLICE_LITERAL("sigs.k8s.io/descheduler") };
        action_list_init(&actions);
        action_list_add(&actions, &event);
        runtime_submit(role->runtime, role, &actions);
        action_list_release(&actions);
}

static void report_moves(struct descheduler_role *role, const struct desched_rule_report *rule) {
        bool is_all = moves_nothing(rule);

        descheduler_metrics_not_better(role->metrics, rule->plugin, rule->profile, rule->not_better,
                                       is_all);
        if (!is_all)
                return;
        LOG(LOG_WARN, "NothingMoved", log_slice("profile", rule->profile),
            log_slice("strategy", rule->plugin), log_i64("pods", rule->not_better),
            log_text("reason", "the scheduler would put them back or place them no better"),
            log_text("hint", SCHEDULER_HINT));
        if (!role->config.is_dry_run)
                record_not_moved(role, rule);
}

void descheduler_report_rules(struct descheduler_role *role, const struct desched_report *report) {
        for (size_t i = 0; i < report->rule_count; i++)
                if (!report->rules[i].was_passed_over)
                        report_moves(role, &report->rules[i]);
}

/* "PodLifeTime of a: 12: too young, the first is due in 59m | RemoveDuplicates of a: no pod
 * matches"
 */
static void explain_nothing(const struct desched_report *report, struct wall_time now,
                            struct buf *out) {
        if (report->is_skipped)
                buf_text(out, "too few nodes are ready and match the policy's nodeSelector");
        for (size_t i = 0; i < report->rule_count; i++) {
                const struct desched_rule_report *rule = &report->rules[i];
                CLEANUP(buf_release) struct buf why = { 0 };

                desched_rule_explain(rule, now, &why);
                if (why.len)
                        buf_printf(out, "%s" SLICE_FMT " of " SLICE_FMT ": " SLICE_FMT,
                                   out->len ? " | " : "", SLICE_ARG(rule->plugin),
                                   SLICE_ARG(rule->profile), SLICE_ARG(buf_view(&why)));
        }
}

void descheduler_log_pass(const struct desched_report *report, struct wall_time now) {
        CLEANUP(buf_release) struct buf why = { 0 };
        int64_t limited = 0, refused = 0, spared = 0, young = 0;

        for (size_t i = 0; i < report->rule_count; i++) {
                const struct desched_rule_report *rule = &report->rules[i];

                if (rule->code != BERTH_OK)
                        LOG(LOG_WARN, "PluginFailed", log_slice("profile", rule->profile),
                            log_slice("plugin", rule->plugin), log_text("error", rule->text));
                limited += rule->limited;
                refused += rule->refused;
                spared += rule->spared;
                young += rule->young_count;
        }
        if (report->evicted == 0)
                explain_nothing(report, now, &why);
        LOG(LOG_INFO, "DeschedulingPass", log_i64("nodes", (int64_t)report->node_count),
            log_i64("evictions", report->evicted), log_i64("limited", limited),
            log_i64("refused", refused), log_i64("spared", spared), log_i64("tooYoung", young),
            log_slice("why", buf_view(&why)));
}
