/* Bitsets against arrays of bool. */
#include "base/bitset.h"
#include "base/rng.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BITS_MAX 300

static const size_t sizes[] = { 0, 1, 2, 63, 64, 65, 127, 128, 129, 200, 256, BITS_MAX };

/* Checks every query against the plain array. */
static void check(const struct bitset *set, const bool *expected, size_t bits) {
        size_t count = 0;
        assert_int_equal(set->bits, bits);
        for (size_t i = 0; i < bits; i++) {
                assert_int_equal(bitset_has(set, i), expected[i]);
                count += expected[i];
        }
        assert_false(bitset_has(set, bits));
        assert_false(bitset_has(set, bits + 1000));
        assert_int_equal(bitset_count(set), count);
        assert_int_equal(bitset_is_empty(set), count == 0);
        size_t next = SIZE_MAX;
        for (size_t i = bits + 2; i-- > 0;) {
                if (i < bits && expected[i])
                        next = i;
                assert_true(bitset_next(set, i) == next);
        }
        if (bits % 64)
                assert_true(set->words[bits / 64] >> (bits % 64) == 0);
}

static void randomise(struct rng *rng, struct bitset *set, bool *mirror) {
        uint64_t one_in = rng_below(rng, 4) + 1;
        bitset_clear(set);
        for (size_t i = 0; i < set->bits; i++) {
                mirror[i] = rng_below(rng, one_in) == 0;
                if (mirror[i])
                        bitset_add(set, i);
        }
}

static void test_add_remove_fill_clear(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 1);
        for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
                bool mirror[BITS_MAX] = { false };
                struct bitset set;
                bitset_init(&set);
                bitset_resize(&set, sizes[s]);
                check(&set, mirror, sizes[s]);
                for (int step = 0; sizes[s] && step < 200; step++) {
                        size_t i = rng_below(&rng, sizes[s]);
                        mirror[i] = rng_below(&rng, 2);
                        if (mirror[i])
                                bitset_add(&set, i);
                        else
                                bitset_remove(&set, i);
                }
                check(&set, mirror, sizes[s]);
                bitset_fill(&set);
                memset(mirror, true, sizeof(mirror));
                check(&set, mirror, sizes[s]);
                bitset_clear(&set);
                memset(mirror, false, sizeof(mirror));
                check(&set, mirror, sizes[s]);
                bitset_release(&set);
        }
}

enum operation { OPERATION_AND, OPERATION_AND_NOT, OPERATION_OR };

static bool combine(enum operation operation, bool a, bool b) {
        if (operation == OPERATION_AND)
                return a && b;
        return operation == OPERATION_OR ? a || b : a && !b;
}

/* The first bit of both is the first bit of their intersection. */
static void check_both(const struct bitset *a, const struct bitset *b) {
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 0);
        struct bitset both = bitset_in_arena(&arena, a->bits);
        bitset_or(&both, a);
        bitset_and(&both, b);
        for (size_t i = 0; i < a->bits + 2; i++)
                assert_true(bitset_next_in_both(a, b, i) == bitset_next(&both, i));
}

static void check_operation(struct rng *rng, enum operation operation, size_t bits,
                            size_t with_bits) {
        static void (*const functions[])(struct bitset *, const struct bitset *) = {
                [OPERATION_AND] = bitset_and,
                [OPERATION_AND_NOT] = bitset_and_not,
                [OPERATION_OR] = bitset_or,
        };
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 0);
        bool expected[BITS_MAX] = { false }, with_mirror[BITS_MAX] = { false };
        struct bitset to = bitset_in_arena(&arena, bits);
        struct bitset with = bitset_in_arena(&arena, with_bits);
        randomise(rng, &to, expected);
        randomise(rng, &with, with_mirror);
        check_both(&to, &with);
        functions[operation](&to, &with);
        for (size_t i = 0; i < bits; i++)
                expected[i] = combine(operation, expected[i], i < with_bits && with_mirror[i]);
        check(&to, expected, bits);
        check(&with, with_mirror, with_bits);
}

static void test_operations_on_all_size_pairs(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 2);
        for (size_t a = 0; a < ARRAY_LEN(sizes); a++) {
                for (size_t b = 0; b < ARRAY_LEN(sizes); b++) {
                        check_operation(&rng, OPERATION_AND, sizes[a], sizes[b]);
                        check_operation(&rng, OPERATION_AND_NOT, sizes[a], sizes[b]);
                        check_operation(&rng, OPERATION_OR, sizes[a], sizes[b]);
                }
        }
}

static void test_resize_keeps_and_zeroes(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 3);
        bool mirror[BITS_MAX] = { false };
        struct bitset set;
        bitset_init(&set);
        for (int step = 0; step < 300; step++) {
                size_t bits = rng_below(&rng, BITS_MAX + 1);
                for (size_t i = bits; i < BITS_MAX; i++)
                        mirror[i] = false;
                bitset_resize(&set, bits);
                check(&set, mirror, bits);
                if (bits) {
                        size_t i = rng_below(&rng, bits);
                        bitset_add(&set, i);
                        mirror[i] = true;
                }
                if (step % 7 == 0) {
                        bitset_fill(&set);
                        memset(mirror, true, bits);
                }
        }
        bitset_release(&set);
        assert_int_equal(set.bits, 0);
        bitset_release(&set);
}

static void test_copy(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 4);
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 0);
        for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
                bool mirror[BITS_MAX] = { false };
                struct bitset from = bitset_in_arena(&arena, sizes[s]);
                struct bitset to = bitset_in_arena(&arena, sizes[s]);
                randomise(&rng, &from, mirror);
                bitset_fill(&to);
                bitset_copy(&to, &from);
                check(&to, mirror, sizes[s]);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_add_remove_fill_clear),
                cmocka_unit_test(test_operations_on_all_size_pairs),
                cmocka_unit_test(test_resize_keeps_and_zeroes),
                cmocka_unit_test(test_copy),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
