/* The report of runs with faults. */
#include "cmd/simulate_page.h"

#include "base/util.h"
#include "cmd/report_file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void write_page(struct simulate_outcome *outcome, struct buf *out) {
        static const struct simulate_row counts[] = { { "API calls", 1800 } };
        CLEANUP(arena_release) struct arena arena;
        struct report_facts facts;

        arena_init(&arena, 0);
        report_facts_init(&facts, &arena, (struct wall_time){ 1767261600 * NS_PER_S });
        report_facts_add(&facts, "Cluster", SLICE_LITERAL("simulated"));
        outcome->counts = counts;
        outcome->count_count = ARRAY_LEN(counts);
        buf_clear(out);
        simulate_page_write(outcome, &facts, out);
}

static void test_answer(void **state) {
        struct simulate_outcome outcome = { .runs = 60, .virtual_ns = 3600 * NS_PER_S };
        CLEANUP(buf_release) struct buf out = { 0 };

        (void)state;
        write_page(&outcome, &out);
        assert_non_null(
                strstr(out.data, "<h1 class=\"good\">60 runs, and no rule was broken</h1>"));
        assert_non_null(strstr(out.data, "1 h of virtual time"));
        assert_non_null(strstr(out.data, "<dt>Time</dt><dd>2026-01-01 10:00:00 UTC</dd>"));
        assert_non_null(strstr(out.data, ">1,800<"));
        assert_null(strstr(out.data, "Violations"));
        simulate_outcome_violated(&outcome, "seed 7: <two pods>");
        write_page(&outcome, &out);
        assert_non_null(strstr(out.data, "<h1 class=\"bad\">1 run of 60 breaks a rule</h1>"));
        assert_non_null(strstr(out.data, "seed 7: &lt;two pods&gt;"));
        for (int i = 0; i < SIMULATE_VIOLATIONS_MAX + 4; i++)
                simulate_outcome_violated(&outcome, "seed 8");
        write_page(&outcome, &out);
        assert_non_null(strstr(out.data, "55 runs of 60 break a rule"));
        assert_non_null(strstr(out.data, "and 5 more"));
        buf_release(&outcome.texts);
}

static void test_names_of_pages(void **state) {
        (void)state;
        assert_true(report_file_is_page("a/report.html"));
        assert_true(report_file_is_page("REPORT.HTM"));
        assert_false(report_file_is_page("report.json"));
        assert_false(report_file_is_page("html"));
        assert_false(report_file_is_page("report.html.json"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_answer),
                cmocka_unit_test(test_names_of_pages),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
