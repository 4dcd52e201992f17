/* The interner against a plain list of counted strings. */
#include "base/arena.h"
#include "base/interner.h"
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

static void test_equal_strings_share_an_id(void **state) {
        (void)state;
        struct interner *interner = interner_new();
        struct str_id a = interner_add(interner, SLICE_LITERAL("zone"));
        struct str_id b = interner_add(interner, SLICE_LITERAL("zone"));
        struct str_id c = interner_add(interner, SLICE_LITERAL("zon"));
        assert_true(str_id_eq(a, b));
        assert_false(str_id_eq(a, c));
        assert_int_equal(interner_count(interner), 2);
        assert_string_equal(interner_text(interner, a).ptr, "zone");
        assert_int_equal(interner_text(interner, c).len, 3);
        interner_unref(interner, a);
        assert_int_equal(interner_count(interner), 2);
        interner_unref(interner, b);
        assert_int_equal(interner_count(interner), 1);
        bool found = true;
        assert_int_equal(interner_find(interner, SLICE_LITERAL("zone"), &found).index, 0);
        assert_false(found);
        interner_free(interner);
}

static void test_empty_string(void **state) {
        (void)state;
        struct interner *interner = interner_new();
        bool found = false;
        assert_int_equal(interner_add(interner, SLICE_EMPTY).index, 0);
        assert_int_equal(interner_add(interner, SLICE_LITERAL("")).index, 0);
        assert_int_equal(interner_find(interner, SLICE_EMPTY, &found).index, 0);
        assert_true(found);
        interner_ref(interner, STR_ID_EMPTY);
        for (int i = 0; i < 5; i++)
                interner_unref(interner, STR_ID_EMPTY);
        assert_string_equal(interner_text(interner, STR_ID_EMPTY).ptr, "");
        assert_int_equal(interner_count(interner), 0);
        interner_free(interner);
        interner_free(NULL);
}

static void test_find_does_not_count(void **state) {
        (void)state;
        struct interner *interner = interner_new();
        struct str_id id = interner_add(interner, SLICE_LITERAL("x"));
        for (int i = 0; i < 3; i++)
                assert_true(str_id_eq(interner_find(interner, SLICE_LITERAL("x"), NULL), id));
        interner_unref(interner, id);
        assert_int_equal(interner_count(interner), 0);
        interner_free(interner);
}

static void test_embedded_nul(void **state) {
        (void)state;
        struct interner *interner = interner_new();
        struct str_id a = interner_add(interner, SLICE_LITERAL("a\0b"));
        struct str_id b = interner_add(interner, SLICE_LITERAL("a\0c"));
        assert_false(str_id_eq(a, b));
        assert_int_equal(interner_text(interner, a).len, 3);
        interner_free(interner);
}

#define TEXT_COUNT 600

/* The naive mirror: one counter per text of a fixed vocabulary. */
struct mirror {
        struct {
                char *text;
                size_t len;
                unsigned refs;
                struct str_id id;
                const char *address;
        } texts[TEXT_COUNT];
};

static void mirror_init(struct mirror *mirror, struct arena *arena, struct rng *rng) {
        for (size_t i = 0; i < TEXT_COUNT; i++) {
                size_t pad = rng_below(rng, i % 20 ? 40 : 600);
                mirror->texts[i].text = arena_printf(arena, "%zu/%0*d", i, (int)pad, 0);
                mirror->texts[i].len = strlen(mirror->texts[i].text);
                mirror->texts[i].refs = 0;
        }
}

static void check_text(const struct interner *interner, const struct mirror *mirror, size_t i) {
        struct slice text = slice_make(mirror->texts[i].text, mirror->texts[i].len);
        bool found;
        struct str_id id = interner_find(interner, text, &found);
        assert_int_equal(found, mirror->texts[i].refs > 0);
        if (!found)
                return;
        assert_true(str_id_eq(id, mirror->texts[i].id));
        struct slice stored = interner_text(interner, id);
        assert_true(slice_eq(stored, text));
        assert_ptr_equal(stored.ptr, mirror->texts[i].address);
        assert_int_equal(stored.ptr[stored.len], '\0');
}

static void mirror_step(struct interner *interner, struct mirror *mirror, size_t i,
                        bool is_growing) {
        struct slice text = slice_make(mirror->texts[i].text, mirror->texts[i].len);
        if (is_growing) {
                struct str_id id = interner_add(interner, text);
                if (mirror->texts[i].refs++) {
                        assert_true(str_id_eq(id, mirror->texts[i].id));
                        return;
                }
                mirror->texts[i].id = id;
                mirror->texts[i].address = interner_text(interner, id).ptr;
        } else if (mirror->texts[i].refs) {
                interner_unref(interner, mirror->texts[i].id);
                mirror->texts[i].refs--;
        }
}

static void check_all(const struct interner *interner, const struct mirror *mirror) {
        size_t live = 0;
        for (size_t i = 0; i < TEXT_COUNT; i++) {
                check_text(interner, mirror, i);
                live += mirror->texts[i].refs > 0;
        }
        assert_int_equal(interner_count(interner), live);
}

/* Phases mostly grow or mostly shrink, so that ids and memory are given back and reused. */
static void test_random_churn(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 11);
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 0);
        struct mirror *mirror = ARENA_NEW(&arena, struct mirror);
        mirror_init(mirror, &arena, &rng);
        struct interner *interner = interner_new();
        for (int phase = 0; phase < 40; phase++) {
                uint64_t grow_of_ten = phase % 2 ? 2 : 8;
                for (int i = 0; i < 1000; i++) {
                        size_t at = rng_below(&rng, TEXT_COUNT);
                        mirror_step(interner, mirror, at, rng_below(&rng, 10) < grow_of_ten);
                }
                check_all(interner, mirror);
        }
        for (size_t i = 0; i < TEXT_COUNT; i++) {
                while (mirror->texts[i].refs)
                        mirror_step(interner, mirror, i, false);
        }
        check_all(interner, mirror);
        interner_free(interner);
}

/* Ever new names at a constant number of live ones must not make the table grow. */
static void test_churn_keeps_memory_bounded(void **state) {
        (void)state;
        struct interner *interner = interner_new();
        struct str_id ring[64] = { { 0 } };
        uint32_t largest = 0;
        size_t bytes = 0;
        for (int i = 0; i < 20000; i++) {
                char name[40];
                int len = snprintf(name, sizeof(name), "pod-%06d", i);
                struct str_id *slot = &ring[i % 64];
                interner_unref(interner, *slot);
                *slot = interner_add(interner, slice_make(name, (size_t)len));
                if (slot->index > largest)
                        largest = slot->index;
                if (i == 100)
                        bytes = interner_bytes(interner);
        }
        assert_true(largest <= 64);
        assert_int_equal(interner_bytes(interner), bytes);
        assert_int_equal(interner_count(interner), 64);
        interner_free(interner);
}

static void test_many_short_strings_are_cheap(void **state) {
        (void)state;
        const int count = 100000;
        struct interner *interner = interner_new();
        for (int i = 0; i < count; i++) {
                char name[40];
                int len = snprintf(name, sizeof(name), "app-%d", i);
                interner_add(interner, slice_make(name, (size_t)len));
        }
        assert_int_equal(interner_count(interner), count);
        assert_true(interner_bytes(interner) < (size_t)count * 64);
        interner_free(interner);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_equal_strings_share_an_id),
                cmocka_unit_test(test_empty_string),
                cmocka_unit_test(test_find_does_not_count),
                cmocka_unit_test(test_embedded_nul),
                cmocka_unit_test(test_random_churn),
                cmocka_unit_test(test_churn_keeps_memory_bounded),
                cmocka_unit_test(test_many_short_strings_are_cheap),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
