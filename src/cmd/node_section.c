/* Histograms and bars of nodes. */
#include "cmd/node_section.h"

#include "base/arena.h"

#define NODES_MAX 100
#define OPEN_MAX 40
#define CHARTS_MAX 3 /* cpu, memory, pods: an extended resource is on few nodes */

static double share_at(const struct top_node *node, size_t resource) {
        return node->allocatable[resource] > 0
                       ? (double)node->requested[resource] / (double)node->allocatable[resource]
               : node->requested[resource] > 0 ? 10
                                               : -1;
}

static void write_charts(struct report *report, const struct top_data *data, struct arena *arena) {
        buf_text(report->out, "<div class=\"charts\">");
        for (size_t r = 0; r < data->resource_count && r < CHARTS_MAX; r++) {
                struct report_bins bins = { 0 };

                for (size_t i = 0; i < data->node_count; i++)
                        if (share_at(&data->nodes[i], r) >= 0)
                                report_bins_add(&bins, share_at(&data->nodes[i], r));
                report_histogram(report,
                                 arena_printf(arena, "Nodes by " SLICE_FMT ", %% of allocatable",
                                              SLICE_ARG(data->resources[r].name)),
                                 NULL, &bins);
        }
        buf_text(report->out, "</div>\n");
}

static void write_bars(struct report *report, const struct top_data *data, struct arena *arena) {
        const char *heads[TOP_RESOURCES_MAX + 2] = { "Node" };
        size_t shown = data->node_count < NODES_MAX ? data->node_count : NODES_MAX;

        for (size_t r = 0; r < data->resource_count; r++)
                heads[r + 1] =
                        arena_printf(arena, "=" SLICE_FMT, SLICE_ARG(data->resources[r].name));
        report_fold(report, SLICE_LITERAL("Nodes, the fullest first"), data->node_count,
                    data->node_count <= OPEN_MAX);
        report_table(report, heads);
        for (size_t i = 0; i < shown; i++) {
                report_cell(report, data->nodes[i].name);
                for (size_t r = 0; r < data->resource_count; r++)
                        if (share_at(&data->nodes[i], r) >= 0)
                                report_bar(report, -1, share_at(&data->nodes[i], r));
                        else
                                report_cell(report, SLICE_EMPTY);
        }
        report_table_end(report);
        report_more(report, data->node_count - shown, "");
        report_fold_end(report);
}

void node_section_write(struct report *report, const struct top_data *data, struct arena *arena) {
        report_section(report, "Nodes",
                       "What pods request of allocatable. What is beyond 100 % has a colour of its "
                       "own.");
        if (!data->node_count)
                return;
        write_charts(report, data, arena);
        write_bars(report, data, arena);
}
