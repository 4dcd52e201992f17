/* Prometheus' text format: numbers, escapes, histograms. */
#include "base/metric_text.h"

#include "base/arena.h"
#include "base/util.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void numbers_are_written_shortest(void **state) {
        static const struct {
                double value;
                const char *text;
        } cases[] = {
                { 0, "0" },
                { 3, "3" },
                { -2, "-2" },
                { 0.001, "0.001" },
                { 0.1 + 0.2, "0.30000000000000004" },
                { 16.384, "16.384" },
                { 1e15, "1000000000000000" },
                { 1.5e300, "1.5e+300" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(buf_release) struct buf out = { 0 };

                metric_text_value(&out, cases[i].value);
                assert_string_equal(out.data, cases[i].text);
        }
}

static void special_numbers_have_names(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };

        (void)state;
        metric_text_value(&out, (double)INFINITY);
        metric_text_value(&out, (double)-INFINITY);
        metric_text_value(&out, (double)NAN);
        assert_string_equal(out.data, "+Inf-InfNaN");
}

static void labels_and_help_are_escaped(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };
        const struct metric_label labels[] = { { "a", SLICE_INIT("x\"\\\n") },
                                               { "b", SLICE_INIT("") } };

        (void)state;
        metric_text_family(&out, "m", METRIC_GAUGE, "\"One\" \\\ntwo.");
        metric_text_sample(&out, "m", (struct metric_labels){ labels, 2 }, 0.5);
        assert_string_equal(out.data, "# HELP m \"One\" \\\\\\ntwo.\n"
                                      "# TYPE m gauge\n"
                                      "m{a=\"x\\\"\\\\\\n\",b=\"\"} 0.5\n");
}

static void a_single_sample_has_no_braces(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };

        (void)state;
        metric_text_single(&out, "m_total", METRIC_COUNTER, "Things.", 7);
        assert_string_equal(out.data,
                            "# HELP m_total Things.\n# TYPE m_total counter\nm_total 7\n");
}

static void histograms_end_with_everything(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };
        const struct metric_histogram histogram = { .bounds = (const double[]){ 0.5, 2 },
                                                    .buckets = (const uint64_t[]){ 1, 3 },
                                                    .bucket_count = 2,
                                                    .sum = 12.25,
                                                    .count = 4 };
        const struct metric_label label = { "a", SLICE_INIT("x") };

        (void)state;
        metric_text_histogram(&out, "m", (struct metric_labels){ &label, 1 }, &histogram);
        assert_string_equal(out.data, "m_bucket{a=\"x\",le=\"0.5\"} 1\n"
                                      "m_bucket{a=\"x\",le=\"2\"} 3\n"
                                      "m_bucket{a=\"x\",le=\"+Inf\"} 4\n"
                                      "m_sum{a=\"x\"} 12.25\nm_count{a=\"x\"} 4\n");
        buf_clear(&out);
        metric_text_histogram(&out, "m", (struct metric_labels){ 0 }, &histogram);
        assert_string_equal(out.data, "m_bucket{le=\"0.5\"} 1\nm_bucket{le=\"2\"} 3\n"
                                      "m_bucket{le=\"+Inf\"} 4\nm_sum 12.25\nm_count 4\n");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(numbers_are_written_shortest),
                cmocka_unit_test(special_numbers_have_names),
                cmocka_unit_test(labels_and_help_are_escaped),
                cmocka_unit_test(a_single_sample_has_no_braces),
                cmocka_unit_test(histograms_end_with_everything),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
