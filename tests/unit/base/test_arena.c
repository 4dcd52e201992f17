/* The arena hands out zeroed, aligned, disjoint memory and forgets it as a whole. */
#include "base/arena.h"
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

static void test_alloc_is_aligned_and_zeroed(void **state) {
        (void)state;
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 256);
        static const size_t sizes[] = { 0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 200, 256, 257, 5000 };
        for (int round = 0; round < 3; round++) {
                for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
                        unsigned char *bytes = arena_alloc(&arena, sizes[i]);
                        assert_non_null(bytes);
                        assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
                        for (size_t j = 0; j < sizes[i]; j++)
                                assert_int_equal(bytes[j], 0);
                        if (sizes[i])
                                memset(bytes, 0xa5, sizes[i]);
                }
                arena_clear(&arena);
        }
}

#define PIECES 400

/* Every allocation keeps its own pattern while others are written around it. */
static void test_allocations_do_not_overlap(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 7);
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 1024);
        unsigned char *pieces[PIECES];
        size_t sizes[PIECES];
        for (size_t i = 0; i < PIECES; i++) {
                sizes[i] = rng_below(&rng, i % 10 ? 64 : 3000) + 1;
                pieces[i] = arena_alloc(&arena, sizes[i]);
                memset(pieces[i], (int)(i & 0xff), sizes[i]);
        }
        for (size_t i = 0; i < PIECES; i++) {
                for (size_t j = 0; j < sizes[i]; j++)
                        assert_int_equal(pieces[i][j], i & 0xff);
        }
}

static void test_clear_stops_asking_for_memory(void **state) {
        (void)state;
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 128);
        for (int i = 0; i < 100; i++)
                arena_alloc(&arena, 100);
        size_t used = arena.used_bytes;
        size_t reserved = arena.reserved_bytes;
        assert_true(used >= 10000 && reserved >= used);
        for (int round = 0; round < 3; round++) {
                arena_clear(&arena);
                assert_int_equal(arena.used_bytes, 0);
                for (int i = 0; i < 100; i++)
                        arena_alloc(&arena, 100);
                assert_int_equal(arena.used_bytes, used);
                assert_int_equal(arena.reserved_bytes, reserved);
        }
}

static void test_zeroed_struct_and_release(void **state) {
        (void)state;
        struct arena arena = { 0 };
        arena_clear(&arena);
        arena_release(&arena);
        assert_non_null(arena_alloc(&arena, 10));
        assert_true(arena.reserved_bytes > 0);
        arena_release(&arena);
        assert_int_equal(arena.reserved_bytes, 0);
        assert_int_equal(arena.used_bytes, 0);
        assert_null(arena.head);
        assert_non_null(arena_alloc(&arena, 10));
        arena_release(&arena);
}

static void test_large_request_keeps_the_head(void **state) {
        (void)state;
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 1024);
        arena_alloc(&arena, 16);
        struct arena_block *head = arena.head;
        arena_alloc(&arena, 100000);
        assert_ptr_equal(arena.head, head);
        size_t reserved = arena.reserved_bytes;
        arena_alloc(&arena, 16);
        assert_int_equal(arena.reserved_bytes, reserved);
}

static void test_array(void **state) {
        (void)state;
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 0);
        uint64_t *numbers = ARENA_ARRAY(&arena, uint64_t, 50);
        for (size_t i = 0; i < 50; i++) {
                assert_true(numbers[i] == 0);
                numbers[i] = i;
        }
        assert_non_null(ARENA_ARRAY(&arena, uint64_t, 0));
        struct slice *one = ARENA_NEW(&arena, struct slice);
        assert_null(one->ptr);
        assert_int_equal(numbers[49], 49);
}

static void test_grow(void **state) {
        (void)state;
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 0);
        uint32_t *numbers = NULL;
        size_t cap = 0;
        for (uint32_t i = 0; i < 100; i++) {
                uint32_t *before = numbers;
                bool has_room = i < cap;
                numbers = arena_grow(&arena, numbers, i, &cap, sizeof(*numbers));
                assert_true(cap > i);
                assert_true(!has_room || numbers == before);
                numbers[i] = i;
        }
        for (uint32_t i = 0; i < 100; i++)
                assert_int_equal(numbers[i], i);
}

static void test_text(void **state) {
        (void)state;
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 64);
        assert_string_equal(arena_string(&arena, SLICE_EMPTY), "");
        assert_string_equal(arena_string(&arena, slice_make("podium", 3)), "pod");
        struct slice copy = arena_slice(&arena, slice_make("node-12", 4));
        assert_int_equal(copy.len, 4);
        assert_string_equal(copy.ptr, "node");
        assert_memory_equal(arena_copy(&arena, "a\0b", 3), "a\0b", 3);
        assert_non_null(arena_copy(&arena, NULL, 0));
        assert_string_equal(arena_printf(&arena, "%s-%d", "x", 42), "x-42");
        const struct slice parts[] = { SLICE_LITERAL("ab"), SLICE_EMPTY, SLICE_LITERAL("c") };
        struct slice joined = arena_join(&arena, 3, parts);
        assert_int_equal(joined.len, 3);
        assert_string_equal(joined.ptr, "abc");
        assert_string_equal(arena_join(&arena, 0, NULL).ptr, "");
        assert_string_equal(arena_printf(&arena, "%s", ""), "");
        char *wide = arena_printf(&arena, "%0500d", 7);
        assert_int_equal(strlen(wide), 500);
        assert_int_equal(wide[499], '7');
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_alloc_is_aligned_and_zeroed),
                cmocka_unit_test(test_allocations_do_not_overlap),
                cmocka_unit_test(test_clear_stops_asking_for_memory),
                cmocka_unit_test(test_zeroed_struct_and_release),
                cmocka_unit_test(test_large_request_keeps_the_head),
                cmocka_unit_test(test_array),
                cmocka_unit_test(test_grow),
                cmocka_unit_test(test_text),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
