/* The random stream against published vectors, and its ranges. */
#include "base/rng.h"
#include "base/util.h"
#include <stdbool.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_seeding_is_splitmix64(void **state) {
        (void)state;
        static const uint64_t expected[] = { 6457827717110365317u, 3203168211198807973u,
                                             9817491932198370423u, 4593380528125082431u };
        struct rng rng;
        rng_init(&rng, 1234567);
        for (size_t i = 0; i < ARRAY_LEN(expected); i++)
                assert_true(rng.state[i] == expected[i]);
}

static void test_stream_is_xoshiro256_star_star(void **state) {
        (void)state;
        static const uint64_t expected[] = { 11520, 0, 1509978240, 1215971899390074240u };
        struct rng rng = { { 1, 2, 3, 4 } };
        for (size_t i = 0; i < ARRAY_LEN(expected); i++)
                assert_true(rng_u64(&rng) == expected[i]);
}

static void test_same_seed_same_stream(void **state) {
        (void)state;
        struct rng a, b, c;
        rng_init(&a, 42);
        rng_init(&b, 42);
        rng_init(&c, 43);
        bool differs = false;
        for (int i = 0; i < 100; i++) {
                uint64_t value = rng_u64(&a);
                assert_true(value == rng_u64(&b));
                differs = differs || value != rng_u64(&c);
        }
        assert_true(differs);
}

static void test_below_stays_below(void **state) {
        (void)state;
        static const uint64_t bounds[] = {
                1, 2, 3, 7, 10, 1000, (uint64_t)1 << 32, ((uint64_t)1 << 63) + 1, UINT64_MAX
        };
        struct rng rng;
        rng_init(&rng, 5);
        for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
                for (int j = 0; j < 1000; j++)
                        assert_true(rng_below(&rng, bounds[i]) < bounds[i]);
        }
}

static void test_below_is_even(void **state) {
        (void)state;
        unsigned counts[6] = { 0 };
        struct rng rng;
        rng_init(&rng, 6);
        for (int i = 0; i < 60000; i++)
                counts[rng_below(&rng, 6)]++;
        for (size_t i = 0; i < 6; i++)
                assert_in_range(counts[i], 9600, 10400); /* four standard deviations */
}

/* Taking the remainder of plain 64-bit numbers would favour the lowest third by two to one. */
static void test_below_is_even_for_huge_bounds(void **state) {
        (void)state;
        const uint64_t third = (uint64_t)1 << 62;
        unsigned counts[3] = { 0 };
        struct rng rng;
        rng_init(&rng, 8);
        for (int i = 0; i < 30000; i++)
                counts[rng_below(&rng, 3 * third) / third]++;
        for (size_t i = 0; i < 3; i++)
                assert_in_range(counts[i], 9600, 10400);
}

static void test_unit(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 7);
        double sum = 0;
        for (int i = 0; i < 10000; i++) {
                double value = rng_unit(&rng);
                assert_true(value >= 0 && value < 1);
                sum += value;
        }
        assert_true(sum > 4880 && sum < 5120);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_seeding_is_splitmix64),
                cmocka_unit_test(test_stream_is_xoshiro256_star_star),
                cmocka_unit_test(test_same_seed_same_stream),
                cmocka_unit_test(test_below_stays_below),
                cmocka_unit_test(test_below_is_even),
                cmocka_unit_test(test_below_is_even_for_huge_bounds),
                cmocka_unit_test(test_unit),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
