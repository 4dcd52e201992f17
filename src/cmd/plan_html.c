/* The page of a plan: what would go and why, what stays, the cluster before and after. */
#include "cmd/plan_html.h"

#include "ask/eviction_plan.h"
#include "desched/descheduler.h"

/* Bars of more nodes say nothing any more, and make the page large. */
#define BARS_MAX 200

static const char head[] =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\"><title>berth plan</title>\n<style>"
        "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;"
        "color:#1b1f24;background:#fff}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}"
        "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .75rem "
        ".25rem 0;border-bottom:1px solid #d8dee4;vertical-align:top}th{font-weight:600}"
        "td.n,th.n{text-align:right}.bar{display:inline-block;height:.6rem;background:#d8dee4;"
        "width:8rem}.bar i{display:block;height:100%;background:#2f6feb}.bar.a i{background:"
        "#1a7f37}p.none{color:#57606a}"
        "@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th,td{"
        "border-color:#30363d}.bar{background:#30363d}}</style></head><body>\n";

static void plan_html_escape(struct buf *out, struct slice text) {
        for (size_t i = 0; i < text.len; i++)
                switch (text.ptr[i]) {
                case '&':
                        buf_text(out, "&amp;");
                        break;
                case '<':
                        buf_text(out, "&lt;");
                        break;
                case '>':
                        buf_text(out, "&gt;");
                        break;
                case '"':
                        buf_text(out, "&quot;");
                        break;
                default:
                        buf_char(out, text.ptr[i]);
                }
}

static void plan_html_cell(struct buf *out, struct slice text) {
        buf_text(out, "<td>");
        plan_html_escape(out, text);
        buf_text(out, "</td>");
}

static void plan_html_number(struct buf *out, unsigned long long value) {
        buf_printf(out, "<td class=\"n\">%llu</td>", value);
}

/* heads: NULL-ended; a head that starts with # is of numbers. */
static void open_table(struct buf *out, const char *title, const char *const *heads) {
        buf_printf(out, "<h2>%s</h2>\n<table><tr>", title);
        for (; *heads; heads++)
                if (**heads == '#')
                        buf_printf(out, "<th class=\"n\">%s</th>", *heads + 1);
                else
                        buf_printf(out, "<th>%s</th>", *heads);
        buf_text(out, "</tr>\n");
}

static void pod_cell(struct buf *out, struct slice ns, struct slice name) {
        buf_text(out, "<td>");
        plan_html_escape(out, ns);
        buf_char(out, '/');
        plan_html_escape(out, name);
        buf_text(out, "</td>");
}

static void landing_cells(const struct eviction_plan *plan, const struct planned_eviction *eviction,
                          struct buf *out) {
        if (!eviction->has_landing)
                plan_html_cell(out, SLICE_LITERAL("does not come back"));
        else if (node_id_is_none(eviction->landing))
                plan_html_cell(out, SLICE_LITERAL("pending"));
        else
                plan_html_cell(out, cluster_node_name(plan->cluster, eviction->landing));
        if (eviction->has_gain)
                buf_printf(out, "<td class=\"n\">%+lld</td>", (long long)eviction->gain);
        else
                buf_text(out, "<td></td>");
}

static void write_evictions(const struct eviction_plan *plan, struct buf *out) {
        static const char *const heads[] = { "Pod", "From", "To", "#Gain", "Rule", "Reason", NULL };

        open_table(out, "Evictions", heads);
        for (size_t i = 0; i < plan->eviction_count; i++) {
                const struct planned_eviction *eviction = &plan->evictions[i];

                if (eviction->outcome != EVICT_DONE)
                        continue;
                buf_text(out, "<tr>");
                pod_cell(out, eviction->ns, eviction->name);
                plan_html_cell(out, eviction->node);
                landing_cells(plan, eviction, out);
                plan_html_cell(out, eviction->plugin);
                plan_html_cell(out, eviction->reason);
                buf_text(out, "</tr>\n");
        }
        buf_text(out, "</table>\n");
}

static void write_refused(const struct eviction_plan *plan, struct buf *out) {
        static const char *const heads[] = { "Pod", "Node", "Rule", "Kept by", NULL };

        open_table(out, "Kept by limits, budgets and policies", heads);
        for (size_t i = 0; i < plan->eviction_count; i++) {
                const struct planned_eviction *eviction = &plan->evictions[i];

                if (eviction->outcome == EVICT_DONE)
                        continue;
                buf_text(out, "<tr>");
                pod_cell(out, eviction->ns, eviction->name);
                plan_html_cell(out, eviction->node);
                plan_html_cell(out, eviction->plugin);
                plan_html_cell(out, planned_eviction_outcome_text(eviction));
                buf_text(out, "</tr>\n");
        }
        buf_text(out, "</table>\n");
}

static void write_spared(const struct eviction_plan *plan, struct buf *out) {
        static const char *const heads[] = { "Pod", "Rule", "Spared because", NULL };

        open_table(out, "Spared by filters", heads);
        for (size_t i = 0; i < plan->spared_count; i++) {
                const struct spared_pod *spared = &plan->spared[i];

                buf_text(out, "<tr>");
                pod_cell(out, spared->ns, spared->name);
                plan_html_cell(out, spared->plugin);
                plan_html_cell(out, spared->reasons);
                buf_text(out, "</tr>\n");
        }
        buf_text(out, "</table>\n");
}

static void write_rules(const struct eviction_plan *plan, struct buf *out) {
        static const char *const heads[] = {
                "Profile",  "Rule",    "#Wanted before",  "#after", "#Evicted",
                "#Limited", "#Spared", "What went wrong", NULL
        };

        open_table(out, "Rules", heads);
        for (size_t i = 0; i < plan->report->rule_count; i++) {
                const struct desched_rule_report *rule = &plan->report->rules[i];

                buf_text(out, "<tr>");
                plan_html_cell(out, rule->profile);
                plan_html_cell(out, rule->plugin);
                plan_html_number(out, plan->before.wanted[i]);
                plan_html_number(out, plan->after.wanted[i]);
                plan_html_number(out, rule->evicted);
                plan_html_number(out, rule->limited);
                plan_html_number(out, rule->spared);
                plan_html_cell(out, rule->code != BERTH_OK ? slice_of(rule->text) : SLICE_EMPTY);
                buf_text(out, "</tr>\n");
        }
        buf_text(out, "</table>\n");
}

static void write_spread(const struct eviction_plan *plan, struct buf *out) {
        static const char *const heads[] = { "Requested by node", "#Least",      "#Mean", "#Most",
                                             "#Deviation",        "#Least then", "#Mean", "#Most",
                                             "#Deviation",        NULL };

        open_table(out, "Cluster before and after", heads);
        for (size_t kind = 0; kind < LOAD_KIND_COUNT; kind++) {
                const struct load_spread *both[] = { &plan->before.balance.spread[kind],
                                                     &plan->after.balance.spread[kind] };

                buf_printf(out, "<tr><td>%s, %%</td>", load_kind_names[kind]);
                for (size_t i = 0; i < 2; i++)
                        buf_printf(out,
                                   "<td class=\"n\">%.1f</td><td class=\"n\">%.1f</td><td "
                                   "class=\"n\">%.1f</td><td class=\"n\">%.2f</td>",
                                   both[i]->least, both[i]->mean, both[i]->most,
                                   both[i]->deviation);
                buf_text(out, "</tr>\n");
        }
        buf_printf(out, "</table>\n<p>Pending pods: %zu before, %zu after.</p>\n",
                   plan->before.pending, plan->after.pending);
}

static void plan_html_bar(struct buf *out, double percent, const char *kind) {
        double width = percent > 100 ? 100 : percent;

        buf_printf(out,
                   "<td><span class=\"bar %s\"><i style=\"width:%.0f%%\"></i></span> %.0f%%</td>",
                   kind, width, percent);
}

static void write_nodes(const struct eviction_plan *plan, struct buf *out) {
        static const char *const heads[] = {
                "Node", "cpu before", "after", "memory", "after", NULL
        };
        const struct cluster_balance *before = &plan->before.balance, *after = &plan->after.balance;

        if (before->node_count > BARS_MAX || before->node_count != after->node_count)
                return;
        open_table(out, "Nodes", heads);
        for (size_t i = 0; i < before->node_count; i++) {
                buf_text(out, "<tr>");
                plan_html_cell(out, before->nodes[i].name);
                for (int kind = LOAD_CPU; kind <= LOAD_MEMORY; kind++) {
                        plan_html_bar(out, before->nodes[i].percent[kind], "b");
                        plan_html_bar(out, after->nodes[i].percent[kind], "a");
                }
                buf_text(out, "</tr>\n");
        }
        buf_text(out, "</table>\n");
}

void plan_write_html(const struct eviction_plan *plan, struct buf *out) {
        buf_text(out, head);
        buf_printf(out,
                   "<h1>berth plan: %zu eviction(s) on %zu node(s)</h1>\n<p>Pods that rules select "
                   "elsewhere, filters and limits left aside: %zu before, %zu after.</p>\n",
                   plan->done_count, plan->report->node_count, plan->before.wanted_sum,
                   plan->after.wanted_sum);
        if (plan->report->is_skipped)
                buf_text(out, "<p class=\"none\">Too few nodes: the pass was skipped.</p>\n");
        write_evictions(plan, out);
        if (plan->eviction_count > plan->done_count)
                write_refused(plan, out);
        write_rules(plan, out);
        write_spread(plan, out);
        write_nodes(plan, out);
        if (plan->spared_count > 0)
                write_spared(plan, out);
        buf_text(out, "</body></html>\n");
}
