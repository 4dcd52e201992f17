/* Arithmetic that stays at the end of the range. */
#include "base/saturate.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_sums(void **state) {
        static const struct {
                int64_t a, b, sum, difference;
        } cases[] = {
                { 2, 3, 5, -1 },
                { INT64_MAX, 0, INT64_MAX, INT64_MAX },
                { INT64_MAX, 1, INT64_MAX, INT64_MAX - 1 },
                { INT64_MAX, -1, INT64_MAX - 1, INT64_MAX },
                { INT64_MIN, 1, INT64_MIN + 1, INT64_MIN },
                { INT64_MIN, -1, INT64_MIN, INT64_MIN + 1 },
                { INT64_MIN, INT64_MIN, INT64_MIN, 0 },
                { 0, INT64_MIN, INT64_MIN, INT64_MAX },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                assert_true(sum_saturated(cases[i].a, cases[i].b) == cases[i].sum);
                assert_true(difference_saturated(cases[i].a, cases[i].b) == cases[i].difference);
        }
}

static void test_shares(void **state) {
        static const struct {
                int64_t part, factor, whole, share;
        } cases[] = {
                { 1, 100, 3, 33 },
                { -1, 100, 3, -33 },
                { INT64_MAX, 100, INT64_MAX, 100 },
                { INT64_MAX / 2, 100, INT64_MAX, 49 },
                { INT64_MAX, 100, 1, INT64_MAX },
                { INT64_MIN, 100, 1, INT64_MIN },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                assert_true(share_of(cases[i].part, cases[i].factor, cases[i].whole) ==
                            cases[i].share);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sums),
                cmocka_unit_test(test_shares),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
