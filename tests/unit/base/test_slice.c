/* Slices: comparison, search, splitting, numbers, hashes. */
#include "base/rng.h"
#include "base/slice.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int sign_of(int value) {
        return (value > 0) - (value < 0);
}

static void test_compare_and_eq(void **state) {
        (void)state;
        static const char *const sorted[] = { "", "a", "aa", "ab", "b", "\x80", "\xff" };
        for (int i = 0; i < (int)ARRAY_LEN(sorted); i++) {
                for (int j = 0; j < (int)ARRAY_LEN(sorted); j++) {
                        struct slice a = slice_of(sorted[i]);
                        struct slice b = slice_of(sorted[j]);
                        assert_int_equal(sign_of(slice_compare(a, b)), sign_of(i - j));
                        assert_int_equal(slice_eq(a, b), i == j);
                        assert_int_equal(slice_is(a, sorted[j]), i == j);
                }
        }
        assert_int_equal(slice_compare(SLICE_EMPTY, slice_of("")), 0);
        assert_true(slice_is_empty(slice_of(NULL)));
}

struct search_case {
        const char *text, *part;
        bool is_prefix, is_suffix, is_inside;
};

static void test_search(void **state) {
        (void)state;
        static const struct search_case cases[] = {
                { "kube-system", "kube", true, false, true },
                { "kube-system", "system", false, true, true },
                { "kube-system", "-", false, false, true },
                { "kube-system", "kube-system", true, true, true },
                { "kube-system", "kube-systems", false, false, false },
                { "kube-system", "", true, true, true },
                { "", "", true, true, true },
                { "", "x", false, false, false },
                { NULL, "", true, true, true },
                { NULL, "x", false, false, false },
                { "aab", "ab", false, true, true },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct slice text = slice_of(cases[i].text);
                struct slice part = slice_of(cases[i].part);
                assert_int_equal(slice_has_prefix(text, part), cases[i].is_prefix);
                assert_int_equal(slice_has_suffix(text, part), cases[i].is_suffix);
                assert_int_equal(slice_contains(text, part), cases[i].is_inside);
        }
}

static void test_trim(void **state) {
        (void)state;
        static const char *const cases[][2] = {
                { "a b", "a b" },   { "  a b\t\n", "a b" }, { "", "" },
                { " \t\r\n ", "" }, { "\v\fx\v\f", "x" },   { "\xc2\xa0", "\xc2\xa0" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                assert_true(slice_is(slice_trim(slice_of(cases[i][0])), cases[i][1]));
        assert_true(slice_is_empty(slice_trim(SLICE_EMPTY)));
}

struct split_case {
        const char *text;
        const char *parts[5];
};

static void test_split(void **state) {
        (void)state;
        static const struct split_case cases[] = {
                { "a,b,c", { "a", "b", "c" } },
                { "a", { "a" } },
                { "a,", { "a", "" } },
                { ",a", { "", "a" } },
                { ",", { "", "" } },
                { "", { "" } },
                { NULL, { NULL } },
                { "a,,b", { "a", "", "b" } },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct slice rest = slice_of(cases[i].text);
                struct slice head;
                size_t count = 0;
                while (slice_split(&rest, ',', &head)) {
                        assert_non_null(cases[i].parts[count]);
                        assert_true(slice_is(head, cases[i].parts[count]));
                        count++;
                }
                assert_null(cases[i].parts[count]);
        }
}

struct number_case {
        const char *text;
        bool is_i64, is_u64;
        int64_t i64;
        uint64_t u64;
};

static void test_numbers(void **state) {
        (void)state;
        static const struct number_case cases[] = {
                { "0", true, true, 0, 0 },
                { "-0", true, true, 0, 0 },
                { "+7", true, true, 7, 7 },
                { "007", true, true, 7, 7 },
                { "-12", true, false, -12, 0 },
                { "9223372036854775807", true, true, INT64_MAX, INT64_MAX },
                { "9223372036854775808", false, true, 0, (uint64_t)INT64_MAX + 1 },
                { "-9223372036854775808", true, false, INT64_MIN, 0 },
                { "-9223372036854775809", false, false, 0, 0 },
                { "18446744073709551615", false, true, 0, UINT64_MAX },
                { "18446744073709551616", false, false, 0, 0 },
                { "99999999999999999999999", false, false, 0, 0 },
                { "", false, false, 0, 0 },
                { "-", false, false, 0, 0 },
                { "+", false, false, 0, 0 },
                { "--1", false, false, 0, 0 },
                { "1 ", false, false, 0, 0 },
                { " 1", false, false, 0, 0 },
                { "1.0", false, false, 0, 0 },
                { "0x10", false, false, 0, 0 },
                { "1e3", false, false, 0, 0 },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const struct number_case *c = &cases[i];
                int64_t i64 = 4711;
                uint64_t u64 = 4711;
                assert_int_equal(slice_to_i64(slice_of(c->text), &i64), c->is_i64);
                assert_int_equal(slice_to_u64(slice_of(c->text), &u64), c->is_u64);
                assert_true(i64 == (c->is_i64 ? c->i64 : 4711));
                assert_true(u64 == (c->is_u64 ? c->u64 : 4711));
        }
}

/* The hash depends on content and length alone, not on alignment, and spreads well. */
static void test_hash(void **state) {
        (void)state;
        char room[64];
        for (size_t len = 0; len < 40; len++) {
                uint64_t first = 0;
                for (size_t shift = 0; shift < 8; shift++) {
                        memset(room + shift, 'k', len);
                        uint64_t hash = slice_hash(slice_make(room + shift, len));
                        first = shift ? first : hash;
                        assert_true(hash == first);
                }
        }
        assert_true(slice_hash(SLICE_EMPTY) == slice_hash(SLICE_LITERAL("")));
        assert_true(hash_bytes("a", 1, 1) != hash_bytes("a", 1, 2));
        assert_true(hash_bytes("a\0", 2, 1) != hash_bytes("a", 1, 1));
        unsigned buckets[256] = { 0 };
        for (int i = 0; i < 25600; i++) {
                int len = snprintf(room, sizeof(room), "node-%d", i);
                buckets[slice_hash(slice_make(room, (size_t)len)) % 256]++;
        }
        for (size_t i = 0; i < 256; i++)
                assert_in_range(buckets[i], 50, 150); /* five standard deviations */
}

static void test_dup(void **state) {
        (void)state;
        char *copy = slice_dup(slice_make("abcdef", 3));
        assert_string_equal(copy, "abc");
        free(copy);
        copy = slice_dup(SLICE_EMPTY);
        assert_string_equal(copy, "");
        free(copy);
}

static void test_cleanup_helpers(void **state) {
        (void)state;
        char *text = slice_dup(SLICE_LITERAL("x"));
        cleanup_free(&text);
        int fd = -1;
        cleanup_close(&fd);
        free(xmalloc(0));
        free(xcalloc(0, 5));
        free(xreallocarray(NULL, 3, 4));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_compare_and_eq),
                cmocka_unit_test(test_search),
                cmocka_unit_test(test_trim),
                cmocka_unit_test(test_split),
                cmocka_unit_test(test_numbers),
                cmocka_unit_test(test_hash),
                cmocka_unit_test(test_dup),
                cmocka_unit_test(test_cleanup_helpers),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
