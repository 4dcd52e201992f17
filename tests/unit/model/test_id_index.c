/* Row numbers and the hash index, against a plain array. */
#include "model/id_index.h"

#include "base/rng.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_numbers_are_reused(void **state) {
        struct id_pool pool = { 0 };
        (void)state;
        for (uint32_t i = 0; i < 100; i++)
                assert_int_equal(id_pool_take(&pool), i);
        id_pool_give(&pool, 17);
        id_pool_give(&pool, 42);
        assert_int_equal(id_pool_take(&pool), 42);
        assert_int_equal(id_pool_take(&pool), 17);
        assert_int_equal(id_pool_take(&pool), 100);
        id_pool_release(&pool);
}

static bool holds(const struct id_index *index, uint32_t hash, uint32_t wanted) {
        uint32_t at = 0, id, found = 0;
        while (id_index_next(index, hash, &at, &id))
                found += id == wanted;
        assert_true(found <= 1);
        return found == 1;
}

/* Few hashes: long runs, many collisions, holes that must be closed. */
static void test_random_operations(void **state) {
        enum { IDS = 200 };
        bool is_in[IDS] = { false };
        struct id_index index = { 0 };
        struct rng rng;
        (void)state;
        rng_init(&rng, 7);
        for (int round = 0; round < 20000; round++) {
                uint32_t id = (uint32_t)rng_below(&rng, IDS);
                uint32_t hash = id % 13 * 0x10000001u;
                if (is_in[id])
                        id_index_remove(&index, hash, id);
                else
                        id_index_insert(&index, hash, id);
                is_in[id] = !is_in[id];
                uint32_t probe = (uint32_t)rng_below(&rng, IDS);
                assert_int_equal(holds(&index, probe % 13 * 0x10000001u, probe), is_in[probe]);
        }
        for (uint32_t id = 0; id < IDS; id++) {
                if (is_in[id])
                        id_index_remove(&index, id % 13 * 0x10000001u, id);
        }
        assert_int_equal(index.count, 0);
        assert_true(id_index_bytes(&index) <= 64 * sizeof(struct id_slot));
        id_index_release(&index);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_numbers_are_reused),
                cmocka_unit_test(test_random_operations),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
