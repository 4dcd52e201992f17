/* One pass: profiles' deschedule plugins, then their balance plugins (reference descheduler.md
 * 1.4). */
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler_priv.h"
#include <stdio.h>

/* Upstream leaves clusters alone in which fewer than two nodes are usable. */
#define PARITY_NODES_MIN 2

struct pass {
        struct descheduler *descheduler;
        struct desched_run run;
        struct desched_rule_report *rule; /* at work */
        bool is_partial;
        uint32_t changes; /* CLUSTER_*, of a partial pass */
};

static void note_spared(void *context, struct pod_id pod, struct slice reasons) {
        struct pass *pass = context;
        const struct desched_observer *observer = &pass->descheduler->observer;
        pass->rule->spared++;
        if (observer->spared)
                observer->spared(observer->context, pass->rule, pod, reasons);
}

static void note_young(void *context, struct pod_id pod, struct wall_time due) {
        struct pass *pass = context;
        const struct desched_observer *observer = &pass->descheduler->observer;
        if (observer->young)
                observer->young(observer->context, pass->rule, pod, due);
}

static void note_asked(void *context, struct pod_id pod, enum evict_outcome outcome) {
        (void)pod;
        struct pass *pass = context;
        switch (outcome) {
        case EVICT_DONE:
                pass->rule->evicted++;
                pass->descheduler->report.evicted++;
                break;
        case EVICT_NODE_LIMIT:
        case EVICT_NAMESPACE_LIMIT:
        case EVICT_TOTAL_LIMIT:
                pass->rule->limited++;
                break;
        case EVICT_BUDGET:
        case EVICT_REPEATED:
        case EVICT_FAILED:
        case EVICT_HELD:
        case EVICT_NOT_BETTER:
                pass->rule->refused++;
                break;
        }
}

static void note_not_better(void *context, struct pod_id pod) {
        struct pass *pass = context;
        pass->rule->not_better++;
        pass->rule->not_better_pod = pod;
}

static struct bitset select_nodes(struct descheduler *descheduler) {
        const struct cluster *cluster = descheduler->config.cluster;
        const struct node_table *table = cluster_nodes(cluster);
        struct bitset nodes = bitset_in_arena(&descheduler->pass, table->count);
        for (size_t i = bitset_next(&table->live, 0); i != SIZE_MAX;
             i = bitset_next(&table->live, i + 1))
                if (cluster_labels_match(cluster, &descheduler->config.policy->node_selector,
                                         table->labels[i]))
                        bitset_add(&nodes, i);
        return nodes;
}

static struct desched_filters filters_of(const struct desched_profile *profile,
                                         enum desched_point point) {
        return (struct desched_filters){ .count = profile->points[point].count,
                                         .items = profile->points[point].items };
}

static void desched_pass_prepare(struct pass *pass, struct descheduler *descheduler,
                                 struct wall_time now) {
        const struct descheduler_config *config = &descheduler->config;
        arena_clear(&descheduler->pass);
        *pass = (struct pass){ .descheduler = descheduler };
        pass->run = (struct desched_run){
                .cluster = config->cluster,
                .now = now,
                .pass = &descheduler->pass,
                .scratch = &descheduler->scratch,
                .is_parity = config->is_parity,
                .is_dry_run = config->is_dry_run,
                .hides_budgets = config->hides_budgets,
                .jobs = config->jobs,
                .device_judge =
                        descheduler->device_judge.narrow ? &descheduler->device_judge : NULL,
                .expected_times = config->is_parity ? NULL : config->expected_times,
                .sink = config->sink,
                .usage = config->usage,
                .has_grace = descheduler->has_grace,
                .grace_s = descheduler->grace_s,
                .listener = { .context = pass,
                              .spared = note_spared,
                              .asked = note_asked,
                              .young = note_young,
                              .not_better = note_not_better },
                .wants_reasons = descheduler->observer.spared,
                .moves = { .predictor =
                                   descheduler->predictor.place ? &descheduler->predictor : NULL,
                           .returns = descheduler->returns,
                           .move_budget = descheduler->move_budget,
                           .min_gain = config->policy->min_score_gain },
        };
        if (pass->run.moves.predictor)
                descheduler->predictor.begin(descheduler->predictor.context, now);
        struct bitset selected = select_nodes(descheduler);
        desched_run_prepare(&pass->run, &selected);
}

static void enter_profile(struct desched_run *run, const struct desched_profile *profile) {
        run->profile = profile->name;
        desched_run_use_filters(run, filters_of(profile, DESCHED_FILTER),
                                filters_of(profile, DESCHED_PRE_EVICTION_FILTER));
}

static void run_rule(struct pass *pass, const struct desched_instance *instance, bool is_balance) {
        struct desched_rule_report *rule = pass->rule;
        const struct desched_points *points = instance->plugin->desched;
        const struct desched_observer *observer = &pass->descheduler->observer;
        struct err err = { 0 };
        if (observer->began)
                observer->began(observer->context, rule);
        arena_clear(pass->run.scratch);
        desched_run_begin_rule(&pass->run, instance->plugin);
        int code = is_balance ? points->balance(&pass->run, instance->state, &err)
                              : points->deschedule(&pass->run, instance->state, &err);
        rule->code = code;
        desched_report_why(&pass->run, &pass->descheduler->report_texts, rule);
        if (code < 0)
                snprintf(rule->text, sizeof(rule->text), "%s", err.text);
        if (observer->ended)
                observer->ended(observer->context, rule);
}

/* In a pass between regular ones, rules that neither a change nor the time can have made true are
 * passed over. */
static bool is_asked(const struct pass *pass, const struct plugin *plugin) {
        if (!pass->is_partial || plugin->wakes_on & pass->changes)
                return true;
        return pass->rule->has_due && pass->rule->due.ns <= pass->run.now.ns;
}

static void run_point(struct pass *pass, enum desched_point point) {
        struct descheduler *descheduler = pass->descheduler;
        for (size_t i = 0; i < descheduler->profile_count; i++) {
                const struct desched_profile *profile = descheduler->profiles[i];
                enter_profile(&pass->run, profile);
                for (size_t j = 0; j < profile->points[point].count; j++) {
                        const struct desched_instance *instance = &profile->points[point].items[j];
                        pass->rule = &descheduler->rules[descheduler->report.rule_count++];
                        bool is_wanted = is_asked(pass, instance->plugin);
                        *pass->rule = (struct desched_rule_report){
                                .profile = profile->name,
                                .plugin = slice_of(instance->plugin->name),
                                .is_balance = point == DESCHED_BALANCE,
                                .was_passed_over = !is_wanted,
                                .has_due = pass->rule->has_due,
                                .due = pass->rule->due,
                        };
                        if (!is_wanted)
                                continue;
                        run_rule(pass, instance, point == DESCHED_BALANCE);
                        pass->rule->has_due = pass->run.has_due;
                        pass->rule->due = pass->run.due;
                }
        }
}

static const struct desched_report *run_pass(struct descheduler *descheduler, struct wall_time now,
                                             bool is_partial, uint32_t changes) {
        struct pass pass;
        arena_clear(&descheduler->report_texts);
        desched_pass_prepare(&pass, descheduler, now);
        pass.is_partial = is_partial;
        pass.changes = changes;
        if (descheduler->move_budget)
                move_budget_begin(descheduler->move_budget, pass.run.nodes.count);
        struct desched_report *report = &descheduler->report;
        *report = (struct desched_report){ .node_count = pass.run.nodes.count,
                                           .rules = descheduler->rules };
        size_t least = descheduler->config.is_parity ? PARITY_NODES_MIN : 1;
        report->is_skipped = report->node_count < least;
        if (report->is_skipped) {
                desched_run_finish(&pass.run);
                return report;
        }
        const struct evict_pass start = { .limits = descheduler->limits,
                                          .now = now,
                                          .notes_failures = descheduler->notes_failures,
                                          .continues = is_partial };
        pass.run.sink.begin_pass(pass.run.sink.context, &start);
        run_point(&pass, DESCHED_DESCHEDULE);
        run_point(&pass, DESCHED_BALANCE);
        desched_run_finish(&pass.run);
        return report;
}

const struct desched_report *descheduler_pass(struct descheduler *descheduler,
                                              struct wall_time now) {
        return run_pass(descheduler, now, false, 0);
}

const struct desched_report *descheduler_react(struct descheduler *descheduler,
                                               struct wall_time now, uint32_t changes) {
        return run_pass(descheduler, now, true, changes);
}

bool descheduler_next_due(const struct descheduler *descheduler, struct wall_time *ret_due) {
        bool is_found = false;
        for (size_t i = 0; i < descheduler->report.rule_count; i++) {
                const struct desched_rule_report *rule = &descheduler->rules[i];
                if (!rule->has_due || (is_found && rule->due.ns >= ret_due->ns))
                        continue;
                is_found = true;
                *ret_due = rule->due;
        }
        return is_found;
}

uint32_t descheduler_wakes_on(const struct descheduler *descheduler) {
        static const enum desched_point points[] = { DESCHED_DESCHEDULE, DESCHED_BALANCE };
        uint32_t mask = 0;
        for (size_t i = 0; i < descheduler->profile_count; i++)
                for (size_t p = 0; p < ARRAY_LEN(points); p++) {
                        const struct desched_list *list =
                                &descheduler->profiles[i]->points[points[p]];
                        for (size_t j = 0; j < list->count; j++)
                                mask |= list->items[j].plugin->wakes_on;
                }
        return mask;
}

void descheduler_explain(struct descheduler *descheduler, struct wall_time now, struct pod_id pod,
                         struct buf *out) {
        struct pass pass;
        desched_pass_prepare(&pass, descheduler, now);
        for (size_t i = 0; i < descheduler->profile_count; i++) {
                struct buf reasons = { 0 };
                enter_profile(&pass.run, descheduler->profiles[i]);
                if (!desched_run_explain(&pass.run, pod, &reasons))
                        buf_printf(out, SLICE_FMT ": " SLICE_FMT "\n",
                                   SLICE_ARG(descheduler->profiles[i]->name),
                                   SLICE_ARG(buf_view(&reasons)));
                buf_release(&reasons);
        }
        desched_run_finish(&pass.run);
        arena_clear(&descheduler->scratch);
}
