/* Gathers and prints the report of berth up. */
#include "cmd/up_report.h"

#include "api/json.h"
#include "api/object.h"
#include "base/saturate.h"
#include "base/util.h"
#include "cmd/report_file.h"
#include "evict/evict_service.h"
#include "loop/runtime.h"
#include "model/cluster.h"
#include "sched/scheduler.h"
#include "show/amount.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- gathering ---- */

static void count_pods(const struct cluster *cluster, struct up_report *report) {
        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ i });

                if (!row->is_live)
                        continue;
                report->pods++;
                report->by_phase[row->phase]++;
                if (row->phase == POD_PENDING && node_id_is_none(row->node))
                        report->pending_unplaced++;
        }
}

static void sum_resources(const struct cluster *cluster, struct arena *arena,
                          struct up_report *report) {
        const struct node_table *nodes = cluster_nodes(cluster);

        report->resources = ARENA_ARRAY(arena, struct up_resource, nodes->resource_count);
        for (uint32_t r = 0; r < nodes->resource_count; r++) {
                const struct resource_column *column = &nodes->resources[r];
                struct up_resource sum = { .name = cluster_resource_name(
                                                   cluster, (struct resource_id){ r }) };

                for (size_t n = bitset_next(&nodes->live, 0); n != SIZE_MAX;
                     n = bitset_next(&nodes->live, n + 1)) {
                        sum.allocatable = sum_saturated(sum.allocatable, column->allocatable[n]);
                        sum.requested = sum_saturated(sum.requested, column->requested[n]);
                        sum.over_committed += column->requested[n] > column->allocatable[n];
                }
                if (sum.allocatable || sum.requested)
                        report->resources[report->resource_count++] = sum;
        }
}

static int compare_reasons(const void *a, const void *b) {
        const struct up_reason *x = a, *y = b;

        if (x->pods != y->pods)
                return x->pods < y->pods ? 1 : -1;
        return slice_compare(x->message, y->message);
}

/* The message each pending pod failed with last, as the scheduler remembers it. */
static void count_reasons(const struct up_sources *sources, struct arena *arena,
                          struct up_report *report) {
        size_t count = scheduler_trace_count(sources->scheduler);

        report->reasons = ARENA_ARRAY(arena, struct up_reason, UP_REASONS_MAX);
        for (size_t i = 0; i < count; i++) {
                const struct decision_trace *trace = scheduler_trace(sources->scheduler, i);
                struct slice message = slice_of(trace->message);
                size_t at = 0;

                if (trace->outcome != DECISION_UNSCHEDULABLE)
                        continue;
                while (at < report->reason_count && !slice_eq(report->reasons[at].message, message))
                        at++;
                if (at == UP_REASONS_MAX)
                        continue;
                if (at == report->reason_count)
                        report->reasons[report->reason_count++].message =
                                arena_slice(arena, message);
                report->reasons[at].pods++;
        }
        qsort(report->reasons, report->reason_count, sizeof(*report->reasons), compare_reasons);
}

static struct up_rule *rule_of(struct up_report *report, struct arena *arena,
                               const struct evict_record *record) {
        struct slice result = slice_of(evict_result_name(record->result));

        for (size_t i = 0; i < report->rule_count; i++) {
                struct up_rule *rule = &report->rules[i];

                if (slice_eq(rule->plugin, record->plugin) &&
                    slice_eq(rule->profile, record->profile) && slice_eq(rule->result, result))
                        return rule;
        }
        struct up_rule *grown = ARENA_ARRAY(arena, struct up_rule, report->rule_count + 1);
        if (report->rule_count)
                memcpy(grown, report->rules, report->rule_count * sizeof(*grown));
        grown[report->rule_count] =
                (struct up_rule){ .profile = arena_slice(arena, record->profile),
                                  .plugin = arena_slice(arena, record->plugin),
                                  .result = result };
        report->rules = grown;
        return &grown[report->rule_count++];
}

static void list_evictions(const struct up_sources *sources, struct arena *arena,
                           struct up_report *report) {
        const struct evict_record *record;
        size_t at = 0;

        report->evictions = ARENA_ARRAY(arena, struct up_eviction, UP_EVICTIONS_MAX);
        while ((record = evict_requester_next_record(sources->requester, 0, &at))) {
                rule_of(report, arena, record)->count++;
                if (report->eviction_count == UP_EVICTIONS_MAX)
                        continue;
                report->evictions[report->eviction_count++] = (struct up_eviction){
                        .pod = slice_of(arena_printf(arena, SLICE_FMT "/" SLICE_FMT,
                                                     SLICE_ARG(record->pod.ns),
                                                     SLICE_ARG(record->pod.name))),
                        .node = arena_slice(arena, record->node),
                        .plugin = arena_slice(arena, record->plugin),
                        .reason = arena_slice(arena, record->reason),
                        .result = slice_of(evict_result_name(record->result)),
                        .text = arena_slice(arena, record->text),
                };
        }
}

static void measure_process(struct up_report *report) {
        struct rusage usage;

        getrusage(RUSAGE_SELF, &usage);
        report->peak_memory_bytes = (int64_t)usage.ru_maxrss * 1024;
        report->cpu_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6 +
                        (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
}

void up_report_gather(const struct up_sources *sources, struct arena *arena,
                      struct up_report *ret_report) {
        struct up_report report = { .elapsed_s = sources->elapsed_s,
                                    .is_settled = sources->is_settled };
        struct runtime_stats writes;

        report.nodes = cluster_node_count(sources->cluster);
        count_pods(sources->cluster, &report);
        sum_resources(sources->cluster, arena, &report);
        report.device_count = up_devices_gather(
                sources->cluster, runtime_object_cache(sources->runtime), arena, &report.devices);
        if (sources->scheduler) {
                struct scheduler_stats stats;

                scheduler_stats(sources->scheduler, &stats);
                report.placed = stats.scheduled;
                report.decisions = stats.decisions;
                report.unschedulable_attempts = stats.unschedulable;
                count_reasons(sources, arena, &report);
        }
        if (sources->requester)
                list_evictions(sources, arena, &report);
        runtime_stats(sources->runtime, &writes);
        report.placing_s = writes.placing_s;
        report.binds = writes.writes[ACTION_BIND];
        report.status_writes = writes.writes[ACTION_POD_STATUS];
        report.evict_calls = writes.writes[ACTION_EVICT];
        report.events_written = writes.writes[ACTION_RECORD_EVENT];
        for (int k = 0; k < ACTION_KIND_COUNT; k++)
                report.failed_writes += writes.failures[k];
        measure_process(&report);
        *ret_report = report;
}

/* ---- for people ---- */

static void print_resource(const struct up_resource *resource, struct buf *out) {
        CLEANUP(buf_release) struct buf share = { 0 };

        amount_percent(&share, (double)resource->requested, (double)resource->allocatable);
        buf_printf(out, "  " SLICE_FMT "%*s%7s   ", SLICE_ARG(resource->name),
                   resource->name.len < 28 ? (int)(28 - resource->name.len) : 1, "", share.data);
        amount_of(out, amount_unit_of(resource->name), resource->requested, resource->allocatable);
        if (resource->over_committed) {
                buf_text(out, "   OVERCOMMITTED on ");
                amount_many(out, (int64_t)resource->over_committed, "node");
        }
        buf_char(out, '\n');
}

static void print_resources(const struct up_report *report, struct buf *out) {
        buf_text(out, "Utilisation (requested of allocatable)\n");
        for (size_t i = 0; i < report->resource_count; i++)
                print_resource(&report->resources[i], out);
}

static void print_devices(const struct up_report *report, struct buf *out) {
        size_t shown =
                report->device_count < UP_DEVICES_MAX ? report->device_count : UP_DEVICES_MAX;

        if (shown)
                buf_text(out, "Devices (used of all)\n");
        for (size_t i = 0; i < shown; i++) {
                const struct up_devices *devices = &report->devices[i];

                buf_printf(out, "  " SLICE_FMT "%*s%zu of %zu", SLICE_ARG(devices->node),
                           devices->node.len < 28 ? (int)(28 - devices->node.len) : 1, "",
                           devices->used, devices->all);
                if (devices->shared)
                        buf_printf(out, ", %zu shared", devices->shared);
                if (devices->fragmented)
                        buf_printf(out, ", %zu fragmented", devices->fragmented);
                buf_char(out, '\n');
        }
        if (shown < report->device_count)
                buf_printf(out, "  and %zu more nodes\n", report->device_count - shown);
}

static void print_pods(const struct up_report *report, struct buf *out) {
        buf_printf(out, "Pods %zu on %zu nodes:", report->pods, report->nodes);
        for (int p = 0; p < UP_PHASES; p++)
                if (report->by_phase[p])
                        buf_printf(out, " %s %zu", pod_phase_name((enum pod_phase)p),
                                   report->by_phase[p]);
        if (report->pending_unplaced)
                buf_printf(out, " (%zu not placed)", report->pending_unplaced);
        buf_printf(out, "\nPlaced %llu pods", (unsigned long long)report->placed);
        if (report->placing_s > 0)
                buf_printf(out, " in %.2f s: %.0f pods/s with all API writes", report->placing_s,
                           (double)report->placed / report->placing_s);
        buf_char(out, '\n');
}

static void print_rules(const struct up_report *report, struct buf *out) {
        if (report->rule_count)
                buf_text(out, "Evictions by rule\n");
        for (size_t i = 0; i < report->rule_count; i++)
                buf_printf(out, "  %6llu  " SLICE_FMT "/" SLICE_FMT ": " SLICE_FMT "\n",
                           (unsigned long long)report->rules[i].count,
                           SLICE_ARG(report->rules[i].profile), SLICE_ARG(report->rules[i].plugin),
                           SLICE_ARG(report->rules[i].result));
}

static void print_reasons(const struct up_report *report, struct buf *out) {
        if (report->reason_count && report->pending_unplaced)
                buf_text(out, "Why pods were not placed (latest attempts)\n");
        for (size_t i = 0; report->pending_unplaced && i < report->reason_count && i < 5; i++)
                buf_printf(out, "  %6zu  " SLICE_FMT "\n", report->reasons[i].pods,
                           SLICE_ARG(report->reasons[i].message));
}

void up_report_print(const struct up_report *report, struct buf *out) {
        print_pods(report, out);
        print_resources(report, out);
        print_devices(report, out);
        print_reasons(report, out);
        print_rules(report, out);
        buf_printf(out, "API writes: %llu bindings, %llu pod statuses, %llu evictions, %llu events",
                   (unsigned long long)report->binds, (unsigned long long)report->status_writes,
                   (unsigned long long)report->evict_calls,
                   (unsigned long long)report->events_written);
        if (report->failed_writes)
                buf_printf(out, "; %llu failed", (unsigned long long)report->failed_writes);
        buf_printf(
                out,
                "\nThis process, cluster included: %.1f MiB at its peak, %.2f s of CPU in %.1f s\n",
                (double)report->peak_memory_bytes / (1024.0 * 1024), report->cpu_s,
                report->elapsed_s);
}

/* ---- as JSON ---- */

static void put_resources(struct json_tree *tree, struct json_node *root,
                          const struct up_report *report) {
        struct json_node *list = node_object(tree);

        for (size_t i = 0; i < report->resource_count; i++) {
                struct json_node *one = node_object(tree);

                node_put_i64(tree, one, "allocatable", report->resources[i].allocatable);
                node_put_i64(tree, one, "requested", report->resources[i].requested);
                node_put_i64(tree, one, "overcommittedNodes",
                             (int64_t)report->resources[i].over_committed);
                node_set(tree, list, report->resources[i].name, one);
        }
        node_put(tree, root, "resources", list);
}

static void put_devices(struct json_tree *tree, struct json_node *root,
                        const struct up_report *report) {
        struct json_node *list = node_array(tree);

        for (size_t i = 0; i < report->device_count; i++) {
                const struct up_devices *devices = &report->devices[i];
                struct json_node *one = node_object(tree);

                node_put_text(tree, one, "node", devices->node);
                node_put_i64(tree, one, "devices", (int64_t)devices->all);
                node_put_i64(tree, one, "used", (int64_t)devices->used);
                node_put_i64(tree, one, "shared", (int64_t)devices->shared);
                node_put_i64(tree, one, "fragmented", (int64_t)devices->fragmented);
                node_append(list, one);
        }
        node_put(tree, root, "devices", list);
}

static void put_evictions(struct json_tree *tree, struct json_node *root,
                          const struct up_report *report) {
        struct json_node *rules = node_array(tree), *list = node_array(tree);

        for (size_t i = 0; i < report->rule_count; i++) {
                struct json_node *one = node_object(tree);

                node_put_text(tree, one, "profile", report->rules[i].profile);
                node_put_text(tree, one, "plugin", report->rules[i].plugin);
                node_put_text(tree, one, "result", report->rules[i].result);
                node_put_i64(tree, one, "count", (int64_t)report->rules[i].count);
                node_append(rules, one);
        }
        for (size_t i = 0; i < report->eviction_count; i++) {
                struct json_node *one = node_object(tree);

                node_put_text(tree, one, "pod", report->evictions[i].pod);
                node_put_text(tree, one, "node", report->evictions[i].node);
                node_put_text(tree, one, "plugin", report->evictions[i].plugin);
                node_put_text(tree, one, "reason", report->evictions[i].reason);
                node_put_text(tree, one, "result", report->evictions[i].result);
                if (report->evictions[i].text.len)
                        node_put_text(tree, one, "text", report->evictions[i].text);
                node_append(list, one);
        }
        node_put(tree, root, "evictionsByRule", rules);
        node_put(tree, root, "evictions", list);
}

static void put_pods(struct json_tree *tree, struct json_node *root,
                     const struct up_report *report) {
        struct json_node *pods = node_object(tree), *reasons = node_array(tree);

        for (int p = 0; p < UP_PHASES; p++)
                node_put_i64(tree, pods, pod_phase_name((enum pod_phase)p),
                             (int64_t)report->by_phase[p]);
        for (size_t i = 0; i < report->reason_count; i++) {
                struct json_node *one = node_object(tree);

                node_put_text(tree, one, "message", report->reasons[i].message);
                node_put_i64(tree, one, "attempts", (int64_t)report->reasons[i].pods);
                node_append(reasons, one);
        }
        node_put_i64(tree, root, "nodes", (int64_t)report->nodes);
        node_put_i64(tree, root, "pods", (int64_t)report->pods);
        node_put(tree, root, "podsByPhase", pods);
        node_put_i64(tree, root, "podsNotPlaced", (int64_t)report->pending_unplaced);
        node_put(tree, root, "unschedulable", reasons);
}

void up_report_json(const struct up_report *report, struct buf *out) {
        struct json_tree *tree = json_tree_new();
        struct json_node *root = node_object(tree), *writes = node_object(tree);

        put_pods(tree, root, report);
        node_put_i64(tree, root, "placed", (int64_t)report->placed);
        node_put_i64(tree, root, "decisions", (int64_t)report->decisions);
        node_put(tree, root, "placingSeconds", node_f64(tree, report->placing_s));
        node_put(tree, root, "placedPerSecond",
                 node_f64(tree,
                          report->placing_s > 0 ? (double)report->placed / report->placing_s : 0));
        put_resources(tree, root, report);
        put_devices(tree, root, report);
        put_evictions(tree, root, report);
        node_put_i64(tree, writes, "bindings", (int64_t)report->binds);
        node_put_i64(tree, writes, "podStatuses", (int64_t)report->status_writes);
        node_put_i64(tree, writes, "evictions", (int64_t)report->evict_calls);
        node_put_i64(tree, writes, "events", (int64_t)report->events_written);
        node_put_i64(tree, writes, "failed", (int64_t)report->failed_writes);
        node_put(tree, root, "apiWrites", writes);
        node_put_bool(tree, root, "settled", report->is_settled);
        node_put_i64(tree, root, "peakMemoryBytes", report->peak_memory_bytes);
        node_put(tree, root, "cpuSeconds", node_f64(tree, report->cpu_s));
        node_put(tree, root, "elapsedSeconds", node_f64(tree, report->elapsed_s));
        json_tree_set_root(tree, root);
        node_write(root, out);
        buf_char(out, '\n');
        json_tree_free(tree);
}

int up_report_check_path(const char *path, struct err *err) {
        CLEANUP(buf_release) struct buf name = { 0 };

        buf_printf(&name, "%s.tmp", path);
        int fd = open(name.data, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot write the report %s", path);
        close(fd);
        unlink(name.data);
        return 0;
}

int up_report_write(const struct up_report *report, const char *path, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };

        up_report_json(report, &text);
        return report_file_write(path, &text, err);
}
