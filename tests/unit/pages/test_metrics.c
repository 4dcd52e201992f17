/* The registry of metrics: what is counted, and how it is written. */
#include "pages/metrics.h"

#include "base/arena.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void families_come_in_order_with_help_and_type(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct metrics *metrics = metrics_new();
        struct metric *b =
                metrics_add(metrics, &(struct metric_config){ .name = "b_total",
                                                              .help = "Things \\ with\nlines.",
                                                              .type = METRIC_COUNTER,
                                                              .labels = { "kind", "result" } });
        struct metric *a = metrics_add(
                metrics,
                &(struct metric_config){ .name = "a", .help = "Now.", .type = METRIC_GAUGE });

        (void)state;
        metric_add(b, (struct slice[]){ SLICE_LITERAL("x\"\\\n"), SLICE_LITERAL("") }, 2);
        metric_add(b, (struct slice[]){ SLICE_LITERAL("x\"\\\n"), SLICE_LITERAL("") }, 1);
        metric_set(a, NULL, -1);
        metrics_write(metrics, &out);
        assert_string_equal(out.data,
                            "# HELP a Now.\n# TYPE a gauge\na -1\n"
                            "# HELP b_total Things \\\\ with\\nlines.\n# TYPE b_total counter\n"
                            "b_total{kind=\"x\\\"\\\\\\n\",result=\"\"} 3\n");
        metrics_free(metrics);
}

static void histograms_are_cumulative(void **state) {
        static const double buckets[] = { 0.5, 1, 2 };
        CLEANUP(buf_release) struct buf out = { 0 };
        struct metrics *metrics = metrics_new();
        struct metric *h = metrics_add(metrics, &(struct metric_config){ .name = "h",
                                                                         .help = "Seconds.",
                                                                         .type = METRIC_HISTOGRAM,
                                                                         .labels = { "result" },
                                                                         .buckets = buckets,
                                                                         .bucket_count = 3 });
        const struct slice labels[] = { SLICE_LITERAL("ok") };

        (void)state;
        metrics_write(metrics, &out);
        assert_int_equal(out.len, 0); /* no series, no family */
        metric_observe(h, labels, 0.5, 1);
        metric_observe(h, labels, 1.5, 2);
        metric_observe(h, labels, 9, 1);
        metric_observe(h, labels, 9, 0);
        metrics_write(metrics, &out);
        assert_string_equal(out.data, "# HELP h Seconds.\n# TYPE h histogram\n"
                                      "h_bucket{result=\"ok\",le=\"0.5\"} 1\n"
                                      "h_bucket{result=\"ok\",le=\"1\"} 1\n"
                                      "h_bucket{result=\"ok\",le=\"2\"} 3\n"
                                      "h_bucket{result=\"ok\",le=\"+Inf\"} 4\n"
                                      "h_sum{result=\"ok\"} 12.5\n"
                                      "h_count{result=\"ok\"} 4\n");
        metrics_free(metrics);
}

static void add_one(void *context) {
        metric_add(context, NULL, 1);
}

static void values_are_refreshed_and_reset(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct metrics *metrics = metrics_new();
        struct metric *c = metrics_add(
                metrics,
                &(struct metric_config){ .name = "c_total", .help = "C.", .type = METRIC_COUNTER });

        (void)state;
        metrics_on_write(metrics, add_one, c);
        metrics_write(metrics, &out);
        metrics_write(metrics, &out);
        metrics_reset(metrics);
        metrics_write(metrics, &out);
        assert_string_equal(out.data, "# HELP c_total C.\n# TYPE c_total counter\nc_total 1\n"
                                      "# HELP c_total C.\n# TYPE c_total counter\nc_total 2\n"
                                      "# HELP c_total C.\n# TYPE c_total counter\nc_total 1\n");
        metrics_free(metrics);
}

static void series_are_bounded(void **state) {
        struct metrics *metrics = metrics_new();
        struct metric *c = metrics_add(metrics, &(struct metric_config){ .name = "c_total",
                                                                         .help = "C.",
                                                                         .type = METRIC_COUNTER,
                                                                         .labels = { "n" } });
        CLEANUP(buf_release) struct buf out = { 0 };
        size_t lines = 0;

        (void)state;
        for (size_t i = 0; i < METRIC_SERIES_MAX + 10; i++) {
                CLEANUP(buf_release) struct buf name = { 0 };

                buf_u64(&name, i);
                metric_add(c, (struct slice[]){ buf_view(&name) }, 1);
        }
        metrics_write(metrics, &out);
        for (size_t i = 0; i < out.len; i++)
                lines += out.data[i] == '\n';
        assert_int_equal(lines, METRIC_SERIES_MAX + 2);
        metrics_free(metrics);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(families_come_in_order_with_help_and_type),
                cmocka_unit_test(histograms_are_cumulative),
                cmocka_unit_test(values_are_refreshed_and_reset),
                cmocka_unit_test(series_are_bounded),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
