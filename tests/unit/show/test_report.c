/* Reports as HTML: what is escaped, what the policy lets in, bars, histograms and charts. */
#include "show/report.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/sha256.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HOSTILE "\"><img src=x onerror='alert(1)'>&\x01\xff\xe2\x80\xae"
#define HOSTILE_TEXT                                                                               \
        "&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;\xef\xbf\xbd\xef\xbf\xbd\xe2"  \
        "\x80\xae"

static size_t count_of(const struct buf *out, const char *part) {
        size_t count = 0;

        for (const char *at = out->data; (at = strstr(at, part)); at += strlen(part))
                count++;
        return count;
}

static void expect(const struct buf *out, const char *part) {
        if (!count_of(out, part))
                fail_msg("missing %s in\n%s", part, out->data);
}

/* What stands in a report behind its style, so that no test depends on the style. */
static void begin(struct report *report) {
        const struct report_fact facts[] = { { "Cluster", SLICE_LITERAL(HOSTILE) },
                                             { "Context", SLICE_EMPTY } };

        report_begin(report, &(struct report_head){ .title = "berth plan",
                                                    .headline = SLICE_LITERAL(HOSTILE),
                                                    .detail = SLICE_LITERAL(HOSTILE),
                                                    .tone = REPORT_BAD,
                                                    .facts = facts,
                                                    .fact_count = ARRAY_LEN(facts) });
}

static void test_frame(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct report report = { .out = &out };

        (void)state;
        begin(&report);
        report_end(&report);
        expect(&out, "<h1 class=\"bad\">" HOSTILE_TEXT "</h1>");
        expect(&out, "<p class=\"detail\">" HOSTILE_TEXT "</p>");
        expect(&out, "<dt>Cluster</dt><dd>" HOSTILE_TEXT "</dd>");
        assert_int_equal(count_of(&out, "Context"), 0);
        assert_int_equal(count_of(&out, "<script"), 0);
        assert_int_equal(count_of(&out, "<img"), 0);
        assert_int_equal(count_of(&out, " style="), 0);
        assert_int_equal(count_of(&out, "url("), 0);
}

/* The policy names the style by its hash, and nothing else is let in. */
static void test_policy(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };
        CLEANUP(buf_release) struct buf wanted = { 0 };
        struct report report = { .out = &out };
        uint8_t digest[SHA256_SIZE];

        (void)state;
        begin(&report);
        const char *style = strstr(out.data, "<style>") + strlen("<style>");
        const char *end = strstr(style, "</style>");

        sha256(slice_make(style, (size_t)(end - style)), digest);
        buf_text(&wanted, "content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
                          "style-src 'sha256-");
        base64_encode(slice_make((const char *)digest, sizeof(digest)), BASE64_STANDARD, &wanted);
        buf_text(&wanted, "'\">");
        expect(&out, wanted.data);
        assert_true(strstr(out.data, "Content-Security-Policy") < style);
}

static void test_table(void **state) {
        static const char *const heads[] = { "Pod", "#Count", "=<cpu>", "Why", NULL };
        CLEANUP(buf_release) struct buf out = { 0 };
        struct report report = { .out = &out };

        (void)state;
        report_fold(&report, SLICE_LITERAL(HOSTILE), 1800, true);
        report_table(&report, heads);
        report_cell(&report, SLICE_LITERAL(HOSTILE));
        report_count(&report, 1800);
        report_bar(&report, 0.25, 0.5);
        report_strong(&report, SLICE_LITERAL("<no>"), REPORT_WARN);
        report_table_end(&report);
        report_more(&report, 3400, "elsewhere");
        report_more(&report, 0, "nowhere");
        report_fold_end(&report);
        expect(&out, "<details open><summary>" HOSTILE_TEXT " <small>1,800</small></summary>");
        expect(&out, "<th scope=\"col\" class=\"b\">&lt;cpu&gt;</th>");
        expect(&out, "<tr><th scope=\"row\">" HOSTILE_TEXT "</th><td class=\"n\" "
                     "data-h=\"Count\">1,800</td><td class=\"b\" data-h=\"&lt;cpu&gt;\">");
        expect(&out, "<td class=\"warn\" data-h=\"Why\">&lt;no&gt;</td></tr>");
        expect(&out, "<p class=\"note\">and 3,400 more: elsewhere</p>");
        assert_int_equal(count_of(&out, "nowhere"), 0);
}

/* One scale for all: 100 % is at 80 of 100; what is beyond has its own part, and an arrow where it
 * is clipped; a line shows what was before. */
static void test_bars(void **state) {
        static const struct {
                double before, after;
                const char *rects, *share;
        } cases[] = {
                { -1, 0, "<rect class=\"t\" width=\"80\"/></svg>", ">0 %<" },
                { -1, 0.5, "<rect class=\"f\" x=\"0\" width=\"40\"/></svg>", ">50 %<" },
                { 0.25, 0.5,
                  "<rect class=\"f\" x=\"0\" width=\"40\"/><rect class=\"w\" x=\"19.2\" "
                  "width=\"1.6\"/></svg>",
                  ">25 % \xe2\x86\x92 50 %<" },
                { 0.5, 0.5, "<rect class=\"f\" x=\"0\" width=\"40\"/></svg>", ">50 %<" },
                { -1, 1, "<rect class=\"f\" x=\"0\" width=\"80\"/></svg>", "share\">100 %<" },
                { -1, 1.1,
                  "<rect class=\"f\" x=\"0\" width=\"80\"/><rect class=\"o\" x=\"80\" "
                  "width=\"8\"/></svg>",
                  "share over\">110 %<" },
                { -1, 1.78,
                  "<rect class=\"f\" x=\"0\" width=\"80\"/><rect class=\"o\" x=\"80\" "
                  "width=\"15\"/><path class=\"o\" d=\"M95 0l5 5-5 5z\"/></svg>",
                  "share over\">178 %<" },
        };
        static const char *const heads[] = { "=cpu", NULL };
        CLEANUP(buf_release) struct buf out = { 0 };
        struct report report = { .out = &out };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                buf_clear(&out);
                report_table(&report, heads);
                report_bar(&report, cases[i].before, cases[i].after);
                expect(&out, cases[i].rects);
                expect(&out, cases[i].share);
        }
}

static void test_histogram(void **state) {
        static const double shares[] = { -1, 0, 0.0999, 0.1, 0.95, 1, 1.0001, 10 };
        static const size_t wanted[REPORT_BINS] = { 3, 1, 0, 0, 0, 0, 0, 0, 0, 2, 2 };
        CLEANUP(buf_release) struct buf out = { 0 };
        struct report report = { .out = &out };
        struct report_bins bins = { 0 }, before = { 0 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(shares); i++)
                report_bins_add(&bins, shares[i]);
        assert_memory_equal(bins.counts, wanted, sizeof(wanted));
        before = bins;
        before.counts[4] = 6;
        report_histogram(&report, "<Nodes>", &before, &bins);
        expect(&out, "<figcaption>&lt;Nodes&gt;</figcaption>");
        assert_int_equal(count_of(&out, "<rect class=\"f\""), 10);
        assert_int_equal(count_of(&out, "<rect class=\"o\""), 1);
        assert_int_equal(count_of(&out, "class=\"w\""), 1); /* only what changes */
        buf_clear(&out);
        report_histogram(&report, "None", NULL, &(struct report_bins){ 0 });
        assert_int_equal(count_of(&out, "nan"), 0);
}

static void test_chart(void **state) {
        static const char *const places[] = { "0.1", "<3>" };
        const struct report_series series[] = {
                { "early", { { true, -20, 5 }, { true, -97, 30 } } },
                { "none", { { true, 20, 500 }, { false, 0, 0 } } },
        };
        const struct report_chart chart = { .title = "Preparation",
                                            .place_title = "jobs",
                                            .unit = "change in %",
                                            .place_count = 2,
                                            .series_count = 2,
                                            .places = places,
                                            .series = series,
                                            .has_mark = true,
                                            .mark = -40,
                                            .low = -100,
                                            .high = 100 };
        CLEANUP(buf_release) struct buf out = { 0 };
        struct report report = { .out = &out };

        (void)state;
        report_chart(&report, &chart);
        assert_int_equal(count_of(&out, "class=\"band\""), 3);
        assert_int_equal(count_of(&out, "<circle"), 3);
        assert_int_equal(count_of(&out, "class=\"clip\""), 3); /* one below, one at either end */
        assert_int_equal(count_of(&out, "class=\"claim\""), 1);
        expect(&out, "<title>early, 0.1: -20, from -25 to -15</title>");
        expect(&out, "&lt;3&gt;");
        assert_int_equal(count_of(&out, "<3>"), 0);
        report_legend(&report, series, 2, "claimed");
        expect(&out, "claimed</li>");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_frame),     cmocka_unit_test(test_policy),
                cmocka_unit_test(test_table),     cmocka_unit_test(test_bars),
                cmocka_unit_test(test_histogram), cmocka_unit_test(test_chart),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
