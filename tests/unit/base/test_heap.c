/* The heap against a linear scan for the smallest element. */
#include "base/heap.h"
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

#define ITEM_COUNT 200

struct item {
        int64_t key;
        uint32_t tie; /* distinct, so that the order is total */
        size_t index; /* as the heap last told */
};

static bool is_before(const void *a, const void *b, void *context) {
        const struct item *left = a;
        const struct item *right = b;
        int64_t sign = *(const int64_t *)context;
        if (left->key != right->key)
                return left->key * sign < right->key * sign;
        return left->tie < right->tie;
}

static void moved(void *item, size_t index) {
        ((struct item *)item)->index = index;
}

struct world {
        struct heap heap;
        struct item items[ITEM_COUNT];
        int64_t sign;
};

static void world_init(struct world *world, int64_t sign) {
        world->sign = sign;
        heap_init(&world->heap, is_before, moved, &world->sign);
        for (uint32_t i = 0; i < ITEM_COUNT; i++)
                world->items[i] = (struct item){ .tie = i, .index = HEAP_NO_INDEX };
}

static struct item *naive_first(struct world *world) {
        struct item *first = NULL;
        for (size_t i = 0; i < ITEM_COUNT; i++) {
                struct item *item = &world->items[i];
                if (item->index == HEAP_NO_INDEX)
                        continue;
                if (!first || is_before(item, first, &world->sign))
                        first = item;
        }
        return first;
}

static void check(struct world *world) {
        struct heap *heap = &world->heap;
        size_t inside = 0;
        for (size_t i = 0; i < ITEM_COUNT; i++)
                inside += world->items[i].index != HEAP_NO_INDEX;
        assert_int_equal(inside, heap->count);
        for (size_t i = 0; i < heap->count; i++)
                assert_int_equal(((struct item *)heap->items[i])->index, i);
        assert_ptr_equal(heap_peek(heap), naive_first(world));
}

static void step(struct world *world, struct rng *rng) {
        struct item *item = &world->items[rng_below(rng, ITEM_COUNT)];
        int64_t key = (int64_t)rng_below(rng, 50);
        if (item->index == HEAP_NO_INDEX) {
                item->key = key;
                heap_push(&world->heap, item);
        } else if (rng_below(rng, 2)) {
                item->key = key;
                heap_fix(&world->heap, item->index);
        } else {
                heap_remove(&world->heap, item->index);
                assert_true(item->index == HEAP_NO_INDEX);
        }
        if (rng_below(rng, 8) == 0) {
                struct item *first = naive_first(world);
                assert_ptr_equal(heap_pop(&world->heap), first);
        }
}

static void test_random_steps(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= 6; seed++) {
                struct rng rng;
                rng_init(&rng, seed);
                struct world world;
                world_init(&world, seed % 2 ? 1 : -1);
                for (int i = 0; i < 1000; i++) {
                        step(&world, &rng);
                        check(&world);
                }
                while (world.heap.count) {
                        struct item *first = naive_first(&world);
                        assert_ptr_equal(heap_pop(&world.heap), first);
                }
                assert_null(heap_pop(&world.heap));
                assert_null(heap_peek(&world.heap));
                heap_release(&world.heap);
        }
}

static void test_sorts(void **state) {
        (void)state;
        struct rng rng;
        rng_init(&rng, 99);
        struct world world;
        world_init(&world, 1);
        for (size_t i = 0; i < ITEM_COUNT; i++) {
                world.items[i].key = (int64_t)rng_below(&rng, 20) - 10;
                heap_push(&world.heap, &world.items[i]);
        }
        struct item *previous = heap_pop(&world.heap);
        for (size_t i = 1; i < ITEM_COUNT; i++) {
                struct item *item = heap_pop(&world.heap);
                assert_true(is_before(previous, item, &world.sign));
                previous = item;
        }
        heap_release(&world.heap);
}

static bool is_before_plain(const void *a, const void *b, void *context) {
        (void)context;
        return *(const int *)a < *(const int *)b;
}

static void test_works_without_callback(void **state) {
        (void)state;
        struct heap heap;
        int numbers[] = { 5, 3, 9, 1, 7 };
        heap_init(&heap, is_before_plain, NULL, NULL);
        for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
                heap_push(&heap, &numbers[i]);
        for (int expected = 1; expected <= 9; expected += 2)
                assert_int_equal(*(int *)heap_pop(&heap), expected);
        heap_release(&heap);
        heap_release(&heap);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_random_steps),
                cmocka_unit_test(test_sorts),
                cmocka_unit_test(test_works_without_callback),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
