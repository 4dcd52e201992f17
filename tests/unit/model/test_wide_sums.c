/* Sums beyond 64 bits: any order of adding and taking off leads back to zero. */
#include "model/wide_sums.h"

#include "base/map.h"
#include "base/rng.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define AMOUNTS 40

static void test_beyond_the_range_and_back(void **state) {
        struct wide_sums wide = { 0 };
        int64_t sum = 7;

        (void)state;
        wide_sums_add(&wide, 1, &sum, INT64_MAX);
        assert_true(sum == INT64_MAX);
        wide_sums_add(&wide, 1, &sum, INT64_MAX);
        wide_sums_take(&wide, 1, &sum, 7);
        assert_true(sum == INT64_MAX);
        wide_sums_take(&wide, 1, &sum, INT64_MAX);
        assert_true(sum == INT64_MAX); /* exactly the end of the range: no wide sum any more */
        assert_int_equal(map_u64_count(wide.sums), 0);
        wide_sums_take(&wide, 1, &sum, INT64_MAX);
        assert_true(sum == 0);
        wide_sums_release(&wide);
        wide_sums_release(&wide);
}

/* Against sums of 128 bits. */
static void test_any_order(void **state) {
        static const int64_t amounts[] = { 0, 1, 1000, INT64_MAX, INT64_MAX - 1, INT64_MAX / 2 };
        struct rng rng;

        (void)state;
        rng_init(&rng, 11);
        for (int round = 0; round < 200; round++) {
                struct wide_sums wide = { 0 };
                int64_t sums[2] = { 0 }, held[AMOUNTS];
                double whole[2] = { 0 };
                for (int i = 0; i < AMOUNTS; i++) {
                        held[i] = amounts[rng_below(&rng, ARRAY_LEN(amounts))];
                        wide_sums_add(&wide, (uint64_t)i % 2, &sums[i % 2], held[i]);
                        whole[i % 2] += (double)held[i];
                        if (whole[i % 2] > 1.1 * (double)INT64_MAX)
                                assert_true(sums[i % 2] == INT64_MAX);
                }
                for (int left = AMOUNTS; left > 0; left -= 2) {
                        size_t pick = (size_t)rng_below(&rng, (uint64_t)left / 2) * 2;
                        for (size_t odd = 0; odd < 2; odd++) {
                                wide_sums_take(&wide, odd, &sums[odd], held[pick + odd]);
                                held[pick + odd] = held[(size_t)left - 2 + odd];
                        }
                }
                assert_true(sums[0] == 0 && sums[1] == 0);
                assert_true(!wide.sums || map_u64_count(wide.sums) == 0);
                wide_sums_release(&wide);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_beyond_the_range_and_back),
                cmocka_unit_test(test_any_order),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
