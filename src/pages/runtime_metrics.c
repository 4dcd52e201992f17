/* Metrics of a process, its writes and its model. */
#include "pages/role_metrics.h"

#include "base/util.h"
#include "model/cluster.h"
#include "pages/metrics.h"
#include "port/clock.h"
#include "port/thread_job.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct runtime_metrics {
        struct runtime *runtime;
        struct metric *writes, *open_writes, *skipped, *model_bytes, *model_objects, *cpu,
                *resident, *started, *info, *evictions, *late_files;
        double start_s;
};

int64_t stopwatch_ns(void) {
        return mono_time_now().ns;
}

static void refresh_writes(struct runtime_metrics *own) {
        struct runtime_stats stats;

        runtime_stats(own->runtime, &stats);
        for (int kind = 0; kind < ACTION_KIND_COUNT; kind++) {
                const char *name = action_kind_name((enum action_kind)kind);
                struct slice labels[] = { slice_of(name), SLICE_LITERAL("asked") };

                metric_set(own->writes, labels, (double)stats.writes[kind]);
                labels[1] = SLICE_LITERAL("failed");
                metric_set(own->writes, labels, (double)stats.failures[kind]);
        }
        metric_set(own->open_writes, NULL, (double)stats.open_writes);
        metric_set(own->skipped, NULL, (double)stats.skipped_objects);
}

static void refresh_evictions(struct runtime_metrics *own) {
        const struct evict_service *service = runtime_evictions(own->runtime);
        const struct evict_requester *requester = NULL;

        while ((requester = evict_service_next_requester(service, requester)))
                for (int i = 0; i < EVICT_ROUTE_COUNT * EVICT_RESULT_COUNT; i++) {
                        enum evict_route route = (enum evict_route)(i / EVICT_RESULT_COUNT);
                        enum evict_result result = (enum evict_result)(i % EVICT_RESULT_COUNT);
                        const struct slice labels[] = { slice_of(evict_requester_name(requester)),
                                                        slice_of(evict_route_name(route)),
                                                        slice_of(evict_result_name(result)) };
                        uint64_t count = evict_requester_ended(requester, route, result);

                        if (count > 0)
                                metric_set(own->evictions, labels, (double)count);
                }
}

static void refresh_model(struct runtime_metrics *own) {
        struct cluster_usage usage;

        cluster_usage(runtime_cluster(own->runtime), &usage);
        const struct {
                const char *name;
                size_t value;
        } bytes[] = {
                { "nodes", usage.node_bytes },     { "pods", usage.pod_bytes },
                { "classes", usage.class_bytes },  { "strings", usage.string_bytes },
                { "indexes", usage.index_bytes },  { "log", usage.log_bytes },
        }, objects[] = {
                { "nodes", usage.nodes },           { "pods", usage.pods },
                { "classes", usage.classes },       { "label_sets", usage.label_sets },
                { "taint_sets", usage.taint_sets }, { "images", usage.images },
                { "strings", usage.strings },
        };

        for (size_t i = 0; i < ARRAY_LEN(bytes); i++)
                metric_set(own->model_bytes, (struct slice[]){ slice_of(bytes[i].name) },
                           (double)bytes[i].value);
        for (size_t i = 0; i < ARRAY_LEN(objects); i++)
                metric_set(own->model_objects, (struct slice[]){ slice_of(objects[i].name) },
                           (double)objects[i].value);
}

static double runtime_metrics_seconds(struct timeval time) {
        return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double resident_bytes(void) {
        FILE *file = fopen("/proc/self/statm", "re");
        long long total, resident = 0;

        if (!file)
                return 0;
        if (fscanf(file, "%lld %lld", &total, &resident) != 2)
                resident = 0;
        fclose(file);
        return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static void runtime_metrics_refresh(void *context) {
        struct runtime_metrics *own = context;
        struct rusage usage;

        getrusage(RUSAGE_SELF, &usage);
        metric_set(own->cpu, NULL,
                   runtime_metrics_seconds(usage.ru_utime) +
                           runtime_metrics_seconds(usage.ru_stime));
        metric_set(own->resident, NULL, resident_bytes());
        metric_set(own->started, NULL, own->start_s);
        metric_set(own->late_files, NULL, (double)thread_jobs_late());
        metric_set(own->info, (struct slice[]){ SLICE_LITERAL(BERTH_VERSION) }, 1);
        refresh_writes(own);
        refresh_model(own);
        refresh_evictions(own);
}

static struct metric *runtime_metrics_add(struct metrics *metrics, enum metric_type type,
                                          const char *name, const char *help, const char *first,
                                          const char *second) {
        return metrics_add(metrics, &(struct metric_config){ .name = name,
                                                             .help = help,
                                                             .type = type,
                                                             .labels = { first, second } });
}

struct runtime_metrics *runtime_metrics_new(struct metrics *metrics, struct runtime *runtime) {
        struct runtime_metrics *own = xcalloc(1, sizeof(*own));

        own->runtime = runtime;
        own->start_s = (double)(loop_wall(runtime_loop(runtime)).ns / NS_PER_S);
        own->writes = runtime_metrics_add(
                metrics, METRIC_COUNTER, "berth_writes_total",
                "Writes to the API server asked for, and those that failed.", "kind", "result");
        own->open_writes =
                runtime_metrics_add(metrics, METRIC_GAUGE, "berth_open_writes",
                                    "Writes to the API server without an answer yet.", NULL, NULL);
        own->skipped =
                runtime_metrics_add(metrics, METRIC_COUNTER, "berth_skipped_objects_total",
                                    "Objects of the cluster that could not be read.", NULL, NULL);
        own->model_bytes = runtime_metrics_add(metrics, METRIC_GAUGE, "berth_model_bytes",
                                               "Memory of the cluster model.", "part", NULL);
        own->model_objects = runtime_metrics_add(metrics, METRIC_GAUGE, "berth_model_objects",
                                                 "What the cluster model holds.", "kind", NULL);
        own->cpu = runtime_metrics_add(metrics, METRIC_COUNTER, "process_cpu_seconds_total",
                                       "User and system CPU time in seconds.", NULL, NULL);
        own->resident = runtime_metrics_add(metrics, METRIC_GAUGE, "process_resident_memory_bytes",
                                            "Resident memory size in bytes.", NULL, NULL);
        own->started =
                runtime_metrics_add(metrics, METRIC_GAUGE, "process_start_time_seconds",
                                    "Start of the process in seconds since the epoch.", NULL, NULL);
        own->late_files = runtime_metrics_add(
                metrics, METRIC_GAUGE, "berth_late_files",
                "Files and programs that have not answered for longer than their limit.", NULL,
                NULL);
        own->evictions = metrics_add(
                metrics,
                &(struct metric_config){ .name = "berth_evictions_total",
                                         .help = "Pods that roles ended, or did not: who asked, "
                                                 "how it was done, what came of it.",
                                         .type = METRIC_COUNTER,
                                         .labels = { "requester", "way", "result" } });
        own->info = runtime_metrics_add(metrics, METRIC_GAUGE, "berth_build_info",
                                        "Which berth this is; always 1.", "version", NULL);
        metrics_on_write(metrics, runtime_metrics_refresh, own);
        return own;
}

void runtime_metrics_free(struct runtime_metrics *own) {
        free(own);
}
