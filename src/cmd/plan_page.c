/* The report of a plan: what would go and why, what stays, the cluster before and after. */
#include "cmd/plan_page.h"

#include "ask/eviction_plan.h"
#include "base/util.h"
#include "cmd/report_file.h"
#include "desched/descheduler.h"
#include "show/amount.h"
#include <math.h>
#include <stdlib.h>

/* Rows that are written out; the rest is counted, and printed by the command itself. */
#define EVICTIONS_MAX 400
#define HELD_MAX 150
#define SPARED_MAX 150
#define NODES_MAX 100
#define GROUPS_MAX 40
#define OPEN_MAX 15 /* rows of a fold that is open from the start */

#define WHOLE_LIST "berth plan -o json has all of them"

struct plan_page {
        const struct eviction_plan *plan;
        struct report report;
        struct arena *arena;
        size_t pending, held, over_before, over_after;
};

static struct slice pod_text(struct plan_page *page, struct slice ns, struct slice name) {
        return slice_of(
                arena_printf(page->arena, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns), SLICE_ARG(name)));
}

/* ---- head ---- */

static size_t count_over(const struct cluster_balance *balance) {
        size_t count = 0;

        for (size_t i = 0; i < balance->node_count; i++) {
                bool is_over = false;

                for (int kind = 0; kind < LOAD_KIND_COUNT; kind++)
                        is_over |= balance->nodes[i].percent[kind] > 100.0001;
                count += is_over;
        }
        return count;
}

static void count_outcomes(struct plan_page *page) {
        const struct eviction_plan *plan = page->plan;

        for (size_t i = 0; i < plan->eviction_count; i++) {
                const struct planned_eviction *eviction = &plan->evictions[i];
                bool is_done = eviction->outcome == EVICT_DONE;

                page->held += !is_done;
                page->pending +=
                        is_done && eviction->has_landing && node_id_is_none(eviction->landing);
        }
        page->over_before = count_over(&plan->before.balance);
        page->over_after = count_over(&plan->after.balance);
}

static void write_head(struct plan_page *page, const struct report_facts *facts) {
        const struct eviction_plan *plan = page->plan;
        CLEANUP(buf_release) struct buf line = { 0 };
        CLEANUP(buf_release) struct buf detail = { 0 };

        if (plan->report->is_skipped) {
                buf_text(&line, "Too few nodes: the pass would be skipped");
        } else if (plan->done_count == 0) {
                buf_text(&line, "Nothing would be evicted");
        } else {
                amount_many(&line, (int64_t)plan->done_count, "pod");
                buf_text(&line, " would be evicted");
        }
        if (page->pending) {
                amount_count(&detail, (int64_t)page->pending);
                buf_text(&detail, page->pending == 1 ? " of them would find no node. "
                                                     : " of them would find no node. ");
        } else if (plan->done_count) {
                buf_text(&detail, "Each that comes back finds a node. ");
        }
        if (page->held) {
                amount_many(&detail, (int64_t)page->held, "more pod");
                buf_text(&detail, page->held == 1 ? " is" : " are");
                buf_text(&detail, " selected, and held back by limits, budgets or policies.");
        }
        report_begin(&page->report,
                     &(struct report_head){ .title = "berth plan",
                                            .headline = buf_view(&line),
                                            .detail = buf_view(&detail),
                                            .tone = page->pending ? REPORT_WARN : REPORT_CALM,
                                            .facts = facts->items,
                                            .fact_count = facts->count });
}

static struct slice change_text(struct plan_page *page, size_t before, size_t after) {
        CLEANUP(buf_release) struct buf text = { 0 };

        amount_count(&text, (int64_t)before);
        if (before != after) {
                buf_text(&text, " \xe2\x86\x92 ");
                amount_count(&text, (int64_t)after);
        }
        return arena_slice(page->arena, buf_view(&text));
}

static struct slice spread_text(struct plan_page *page, const struct load_spread *before,
                                const struct load_spread *after) {
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_printf(&text, "%.0f", before->deviation);
        if (fabs(before->deviation - after->deviation) >= 0.5)
                buf_printf(&text, " \xe2\x86\x92 %.0f", after->deviation);
        buf_text(&text, " points");
        return arena_slice(page->arena, buf_view(&text));
}

static void write_figures(struct plan_page *page) {
        const struct eviction_plan *plan = page->plan;
        const struct plan_state *before = &plan->before, *after = &plan->after;
        const struct load_spread *cpu[] = { &before->balance.spread[LOAD_CPU],
                                            &after->balance.spread[LOAD_CPU] };
        const struct report_figure figures[] = {
                { .label = "Nodes",
                  .value = change_text(page, plan->report->node_count, plan->report->node_count) },
                { .label = "Pods that rules select",
                  .value = change_text(page, before->wanted_sum, after->wanted_sum),
                  .note = SLICE_LITERAL("filters and limits left aside") },
                { .label = "Pods that wait for a node",
                  .value = change_text(page, before->pending, after->pending),
                  .note = after->pending > before->pending ? SLICE_LITERAL("more than now")
                                                           : SLICE_EMPTY,
                  .tone = REPORT_WARN },
                { .label = "Nodes over-committed",
                  .value = change_text(page, page->over_before, page->over_after),
                  .note = page->over_after ? SLICE_LITERAL("more requested than there is")
                                           : SLICE_EMPTY,
                  .tone = REPORT_BAD },
                { .label = "Fullest node, cpu",
                  .value = change_text(page, (size_t)lround(cpu[0]->most),
                                       (size_t)lround(cpu[1]->most)),
                  .note = SLICE_LITERAL("% of allocatable"),
                  .has_share = true,
                  .before = cpu[0]->most / 100,
                  .share = cpu[1]->most / 100 },
                { .label = "Unevenness, cpu",
                  .value = spread_text(page, cpu[0], cpu[1]),
                  .note = SLICE_LITERAL("standard deviation over nodes") },
        };

        report_figures(&page->report, figures, ARRAY_LEN(figures));
}

/* ---- evictions ---- */

static void write_eviction(struct plan_page *page, const struct planned_eviction *eviction) {
        struct report *report = &page->report;

        report_cell(report, pod_text(page, eviction->ns, eviction->name));
        report_cell(report, eviction->node);
        if (!eviction->has_landing)
                report_strong(report, SLICE_LITERAL("does not come back"), REPORT_CALM);
        else if (node_id_is_none(eviction->landing))
                report_strong(report, SLICE_LITERAL("no node, would wait"), REPORT_WARN);
        else
                report_cell(report, cluster_node_name(page->plan->cluster, eviction->landing));
        if (eviction->has_gain)
                report_cell(report, slice_of(arena_printf(page->arena, "%+lld",
                                                          (long long)eviction->gain)));
        else
                report_cell(report, SLICE_EMPTY);
        report_cell(report, eviction->reason);
}

static bool is_of_rule(const struct planned_eviction *eviction,
                       const struct desched_rule_report *rule) {
        return eviction->outcome == EVICT_DONE && slice_eq(eviction->plugin, rule->plugin) &&
               slice_eq(eviction->profile, rule->profile);
}

/* A plugin that is enabled at two extension points has two rows of the same names. */
static bool is_first_of_names(const struct desched_report *report, size_t rule) {
        for (size_t i = 0; i < rule; i++)
                if (slice_eq(report->rules[i].plugin, report->rules[rule].plugin) &&
                    slice_eq(report->rules[i].profile, report->rules[rule].profile))
                        return false;
        return true;
}

static void write_rule_evictions(struct plan_page *page, const struct desched_rule_report *rule,
                                 size_t *left) {
        static const char *const heads[] = { "Pod", "From", "To", "#Score gained", "Reason", NULL };
        const struct eviction_plan *plan = page->plan;
        size_t count = 0, written = 0;

        for (size_t i = 0; i < plan->eviction_count; i++)
                count += is_of_rule(&plan->evictions[i], rule);
        if (!count)
                return;
        report_fold(&page->report, rule->plugin, count, count <= OPEN_MAX);
        if (*left)
                report_table(&page->report, heads);
        for (size_t i = 0; i<plan->eviction_count && * left> written; i++)
                if (is_of_rule(&plan->evictions[i], rule)) {
                        write_eviction(page, &plan->evictions[i]);
                        written++;
                }
        if (*left)
                report_table_end(&page->report);
        report_more(&page->report, count - written, WHOLE_LIST);
        report_fold_end(&page->report);
        *left -= written;
}

static void write_evictions(struct plan_page *page) {
        static const struct desched_rule_report drain = { .plugin = SLICE_INIT(PLAN_DRAIN) };
        const struct desched_report *rules = page->plan->report;
        size_t left = EVICTIONS_MAX;

        if (!page->plan->done_count)
                return;
        report_section(&page->report, "What would be evicted", "By the rule that asks for it.");
        write_rule_evictions(page, &drain, &left);
        for (size_t i = 0; i < rules->rule_count; i++)
                if (is_first_of_names(rules, i))
                        write_rule_evictions(page, &rules->rules[i], &left);
}

/* ---- what stays ---- */

static struct slice stay_text(const struct plan_page *page,
                              const struct planned_eviction *eviction) {
        struct slice text = planned_eviction_outcome_text(eviction);

        if (!eviction->budget.len)
                return text;
        return slice_of(arena_printf(page->arena, SLICE_FMT " " SLICE_FMT, SLICE_ARG(text),
                                     SLICE_ARG(eviction->budget)));
}

struct stay_group { /* of pods that stay for the same reason */
        struct slice rule, reason;
        size_t count;
};
struct stay_groups {
        size_t count, others; /* pods of no group: there are too many reasons */
        struct stay_group items[GROUPS_MAX];
};

static void group_add(struct stay_groups *groups, struct slice rule, struct slice reason) {
        size_t at = 0;

        while (at < groups->count && !(slice_eq(groups->items[at].rule, rule) &&
                                       slice_eq(groups->items[at].reason, reason)))
                at++;
        if (at == GROUPS_MAX) {
                groups->others++;
                return;
        }
        if (at == groups->count)
                groups->items[groups->count++] = (struct stay_group){ rule, reason, 0 };
        groups->items[at].count++;
}

static int compare_groups(const void *left, const void *right) {
        const struct stay_group *a = left, *b = right;

        return a->count != b->count ? (a->count < b->count ? 1 : -1)
                                    : slice_compare(a->rule, b->rule);
}

static void write_groups(struct plan_page *page, struct stay_groups *groups) {
        static const char *const heads[] = { "Rule", "Because of", "#Pods", NULL };

        qsort(groups->items, groups->count, sizeof(*groups->items), compare_groups);
        report_table(&page->report, heads);
        for (size_t i = 0; i < groups->count; i++) {
                report_cell(&page->report, groups->items[i].rule);
                report_cell(&page->report, groups->items[i].reason);
                report_count(&page->report, (int64_t)groups->items[i].count);
        }
        report_table_end(&page->report);
        report_more(&page->report, groups->others, "pods with other reasons");
}

static void list_held(struct plan_page *page) {
        static const char *const heads[] = { "Pod", "Node", "Rule", "Stays because of", NULL };
        const struct eviction_plan *plan = page->plan;
        size_t written = 0;

        report_fold(&page->report, SLICE_LITERAL("Pods that stay"), page->held, false);
        report_table(&page->report, heads);
        for (size_t i = 0; i < plan->eviction_count && written < HELD_MAX; i++) {
                const struct planned_eviction *eviction = &plan->evictions[i];

                if (eviction->outcome == EVICT_DONE)
                        continue;
                report_cell(&page->report, pod_text(page, eviction->ns, eviction->name));
                report_cell(&page->report, eviction->node);
                report_cell(&page->report, eviction->plugin);
                report_cell(&page->report, stay_text(page, eviction));
                written++;
        }
        report_table_end(&page->report);
        report_more(&page->report, page->held - written, WHOLE_LIST);
        report_fold_end(&page->report);
}

static void write_held(struct plan_page *page) {
        const struct eviction_plan *plan = page->plan;
        struct stay_groups groups = { 0 };

        if (!page->held)
                return;
        for (size_t i = 0; i < plan->eviction_count; i++)
                if (plan->evictions[i].outcome != EVICT_DONE)
                        group_add(&groups, plan->evictions[i].plugin,
                                  stay_text(page, &plan->evictions[i]));
        report_section(&page->report, "What limits, budgets and policies hold back", NULL);
        write_groups(page, &groups);
        list_held(page);
}

static void list_spared(struct plan_page *page) {
        static const char *const heads[] = { "Pod", "Rule", "Spared because", NULL };
        const struct eviction_plan *plan = page->plan;
        size_t shown = plan->spared_count < SPARED_MAX ? plan->spared_count : SPARED_MAX;

        report_fold(&page->report, SLICE_LITERAL("Spared pods"), plan->spared_count, false);
        report_table(&page->report, heads);
        for (size_t i = 0; i < shown; i++) {
                report_cell(&page->report,
                            pod_text(page, plan->spared[i].ns, plan->spared[i].name));
                report_cell(&page->report, plan->spared[i].plugin);
                report_cell(&page->report, plan->spared[i].reasons);
        }
        report_table_end(&page->report);
        report_more(&page->report, plan->spared_count - shown,
                    "berth plan --spared has all of them");
        report_fold_end(&page->report);
}

static void write_spared(struct plan_page *page) {
        const struct eviction_plan *plan = page->plan;
        struct stay_groups groups = { 0 };

        if (!plan->spared_count)
                return;
        for (size_t i = 0; i < plan->spared_count; i++)
                group_add(&groups, plan->spared[i].plugin, plan->spared[i].reasons);
        report_section(&page->report, "What filters spare",
                       "Selected by a rule, and protected by a filter.");
        write_groups(page, &groups);
        list_spared(page);
}

/* ---- rules ---- */

static void write_rules(struct plan_page *page) {
        static const char *const heads[] = {
                "Rule",     "Profile",  "#Selected before", "#Selected after",
                "#Evicted", "#Limited", "#Spared",          "What went wrong",
                NULL
        };
        const struct eviction_plan *plan = page->plan;
        struct report *report = &page->report;

        report_section(report, "Rules", NULL);
        report_table(report, heads);
        for (size_t i = 0; i < plan->report->rule_count; i++) {
                const struct desched_rule_report *rule = &plan->report->rules[i];

                report_cell(report, rule->plugin);
                report_cell(report, rule->profile);
                report_count(report, plan->before.wanted[i]);
                report_count(report, plan->after.wanted[i]);
                report_count(report, rule->evicted);
                report_count(report, rule->limited);
                report_count(report, rule->spared);
                report_strong(report, rule->code != BERTH_OK ? slice_of(rule->text) : SLICE_EMPTY,
                              REPORT_BAD);
        }
        report_table_end(report);
}

/* ---- nodes ---- */

static void write_histograms(struct plan_page *page) {
        static const char *const titles[LOAD_KIND_COUNT] = {
                "Nodes by cpu requested, % of allocatable",
                "Nodes by memory requested, % of allocatable",
                "Nodes by number of pods, % of what they take",
        };
        const struct cluster_balance *before = &page->plan->before.balance;
        const struct cluster_balance *after = &page->plan->after.balance;

        buf_text(page->report.out, "<div class=\"charts\">");
        for (int kind = 0; kind < LOAD_KIND_COUNT; kind++) {
                struct report_bins bins[2] = { 0 };

                for (size_t i = 0; i < before->node_count; i++)
                        report_bins_add(&bins[0], before->nodes[i].percent[kind] / 100);
                for (size_t i = 0; i < after->node_count; i++)
                        report_bins_add(&bins[1], after->nodes[i].percent[kind] / 100);
                report_histogram(&page->report, titles[kind], &bins[0], &bins[1]);
        }
        buf_text(page->report.out, "</div>\n");
}

struct load_change {
        const struct node_load *before, *after;
        double change; /* the largest of its loads */
};

static int compare_changes(const void *left, const void *right) {
        const struct load_change *a = left, *b = right;

        if (a->change != b->change)
                return a->change > b->change ? -1 : 1;
        return slice_compare(a->after->name, b->after->name);
}

static struct load_change change_of(const struct node_load *before, const struct node_load *after) {
        struct load_change change = { .before = before, .after = after };

        for (int kind = 0; kind < LOAD_KIND_COUNT; kind++)
                change.change =
                        fmax(change.change, fabs(before->percent[kind] - after->percent[kind]));
        return change;
}

static void write_node_bars(struct plan_page *page, const struct load_change *changes,
                            size_t count) {
        static const char *const heads[] = { "Node", "=cpu", "=memory", "=pods", NULL };
        size_t shown = count < NODES_MAX ? count : NODES_MAX;

        report_fold(&page->report, SLICE_LITERAL("Nodes that change, most first"), count,
                    count <= OPEN_MAX);
        report_table(&page->report, heads);
        for (size_t i = 0; i < shown; i++) {
                report_cell(&page->report, changes[i].after->name);
                for (int kind = 0; kind < LOAD_KIND_COUNT; kind++)
                        report_bar(&page->report, changes[i].before->percent[kind] / 100,
                                   changes[i].after->percent[kind] / 100);
        }
        report_table_end(&page->report);
        report_more(&page->report, count - shown, "berth plan -o json has the spread over all");
        report_fold_end(&page->report);
}

static void write_nodes(struct plan_page *page) {
        const struct cluster_balance *before = &page->plan->before.balance;
        const struct cluster_balance *after = &page->plan->after.balance;
        size_t count = 0;

        report_section(&page->report, "The cluster before and after",
                       "Full bars are after the plan, a line across them is before it. What is "
                       "beyond 100 % of allocatable has a colour of its own.");
        write_histograms(page);
        if (before->node_count != after->node_count)
                return;
        struct load_change *changes =
                ARENA_ARRAY(page->arena, struct load_change, before->node_count);
        for (size_t i = 0; i < before->node_count; i++) {
                changes[count] = change_of(&before->nodes[i], &after->nodes[i]);
                count += changes[count].change >= 0.05;
        }
        if (!count)
                return;
        qsort(changes, count, sizeof(*changes), compare_changes);
        write_node_bars(page, changes, count);
}

void plan_page_write(const struct eviction_plan *plan, const struct report_facts *facts,
                     struct buf *out) {
        struct plan_page page = { .plan = plan, .report = { .out = out }, .arena = facts->arena };

        count_outcomes(&page);
        write_head(&page, facts);
        write_figures(&page);
        write_evictions(&page);
        write_held(&page);
        write_nodes(&page);
        write_rules(&page);
        write_spared(&page);
        report_end(&page.report);
}
