/* Draws the progress of berth up. */
#include "cmd/up_view.h"

#include "api/object.h"
#include "base/buf.h"
#include "base/util.h"
#include "evict/evict_service.h"
#include "model/cluster.h"
#include "sched/scheduler.h"
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define EVICTION_LINES_MAX 40
#define BAR_WIDTH 30
#define BAR_EXTRA 15  /* around the bar */
#define TIME_WIDTH 10 /* [ 123.4s] and a blank */

void up_view_init(struct up_view *view, FILE *out) {
        struct winsize size;

        *view = (struct up_view){ .out = out, .is_terminal = isatty(fileno(out)), .columns = 80 };
        if (view->is_terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
                view->columns = size.ws_col;
}

/* Takes the block away so that a line can go above it. */
static void hide_block(struct up_view *view) {
        if (view->has_block)
                fputs("\033[2A\033[J", view->out);
        view->has_block = false;
}

void up_view_say(struct up_view *view, double at_s, struct slice text) {
        hide_block(view);
        fprintf(view->out, "[%6.1fs] " SLICE_FMT "\n", at_s, SLICE_ARG(text));
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

static double cpu_share(const struct cluster *cluster) {
        const struct node_table *nodes = cluster_nodes(cluster);
        const struct resource_column *cpu = &nodes->resources[RESOURCE_CPU];
        double allocatable = 0, requested = 0;

        for (size_t n = bitset_next(&nodes->live, 0); n != SIZE_MAX;
             n = bitset_next(&nodes->live, n + 1)) {
                allocatable += (double)cpu->allocatable[n];
                requested += (double)cpu->requested[n];
        }
        return allocatable > 0 ? requested / allocatable : 0;
}

static void draw_block(struct up_view *view, const struct up_view_sources *sources,
                       struct slice summary) {
        double share = cpu_share(sources->cluster);
        int full = (int)(share * BAR_WIDTH + 0.5);
        int width = view->columns - TIME_WIDTH - BAR_WIDTH - BAR_EXTRA;

        hide_block(view);
        fprintf(view->out, "[%6.1fs] %.*s\n          cpu [", sources->at_s,
                view->columns - TIME_WIDTH, summary.ptr);
        for (int i = 0; i < BAR_WIDTH; i++)
                fputc(i < full ? '#' : '.', view->out);
        fprintf(view->out, "] %3.0f %%   %.*s\n", share * 100, width > 0 ? width : 0, sources->url);
        fflush(view->out);
        view->has_block = true;
}

void up_view_update(struct up_view *view, const struct up_view_sources *sources) {
        CLEANUP(buf_release) struct buf summary = { 0 };
        struct up_view_counts counts = count_pods(sources->cluster);

        report_evictions(view, sources);
        write_summary(sources, &counts, &summary);
        if (view->is_terminal) {
                draw_block(view, sources, buf_view(&summary));
        } else if (strncmp(view->last, summary.data, sizeof(view->last) - 1) != 0) {
                up_view_say(view, sources->at_s, buf_view(&summary));
                snprintf(view->last, sizeof(view->last), "%s", summary.data);
        }
}

void up_view_end(struct up_view *view) {
        view->has_block = false;
        fflush(view->out);
}
