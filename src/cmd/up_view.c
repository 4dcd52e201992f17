/* Draws the progress of berth up. */
#include "cmd/up_view.h"

#include "api/object.h"
#include "base/buf.h"
#include "base/util.h"
#include "cmd/terminal.h"
#include "cmd/top_gather.h"
#include "evict/evict_service.h"
#include "model/cluster.h"
#include "sched/scheduler.h"
#include "show/cells.h"
#include <string.h>
#include <unistd.h>

#define EVICTION_LINES_MAX 40
#define BLOCK_ROWS_MAX 16

void up_view_init(struct up_view *view, FILE *out) {
        *view = (struct up_view){ .out = out, .is_terminal = isatty(fileno(out)) };
        arena_init(&view->arena, 0);
}

void up_view_release(struct up_view *view) {
        arena_release(&view->arena);
}

/* Takes the block away so that a line can go above it. */
static void hide_block(struct up_view *view) {
        if (view->block_rows)
                fprintf(view->out, "\r\033[%zuA\033[J", view->block_rows);
        view->block_rows = 0;
}

void up_view_say(struct up_view *view, double at_s, struct slice text) {
        CLEANUP(buf_release) struct buf safe = { 0 };

        cells_put(&safe, text, SIZE_MAX, false);
        hide_block(view);
        fprintf(view->out, "[%6.1fs] " SLICE_FMT "\n", at_s, SLICE_ARG(buf_view(&safe)));
        fflush(view->out);
}

static void report_eviction(struct up_view *view, const struct evict_record *record, double at_s) {
        CLEANUP(buf_release) struct buf line = { 0 };

        bool is_gone = record->result == EVICT_RESULT_SUCCESS;
        struct slice why = is_gone || !record->text.len ? record->reason : record->text;

        buf_printf(&line, "  %s " SLICE_FMT "/" SLICE_FMT "%s " SLICE_FMT " (" SLICE_FMT,
                   is_gone ? "evicted" : "kept", SLICE_ARG(record->pod.ns),
                   SLICE_ARG(record->pod.name), is_gone ? " from" : " on", SLICE_ARG(record->node),
                   SLICE_ARG(record->plugin));
        if (why.len)
                buf_printf(&line, ": " SLICE_FMT, SLICE_ARG(why));
        buf_char(&line, ')');
        up_view_say(view, at_s, buf_view(&line));
}

static void report_evictions(struct up_view *view, const struct up_view_sources *sources) {
        const struct evict_record *record;
        uint64_t after = view->records_seen;
        size_t at = 0;

        if (!sources->requester)
                return;
        while ((record = evict_requester_next_record(sources->requester, after, &at))) {
                if (view->lines_reported < EVICTION_LINES_MAX)
                        report_eviction(view, record, sources->at_s);
                else if (view->lines_reported == EVICTION_LINES_MAX)
                        up_view_say(view, sources->at_s,
                                    SLICE_LITERAL("  further evictions are in the report"));
                view->lines_reported++;
                view->records_seen = record->number;
        }
}

struct up_view_counts {
        size_t pods, phases[5], unplaced;
};

static struct up_view_counts count_pods(const struct cluster *cluster) {
        struct up_view_counts counts = { 0 };

        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ i });

                if (!row->is_live)
                        continue;
                counts.pods++;
                counts.phases[row->phase]++;
                counts.unplaced += row->phase == POD_PENDING && node_id_is_none(row->node);
        }
        return counts;
}

static void write_summary(const struct up_view_sources *sources,
                          const struct up_view_counts *counts, struct buf *out) {
        buf_printf(out, "nodes %zu  pods %zu", cluster_node_count(sources->cluster), counts->pods);
        for (int p = 0; p < 5; p++)
                if (counts->phases[p])
                        buf_printf(out, "  %s %zu", pod_phase_name((enum pod_phase)p),
                                   counts->phases[p]);
        if (counts->unplaced)
                buf_printf(out, "  unplaced %zu", counts->unplaced);
        if (sources->scheduler) {
                struct scheduler_stats stats;

                scheduler_stats(sources->scheduler, &stats);
                buf_printf(out, "  placed %llu", (unsigned long long)stats.scheduled);
        }
}

/* What the scheduler said last of a pod. */
static struct slice last_word(void *context, struct pod_id pod) {
        const struct up_view_sources *sources = context;
        const struct pod_row *row = cluster_pod(sources->cluster, pod);

        for (size_t i = 0; sources->scheduler && i < scheduler_trace_count(sources->scheduler);
             i++) {
                const struct decision_trace *trace = scheduler_trace(sources->scheduler, i);

                if (trace->outcome == DECISION_UNSCHEDULABLE && strcmp(trace->uid, row->uid) == 0)
                        return slice_of(trace->message);
        }
        return SLICE_EMPTY;
}

static struct top_size block_size(const struct up_view *view) {
        struct top_size size = terminal_size(fileno(view->out));

        size.rows = size.rows / 2 < BLOCK_ROWS_MAX ? size.rows / 2 : BLOCK_ROWS_MAX;
        size.rows = size.rows < TOP_ROWS_MIN ? TOP_ROWS_MIN : size.rows;
        size.columns = size.columns < TOP_COLUMNS_MIN ? TOP_COLUMNS_MIN : size.columns;
        return size;
}

static void draw_block(struct up_view *view, const struct up_view_sources *sources) {
        const struct top_state by_cpu = { .sort = 1 + RESOURCE_CPU };
        const struct top_size size = block_size(view);
        CLEANUP(buf_release) struct buf rows = { 0 };
        struct top_data data;

        arena_clear(&view->arena);
        top_gather(&(struct top_sources){ .cluster = sources->cluster,
                                          .now = sources->now,
                                          .reason = last_word,
                                          .context = (void *)(uintptr_t)sources },
                   &by_cpu, &view->arena, &data);
        data.source = slice_of(sources->url);
        size_t count = top_block_draw(&data, &by_cpu, &size, &rows);

        hide_block(view);
        fprintf(view->out, "\033[?7l" SLICE_FMT "%s\033[?7h", SLICE_ARG(buf_view(&rows)),
                count < size.rows ? "" : "\n");
        fflush(view->out);
        view->block_rows = count;
}

void up_view_update(struct up_view *view, const struct up_view_sources *sources) {
        CLEANUP(buf_release) struct buf summary = { 0 };
        struct up_view_counts counts = count_pods(sources->cluster);

        report_evictions(view, sources);
        write_summary(sources, &counts, &summary);
        if (view->is_terminal) {
                draw_block(view, sources);
        } else if (strncmp(view->last, summary.data, sizeof(view->last) - 1) != 0) {
                up_view_say(view, sources->at_s, buf_view(&summary));
                snprintf(view->last, sizeof(view->last), "%s", summary.data);
        }
}

void up_view_end(struct up_view *view) {
        view->block_rows = 0;
        fflush(view->out);
}
