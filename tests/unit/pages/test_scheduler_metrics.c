/* The scheduler's metrics against upstream's list (reference scheduler.md 8.1): names, labels and
 * numbers of buckets. */
#include "api/json.h"
#include "base/util.h"
#include "loop/event_loop.h"
#include "loop/file_text.h"
#include "loop/runtime.h"
#include "pages/metrics.h"
#include "pages/role_metrics.h"
#include "sched_test.h"
#include <string.h>

static void fill(struct scheduler_metrics *own) {
        const struct decision_watch *watch = scheduler_metrics_watch(own);
        struct sched_profile profile = { .scheduler_name = SLICE_LITERAL("p") };
        struct json_doc *doc;

        assert_int_equal(json_parse(SLICE_LITERAL("{}"), &doc, NULL), 0);
        watch->ran(watch->context, &profile, POINT_FILTER, VERDICT_UNSCHEDULABLE, 1000);
        scheduler_metrics_placed(own, 2, 3 * NS_PER_S, true);
        scheduler_metrics_placed(own, 99, 3 * NS_PER_S, false);
        scheduler_metrics_bound(
                own, &(struct action_result){ .kind = ACTION_DELETE_POD, .took_ns = NS_PER_S });
        scheduler_metrics_arriving(own);
        scheduler_metrics_arrived(own, OBJECT_NODE, CHANGE_ADDED,
                                  &(struct arrival){ .value = json_doc_root(doc) });
        json_doc_free(doc);
}

static void write_metrics(struct sched_test *test, struct buf *out) {
        struct metrics *metrics = metrics_new();
        struct event_loop *events;
        struct err err = { 0 };

        assert_int_equal(event_loop_new(&events, &err), 0);
        struct runtime *runtime =
                runtime_new(&(struct runtime_config){ .loop = event_loop_as_loop(events) });
        struct scheduler_metrics *own = scheduler_metrics_new(metrics, runtime);

        scheduler_metrics_follow(own, test->scheduler);
        fill(own);
        metrics_write(metrics, out);
        scheduler_metrics_free(own);
        metrics_free(metrics);
        runtime_free(runtime);
        event_loop_free(events);
}

static const struct {
        const char *name;
        enum metric_type type;
        const char *labels;
        double start, factor;
        size_t bucket_count;
} families[] = {
        { "schedule_attempts_total", METRIC_COUNTER, "result profile", 0, 0, 0 },
        { "scheduling_attempt_duration_seconds", METRIC_HISTOGRAM, "result profile", 0.001, 2, 15 },
        { "scheduling_algorithm_duration_seconds", METRIC_HISTOGRAM, "", 0.001, 2, 15 },
        { "pod_scheduling_sli_duration_seconds", METRIC_HISTOGRAM, "attempts", 0.01, 2, 20 },
        { "pod_scheduling_attempts", METRIC_HISTOGRAM, "", 1, 2, 5 },
        { "pending_pods", METRIC_GAUGE, "queue", 0, 0, 0 },
        { "queue_incoming_pods_total", METRIC_COUNTER, "queue event", 0, 0, 0 },
        { "unschedulable_pods", METRIC_GAUGE, "plugin profile", 0, 0, 0 },
        { "pod_scheduled_after_flush_total", METRIC_COUNTER, "", 0, 0, 0 },
        { "inflight_events", METRIC_GAUGE, "event", 0, 0, 0 },
        { "event_handling_duration_seconds", METRIC_HISTOGRAM, "event", 0.0001, 2, 12 },
        { "queueing_hint_execution_duration_seconds", METRIC_HISTOGRAM, "plugin event hint", 1e-05,
          1.5, 20 },
        { "framework_extension_point_duration_seconds", METRIC_HISTOGRAM,
          "extension_point status profile", 0.0001, 2, 12 },
        { "plugin_execution_duration_seconds", METRIC_HISTOGRAM, "plugin extension_point status",
          1e-05, 1.5, 20 },
        { "plugin_evaluation_total", METRIC_COUNTER, "plugin extension_point profile", 0, 0, 0 },
        { "permit_wait_duration_seconds", METRIC_HISTOGRAM, "result", 0.001, 2, 15 },
        { "preemption_attempts_total", METRIC_COUNTER, "", 0, 0, 0 },
        { "preemption_victims", METRIC_HISTOGRAM, "", 1, 2, 7 },
        { "preemption_goroutines_duration_seconds", METRIC_HISTOGRAM, "result", 0.01, 2, 20 },
        { "preemption_goroutines_execution_total", METRIC_COUNTER, "result", 0, 0, 0 },
        { "cache_size", METRIC_GAUGE, "type", 0, 0, 0 },
        { "goroutines", METRIC_GAUGE, "operation", 0, 0, 0 },
        { "batch_attempts_total", METRIC_COUNTER, "profile result", 0, 0, 0 },
        { "batch_cache_flushed_total", METRIC_COUNTER, "profile reason", 0, 0, 0 },
        { "async_api_call_execution_total", METRIC_COUNTER, "call_type result", 0, 0, 0 },
        { "async_api_call_execution_duration_seconds", METRIC_HISTOGRAM, "call_type result", 0.001,
          2, 15 },
        { "pending_async_api_calls", METRIC_GAUGE, "call_type", 0, 0, 0 },
        { "resourceclaim_creates_total", METRIC_COUNTER, "status", 0, 0, 0 },
        { "volume_binder_cache_requests_total", METRIC_COUNTER, "operation", 0, 0, 0 },
        { "volume_scheduling_stage_error_total", METRIC_COUNTER, "operation", 0, 0, 0 },
};

static const struct metric_config *find(const struct metrics *metrics, const char *name) {
        const struct metric_config *config;

        for (size_t i = 0; (config = metrics_family(metrics, i)); i++)
                if (strcmp(config->name + strlen("scheduler_"), name) == 0)
                        return config;
        fail_msg("missing: %s", name);
        return NULL;
}

static void expect_family(const struct metrics *metrics, size_t index) {
        const struct metric_config *config = find(metrics, families[index].name);
        double buckets[METRIC_BUCKETS_MAX];
        char labels[128] = "";

        for (size_t i = 0; i < METRIC_LABELS_MAX && config->labels[i]; i++)
                snprintf(labels + strlen(labels), sizeof(labels) - strlen(labels), "%s%s",
                         i ? " " : "", config->labels[i]);
        assert_string_equal(labels, families[index].labels);
        assert_int_equal(config->type, families[index].type);
        assert_int_equal(config->bucket_count, families[index].bucket_count);
        metric_buckets(families[index].start, families[index].factor, config->bucket_count,
                       buckets);
        for (size_t i = 0; i < config->bucket_count; i++)
                assert_true(config->buckets[i] == buckets[i]);
}

static void every_family_is_there(void **state) {
        struct metrics *metrics = metrics_new();
        struct event_loop *events;
        struct err err = { 0 };
        size_t count = 0;

        (void)state;
        assert_int_equal(event_loop_new(&events, &err), 0);
        struct runtime *runtime =
                runtime_new(&(struct runtime_config){ .loop = event_loop_as_loop(events) });
        struct scheduler_metrics *own = scheduler_metrics_new(metrics, runtime);

        for (size_t i = 0; i < ARRAY_LEN(families); i++)
                expect_family(metrics, i);
        while (metrics_family(metrics, count))
                count++;
        assert_int_equal(count, ARRAY_LEN(families) + 1); /* and one of our own */
        scheduler_metrics_free(own);
        metrics_free(metrics);
        runtime_free(runtime);
        event_loop_free(events);
}

static const char *const series[] = {
        "scheduler_framework_extension_point_duration_seconds_bucket{extension_point=\"Filter\","
        "status=\"Unschedulable\",profile=\"p\",le=\"0.0001\"} 1\n",
        "scheduler_pod_scheduling_sli_duration_seconds_bucket{attempts=\"2\",le=\"2.56\"} 0\n",
        "scheduler_pod_scheduling_sli_duration_seconds_bucket{attempts=\"2\",le=\"5.12\"} 1\n",
        "scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"15+\"} 1\n",
        "scheduler_pod_scheduled_after_flush_total 1\n",
        "scheduler_preemption_goroutines_execution_total{result=\"success\"} 1\n",
        "scheduler_preemption_goroutines_duration_seconds_bucket{result=\"success\",le=\"0.64\"} "
        "0\n",
        "scheduler_async_api_call_execution_duration_seconds_count{call_type=\"pod_deletion\","
        "result=\"success\"} 1\n",
        "scheduler_event_handling_duration_seconds_count{event=\"NodeAdd\"} 1\n",
        "scheduler_pending_async_api_calls{call_type=\"pod_binding\"} 0\n",
        "scheduler_goroutines{operation=\"binding\"} 2\n",
        "scheduler_queue_incoming_pods_total{queue=\"active\",event=\"UnschedulablePodAdd\"} 2\n",
        "scheduler_queue_incoming_pods_total{queue=\"unschedulable\","
        "event=\"ScheduleAttemptFailure\"} 1\n",
        "scheduler_queue_incoming_pods_total{queue=\"backoff\",event=\"NodeAdd\"} 1\n",
        "scheduler_queue_incoming_pods_total{queue=\"active\",event=\"PopFromBackoffQ\"} 1\n",
};

static void series_have_upstreams_labels(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct sched_test test;

        (void)state;
        sched_test_init(&test, NULL);
        put_node(&test, "n1", 1000);
        put_pod(&test, "fits", 500, "");
        put_pod(&test, "p", 2000, "");
        step(&test);
        put_node(&test, "n2", 3000);
        step(&test);
        step(&test);
        write_metrics(&test, &out);
        buf_char(&out, '\0');
        for (size_t i = 0; i < ARRAY_LEN(series); i++)
                if (!strstr(out.data, series[i]))
                        fail_msg("missing: %s", series[i]);
        sched_test_release(&test);
}

static const char *const plugin_series[] = {
        "scheduler_plugin_evaluation_total{plugin=\"NodeResourcesFit\",extension_point="
        "\"PreFilter\","
        "profile=\"default-scheduler\"} 40\n",
        "scheduler_plugin_evaluation_total{plugin=\"NodeResourcesFit\",extension_point=\"Filter\",",
        "scheduler_plugin_evaluation_total{plugin=\"NodeResourcesFit\",extension_point=\"Score\",",
        "scheduler_plugin_evaluation_total{plugin=\"DefaultPreemption\","
        "extension_point=\"PostFilter\",profile=\"default-scheduler\"} 20\n",
        "scheduler_plugin_execution_duration_seconds_count{plugin=\"NodeResourcesFit\","
        "extension_point=\"PreFilter\",status=\"Success\"} 4\n",
        "scheduler_plugin_execution_duration_seconds_count{plugin=\"DefaultPreemption\","
        "extension_point=\"PostFilter\",status=\"Unschedulable\"} 2\n",
        "scheduler_queueing_hint_execution_duration_seconds_count{plugin=\"NodeResourcesFit\","
        "event=\"NodeAdd\",hint=\"QueueSkip\"} 2\n",
};

/* Decisions and hints by tens: every tenth is timed, all runs are counted. */
static void plugins_are_sampled(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct metrics *metrics = metrics_new();
        struct event_loop *events;
        struct sched_test test;
        char name[16];

        (void)state;
        assert_int_equal(event_loop_new(&events, NULL), 0);
        struct runtime *runtime =
                runtime_new(&(struct runtime_config){ .loop = event_loop_as_loop(events) });
        struct scheduler_metrics *own = scheduler_metrics_new(metrics, runtime);

        sched_test_init(&test, &(struct scheduler_config){ .watch = scheduler_metrics_watch(own) });
        scheduler_metrics_follow(own, test.scheduler);
        put_node(&test, "n1", 1000);
        put_node(&test, "n2", 1000);
        for (int i = 0; i < 40; i++) {
                snprintf(name, sizeof(name), "p%d", i);
                put_pod(&test, name, i < 20 ? 10 : 2000 + i, "");
        }
        step(&test);
        put_node(&test, "n3", 1000);
        step(&test);
        metrics_write(metrics, &out);
        buf_char(&out, '\0');
        for (size_t i = 0; i < ARRAY_LEN(plugin_series); i++)
                if (!strstr(out.data, plugin_series[i]))
                        fail_msg("missing: %s", plugin_series[i]);
        scheduler_metrics_free(own);
        metrics_free(metrics);
        sched_test_release(&test);
        runtime_free(runtime);
        event_loop_free(events);
}

/* The list above is the reference's. */
static void the_reference_lists_them(void **state) {
        CLEANUP(buf_release) struct buf text = { 0 };
        const char *shared = getenv("BERTH_SHARED"), *start, *end;
        struct err err = { 0 };
        char path[512];

        (void)state;
        snprintf(path, sizeof(path), "%s/reference/scheduler.md", shared ? shared : "../shared");
        if (file_text_read(path, &text, &err) < 0)
                skip();
        buf_char(&text, '\0');
        start = strstr(text.data, "### 8.1");
        end = start ? strstr(start, "### 8.2") : NULL;
        assert_non_null(end);
        for (size_t i = 0; i < ARRAY_LEN(families); i++) {
                struct slice section = slice_make(start, (size_t)(end - start));

                if (!slice_contains(section, slice_of(families[i].name)))
                        fail_msg("not in the reference: %s", families[i].name);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_family_is_there),
                cmocka_unit_test(series_have_upstreams_labels),
                cmocka_unit_test(plugins_are_sampled),
                cmocka_unit_test(the_reference_lists_them),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
