/* The table of families, and what makes them. */
#include "pages/scheduler_families.h"

#include "base/util.h"
#include <assert.h>

/* Names, labels and buckets are upstream's. Families of things that do not exist here (batches,
 * events in flight, waiting at Permit) are there without series. */
struct scheduler_family_row {
        const char *name, *help;
        enum metric_type type;
        const char *labels[3];
        struct {
                double start, factor;
                size_t count; /* 0 = no histogram */
        } buckets;
};
static const struct scheduler_family_row rows[FAMILY_COUNT] = {
        [FAMILY_ATTEMPTS] = { "scheduler_schedule_attempts_total",
                              "Attempts to schedule pods, by result; scheduled means bound.",
                              METRIC_COUNTER,
                              { "result", "profile" },
                              { 0 } },
        [FAMILY_ATTEMPT_TIME] = { "scheduler_scheduling_attempt_duration_seconds",
                                  "Time of a decision, as the mean of its step.",
                                  METRIC_HISTOGRAM,
                                  { "result", "profile" },
                                  { 0.001, 2, 15 } },
        [FAMILY_ALGORITHM_TIME] = { "scheduler_scheduling_algorithm_duration_seconds",
                                    "Time of filters and scores, as the mean of a step.",
                                    METRIC_HISTOGRAM,
                                    { NULL },
                                    { 0.001, 2, 15 } },
        [FAMILY_SLI_TIME] = { "scheduler_pod_scheduling_sli_duration_seconds",
                              "Time from a pod's first attempt until it was bound.",
                              METRIC_HISTOGRAM,
                              { "attempts" },
                              { 0.01, 2, 20 } },
        [FAMILY_TRIES] = { "scheduler_pod_scheduling_attempts",
                           "Attempts until a pod had a node.",
                           METRIC_HISTOGRAM,
                           { NULL },
                           { 1, 2, 5 } },
        [FAMILY_PENDING] = { "scheduler_pending_pods",
                             "Pods that wait, by part of the queue.",
                             METRIC_GAUGE,
                             { "queue" },
                             { 0 } },
        [FAMILY_INCOMING] = { "scheduler_queue_incoming_pods_total",
                              "Pods that entered a part of the queue, by what brought them there.",
                              METRIC_COUNTER,
                              { "queue", "event" },
                              { 0 } },
        [FAMILY_UNSCHEDULABLE] = { "scheduler_unschedulable_pods",
                                   "Pods that this plugin refuses on a node; a pod counts with "
                                   "each of "
                                   "them.",
                                   METRIC_GAUGE,
                                   { "plugin", "profile" },
                                   { 0 } },
        [FAMILY_AFTER_FLUSH] = { "scheduler_pod_scheduled_after_flush_total",
                                 "Pods bound after nothing but the clock had them tried again.",
                                 METRIC_COUNTER,
                                 { NULL },
                                 { 0 } },
        [FAMILY_IN_FLIGHT] = { "scheduler_inflight_events",
                               "Events stored for pods in flight; always empty.",
                               METRIC_GAUGE,
                               { "event" },
                               { 0 } },
        [FAMILY_EVENT_TIME] = { "scheduler_event_handling_duration_seconds",
                                "Time to take in what a watch brought.",
                                METRIC_HISTOGRAM,
                                { "event" },
                                { 0.0001, 2, 12 } },
        [FAMILY_HINT_TIME] = { "scheduler_queueing_hint_execution_duration_seconds",
                               "Time of a plugin's word on an event; every tenth is measured.",
                               METRIC_HISTOGRAM,
                               { "plugin", "event", "hint" },
                               { 0.00001, 1.5, 20 } },
        [FAMILY_POINT_TIME] = { "scheduler_framework_extension_point_duration_seconds",
                                "Time of all plugins of an extension point.",
                                METRIC_HISTOGRAM,
                                { "extension_point", "status", "profile" },
                                { 0.0001, 2, 12 } },
        [FAMILY_PLUGIN_TIME] = { "scheduler_plugin_execution_duration_seconds",
                                 "Time of one run of a plugin, in every tenth decision.",
                                 METRIC_HISTOGRAM,
                                 { "plugin", "extension_point", "status" },
                                 { 0.00001, 1.5, 20 } },
        [FAMILY_PLUGIN_RUNS] = { "scheduler_plugin_evaluation_total",
                                 "Runs of a plugin; one may judge many nodes.",
                                 METRIC_COUNTER,
                                 { "plugin", "extension_point", "profile" },
                                 { 0 } },
        [FAMILY_PERMIT_TIME] = { "scheduler_permit_wait_duration_seconds",
                                 "Time pods waited at Permit; always empty.",
                                 METRIC_HISTOGRAM,
                                 { "result" },
                                 { 0.001, 2, 15 } },
        [FAMILY_PREEMPTIONS] = { "scheduler_preemption_attempts_total",
                                 "Preemptions that chose a node.",
                                 METRIC_COUNTER,
                                 { NULL },
                                 { 0 } },
        [FAMILY_VICTIMS] = { "scheduler_preemption_victims",
                             "Pods evicted by a preemption.",
                             METRIC_HISTOGRAM,
                             { NULL },
                             { 1, 2, 7 } },
        [FAMILY_EVICTION_TIME] = { "scheduler_preemption_goroutines_duration_seconds",
                                   "Time until a victim's deletion was answered.",
                                   METRIC_HISTOGRAM,
                                   { "result" },
                                   { 0.01, 2, 20 } },
        [FAMILY_EVICTIONS] = { "scheduler_preemption_goroutines_execution_total",
                               "Deletions of victims, by result.",
                               METRIC_COUNTER,
                               { "result" },
                               { 0 } },
        [FAMILY_CACHE] = { "scheduler_cache_size",
                           "Nodes, pods and assumed pods known.",
                           METRIC_GAUGE,
                           { "type" },
                           { 0 } },
        [FAMILY_GOROUTINES] = { "scheduler_goroutines",
                                "What is under way; there is one thread for all of it.",
                                METRIC_GAUGE,
                                { "operation" },
                                { 0 } },
        [FAMILY_BATCHES] = { "scheduler_batch_attempts_total",
                             "Decisions that asked for a batch's hint; there are no batches.",
                             METRIC_COUNTER,
                             { "profile", "result" },
                             { 0 } },
        [FAMILY_BATCH_FLUSHES] = { "scheduler_batch_cache_flushed_total",
                                   "Batches given up; there are no batches.",
                                   METRIC_COUNTER,
                                   { "profile", "reason" },
                                   { 0 } },
        [FAMILY_CALLS] = { "scheduler_async_api_call_execution_total",
                           "Writes to the API server, by kind and result.",
                           METRIC_COUNTER,
                           { "call_type", "result" },
                           { 0 } },
        [FAMILY_CALL_TIME] = { "scheduler_async_api_call_execution_duration_seconds",
                               "Time until a write was answered, waiting included.",
                               METRIC_HISTOGRAM,
                               { "call_type", "result" },
                               { 0.001, 2, 15 } },
        [FAMILY_PENDING_CALLS] = { "scheduler_pending_async_api_calls",
                                   "Writes to the API server without an answer yet.",
                                   METRIC_GAUGE,
                                   { "call_type" },
                                   { 0 } },
        [FAMILY_CLAIMS] = { "scheduler_resourceclaim_creates_total",
                            "Resource claims made for pods; none are made here.",
                            METRIC_COUNTER,
                            { "status" },
                            { 0 } },
        [FAMILY_BINDER_REQUESTS] = { "scheduler_volume_binder_cache_requests_total",
                                     "Requests to a cache of volumes; there is none.",
                                     METRIC_COUNTER,
                                     { "operation" },
                                     { 0 } },
        [FAMILY_BINDER_ERRORS] = { "scheduler_volume_scheduling_stage_error_total",
                                   "Writes to claims and volumes before a bind that failed.",
                                   METRIC_COUNTER,
                                   { "operation" },
                                   { 0 } },
        [FAMILY_DECISIONS] = { "berth_scheduler_decisions_total",
                               "Decisions taken, by result.",
                               METRIC_COUNTER,
                               { "result", "profile" },
                               { 0 } },
};

static void scheduler_family_add(struct scheduler_families *families, struct metrics *metrics,
                                 enum scheduler_family family) {
        const struct scheduler_family_row *row = &rows[family];
        struct metric_config config = { .name = row->name,
                                        .help = row->help,
                                        .type = row->buckets.count ? METRIC_HISTOGRAM : row->type };

        for (size_t i = 0; i < ARRAY_LEN(row->labels); i++)
                config.labels[i] = row->labels[i];
        if (row->buckets.count) {
                assert(row->buckets.count <= FAMILY_BUCKETS_MAX);
                metric_buckets(row->buckets.start, row->buckets.factor, row->buckets.count,
                               families->buckets[family]);
                config.buckets = families->buckets[family];
                config.bucket_count = row->buckets.count;
        }
        families->items[family] = metrics_add(metrics, &config);
}

void scheduler_families_add(struct scheduler_families *families, struct metrics *metrics) {
        for (size_t i = 0; i < FAMILY_COUNT; i++)
                scheduler_family_add(families, metrics, (enum scheduler_family)i);
}
