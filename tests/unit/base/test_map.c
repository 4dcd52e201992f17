/* Both maps against a plain list in insertion order. */
#include "base/map.h"
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

#define KEY_COUNT 150

/* The naive mirror: keys in the order they were inserted. */
struct mirror {
        uint64_t keys[KEY_COUNT];
        void *values[KEY_COUNT];
        size_t count;
};

static size_t mirror_find(const struct mirror *mirror, uint64_t key) {
        size_t i = 0;
        while (i < mirror->count && mirror->keys[i] != key)
                i++;
        return i;
}

static void *mirror_put(struct mirror *mirror, uint64_t key, void *value) {
        size_t i = mirror_find(mirror, key);
        void *previous = i < mirror->count ? mirror->values[i] : NULL;
        if (!previous)
                mirror->keys[mirror->count++] = key;
        mirror->values[i] = value;
        return previous;
}

static void *mirror_remove(struct mirror *mirror, uint64_t key) {
        size_t i = mirror_find(mirror, key);
        if (i == mirror->count)
                return NULL;
        void *value = mirror->values[i];
        for (; i + 1 < mirror->count; i++) {
                mirror->keys[i] = mirror->keys[i + 1];
                mirror->values[i] = mirror->values[i + 1];
        }
        mirror->count--;
        return value;
}

/* Texts of varied length for number keys; 0 becomes the empty key. */
static struct slice text_key(uint64_t key, char *buffer, size_t size) {
        int len =
                key ? snprintf(buffer, size, "%0*llu", (int)(key % 30) + 1, (unsigned long long)key)
                    : 0;
        return slice_make(buffer, (size_t)len);
}

static void check_map(const struct map *map, const struct mirror *mirror) {
        assert_int_equal(map_count(map), mirror->count);
        size_t at = 0, i = 0;
        struct slice key;
        void *value;
        while (map_next(map, &at, &key, &value)) {
                char buffer[64];
                assert_true(i < mirror->count);
                assert_true(slice_eq(key, text_key(mirror->keys[i], buffer, sizeof(buffer))));
                assert_ptr_equal(value, mirror->values[i]);
                i++;
        }
        assert_int_equal(i, mirror->count);
        assert_false(map_next(map, &at, &key, &value));
        for (uint64_t number = 0; number < KEY_COUNT; number++) {
                char buffer[64];
                size_t found = mirror_find(mirror, number);
                void *expected = found < mirror->count ? mirror->values[found] : NULL;
                key = text_key(number, buffer, sizeof(buffer));
                assert_ptr_equal(map_get(map, key), expected);
        }
}

static char anchors[1000]; /* addresses to store as values */

static void test_map_random_steps(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= 4; seed++) {
                struct rng rng;
                rng_init(&rng, seed);
                struct map *map = map_new();
                struct mirror mirror = { .count = 0 };
                for (int step = 0; step < 2000; step++) {
                        char buffer[64];
                        uint64_t number = rng_below(&rng, KEY_COUNT);
                        struct slice key = text_key(number, buffer, sizeof(buffer));
                        void *value = &anchors[rng_below(&rng, sizeof(anchors))];
                        bool is_put = rng_below(&rng, 10) < (step / 500 % 2 ? 3u : 7u);
                        if (is_put)
                                assert_ptr_equal(map_put(map, key, value),
                                                 mirror_put(&mirror, number, value));
                        else
                                assert_ptr_equal(map_remove(map, key),
                                                 mirror_remove(&mirror, number));
                        if (step % 20 == 0)
                                check_map(map, &mirror);
                }
                check_map(map, &mirror);
                map_free(map);
        }
}

/* Keys that differ in the high half only, as pointers shifted or flags would. */
static uint64_t wide_key(uint64_t number) {
        return number % 2 ? number << 40 : number;
}

static void check_map_u64(const struct map_u64 *map, const struct mirror *mirror) {
        assert_int_equal(map_u64_count(map), mirror->count);
        size_t at = 0, i = 0;
        uint64_t key;
        void *value;
        while (map_u64_next(map, &at, &key, &value)) {
                assert_true(i < mirror->count);
                assert_true(key == mirror->keys[i]);
                assert_ptr_equal(value, mirror->values[i]);
                i++;
        }
        assert_int_equal(i, mirror->count);
        for (uint64_t number = 0; number < KEY_COUNT; number++) {
                key = wide_key(number);
                size_t found = mirror_find(mirror, key);
                void *expected = found < mirror->count ? mirror->values[found] : NULL;
                assert_ptr_equal(map_u64_get(map, key), expected);
        }
}

static void test_map_u64_random_steps(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= 4; seed++) {
                struct rng rng;
                rng_init(&rng, seed);
                struct map_u64 *map = map_u64_new();
                struct mirror mirror = { .count = 0 };
                for (int step = 0; step < 3000; step++) {
                        uint64_t key = wide_key(rng_below(&rng, KEY_COUNT));
                        void *value = &anchors[rng_below(&rng, sizeof(anchors))];
                        bool is_put = rng_below(&rng, 10) < (step / 500 % 2 ? 3u : 7u);
                        if (is_put)
                                assert_ptr_equal(map_u64_put(map, key, value),
                                                 mirror_put(&mirror, key, value));
                        else
                                assert_ptr_equal(map_u64_remove(map, key),
                                                 mirror_remove(&mirror, key));
                        if (step % 20 == 0)
                                check_map_u64(map, &mirror);
                }
                check_map_u64(map, &mirror);
                map_u64_free(map);
        }
}

static void test_removing_while_iterating(void **state) {
        (void)state;
        struct map *map = map_new();
        struct map_u64 *numbers = map_u64_new();
        for (uint64_t i = 0; i < 100; i++) {
                char buffer[64];
                map_put(map, text_key(i, buffer, sizeof(buffer)), &anchors[i]);
                map_u64_put(numbers, i, &anchors[i]);
        }
        size_t at = 0, seen = 0;
        struct slice key;
        void *value;
        while (map_next(map, &at, &key, &value)) {
                assert_ptr_equal(value, &anchors[seen]);
                if (seen++ % 3)
                        assert_ptr_equal(map_remove(map, key), value);
        }
        assert_int_equal(seen, 100);
        assert_int_equal(map_count(map), 34);
        at = 0;
        seen = 0;
        uint64_t number;
        while (map_u64_next(numbers, &at, &number, NULL)) {
                assert_true(number == seen++);
                map_u64_remove(numbers, number);
        }
        assert_int_equal(seen, 100);
        assert_int_equal(map_u64_count(numbers), 0);
        map_free(map);
        map_u64_free(numbers);
}

/* A queue of constant length: the gaps it leaves behind must not pile up. */
static void test_queue_use(void **state) {
        (void)state;
        struct map_u64 *map = map_u64_new();
        for (uint64_t i = 0; i < 100000; i++) {
                map_u64_put(map, i, &anchors[i % 1000]);
                if (i < 50)
                        continue;
                size_t at = 0;
                uint64_t key;
                assert_true(map_u64_next(map, &at, &key, NULL));
                assert_true(key == i - 50);
                assert_true(at < 1000);
                map_u64_remove(map, key);
        }
        assert_int_equal(map_u64_count(map), 50);
        map_u64_free(map);
}

/* After a burst, a map is as small as one that never was large. */
static void test_room_is_given_back(void **state) {
        (void)state;
        struct map *map = map_new();
        struct map_u64 *numbers = map_u64_new();
        char buffer[64];
        for (int left = 0; left < 4; left++) { /* elements that stay over the burst */
                for (uint64_t i = 0; i < 50000; i++) {
                        map_put(map, text_key(i, buffer, sizeof(buffer)), anchors);
                        map_u64_put(numbers, i, anchors);
                }
                assert_true(map_bytes(map) > 50000 * 16 && map_u64_bytes(numbers) > 50000 * 16);
                for (uint64_t i = left; i < 50000; i++) {
                        map_remove(map, text_key(i, buffer, sizeof(buffer)));
                        map_u64_remove(numbers, i);
                }
                if (left > 0) { /* with the next that comes */
                        map_put(map, SLICE_LITERAL("next"), anchors);
                        map_u64_put(numbers, UINT64_MAX, anchors);
                }
                assert_in_range(map_bytes(map), 1, 2048);
                assert_in_range(map_u64_bytes(numbers), 1, 2048);
                for (uint64_t i = 0; i < (uint64_t)left; i++) {
                        assert_non_null(map_remove(map, text_key(i, buffer, sizeof(buffer))));
                        assert_non_null(map_u64_remove(numbers, i));
                }
                map_remove(map, SLICE_LITERAL("next"));
                map_u64_remove(numbers, UINT64_MAX);
                assert_int_equal(map_count(map) + map_u64_count(numbers), 0);
        }
        map_free(map);
        map_u64_free(numbers);
}

static void test_empty(void **state) {
        (void)state;
        struct map *map = map_new();
        struct map_u64 *numbers = map_u64_new();
        size_t at = 0;
        assert_null(map_get(map, SLICE_LITERAL("x")));
        assert_null(map_remove(map, SLICE_EMPTY));
        assert_false(map_next(map, &at, NULL, NULL));
        assert_null(map_u64_get(numbers, 0));
        assert_null(map_u64_remove(numbers, 0));
        assert_false(map_u64_next(numbers, &at, NULL, NULL));
        map_free(map);
        map_u64_free(numbers);
        map_free(NULL);
        map_u64_free(NULL);
}

static void test_keys_are_copied(void **state) {
        (void)state;
        struct map *map = map_new();
        char key[] = "node-1";
        map_put(map, slice_of(key), anchors);
        key[5] = '2';
        assert_null(map_get(map, slice_of(key)));
        assert_ptr_equal(map_get(map, SLICE_LITERAL("node-1")), anchors);
        map_free(map);
}

/* A sanitizer tells what is not freed. */
static void test_free_values(void **state) {
        (void)state;
        struct map *map = map_new();
        for (int i = 0; i < 10; i++) {
                char key[] = { 'a', (char)('0' + i), '\0' };
                map_put(map, slice_of(key), xmalloc(8));
        }
        map_free_values(map);
        map_free_values(NULL);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_map_random_steps),
                cmocka_unit_test(test_map_u64_random_steps),
                cmocka_unit_test(test_removing_while_iterating),
                cmocka_unit_test(test_queue_use),
                cmocka_unit_test(test_room_is_given_back),
                cmocka_unit_test(test_empty),
                cmocka_unit_test(test_keys_are_copied),
                cmocka_unit_test(test_free_values),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
