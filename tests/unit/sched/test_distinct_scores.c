/* Raw scores by value: who shares one, when values come into use and go, and their limit. */
#include "sched/distinct_scores.h"
#include "sched_test.h"

#define NODES 300

static struct node_id node(uint32_t index) {
        return (struct node_id){ index };
}

static const struct distinct_value *value_of(const struct distinct_scores *scores, uint32_t index) {
        return &scores->values[scores->which[index]];
}

static void test_equal_scores_share_a_value(void **state) {
        struct distinct_scores scores;
        (void)state;
        distinct_scores_init(&scores, NODES);
        for (uint32_t i = 0; i < NODES; i++)
                assert_true(distinct_scores_set(&scores, node(i), i % 7, false));
        assert_int_equal(scores.count, 7);
        for (uint32_t i = 0; i < NODES; i++)
                assert_int_equal(value_of(&scores, i)->raw, i % 7);
        distinct_scores_release(&scores);
}

static void test_left_out_is_a_value_of_its_own(void **state) {
        struct distinct_scores scores;
        (void)state;
        distinct_scores_init(&scores, NODES);
        assert_true(distinct_scores_set(&scores, node(0), 0, false));
        assert_true(distinct_scores_set(&scores, node(1), 0, true));
        assert_int_equal(scores.count, 2);
        assert_false(value_of(&scores, 0)->is_left_out);
        assert_true(value_of(&scores, 1)->is_left_out);
        distinct_scores_release(&scores);
}

static void test_first_and_last_user_change_the_values_in_use(void **state) {
        struct distinct_scores scores;
        (void)state;
        distinct_scores_init(&scores, NODES);
        for (uint32_t i = 0; i < 3; i++)
                assert_true(distinct_scores_set(&scores, node(i), 42, false));
        assert_true(distinct_scores_join(&scores, 0));
        assert_false(distinct_scores_join(&scores, 1));
        assert_false(distinct_scores_leave(&scores, 0));
        assert_true(distinct_scores_leave(&scores, 1));
        assert_true(distinct_scores_join(&scores, 2));
        distinct_scores_release(&scores);
}

static void test_kinds_are_values_whatever_they_are_worth(void **state) {
        static const struct score_kind kinds[] = { { 0, 5 }, { 1, 5 }, { 1, 6 }, { 1, 5 } };
        struct distinct_scores scores;
        (void)state;
        distinct_scores_init(&scores, NODES);
        for (uint32_t i = 0; i < ARRAY_LEN(kinds); i++)
                assert_true(distinct_scores_set_kind(&scores, node(i), kinds[i], false));
        assert_int_equal(scores.count, 3);
        assert_ptr_equal(value_of(&scores, 1), value_of(&scores, 3));
        assert_int_equal(value_of(&scores, 2)->kind.domain, 1);
        assert_int_equal(value_of(&scores, 2)->kind.rest, 6);
        distinct_scores_release(&scores);
}

static void test_too_many_values_are_refused(void **state) {
        struct distinct_scores scores;
        (void)state;
        distinct_scores_init(&scores, NODES);
        for (uint32_t i = 0; i < DISTINCT_MAX; i++)
                assert_true(distinct_scores_set(&scores, node(i), -(int64_t)i, false));
        assert_false(distinct_scores_set(&scores, node(DISTINCT_MAX), 1, false));
        assert_true(distinct_scores_set(&scores, node(DISTINCT_MAX), -5, false));
        distinct_scores_clear(&scores);
        assert_true(distinct_scores_set(&scores, node(DISTINCT_MAX), 1, false));
        assert_int_equal(scores.count, 1);
        distinct_scores_release(&scores);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_equal_scores_share_a_value),
                cmocka_unit_test(test_left_out_is_a_value_of_its_own),
                cmocka_unit_test(test_first_and_last_user_change_the_values_in_use),
                cmocka_unit_test(test_kinds_are_values_whatever_they_are_worth),
                cmocka_unit_test(test_too_many_values_are_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
