/* What happened during a run: what was placed, what waits and why, how full the nodes are. */
#include "cmd/up_page.h"

#include "base/util.h"
#include "cmd/node_section.h"
#include "cmd/report_file.h"
#include "cmd/up_report.h"
#include "show/amount.h"

#define EVICTIONS_MAX 300
#define OPEN_MAX 15

struct up_page {
        const struct up_report *up;
        struct report report;
        struct arena *arena;
        size_t over_committed; /* nodes, of some resource */
};

static struct slice count_text(struct up_page *page, uint64_t count) {
        CLEANUP(buf_release) struct buf text = { 0 };

        amount_count(&text, (int64_t)count);
        return arena_slice(page->arena, buf_view(&text));
}

static void write_head(struct up_page *page, const struct report_facts *facts) {
        const struct up_report *up = page->up;
        CLEANUP(buf_release) struct buf line = { 0 };
        CLEANUP(buf_release) struct buf detail = { 0 };

        if (up->pending_unplaced) {
                amount_count(&line, (int64_t)up->pending_unplaced);
                buf_text(&line, " of ");
                amount_many(&line, (int64_t)up->pods, "pod");
                buf_text(&line, up->pending_unplaced == 1 ? " finds no node" : " find no node");
        } else {
                amount_many(&line, (int64_t)up->pods, "pod");
                buf_text(&line, ", and each has a node");
        }
        amount_many(&detail, (int64_t)up->nodes, "node");
        buf_text(&detail, "; ");
        amount_many(&detail, (int64_t)up->placed, "pod");
        buf_text(&detail, " placed");
        if (up->placing_s > 0) {
                buf_text(&detail, " at ");
                amount_count(&detail, (int64_t)((double)up->placed / up->placing_s));
                buf_text(&detail, " a second with all API writes");
        }
        buf_text(&detail, up->is_settled ? ". At the end nothing changed any more." : ".");
        report_begin(
                &page->report,
                &(struct report_head){ .title = "berth up",
                                       .headline = buf_view(&line),
                                       .detail = buf_view(&detail),
                                       .tone = up->pending_unplaced ? REPORT_WARN : REPORT_CALM,
                                       .facts = facts->items,
                                       .fact_count = facts->count });
}

/* ---- figures ---- */

static struct report_figure resource_figure(struct up_page *page, const char *label,
                                            const char *name) {
        struct report_figure figure = { .label = label, .before = -1 };

        for (size_t i = 0; i < page->up->resource_count; i++) {
                const struct up_resource *resource = &page->up->resources[i];
                CLEANUP(buf_release) struct buf value = { 0 };
                CLEANUP(buf_release) struct buf note = { 0 };

                if (!slice_is(resource->name, name))
                        continue;
                amount_percent(&value, (double)resource->requested, (double)resource->allocatable);
                amount_of(&note, amount_unit_of(resource->name), resource->requested,
                          resource->allocatable);
                figure.value = arena_slice(page->arena, buf_view(&value));
                figure.note = arena_slice(page->arena, buf_view(&note));
                figure.has_share = resource->allocatable > 0;
                figure.share = figure.has_share
                                       ? (double)resource->requested / (double)resource->allocatable
                                       : 0;
        }
        return figure;
}

static void write_figures(struct up_page *page) {
        const struct up_report *up = page->up;
        uint64_t evictions = 0;

        for (size_t i = 0; i < up->rule_count; i++)
                evictions += slice_is(up->rules[i].result, "success") ? up->rules[i].count : 0;
        const struct report_figure figures[] = {
                { .label = "Pods", .value = count_text(page, up->pods) },
                { .label = "Wait for a node",
                  .value = count_text(page, up->pending_unplaced),
                  .note = up->pending_unplaced ? SLICE_LITERAL("reasons below") : SLICE_EMPTY,
                  .tone = REPORT_WARN },
                resource_figure(page, "cpu requested", "cpu"),
                resource_figure(page, "Memory requested", "memory"),
                { .label = "Nodes over-committed",
                  .value = count_text(page, page->over_committed),
                  .note = page->over_committed ? SLICE_LITERAL("more requested than there is")
                                               : SLICE_EMPTY,
                  .tone = REPORT_BAD },
                { .label = "Pods evicted", .value = count_text(page, evictions) },
        };

        report_figures(&page->report, figures, ARRAY_LEN(figures));
}

/* ---- sections ---- */

static void write_reasons(struct up_page *page) {
        static const char *const heads[] = { "Reason", "#Pods", NULL };
        const struct up_report *up = page->up;

        if (!up->reason_count || !up->pending_unplaced)
                return;
        report_section(&page->report, "Why pods wait", "The scheduler's latest word on each.");
        report_table(&page->report, heads);
        for (size_t i = 0; i < up->reason_count; i++) {
                report_cell(&page->report, up->reasons[i].message);
                report_count(&page->report, (int64_t)up->reasons[i].pods);
        }
        report_table_end(&page->report);
}

static void write_resources(struct up_page *page) {
        static const char *const heads[] = { "Resource", "=Requested", "Amount",
                                             "#Nodes over-committed", NULL };
        const struct up_report *up = page->up;

        report_section(&page->report, "Resources of the cluster", NULL);
        report_table(&page->report, heads);
        for (size_t i = 0; i < up->resource_count; i++) {
                const struct up_resource *resource = &up->resources[i];
                CLEANUP(buf_release) struct buf amount = { 0 };

                amount_of(&amount, amount_unit_of(resource->name), resource->requested,
                          resource->allocatable);
                report_cell(&page->report, resource->name);
                if (resource->allocatable)
                        report_bar(&page->report, -1,
                                   (double)resource->requested / (double)resource->allocatable);
                else
                        report_cell(&page->report, SLICE_LITERAL("none allocatable"));
                report_cell(&page->report, buf_view(&amount));
                report_count(&page->report, (int64_t)resource->over_committed);
        }
        report_table_end(&page->report);
}

static void write_devices(struct up_page *page) {
        static const char *const heads[] = { "Node",    "=Used",       "#Devices", "#Used",
                                             "#Shared", "#Fragmented", NULL };
        const struct up_report *up = page->up;
        size_t shown = up->device_count < EVICTIONS_MAX ? up->device_count : EVICTIONS_MAX;

        if (!up->device_count)
                return;
        report_section(&page->report, "Devices of nodes",
                       "Fragmented: free, but too much of what they consist of is taken.");
        report_table(&page->report, heads);
        for (size_t i = 0; i < shown; i++) {
                const struct up_devices *devices = &up->devices[i];

                report_cell(&page->report, devices->node);
                report_bar(&page->report, -1, (double)devices->used / (double)devices->all);
                report_count(&page->report, (int64_t)devices->all);
                report_count(&page->report, (int64_t)devices->used);
                report_count(&page->report, (int64_t)devices->shared);
                report_count(&page->report, (int64_t)devices->fragmented);
        }
        report_table_end(&page->report);
        report_more(&page->report, up->device_count - shown, "a report as JSON has more");
}

static void write_evictions(struct up_page *page) {
        static const char *const rules[] = { "Rule", "Profile", "Result", "#Pods", NULL };
        static const char *const heads[] = { "Pod", "From", "Rule", "Result", "Why", NULL };
        const struct up_report *up = page->up;
        size_t shown = up->eviction_count < EVICTIONS_MAX ? up->eviction_count : EVICTIONS_MAX;

        if (!up->rule_count)
                return;
        report_section(&page->report, "Evictions", NULL);
        report_table(&page->report, rules);
        for (size_t i = 0; i < up->rule_count; i++) {
                report_cell(&page->report, up->rules[i].plugin);
                report_cell(&page->report, up->rules[i].profile);
                report_cell(&page->report, up->rules[i].result);
                report_count(&page->report, (int64_t)up->rules[i].count);
        }
        report_table_end(&page->report);
        report_fold(&page->report, SLICE_LITERAL("Each of them"), up->eviction_count,
                    up->eviction_count <= OPEN_MAX);
        report_table(&page->report, heads);
        for (size_t i = 0; i < shown; i++) {
                const struct up_eviction *eviction = &up->evictions[i];

                report_cell(&page->report, eviction->pod);
                report_cell(&page->report, eviction->node);
                report_cell(&page->report, eviction->plugin);
                report_cell(&page->report, eviction->result);
                report_cell(&page->report, eviction->text.len ? eviction->text : eviction->reason);
        }
        report_table_end(&page->report);
        report_more(&page->report, up->eviction_count - shown, "a report as JSON has more");
        report_fold_end(&page->report);
}

static void write_costs(struct up_page *page) {
        static const char *const heads[] = { "What", "#Number", NULL };
        const struct up_report *up = page->up;
        const struct {
                const char *name;
                uint64_t count;
        } writes[] = {
                { "Bindings", up->binds },
                { "Statuses of pods", up->status_writes },
                { "Evictions", up->evict_calls },
                { "Events", up->events_written },
                { "Writes that failed", up->failed_writes },
        };
        CLEANUP(buf_release) struct buf line = { 0 };

        report_section(&page->report, "What it took", NULL);
        buf_text(&line, "The process, cluster included: ");
        amount_write(&line, AMOUNT_BYTES, up->peak_memory_bytes);
        buf_text(&line, " at its peak, ");
        amount_measure(&line, up->cpu_s);
        buf_text(&line, " s of CPU in ");
        amount_measure(&line, up->elapsed_s);
        buf_text(&line, " s.");
        report_paragraph(&page->report, buf_view(&line));
        report_table(&page->report, heads);
        for (size_t i = 0; i < ARRAY_LEN(writes); i++) {
                report_cell(&page->report, slice_of(writes[i].name));
                report_count(&page->report, (int64_t)writes[i].count);
        }
        report_table_end(&page->report);
}

void up_page_write(const struct up_report *report, const struct top_data *data,
                   const struct report_facts *facts, struct buf *out) {
        struct up_page page = { .up = report,
                                .report = { .out = out },
                                .arena = facts->arena,
                                .over_committed = data->overcommitted };

        write_head(&page, facts);
        write_figures(&page);
        write_reasons(&page);
        node_section_write(&page.report, data, page.arena);
        write_resources(&page);
        write_devices(&page);
        write_evictions(&page);
        write_costs(&page);
        report_end(&page.report);
}
