/* No request costs the square of what it holds: for every kind of list, on every path, four times
 * as many elements may take less than eight times the processor time. A square takes sixteen times,
 * n log n less than five. Nothing is compared with a clock. */
#include "request_cost.h"

#include "../long_form.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TIMES 4
#define RATIO_MAX 8
#define TRIES 12
/* Requests as short as this are not told from what every request costs. */
#define SHORT_NS 400000

static void keep_least(struct cost *least, struct cost cost) {
        if (least->ns == 0 || cost.ns < least->ns)
                *least = cost;
}

/* Measures until the least of the larger one is small enough; others on the machine only make
 * either of them longer. */
static bool is_cheap(const struct cost_shape *shape, enum cost_path path, size_t count) {
        struct cost few = { 0 }, many = { 0 };

        for (int i = 0; i < TRIES; i++) {
                keep_least(&few, cost_measure(shape, path, count));
                keep_least(&many, cost_measure(shape, path, TIMES * count));
                if (many.ns < SHORT_NS || many.ns < RATIO_MAX * few.ns)
                        return true;
        }
        print_error("%s, %s: %zu elements %.1f ms, %zu elements %.1f ms\n", shape->name,
                    cost_path_names[path], count, (double)few.ns / 1e6, TIMES * count,
                    (double)many.ns / 1e6);
        return false;
}

/* BERTH_COST_ELEMENTS: of the smaller request. */
static size_t elements(void) {
        const char *given = getenv("BERTH_COST_ELEMENTS");

        if (given)
                return strtoul(given, NULL, 10);
        return long_form() ? 4000 : 400;
}

static void test_no_squares(void **state) {
        size_t count = elements(), bad = 0;
        size_t step = long_form() ? 1 : 7; /* the short form takes every seventh pair */

        (void)state;
        for (size_t i = 0; i < cost_shape_count; i++) {
                for (size_t path = i % step; path < COST_PATHS; path += step)
                        bad += !is_cheap(&cost_shapes[i], (enum cost_path)path, count);
        }
        assert_int_equal(bad, 0);
}

/* The measurement itself: requests reach what they are meant to reach. */
static void test_requests_succeed(void **state) {
        size_t created = 0, applied = 0;

        (void)state;
        for (size_t i = 0; i < cost_shape_count; i++) {
                created += cost_measure(&cost_shapes[i], COST_CREATE, 20).status == 201;
                applied += cost_measure(&cost_shapes[i], COST_APPLY, 20).status == 201;
        }
        /* The others are refused on purpose: repeated names, wrong labels, unknown values. */
        assert_true(created >= cost_shape_count - 8);
        assert_true(applied >= cost_shape_count - 8);
}

/* What etcd would not store is refused, as upstream does. */
static void test_too_large(void **state) {
        (void)state;
        for (size_t i = 0; i < cost_shape_count; i++) {
                if (strcmp(cost_shapes[i].name, "custom.words"))
                        continue;
                assert_int_equal(cost_measure(&cost_shapes[i], COST_CREATE, 100000).status, 201);
                assert_int_equal(cost_measure(&cost_shapes[i], COST_CREATE, 200000).status, 500);
                return;
        }
        fail();
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_requests_succeed),
                cmocka_unit_test(test_no_squares),
                cmocka_unit_test(test_too_large),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
