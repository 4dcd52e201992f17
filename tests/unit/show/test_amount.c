/* Numbers and amounts as people write them. */
#include "show/amount.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(struct buf *out, const char *text) {
        assert_string_equal(out->data ? out->data : "", text);
        buf_clear(out);
}

static void test_counts(void **state) {
        static const struct {
                int64_t value;
                const char *text;
        } cases[] = {
                { 0, "0" },
                { 999, "999" },
                { 1000, "1,000" },
                { 1800, "1,800" },
                { 150000, "150,000" },
                { 1234567, "1,234,567" },
                { -1800, "-1,800" },
                { INT64_MIN, "-9,223,372,036,854,775,808" },
        };
        struct buf out = { 0 };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                amount_count(&out, cases[i].value);
                expect(&out, cases[i].text);
        }
        amount_many(&out, 1, "pod");
        expect(&out, "1 pod");
        amount_many(&out, 1200, "pod");
        expect(&out, "1,200 pods");
        buf_release(&out);
}

static void test_amounts(void **state) {
        static const struct {
                const char *resource;
                int64_t value;
                const char *text;
        } cases[] = {
                { "cpu", 0, "0 cores" },
                { "cpu", 250, "250 m" },
                { "cpu", 1000, "1 core" },
                { "cpu", 1500, "1.5 cores" },
                { "cpu", 12000000, "12,000 cores" },
                { "memory", 512, "512 B" },
                { "memory", 13421772800, "12.5 GiB" },
                { "memory", 1LL << 40, "1 TiB" },
                { "hugepages-2Mi", 2LL << 20, "2 MiB" },
                { "ephemeral-storage", 150LL << 30, "150 GiB" },
                { "nvidia.com/gpu", 1800, "1,800" },
                { "pods", 110, "110" },
        };
        struct buf out = { 0 };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                amount_write(&out, amount_unit_of(slice_of(cases[i].resource)), cases[i].value);
                expect(&out, cases[i].text);
        }
        amount_of(&out, AMOUNT_MILLICORES, 1500, 4000);
        expect(&out, "1.5 of 4 cores");
        amount_of(&out, AMOUNT_MILLICORES, 250, 4000);
        expect(&out, "250 m of 4 cores");
        amount_of(&out, AMOUNT_BYTES, 1LL << 30, 2LL << 30);
        expect(&out, "1 of 2 GiB");
        amount_of(&out, AMOUNT_COUNT, 3, 8);
        expect(&out, "3 of 8");
        buf_release(&out);
}

static void test_measures(void **state) {
        static const struct {
                double value;
                const char *text;
        } cases[] = {
                { 0, "0" },        { 540.4, "540" },  { 1800.2, "1,800" }, { 12.34, "12.3" },
                { 5, "5" },        { 1.234, "1.23" }, { 0.5, "0.5" },      { 0.01234, "0.0123" },
                { -12.04, "-12" }, { -0.00001, "0" }, { 99.96, "100" },
        };
        struct buf out = { 0 };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                amount_measure(&out, cases[i].value);
                expect(&out, cases[i].text);
        }
        buf_release(&out);
}

static void test_percents_and_spans(void **state) {
        struct buf out = { 0 };

        (void)state;
        amount_percent(&out, 178, 100);
        expect(&out, "178 %");
        amount_percent(&out, 1, 1000);
        expect(&out, "<1 %");
        amount_percent(&out, 1, 0);
        expect(&out, "none");
        amount_percent(&out, 0, 0);
        expect(&out, "0 %");
        amount_span(&out, 0);
        expect(&out, "0 s");
        amount_span(&out, 200);
        expect(&out, "3 min 20 s");
        amount_span(&out, 86400);
        expect(&out, "1 d");
        amount_span(&out, 90000);
        expect(&out, "1 d 1 h");
        buf_release(&out);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_counts),
                cmocka_unit_test(test_amounts),
                cmocka_unit_test(test_measures),
                cmocka_unit_test(test_percents_and_spans),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
