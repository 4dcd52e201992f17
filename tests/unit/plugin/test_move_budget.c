/* Who is asked about when a pass cannot ask about everybody. */
#include "plugin/move_budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define NODES 1000
#define PER_PASS ((size_t)MOVE_NODES_PER_PASS / NODES)

/* Asks for pods 0 to count - 1, as passes do, in order; how many were asked for, and the first. */
static size_t ask_all(struct move_budget *budget, size_t count, size_t *ret_first) {
        size_t taken = 0;
        char uid[32];
        move_budget_begin(budget, NODES);
        for (size_t i = 0; i < count; i++) {
                snprintf(uid, sizeof(uid), "uid-%zu", i);
                if (!move_budget_take(budget, slice_of(uid)))
                        continue;
                if (taken++ == 0)
                        *ret_first = i;
        }
        return taken;
}

static void test_few(void **state) {
        (void)state;
        struct move_budget *budget = move_budget_new();
        size_t first;
        for (int pass = 0; pass < 3; pass++) {
                assert_int_equal(ask_all(budget, 10, &first), 10);
                assert_int_equal(first, 0);
        }
        move_budget_free(budget);
}

/* Two and a half passes' worth: each pod is asked for once before any is asked for twice. */
static void test_many(void **state) {
        (void)state;
        static const size_t count = PER_PASS * 5 / 2;
        struct move_budget *budget = move_budget_new();
        size_t first = 0;
        for (int round = 0; round < 2; round++) {
                assert_int_equal(ask_all(budget, count, &first), PER_PASS);
                assert_int_equal(first, 0);
                assert_int_equal(ask_all(budget, count, &first), PER_PASS);
                assert_int_equal(first, PER_PASS);
                assert_int_equal(ask_all(budget, count, &first), PER_PASS / 2);
                assert_int_equal(first, 2 * PER_PASS);
        }
        move_budget_free(budget);
}

static void test_size_of_the_cluster(void **state) {
        (void)state;
        static const struct {
                size_t nodes, questions;
        } cases[] = { { 5000, 320 }, { 1000000, MOVE_QUESTIONS_MIN }, { 0, MOVE_QUESTIONS_MIN } };
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct move_budget *budget = move_budget_new();
                char uid[32];
                size_t taken = 0;
                move_budget_begin(budget, cases[i].nodes);
                for (size_t pod = 0; pod < 500; pod++) {
                        snprintf(uid, sizeof(uid), "uid-%zu", pod);
                        taken += move_budget_take(budget, slice_of(uid));
                }
                assert_int_equal(taken, cases[i].questions);
                move_budget_free(budget);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_few),
                cmocka_unit_test(test_many),
                cmocka_unit_test(test_size_of_the_cluster),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
