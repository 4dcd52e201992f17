/* Headline, findings, and differences by finding. */
#include "cmd/shadow_page.h"

#include "base/util.h"
#include "cmd/report_file.h"
#include "show/amount.h"

#define DIFFERENCES_MAX 150 /* of each finding */
#define OPEN_MAX 15

static const struct finding_text {
        const char *name, *text;
        bool differs;
        enum report_tone tone;
} finding_texts[] = {
        { "same", "It chose a node that is among the best", false, REPORT_GOOD },
        { "less", "Its node fits, but another one scores higher", true, REPORT_WARN },
        { "misfit", "Its node does not fit", true, REPORT_BAD },
        { "wouldPlace", "It found no node, but one fits", true, REPORT_WARN },
        { "alsoRefused", "No node found by either", false, REPORT_CALM },
};

struct shadow_page {
        const struct json_node *agreement;
        struct report report;
        struct arena *arena;
};

static struct slice count_text(struct shadow_page *page, const char *name) {
        CLEANUP(buf_release) struct buf text = { 0 };

        amount_count(&text, node_get_i64(page->agreement, name, 0));
        return arena_slice(page->arena, buf_view(&text));
}

static void write_head(struct shadow_page *page, const struct report_facts *facts) {
        int64_t placed = node_get_i64(page->agreement, "placed", 0);
        int64_t misfits = node_get_i64(page->agreement, "misfit", 0);
        int64_t would_place = node_get_i64(page->agreement, "wouldPlace", 0);
        CLEANUP(buf_release) struct buf line = { 0 };
        CLEANUP(buf_release) struct buf detail = { 0 };

        if (placed) {
                amount_measure(&line, 100 * (double)node_get_i64(page->agreement, "same", 0) /
                                              (double)placed);
                buf_text(&line, " % of the other scheduler's placements are on a best node");
                buf_text(&detail, "Of ");
                amount_many(&detail, placed, "pod");
                buf_text(&detail, " that it placed, ");
                amount_count(&detail, misfits);
                buf_text(&detail, misfits == 1 ? " is on a node that does not fit"
                                               : " are on nodes that do not fit");
                buf_text(&detail, "; ");
                amount_count(&detail, would_place);
                buf_text(&detail, " of those it refused would have had a node.");
        } else {
                buf_text(&line, "The other scheduler placed nothing meanwhile");
        }
        report_begin(&page->report,
                     &(struct report_head){ .title = "berth scheduler --shadow",
                                            .headline = buf_view(&line),
                                            .detail = buf_view(&detail),
                                            .tone = misfits ? REPORT_WARN : REPORT_CALM,
                                            .facts = facts->items,
                                            .fact_count = facts->count });
}

static void write_figures(struct shadow_page *page) {
        const struct report_figure figures[] = {
                { .label = "Placed by it", .value = count_text(page, "placed") },
                { .label = "On a best node", .value = count_text(page, "same") },
                { .label = "On a lesser node", .value = count_text(page, "less") },
                { .label = "On a node that does not fit",
                  .value = count_text(page, "misfit"),
                  .note = node_get_i64(page->agreement, "misfit", 0) ? SLICE_LITERAL("see below")
                                                                     : SLICE_EMPTY,
                  .tone = REPORT_BAD },
                { .label = "Refused, and would fit", .value = count_text(page, "wouldPlace") },
                { .label = "Refused by both", .value = count_text(page, "alsoRefused") },
        };

        report_figures(&page->report, figures, ARRAY_LEN(figures));
}

static void write_findings(struct shadow_page *page) {
        static const char *const heads[] = { "Finding", "#Pods", NULL };

        report_section(&page->report, "What was found", NULL);
        report_table(&page->report, heads);
        for (size_t i = 0; i < ARRAY_LEN(finding_texts); i++) {
                report_cell(&page->report, slice_of(finding_texts[i].text));
                report_count(&page->report,
                             node_get_i64(page->agreement, finding_texts[i].name, 0));
        }
        report_cell(&page->report, SLICE_LITERAL("Placed before it was seen, not judged"));
        report_count(&page->report, node_get_i64(page->agreement, "unseen", 0));
        report_cell(&page->report, SLICE_LITERAL("Could not be decided"));
        report_count(&page->report, node_get_i64(page->agreement, "errors", 0));
        report_table_end(&page->report);
}

/* ---- differences ---- */

/* The reason, or the plugins whose scores differ. */
static void write_why(struct shadow_page *page, const struct json_node *difference) {
        struct node_iter plugins = node_iter(node_get(difference, "plugins"));
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_node *plugin;

        buf_slice(&text, node_get_text(difference, "reason"));
        while (node_next(&plugins, NULL, &plugin))
                buf_printf(&text, "%s" SLICE_FMT " %lld against %lld", text.len ? ", " : "",
                           SLICE_ARG(node_get_text(plugin, "plugin")),
                           (long long)node_get_i64(plugin, "score", 0),
                           (long long)node_get_i64(plugin, "best", 0));
        report_cell(&page->report, buf_view(&text));
}

static void write_node(struct shadow_page *page, const struct json_node *difference,
                       const char *name, const char *total) {
        struct slice node = node_get_text(difference, name);
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_slice(&text, node.len ? node : SLICE_LITERAL("none"));
        if (node_get(difference, total))
                buf_printf(&text, " (%lld)", (long long)node_get_i64(difference, total, 0));
        report_cell(&page->report, buf_view(&text));
}

static void write_kind(struct shadow_page *page, const struct finding_text *finding) {
        static const char *const heads[] = { "Pod", "It chose", "Best", "Why", "When", NULL };
        const struct json_node *list = node_get(page->agreement, "differences");
        size_t count = (size_t)node_get_i64(page->agreement, finding->name, 0), shown = 0;

        if (!finding->differs || !count)
                return;
        report_fold(&page->report, slice_of(finding->text), count, count <= OPEN_MAX);
        report_table(&page->report, heads);
        for (size_t i = 0; i < node_count(list) && shown < DIFFERENCES_MAX; i++) {
                const struct json_node *difference = node_at(list, i);

                if (!slice_is(node_get_text(difference, "finding"), finding->name))
                        continue;
                report_cell(&page->report, node_get_text(difference, "pod"));
                write_node(page, difference, "node", "total");
                write_node(page, difference, "best", "bestTotal");
                write_why(page, difference);
                report_cell(&page->report, node_get_text(difference, "at"));
                shown++;
        }
        report_table_end(&page->report);
        report_more(&page->report, count - shown, "-o json has the first thousand of all");
        report_fold_end(&page->report);
}

void shadow_page_write(const struct json_node *agreement, const struct report_facts *facts,
                       struct buf *out) {
        struct shadow_page page = { .agreement = agreement,
                                    .report = { .out = out },
                                    .arena = facts->arena };

        write_head(&page, facts);
        write_figures(&page);
        write_findings(&page);
        if (node_count(node_get(agreement, "differences")))
                report_section(&page.report, "Where they differ",
                               "Numbers behind nodes are their scores.");
        for (size_t i = 0; i < ARRAY_LEN(finding_texts); i++)
                write_kind(&page, &finding_texts[i]);
        report_end(&page.report);
}
